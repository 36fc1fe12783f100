"""Torch's package cudnn: its layers are nn's, which XLA compiles for every device; the recurrent ones are its own."""

from __future__ import annotations

from collections.abc import Callable

from .. import core
from ..interop.torch7.names import KIN
from . import nn
from .modules.criterion import Criterion
from .modules.module import Module
from .objects.described import Described
from .objects.generated import class_of
from .tensors.kinds import Numbers

benchmark = fastest = verbose = False
"""What Torch's programs set to choose between algorithms: XLA chooses, whatever they say."""

version = 90000
"""That of cuDNN, of which JAX has at least the ninth; programs ask whether it is new enough."""


def convert(net: Described, dst: object, exclusion_fn: Callable[[Described], bool] | None = None) -> Described:
    """The network itself, as nn and cudnn do not differ here; `dst` is one of them, or its name.

    Raises: TypeError for another `dst`.
    """
    if getattr(dst, "__name__", dst) not in (nn.__name__, __name__, "nn", "cudnn"):
        raise TypeError(f"cudnn.convert: expected nn or cudnn, got {dst!r}")
    return net


def SpatialConvolution(
    nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH: int = 0,
    groups: int = 1,
) -> Module:  # fmt: skip
    """An nn.SpatialConvolution; its planes may be in groups, each of which sees only its own.

    Raises: ValueError for planes that cannot be divided into the groups.
    """
    return nn.SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, groups=groups)


def VolumetricConvolution(
    nInputPlane: int, nOutputPlane: int, kT: int, kW: int, kH: int, dT: int = 1, dW: int = 1, dH: int = 1,
    padT: int = 0, padW: int = 0, padH: int = 0, groups: int = 1,
) -> Module:  # fmt: skip
    """An nn.VolumetricConvolution, likewise. Raises ValueError as `SpatialConvolution` does."""
    sizes = (kT, kW, kH, dT, dW, dH, padT, padW, padH)
    return nn.VolumetricConvolution(nInputPlane, nOutputPlane, *sizes, groups=groups)


def TemporalConvolution(inputFrameSize: int, outputFrameSize: int, kW: int, dW: int = 1, padW: int = 0) -> Module:
    """An nn.TemporalConvolution; with `padW`, after an nn.Padding that adds `padW` frames of zeros at both ends."""
    convolution = nn.TemporalConvolution(inputFrameSize, outputFrameSize, kW, dW)
    if not padW:
        return convolution
    return nn.Sequential().add(nn.Padding(1, -padW, 2)).add(nn.Padding(1, padW, 2)).add(convolution)


def SpatialConvolutionUpsample(
    nInputPlane: int, nOutputPlane: int, kW: int, kH: int, factor: int = 1, groups: int = 1
) -> Module:
    """A convolution that keeps an image's size, as programs for image generation define it. Raises ValueError for
    even kernels, and for a factor other than 1: such modules need a size to give to nn.View.
    """
    if factor != 1 or kW % 2 == 0 or kH % 2 == 0:
        raise ValueError(f"cudnn.SpatialConvolutionUpsample: expected an odd kernel and factor 1, got {kW, kH, factor}")
    return SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, 1, 1, (kW - 1) // 2, (kH - 1) // 2, groups)


def SpatialAveragePooling(
    kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0
) -> Module:
    """An nn.SpatialAveragePooling; its steps are by default as wide as its windows, nn's are 1."""
    return nn.SpatialAveragePooling(kW, kH, kW if dW is None else dW, kH if dH is None else dH, padW, padH)


def SpatialCrossEntropyCriterion(weights: Numbers | None = None) -> Criterion:
    """The cross entropy of each pixel: an nn.SpatialClassNLLCriterion after an nn.SpatialLogSoftMax."""
    return nn.ModuleCriterion(nn.SpatialClassNLLCriterion(weights), nn.SpatialLogSoftMax())


def VolumetricCrossEntropyCriterion(weights: Numbers | None = None) -> Criterion:
    """That of each place of a batch of volumes, which become images, one plane above the other."""
    logarithms = _stacked_along(3).add(nn.SpatialLogSoftMax())
    return nn.ModuleCriterion(nn.SpatialClassNLLCriterion(weights), logarithms, _stacked_along(2))


def _stacked_along(dimension: int) -> nn.Sequential:
    """A dimension and the next one become one."""
    return nn.Sequential().add(nn.SplitTable(dimension)).add(nn.JoinTable(dimension))


def ClippedReLU(ceiling: float, inplace: bool = False) -> Module:
    """Numbers below 0 become 0, those above the ceiling become the ceiling: an nn.HardTanh."""
    return nn.HardTanh(0, ceiling, inplace)


def __getattr__(name: str) -> type[Module]:
    if own := core.registry.get(f"cudnn.{name}"):
        return class_of(own)
    found = KIN.get(f"cudnn.{name}") or f"nn.{name}" * name.startswith(("Spatial", "Volumetric", "Temporal"))
    if found not in core.registry:
        raise AttributeError(f"cudnn has no {name!r} here")
    return getattr(nn, found.removeprefix("nn."))
