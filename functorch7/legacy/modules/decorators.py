"""Decorators whose objects do more in Torch than their descriptions say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import jax

from ... import core, layers
from ...core.types import Value
from ...interop.t7.values import Fields
from ...interop.torch7.schema import grad_name
from ...layers.placement import device_numbered
from ..engine.calls import Call
from ..objects import composed
from ..objects.described import Described
from ..tensors.changes import changed
from ..tensors.devices import precision
from ..tensors.kinds import Numbers
from ..tensors.tensor import Tensor
from ..tensors.values import Output, unwrapped, wrapped
from .container import Container
from .linear import Linear
from .module import Module

FORWARDED = (
    "updateOutput", "updateGradInput", "accGradParameters", "accUpdateGradParameters", "sharedAccUpdateGradParameters",
)  # fmt: skip


class Decorator(Container, describes=layers.Decorator):
    """A container of one module, which it stands for."""

    @staticmethod
    def decorate(kind: type) -> None:
        """Gives a user's class methods that call its first module's, and the text of a decorator."""

        def forwarding(name: str) -> Callable:
            def method(self: Any, *args: Any) -> Any:
                return getattr(self.modules[0], name)(*args)

            method.__module__ = kind.__module__  # it counts as the user's
            return method

        for name in FORWARDED:
            setattr(kind, name, forwarding(name))
        kind.__tostring__ = lambda self: f"{self.typename()} @ {self.modules[0]}"  # type: ignore[assignment]


class Serial(Decorator, describes=layers.Serial):
    """nn.Serial: saves its module cast to `tensortype`; what is loaded or cloned is of that type."""

    def __deepcopy__(self, memo: dict) -> Self:
        made = super().__deepcopy__(memo)
        return made if self.tensortype is None else made.type(self.tensortype)

    def __getstate__(self) -> Fields:
        if self.tensortype is None:
            return super().__getstate__()
        return Module.__getstate__(copy.deepcopy(self))


class NaN(Decorator, describes=layers.NaN):
    """nn.NaN: a call of its own checks the accumulated gradients; inside a network it checks what is added."""

    @staticmethod
    def newId() -> int:
        """The next number of the counter that gives identifiers."""
        return layers.NaN.new_id()

    def _pulled_back(self, call: Call, accumulated: bool) -> Any:
        found = super()._pulled_back(call, accumulated)
        if accumulated:
            self._look_at_gradients()
        return found

    def accGradParameters(self, input: Value, gradOutput: Value, scale: float = 1) -> None:
        """Adds scale * the parameters' gradients to theirs. Raises FloatingPointError for NaN among these."""
        super().accGradParameters(input, gradOutput, scale)
        self._look_at_gradients()

    def _look_at_gradients(self) -> None:
        self._spec.refuse("gradParameters", [gradient.sum() for gradient in self.parameters()[1]])


class DontCast(Decorator, describes=layers.DontCast):
    """nn.DontCast: `type()` casts its own tensors only."""

    def _cast(self, type_name: str, cache: dict) -> None:
        object.__setattr__(self, "_type", type_name)
        changed(self)


class GPU(Decorator, describes=layers.GPU):
    """nn.GPU: the module's tensors are also on its device."""

    def __init__(self, module: Module, device: int, outdevice: int | None = None):
        super().__init__(module, device, outdevice)
        self.setDevice()

    def setDevice(self, device: int | None = None) -> Self:
        """Moves the module to a device (without a number: to its own)."""
        if device is not None:
            self.device = device
        self.recursiveModuleDevice(self.modules[0], self.device)
        return self

    def _cast(self, type_name: str, cache: dict) -> None:
        super()._cast(type_name, cache)
        self.setDevice()

    @staticmethod
    def recursiveModuleDevice(obj: Described, device: int) -> Described:
        """Moves the tensors of a module and of all inside it, except inside another GPU, to a device."""
        if len(jax.devices()) > 1:
            for tensor in obj._tensors().values():
                tensor.storage_.array = jax.device_put(tensor.storage_.array, device_numbered(device))
            for child in obj.children():
                if not isinstance(child, GPU):
                    GPU.recursiveModuleDevice(child, device)
            changed(obj)
        return obj

    @staticmethod
    def recursiveSetDevice(dst: Described, src: Described, proto: Described) -> Described:
        """A table of tensors, copied to a device, or to the devices of the tensors at the same places in a table.

        What `dst` was is not used: Torch writes into it.
        """
        if isinstance(proto, int):
            return wrapped(jax.device_put(unwrapped(src), device_numbered(proto)))
        place = jax.tree.map(lambda like: next(iter(jax.numpy.asarray(like).devices())), unwrapped(proto))
        return wrapped(jax.tree.map(jax.device_put, unwrapped(src), place))


