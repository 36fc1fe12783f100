"""Convolutions and poolings whose objects do more than their descriptions say."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from ... import core, layers
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ...layers import connections
from ...layers.pooling import Record
from ..engine.calls import Call
from ..objects import composed
from ..objects.described import Described
from ..objects.generated import More, class_of, more, object_of
from ..tensors.changes import changed
from ..tensors.kinds import Numbers
from ..tensors.named_errors import name_function_errors
from ..tensors.random import generator
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import Input
from ..tensors.zeros import of_zeros
from .module import Module


class Emptied(Module):
    """Poolings, which also have clearState under its old name."""

    def empty(self) -> Described:
        """Drops the results of calls."""
        return self.clearState()


class Unpooling(Emptied):
    """Modules that put values back where a pooling object found them in its last forward."""

    pooling: Value

    def __init__(self, poolingModule: Module):
        spec = poolingModule.description() if isinstance(poolingModule, Module) else poolingModule
        if getattr(spec, "record", False) is None:
            poolingModule._respecify(spec.replace(record=Record()))
        super().__init__(poolingModule)
        self.__dict__["pooling"] = poolingModule


for _spec in (
    layers.TemporalMaxPooling, layers.SpatialMaxPooling, layers.VolumetricMaxPooling, layers.VolumetricAveragePooling,
    layers.SpatialFractionalMaxPooling, layers.VolumetricFractionalMaxPooling, layers.SpatialAdaptiveMaxPooling,
    layers.SpatialAdaptiveAveragePooling,
):  # fmt: skip
    more[_spec] = More({}, base=Emptied)
for _spec in (layers.SpatialMaxUnpooling, layers.VolumetricMaxUnpooling):
    more[_spec] = More({}, Unpooling, "The pooling object stays linked to it.")


class ReSampling(Module):
    """Resampling whose updateGradInput uses gradOutput's size, as nnx's C code does."""

    def updateGradInput(self, input: Value, gradOutput: Value = None) -> Value:
        """The gradient with respect to the input, for an output of gradOutput's size."""
        height, width = np.shape(gradOutput)[-2:]
        if (height, width) == self._spec.sizes(*np.shape(input)[-2:]):
            return super().updateGradInput(input, gradOutput)
        other = object_of(self._spec.replace(oheight=height, owidth=width)).type(self._type)
        self.gradInput = other.updateGradInput(input, gradOutput)
        return self.gradInput


class Glimpse(Module):
    """Glimpses, whose `module` reduces their patches: a SpatialAveragePooling or a SpatialReSampling."""

    @property
    def module(self) -> Described:
        """What reduces patches to the glimpse's size."""
        return composed.field(self, "module")

    @module.setter
    def module(self, value: Module) -> None:
        kinds = {layers.SpatialAveragePooling: False, layers.SpatialReSampling: True}
        if type(value._spec) not in kinds:
            raise TypeError(f"{self.title()}: expected a SpatialAveragePooling or SpatialReSampling, got {value}")
        self._respecify(self._spec.replace(resampled=kinds[type(value._spec)]))


more[layers.SpatialReSampling] = More({}, ReSampling)
more[layers.SpatialGlimpse] = More({}, Glimpse, "`module` is what reduces the patches, and may be set.")


class Convolution(Module):
    """Convolutions, also cudnn's, whose programs choose algorithms: here XLA chooses them."""

    def fastest(self, mode: bool = True) -> Self:
        """Returns itself: XLA chooses the algorithms."""
        return self

    def setMode(
        self, fmode: str | int | None = None, bdmode: str | int | None = None, bwmode: str | int | None = None
    ) -> Self:
        """Returns itself, as `fastest` does."""
        return self

    def resetMode(self) -> Self:
        """Returns itself, as `fastest` does."""
        return self


for _spec in (layers.TemporalConvolution, layers.SpatialConvolution, layers.VolumetricConvolution):
    more[_spec] = More({}, Convolution)


class FullConvolution(Convolution, describes=layers.transposed.FullConvolution):
    """Transposed convolutions; the gradient at a second input, which only gives the output's size, is zero.

    It is a single 0, expanded to the input's size.
    """

    def _pulled_back(self, call: Call, accumulated: bool) -> Any:
        found = super()._pulled_back(call, accumulated)
        if isinstance(found, list):
            zero, sizes = Storage.zeros((1,), found[0].dtype), found[1].shape
            self.gradInput = found = [found[0], Tensor.viewing(zero, 0, sizes, (0,) * len(sizes))]
        return found


