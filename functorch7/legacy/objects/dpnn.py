"""What dpnn adds to every module: helpers for training loops, and shapes with and without a batch."""

from __future__ import annotations

import copy
import importlib
import math
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, Self

import jax
import numpy as np

from ... import layers
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ..tensors.kinds import Sizes
from ..tensors.random import generator
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped
from .described import Described
from .parameters import kept_modules


def require(package: str) -> ModuleType:
    """An optional package, imported. Raises ImportError that says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"missing package {package}: run 'pip install {package}'") from error


def _timed(module: Any, method: str) -> Any:
    run = getattr(module, method)

    def timed(*args: Any) -> Any:
        start = time.perf_counter()
        result = run(*args)
        jax.block_until_ready([] if result is None else unwrapped(result))
        print(f"{module.typename()} {method}: {time.perf_counter() - start} s")
        return result

    return timed


class Batches:
    """Examples with and without a batch dimension."""

    dpnn_online: bool

    def toBatch(self, tensor: Tensor, nDim: int, batchDim: int = 1) -> Tensor:
        """The tensor with a batch dimension of size 1 if it has only nDim dimensions."""
        self.__dict__["dpnn_online"] = tensor.dim() == nDim
        if not self.__dict__["dpnn_online"]:
            return tensor
        shape = list(tensor.shape)
        return tensor.view(*shape[: batchDim - 1], 1, *shape[batchDim - 1 :])

    def fromBatch(self, tensor: Tensor, batchDim: int = 1) -> Tensor:
        """The tensor without the batch dimension that `toBatch` added."""
        return tensor.select(batchDim, 1) if self.__dict__.get("dpnn_online") else tensor


class _Names(property):
    """A table of names that classes have, too: there nn.Module's. A subclass may have its own list in its place."""

    def __init__(self, of_class: tuple[str, ...], names: Callable[[Any], list[str]]):
        super().__init__(names)
        self.of_class = of_class

    def __get__(self, module: Value, owner: type | None = None) -> Value:
        return list(self.of_class) if module is None else super().__get__(module, owner)


