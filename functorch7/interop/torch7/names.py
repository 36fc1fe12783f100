"""Maps classes of other packages and older versions to the classes of nn that compute the same, and older fields."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import registry
from ..t7 import T7Object
from ..t7.values import T7Storage
from .tree_softmax import in_order

Fields = dict[str, Any]
Upgrade = Callable[[Fields, int], Fields]
"""An object's fields from those of an older version, as the newest version would have saved them."""

SAME_NAME = (
    "BatchNormalization", "LogSoftMax", "ReLU", "Sigmoid", "SoftMax", "SpatialAveragePooling",
    "SpatialBatchNormalization", "SpatialConvolution", "SpatialCrossMapLRN", "SpatialFullConvolution",
    "SpatialLogSoftMax", "SpatialMaxPooling", "SpatialSoftMax", "Tanh", "TemporalConvolution",
    "VolumetricAveragePooling", "VolumetricBatchNormalization", "VolumetricConvolution", "VolumetricFullConvolution",
    "VolumetricMaxPooling",
)  # fmt: skip
"""The layers that cudnn has under nn's names."""

KIN = {f"cudnn.{name}": f"nn.{name}" for name in SAME_NAME} | {
    "cudnn.VolumetricLogSoftMax": "nn.LogSoftMax",
    "cudnn.VolumetricSoftMax": "nn.SoftMax",
    "inn.SpatialAveragePooling": "nn.SpatialAveragePooling",
    "inn.SpatialCrossResponseNormalization": "nn.SpatialCrossMapLRN",
    "inn.SpatialMaxPooling": "nn.SpatialMaxPooling",
    "OneHot": "nn.OneHot",  # char-rnn's
}
"""The class of nn that computes the same, for classes of other packages."""

REPLICAS = ("nn.DataParallelTable",)
"""Containers of copies of one module; the first stands for all."""


def known_name(class_name: str) -> str | None:
    """The name of the class that stands for a saved class; None if there is none."""
    name = KIN.get(class_name, class_name)
    return name if name in registry else None


def _running_variance(fields: Fields, version: int) -> Fields:
    """Before version 2, batch normalisation kept 1/sqrt(variance + eps)."""
    if "running_var" in fields or "running_std" not in fields:
        return fields
    inverse = fields["running_std"]
    variance = (inverse.astype(np.float64) ** -2 - fields.get("eps", 1e-5)).astype(inverse.dtype)
    return fields | {"running_var": variance}


def _padding(fields: Fields, version: int) -> Fields:
    """Old convolutions had one number for the padding of both directions."""
    both = fields.get("padding")
    return fields if both is None else {"padW": both, "padH": both} | fields


def _no_division(fields: Fields, version: int) -> Fields:
    """A SpatialAveragePooling without the field `divide` dates from when it summed; all padding counted."""
    return {"divide": False, "count_include_pad": True} | fields


def _always_divides(fields: Fields, version: int) -> Fields:
    """The average poolings of cudnn and inn do not have this field."""
    return {"divide": True, "count_include_pad": True} | fields


def _rounds_up(fields: Fields, version: int) -> Fields:
    """inn's poolings round the sizes of outputs up."""
    return fields | {"ceil_mode": True}


def _batch_first(fields: Fields, version: int) -> Fields:
    """The first SeqLSTM had the batch before time, and remembered state in all modes or in none."""
    if "batchfirst" in fields:
        return fields
    return fields | {"batchfirst": True, "_remember": "both" if fields.get("remember_states") else "neither"}


def _partial_weight(fields: Fields, version: int) -> Fields:
    """PartialLinear keeps its weight in a network inside."""
    network = fields.get("network")
    if not isinstance(network, T7Object):
        return fields
    lookup = network.fields["modules"][0].fields["modules"][1]
    return fields | {name: lookup.fields[name] for name in ("weight", "gradWeight") if name in lookup.fields}


def _weight_per_plane(fields: Fields, version: int) -> Fields:
    """SpatialLPPooling once filled a weight for each place of a window, and used only the first."""
    weight = fields.get("weight")
    if not isinstance(weight, np.ndarray) or weight.ndim != 3 or not weight.size or (weight != weight.flat[0]).any():
        return fields
    return fields | {"weight": weight[:, 0, 0]}


def _weight_inside(fields: Fields, version: int) -> Fields:
    """WeightNorm omits the weight of the module inside, which follows from v and g."""
    v, sizes, modules = (fields.get(name) for name in ("v", "weightSize", "modules"))
    if not (isinstance(v, np.ndarray) and isinstance(sizes, T7Storage) and isinstance(modules, list)):
        return fields
    shape = sizes.array.tolist()
    if all(isinstance(size, int) and size > 0 for size in shape) and math.prod(shape) == v.size:
        for inner in modules[:1]:
            if isinstance(inner, T7Object) and isinstance(inner.fields, dict) and "weight" not in inner.fields:
                inner.fields["weight"] = np.zeros(shape, v.dtype)
    return fields


def _hyper_parameters_of(name: str, field: str) -> Upgrade:
    def upgrade(fields: Fields, version: int) -> Fields:
        return fields if field in fields or name not in fields else fields | {field: fields[name]}

    return upgrade


_BATCH = [_running_variance]
UPGRADES: dict[str, list[Upgrade]] = {
    "nn.BatchNormalization": _BATCH,
    "nn.SpatialBatchNormalization": _BATCH,
    "nn.VolumetricBatchNormalization": _BATCH,
    "cudnn.BatchNormalization": _BATCH,
    "cudnn.SpatialBatchNormalization": _BATCH,
    "cudnn.VolumetricBatchNormalization": _BATCH,
    "nn.SpatialConvolution": [_padding],
    "nn.SpatialConvolutionMM": [_padding],
    "nn.SpatialConvolutionLocal": [_padding],
    "nn.SpatialDilatedConvolution": [_padding],
    "nn.SpatialAveragePooling": [_no_division],
    "cudnn.SpatialAveragePooling": [_always_divides],
    "inn.SpatialAveragePooling": [_always_divides, _rounds_up],
    "inn.SpatialMaxPooling": [_rounds_up],
    "nn.SpatialSubSampling": [_weight_per_plane],
    "nn.SeqLSTM": [_batch_first],
    "nn.PartialLinear": [_partial_weight],
    "nn.WeightNorm": [_weight_inside],
    "nn.SoftMaxTree": [lambda fields, version: in_order(fields)],
    "nn.Repeater": [_hyper_parameters_of("nStep", "rho"), _hyper_parameters_of("rnn", "module")],
}
"""How older versions and other packages saved objects differently, by the class's name in the file."""


def upgraded(object: T7Object) -> Fields:
    """The fields of an object, as the newest version of nn would have saved them."""
    fields = object.fields if isinstance(object.fields, dict) else {}
    for upgrade in UPGRADES.get(object.class_name, []):
        fields = upgrade(fields, object.version or 0)
    return fields
