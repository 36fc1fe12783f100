"""The modules of which Torch composes nn's normalisations by surroundings."""

from __future__ import annotations

import numpy as np

from ...core.types import Value
from ..t7 import T7Object
from ..t7.values import Fields
from .build import container, module
from .node import Node
from .record import Record


def parts(node: Node, fields: Fields) -> Fields:
    """The estimators and the tables that combine them, as Torch's constructors build them."""
    made = {
        "nn.SpatialSubtractiveNormalization": _subtractive,
        "nn.SpatialDivisiveNormalization": _divisive,
        "nn.SpatialContrastiveNormalization": _contrastive,
        "nn.SpatialNormalization": _adaptive,
    }[node.spec.torch_name()]
    return made(fields)


def _normalized(fields: Fields) -> np.ndarray:
    kernel = np.asarray(fields["kernel"], np.float64)
    planes = fields["nInputPlane"]
    return kernel / (kernel.sum() * (planes if kernel.ndim == 2 else planes**0.5))


def _convolution(class_name: str, kernel: np.ndarray, weight: np.ndarray, sums: int, **fields: Value) -> T7Object:
    """A convolution to `sums` planes without biases."""
    biases = {name: np.zeros(sums) for name in ("bias", "gradBias")}
    return module(
        class_name, kW=kernel.shape[1], kH=kernel.shape[0], dW=1, dH=1, nOutputPlane=sums, weight=weight,
        gradWeight=np.zeros_like(weight), **biases, **fields,
    )  # fmt: skip


def _one_to_one(planes: int, kernel: np.ndarray) -> T7Object:
    """The convolution of every plane with a kernel."""
    table = np.repeat(np.arange(1.0, planes + 1)[:, None], 2, 1)
    weight = np.repeat(kernel[None], planes, 0)
    return _convolution("nn.SpatialConvolutionMap", kernel, weight, planes, nInputPlane=planes, connTable=table)


def _summed(planes: int, kernel: np.ndarray) -> T7Object:
    """The sum over all planes of their convolutions with a kernel: one plane."""
    weight = np.repeat(kernel[None, None], planes, 1)
    return _convolution("nn.SpatialConvolution", kernel, weight, 1, nInputPlane=planes, padW=0, padH=0)


def kernel_of(record: Record) -> np.ndarray:
    """A kernel; for a row and a column, which nnx has for one plane, their product.

    Raises: T7ModuleError for other pairs, which are not equivalent to one kernel.
    """
    kernel = record.need("kernel")
    if not isinstance(kernel, list):
        return np.asarray(kernel)
    shapes = [np.shape(each) for each in kernel]
    match shapes:
        case [(1, _), (_, 1)] | [(_, 1), (1, _)] if record.get("nfeatures") == 1:
            return np.asarray(kernel[0]) * np.asarray(kernel[1])
    raise record.error(f"expected one kernel, or a row and a column for one plane, got kernels of shapes {shapes}")


def _estimator(kernel: np.ndarray, planes: int, *, squares: bool) -> T7Object:
    high, wide = (size // 2 for size in (kernel.shape * 2)[:2])
    padding = module("nn.SpatialZeroPadding", pad_l=wide, pad_r=wide, pad_t=high, pad_b=high)
    return container(
        "nn.Sequential",
        *([module("nn.Square")] if squares else []),
        padding,
        *([] if kernel.ndim == 2 else [_one_to_one(planes, kernel[None, :])]),
        _summed(planes, kernel if kernel.ndim == 2 else kernel[:, None]),
        module("nn.Replicate", nfeatures=planes, dim=1, ndim=3),
        *([module("nn.Sqrt", eps=0)] if squares else []),
    )


def _subtractive(fields: Fields) -> Fields:
    kernel = _normalized(fields)
    return {
        "kernel": kernel, "meanestimator": _estimator(kernel, fields["nInputPlane"], squares=False),
        "subtractor": module("nn.CSubTable", gradInput=[]), "divider": module("nn.CDivTable", gradInput=[]),
        "coef": np.zeros((1, 1, 1)),
    }  # fmt: skip


def _divisive(fields: Fields) -> Fields:
    threshold = module("nn.Threshold", threshold=fields["threshold"], val=fields["thresval"], inplace=False)
    kernel, planes = _normalized(fields), fields["nInputPlane"]
    return {
        "kernel": kernel, "meanestimator": _estimator(kernel, planes, squares=False),
        "stdestimator": _estimator(kernel, planes, squares=True), "normalizer": module("nn.CDivTable", gradInput=[]),
        "divider": module("nn.CDivTable", gradInput=[]), "thresholder": threshold, "coef": np.zeros((1, 1, 1)),
    }  # fmt: skip


def _contrastive(fields: Fields) -> Fields:
    shared = {"nInputPlane": fields["nInputPlane"], "kernel": fields["kernel"]}
    divisive = shared | {"threshold": fields["threshold"], "thresval": fields["thresval"]}
    return {
        "normalizer": container(
            "nn.Sequential",
            module("nn.SpatialSubtractiveNormalization", **shared | _subtractive(shared)),
            module("nn.SpatialDivisiveNormalization", **divisive | _divisive(divisive)),
        )
    }


def _adaptive(fields: Fields) -> Fields:
    kernel, planes = np.asarray(fields["kernel"], np.float64), fields["nfeatures"]
    kernel = np.outer(kernel, kernel) if kernel.ndim == 1 else kernel
    kernel = kernel / kernel.sum()
    high, wide = (size // 2 for size in kernel.shape)
    tables = {name: module("nn.CDivTable", gradInput=[]) for name in ("meanDiviseMod", "stdDiviseMod", "diviseMod")}
    return {
        "kernel": kernel, "padW": wide, "padH": high, "pad2W": 0, "pad2H": 0,
        **{name: 0 for name in ("kerWisPair", "kerHisPair", "ker2WisPair", "ker2HisPair")},
        "convo": _estimator(kernel, planes, squares=False), "convostd": _estimator(kernel, planes, squares=False),
        "squareMod": module("nn.Square"), "sqrtMod": module("nn.Sqrt", eps=0), **tables,
        "subtractMod": module("nn.CSubTable", gradInput=[]), "thresMod": module("nn.Threshold", inplace=False),
        "coef": np.zeros((1, 1)),
    }  # fmt: skip
