"""Questions about a network: types, devices, sizes, times."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any, Self

import jax
import numpy as np

from ... import core
from ...core.types import Value
from ...network import output_shape
from ..objects.described import Described
from ..tensors.type_names import dtype_of
from ..tensors.values import as_input, unwrapped


class Questions(Described):
    """Module's methods that answer questions."""

    def getNumericType(self) -> np.dtype:
        """The parameters' dtype; without any, the module's."""
        found = self.parameters()[0]
        return found[0].dtype if found else dtype_of(self._type)

    def devices(self) -> set:
        """JAX's devices that hold the parameters; those still on the host go to the default device."""
        arrays = [tensor.storage_.array for tensor in self.parameters()[0]]
        placed = [array.devices() if isinstance(array, jax.Array) else {jax.devices()[0]} for array in arrays]
        return set().union(*placed) or {jax.devices()[0]}

    @property
    def engineType(self) -> str:
        """JAX's platform for the devices of the parameters: "cpu", "gpu", "tpu"."""
        return ", ".join(sorted({device.platform for device in self.devices()}))

    def checkEngineType(self) -> Self:
        """Returns the module. Raises RuntimeError if its parameters are not on JAX's default platform."""
        if self.engineType != jax.default_backend():
            raise RuntimeError(
                f"{self.title()}: Module's EngineType {self.engineType} doesn't match global EngineType "
                f"{jax.default_backend()}"
            )
        return self

    def equals(self, other: object) -> bool:
        """Whether another network has the same classes, settings, names and values.

        Values: the parameters, gradients and statistics of all modules, and the outermost's output and gradInput.
        """
        mine, theirs = self._members(), other._members() if isinstance(other, type(self)) else []
        if len(mine) != len(theirs) or not all(map(_equal, mine, theirs)):
            return False
        return all(_same(getattr(self, name), getattr(other, name)) for name in ("output", "gradInput"))

    def computeOutputShape(self, inputShape: Value) -> Value:
        """The output's sizes, a tuple or a table of them, for an input of these sizes; nothing is computed.

        Raises forward's errors for such an input; ValueError for modules with their own updateOutput.
        """
        shape = _shape(inputShape)
        return output_shape(self.description(), shape, dtype_of(self._type), train=bool(self.in_training))

    def getOutputShape(self) -> Value:
        """The sizes of the last output. Raises RuntimeError before any forward."""
        sizes = jax.tree.map(np.shape, unwrapped(self.output))
        if sizes == (0,):
            raise RuntimeError(f"{self.title()}: getOutputShape needs a forward before it")
        return sizes

    # Times -----------------------------------------------------------------------------------------------------------

    def getTimes(self) -> list[tuple[Described, int, int]]:
        """[(module, forward's nanoseconds, backward's)]: of this module, and of each without modules inside.

        A network runs as one compiled call without times for its modules. So a copy of each module runs by itself on
        the input of the last forward, once to compile and once to measure: the times say which modules are expensive,
        and add up to more than the network's, whose steps XLA fuses. They are kept until `resetTimes`. Raises
        RuntimeError before any forward.
        """
        if "_times" not in self.__dict__:
            call = self._newest_call()
            if call is None:
                raise RuntimeError(f"{self.title()}: getTimes needs a forward before it")
            once = {id(module): module for module in self._members()}.values()
            asked: list[Described] = [module for module in once if module is self or not module.children()]
            found = [(module, call.input_of(module)) for module in asked]
            self.__dict__["_times"] = [(module, *_timed(module, given)) for module, given in found if given is not None]
        return self.__dict__["_times"]

    def resetTimes(self) -> None:
        """Forgets the times of `getTimes`."""
        self.__dict__.pop("_times", None)


def _equal(one: Any, other: Any) -> bool:
    """Whether two modules are equal, apart from their inner modules and the results of calls."""
    if type(one) is not type(other) or one._given_name() != other._given_name():
        return False
    if len(one.children()) != len(other.children()) or _settings(one) != _settings(other):
        return False
    return _same(one._tensors(), other._tensors())


def _settings(module: Any) -> dict[str, Any]:
    """The fields of the description that hold no modules."""
    values = {} if module._spec is None else {f.name: getattr(module._spec, f.name) for f in fields(module._spec)}
    modules = lambda value: isinstance(value, core.Module)  # noqa: E731
    return {name: value for name, value in values.items() if not any(map(modules, jax.tree.leaves(value)))}


def _same(one: Any, other: Any) -> bool:
    """Whether two tables of tensors are equal."""
    (mine, structure), (theirs, other_structure) = (jax.tree.flatten(unwrapped(each)) for each in (one, other))
    return structure == other_structure and all(map(np.array_equal, mine, theirs))


def _timed(module: Any, given: Any) -> tuple[int, int]:
    copy = module.clone()
    times = (0, 0)
    for _ in range(2):  # the first one compiles
        started = time.perf_counter_ns()
        output = jax.block_until_ready(unwrapped(copy.forward(given)))
        between = time.perf_counter_ns()
        copy.backward(given, jax.tree.map(np.ones_like, output))
        jax.block_until_ready([unwrapped(copy.gradInput), [tensor.array for tensor in copy.parameters()[1]]])
        times = (between - started, time.perf_counter_ns() - between)
    return times


def _shape(given: Any) -> Any:
    """A shape, or a table of shapes, also from lists of whole numbers; tensors stand for their shapes."""
    if isinstance(given, list) and given and all(isinstance(size, (int, np.integer)) for size in given):
        return tuple(given)
    if isinstance(given, list):
        return [_shape(each) for each in given]
    if isinstance(given, dict):
        return {name: _shape(each) for name, each in given.items()}
    return given if isinstance(given, tuple) else as_input(given)