def _weight_of(module: Any) -> Tensor:
    with precision(module.v.dtype):
        return wrapped(module._spec.weight({"v": module.v.array, "g": module.g.array}))


class WeightNorm(Decorator, describes=layers.WeightNorm):
    """nn.WeightNorm; `gradV` has the sizes of the module's weight, its outputs first.

    Differs from Torch7: the module inside is part of the description, so `replace` may only replace it by a module with
    the same weight. Writing into its bias counts, as in Torch. `reset` draws v and g; Torch draws the weight inside,
    which has no effect afterwards.
    """

    @property
    def modules(self) -> list[Described]:  # type: ignore[override]
        """The module inside, with the same bias and the weight of v and g."""
        inner: Any
        (inner,) = found = composed.field(self, "modules")
        inner.type(self._type).training(self.in_training)
        inner.weight.copy(self.weight)
        return found

    @property
    def module(self) -> Described:
        """The module inside."""
        return self.modules[0]

    def listed_inside(self) -> list[Described]:
        """The module inside."""
        return self.modules

    def replace(self, callback: Callable[[Value], Value]) -> Described:
        """callback(module) for this module and the one inside, which may be replaced by one with the same weight.

        Raises: TypeError for another module, to which v and g do not apply.
        """
        made, inner = callback(self), self.module
        new: Any = inner.replace(callback)
        if new is not inner:
            if getattr(new, "weight", None) is not vars(inner)["weight"]:
                what = f"a module with the weight of {self._spec.module} in its place"
                raise TypeError(f"{self.title()}: expected {what}, got {new}")
            self._respecify(self._spec.replace(module=new.own_description()))
        return made

    def _make_parameters(self, before: core.Module | None = None) -> None:
        super()._make_parameters(before)
        spec: Any = self._spec
        self.__dict__[grad_name("v")].resize(*spec.moved_shape())

    @property
    def weight(self) -> Tensor:
        """The module's weight, from v and g."""
        return _weight_of(self)

    def updateWeight(self) -> None:
        """Nothing is left to do: the weight is always that of v and g."""

    def resetInit(self) -> None:
        """Draws new initial values."""
        self.reset()


class LinearWeightNorm(Module, describes=layers.LinearWeightNorm):
    """nn.LinearWeightNorm."""

    @property
    def weight(self) -> Tensor:
        """The matrix, from v and g."""
        return _weight_of(self)

    def updateWeightMatrix(self) -> None:
        """Nothing is left to do: the weight is always that of v and g."""

    def initFromWeight(self, weight: Numbers | None = None) -> Self:
        """Takes v and g from a matrix."""
        self.v.copy(self.weight if weight is None else weight)
        self.g.copy(self.v.norm(2, 2))
        return self

    def toLinear(self) -> Output:
        """An nn.Linear with the same weight and bias."""
        linear = Linear(self.inputSize, self.outputSize, self.bias is not None).type(self.type())
        linear.weight.copy(self.weight)
        if self.bias is not None:
            linear.bias.copy(self.bias)
        return linear

    @classmethod
    def fromLinear(cls, linear: Described) -> Output:
        """An nn.LinearWeightNorm with the weight and bias of an nn.Linear."""
        has_bias = linear.bias is not None
        made = cls(linear.inputSize, linear.outputSize, has_bias).type(linear.type()).initFromWeight(linear.weight)
        if has_bias:
            made.bias.copy(linear.bias)
        return made