class SpatialDepthWiseConvolution(Module, describes=layers.SpatialDepthWiseConvolution):
    """nn.SpatialDepthWiseConvolution; `gradWeight` has four dimensions."""

    def _make_parameters(self, before: core.Module | None = None) -> None:
        super()._make_parameters(before)
        shape = (self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
        self.__dict__[grad_name("weight")].resize(*shape)


class SpatialConvolutionLocal(Module, describes=layers.SpatialConvolutionLocal):
    """nn.SpatialConvolutionLocal; a weight of other sizes with as many elements leaves the layer as it is."""

    def _fits(self, tensor: Tensor, shape: tuple[int, ...]) -> bool:
        return tensor.nElement() == math.prod(shape)


SpatialConvolution = class_of(layers.SpatialConvolution)


class SpatialBinaryConvolution(SpatialConvolution, describes=layers.SpatialBinaryConvolution):  # type: ignore
    """nn.SpatialBinaryConvolution; `weight` holds the real weights until `binarizeWeight` is called."""

    tempWeight: Tensor
    alphas: Tensor
    gradInputAlphas: Tensor

    def binarizeWeight(self) -> None:
        """Replaces the weights by their signs (1 for 0), for a network that is no longer trained.

        Keeps the weights in `tempWeight`, and the mean absolute weights of output planes in `alphas` and of input
        planes in `gradInputAlphas`.
        """
        weight = self.weight.numpy()
        self.tempWeight, sizes = self.weight.clone(), np.abs(weight).astype(np.float64)
        self.alphas = Tensor.of(sizes.mean((1, 2, 3)).astype(weight.dtype))
        self.gradInputAlphas = Tensor.of(sizes.mean((0, 2, 3)).astype(weight.dtype))
        self.weight.copy(np.where(weight >= 0, 1, -1))


class SpatialConvolutionMap(Module, describes=layers.SpatialConvolutionMap):
    """nn.SpatialConvolutionMap."""

    def decayParameters(self, decay: float) -> None:
        """parameter -= decay * parameter."""
        for parameter in self.parameters()[0]:
            parameter.copy(parameter.numpy() * (1 - decay))


class LookupTable(Module, describes=layers.LookupTable):
    """nn.LookupTable; after `accUpdateOnly()` it shows no gradWeight."""

    _updates_only = False

    @property
    def gradWeight(self) -> Tensor | None:
        """The weight's gradient."""
        return None if self._updates_only else self.__dict__["gradWeight"]

    @gradWeight.setter
    def gradWeight(self, value: Numbers) -> None:
        self.__dict__.pop("_updates_only", None)
        self.__dict__["gradWeight"] = value
        changed(self)

    def updateGradInput(self, input: Value, gradOutput: Value = None) -> Value:
        """Zeros of the input's size: indices have no gradient, and are not checked, as in Torch."""
        shape, dtype = np.shape(input), getattr(input, "dtype", dtype_of(self._type))
        self.gradInput = of_zeros(shape, dtype)
        return self.gradInput

    def renorm(self, input: Input) -> None:
        """Scales down the rows that the input names, as forward does; does nothing without maxNorm."""
        spec: Any = self._spec
        indices = np.asarray(input).astype(np.int32)
        self.weight.copy(np.asarray(spec.renormalize({"weight": self.weight.numpy()}, indices)["weight"]))

    def backCompatibility(self) -> None:
        """Does nothing: objects of old files have all fields that newer ones have."""

    def makeInputContiguous(self, input: Tensor) -> Tensor:
        """The input itself, if it is a compact LongTensor, otherwise one with its indices."""
        self.copiedInput = not (input.isContiguous() and input.dtype == np.int64)
        return input.long().contiguous() if self.copiedInput else input

    def accUpdateOnly(self) -> Self:
        """Declares that only accUpdateGradParameters trains it: from then on it has no gradWeight."""
        self.__dict__["_updates_only"] = True
        return self


class tables:
    """nn.tables: connection tables for SpatialConvolutionMap."""

    @staticmethod
    def full(nin: int, nout: int) -> Tensor:
        """Every input plane with every output plane."""
        return Tensor.of(connections.full(nin, nout).astype(np.float32))

    @staticmethod
    def oneToOne(nfeat: int) -> Tensor:
        """Each plane with itself."""
        return Tensor.of(connections.one_to_one(nfeat).astype(np.float32))

    @staticmethod
    def random(nin: int, nout: int, nto: int) -> Tensor:
        """nto random input planes for every output plane."""
        return Tensor.of(connections.random(nin, nout, nto, generator()).astype(np.float32))


name_function_errors(tables)