class TrainingHelpers(Batches, Described):
    """Part of Module. A module's own field of the same name (maxOutNorm, wdFactor, ...) overrides an argument.

    Source: dpnn/README.md, Module.
    """

    dpnn_cinput: Tensor
    dpnn_stepclone = False
    """Whether `stepClone` leaves it as it is."""
    dpnn_sharedClone: Any = None
    """A method that copies this module for a `sharedClone` of a network around it, if it has one."""

    @partial(_Names, ("weight", "bias"))
    def dpnn_parameters(self) -> list[str]:
        """The names of what is learned or kept: weight, bias, and a normalisation's running statistics."""
        return [*dict.fromkeys(["weight", "bias", *self.own_parameters()]), *self._kept_buffers()]

    @partial(_Names, ("gradWeight", "gradBias"))
    def dpnn_gradParameters(self) -> list[str]:
        """The names of the gradients."""
        return [grad_name(name) for name in dict.fromkeys(["weight", "bias", *self.own_parameters()])]

    def sharedClone(self, shareParams: bool = True, shareGradParams: bool = True, stepClone: bool = False) -> Self:
        """A copy that shares the parameters (and running statistics) and the gradients, or one of the two.

        So it does those of modules in fields. A module inside that has a method `dpnn_sharedClone` is copied by it.
        With stepClone, recurrent modules are not copied: the copy has the same ones.
        """
        if stepClone and self.dpnn_stepclone:
            return self
        memo: dict = {}
        for module in [inside for each in (self, *kept_modules(self)) for inside in each._members()]:
            own = module.dpnn_sharedClone
            if stepClone and module.dpnn_stepclone:
                memo[id(module)] = module
            elif own is not None and module is not self:
                memo[id(module)] = own()
            shared = [*(module.dpnn_parameters if shareParams else ())]
            shared += module.dpnn_gradParameters if shareGradParams else []
            for tensor in (module.__dict__.get(name) for name in shared):
                if isinstance(tensor, Tensor):
                    memo[id(tensor.storage_)] = tensor.storage_
        return copy.deepcopy(self, memo)

    def stepClone(self, shareParams: bool = True, shareGradParams: bool = True) -> Self:
        """As sharedClone, for another time step of a recurrence: the recurrent modules inside are the same ones."""
        return self.sharedClone(shareParams, shareGradParams, True)

    def _own(self, name: str, given: Any) -> Any:
        """The module's own field of this name, which also applies to the modules inside; otherwise the argument."""
        own = self.__dict__.get(name)
        return given if own is None else own

    def maxParamNorm(self, maxOutNorm: float | None = None, maxInNorm: float | None = None) -> None:
        """After an update: limits the norm of each row (weights into one output) and of each slice of the last dim.

        The rows of a lookup table are inputs: there maxInNorm limits rows, and maxOutNorm (or maxInNorm without it)
        limits columns.
        """
        of_outputs, of_inputs = self._own("maxOutNorm", maxOutNorm), self._own("maxInNorm", maxInNorm)
        if not of_outputs and not of_inputs:
            return
        for module in self.children():
            module.maxParamNorm(of_outputs, of_inputs)
        for tensor in () if self.children() else self.sparseParameters()[0]:
            if tensor.dim() > 1:
                first, last = 1, tensor.dim()
                if isinstance(self._spec, layers.LookupTable):
                    first, last, of_outputs = last, first, of_inputs if of_outputs is None else of_outputs
                for dimension, limit in ((first, of_outputs), (last, of_inputs)):
                    if limit is not None and limit > 0:
                        tensor.renorm(2, dimension, limit)

    def momentumGradParameters(self) -> list[Tensor]:
        """The moving averages behind `updateGradParameters`; copies of the gradients at first.

        They are in copies and files, as in Torch, under momGradParams.
        """
        own = self.__dict__.setdefault("momGradParams", [])
        if not own:
            own.extend(gradient.clone() for gradient in self.parameters()[1])
        return own

    def updateGradParameters(
        self, momFactor: float, momDamp: float | None = None, momNesterov: bool | None = None
    ) -> None:
        """Before an update: gradient = m (or gradient + momFactor m), m = momFactor m + (1 - momDamp) gradient."""
        factor, nesterov = self._own("momFactor", momFactor), self._own("momNesterov", momNesterov)
        if factor <= 0:
            return
        damp = self._own("momDamp", factor if momDamp is None else momDamp)
        for module in self.children():
            module.updateGradParameters(factor, damp, nesterov)
        if self.children() or not self.parameters()[0]:
            return
        averages: Any = self.momentumGradParameters()
        for average, gradient in zip(averages, self.sparseParameters()[1], strict=True):
            average.mul(factor).add(1 - damp, gradient)
            if nesterov:
                gradient.add(factor, average)
            else:
                gradient.copy(average)

    def weightDecay(self, wdFactor: float, wdMinDim: int | None = None) -> None:
        """Before an update: gradient += wdFactor * parameter, for parameters of at least wdMinDim (2) dimensions."""
        factor, least = self._own("wdFactor", wdFactor), self._own("wdMinDim", wdMinDim)
        if factor <= 0:
            return
        for module in self.children():
            module.weightDecay(factor, least)
        for parameter, gradient in () if self.children() else zip(*self.sparseParameters(), strict=True):
            if parameter.dim() >= (2 if least is None else least):
                gradient.add(factor, parameter)

    def gradParamClip(self, cutoffNorm: float, moduleLocal: bool = False) -> float | None:
        """Before an update: scales all gradients so that their norm (or each module's) is at most cutoffNorm.

        Returns the norm before; None if cutoffNorm is not positive.
        """
        cutoff, local = self._own("cutoffNorm", cutoffNorm), self._own("moduleLocal", moduleLocal)
        if cutoff <= 0:
            return None
        if local and self.children():
            norms = [module.gradParamClip(cutoff, True) for module in self.children()]
            return math.sqrt(sum(norm**2 for norm in norms if norm is not None))
        grads = self.sparseParameters()[1]
        norm = math.sqrt(sum(float((g.numpy().astype(np.float64) ** 2).sum()) for g in grads))
        if norm > cutoff:
            for gradient in grads:
                gradient.copy(gradient.numpy() * (cutoff / norm))
        return norm

    def sparseParameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """The parameters and gradients that the last call touched: all of them, unless a layer knows better."""
        params, grads = self.parameters()[:2]
        return params, grads

    def checkParameters(self) -> None:
        """Raises ValueError for the first parameter that holds a NaN."""
        for i, parameter in enumerate(self.parameters()[0], 1):
            if np.isnan(np.asarray(parameter, np.float64)).any():
                raise ValueError(f"{self.title()}: NaN Error for param at index {i}")

    def dontBackward(self) -> Self:
        """From now on backward and related methods do nothing here, and no gradient passes."""
        for name in ("backward", "updateGradInput", "accGradParameters", "accUpdateGradParameters"):
            setattr(self, name, lambda *args: None)
        self.gradInput = None
        return self

    def outside(self, insize: Sizes) -> Sizes:
        """The output's sizes for an input of these sizes, found by calling forward."""
        sizes = tuple(int(s) for s in np.asarray(insize).reshape(-1))
        return self.forward(generator().normal(math.prod(sizes)).reshape(sizes).astype(self._planned().dtype)).size()

    def accept(self, visitor: Callable) -> None:
        """visitor.visit(self)."""
        visitor.visit(self)

    def profile(self) -> None:
        """From now on prints how long each call of each module inside takes. They are no longer compiled together."""
        for module in self.children() or [self]:
            for method in ("updateOutput", "updateGradInput", "accGradParameters"):
                setattr(module, method, _timed(module, method))

    def extrapolateType(self) -> str:
        """The most frequent type of the parameters."""
        names = Counter(parameter.type() for parameter in self.parameters()[0])
        return names.most_common(1)[0][0] if names else self._type

    def contiguousInput(self, input: Tensor, backward: bool = False) -> Tensor:
        """The input, copied if it is not contiguous; in backward, the copy that forward made."""
        if not backward:
            self.__dict__["dpnn_cinput"] = input.contiguous()
        return self.__dict__["dpnn_cinput"]
