"""The loss of a criterion without arrays, and its gradient from the same compiled call."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ... import core, programs
from ...core.types import Value
from ...losses.base import Criterion, without_arrays
from ...network import numbers
from ..engine.lengths import Lengths, cut, length_of, longer
from ..engine.narrowing import as_narrow
from ..engine.noting import Noting, at_once, called
from ..engine.waiting import WaitingCall
from ..tensors.devices import has_others, precision
from ..tensors.noted import settled
from ..tensors.tensor import Tensor


class Loss:
    """A criterion's loss and gradient, for one description and one type."""

    __slots__ = (
        "_checks", "_function", "_lengths", "_noting", "_numbers", "_precision", "checks_input", "dtype", "spec",
    )  # fmt: skip

    def __init__(self, spec: Criterion, dtype: np.dtype):
        self.spec, self.dtype = spec, dtype
        self._checks, self.checks_input = type(spec).check is not Criterion.check, spec.checks_input
        bare, self._numbers = numbers.taken_out(numbers.compared(spec))
        self._function = _value_and_gradient(bare, dtype)
        self._precision = dtype if dtype.itemsize == 8 else None
        self._noting = Noting(dtype.itemsize == 8) if has_others() else None
        self._lengths = Lengths() if spec.traits.causal and self._noting is None else None

    def check(self, input: Value, others: tuple) -> None:
        """Raises ValueError for invalid values; unless it `checks_input`, only the input's sizes are checked."""
        if self._checks:
            given = input if self.checks_input else jax.tree.map(_sized_as, input)
            with precision(self.dtype):
                self.spec.check(given, *others)

    def __call__(self, input: Value, others: tuple) -> tuple[Value, Value]:
        """Both, in one compiled call, which an accelerator notes."""
        length = self._length_to_run(input, others)
        if length is not None:
            return self._of_length(length, input, others)
        args = (self._numbers, None, input, *others)
        return called(self._noting, self._function, args, args[2:], self._precision)

    def with_call(self, call: WaitingCall, others: tuple) -> tuple[Value, Value] | None:
        """Both, for the output of a waiting call, in one program with the call if possible.

        None if the call cannot include the loss.
        """
        length = self._length_to_run(call.result, others)
        if length is not None:  # a length is counted once per call, so the loss is computed here and now
            return self._of_length(length, call.output, others)
        return call.with_loss(self._function, self._numbers, others, self._precision)

    def _of_length(self, length: int, input: Value, others: tuple) -> tuple[Value, Value]:
        """Both, for a sequence that is run as one of `length` steps."""
        steps = [longer(each, length) for each in (input, *others)]
        loss, gradient = at_once(self._function, (self._numbers, len(input), *steps), self._precision)
        return loss, cut(gradient, len(input))

    def _length_to_run(self, input: Value, others: tuple) -> int | None:
        """The number of steps with which a sequence is run; None: unchanged, as for one with a mask."""
        if self._lengths is None or [length_of(each) for each in others] != [length_of(input)]:
            return None
        return self._lengths.to_run(input)


@programs.kept
def _value_and_gradient(spec: Any, dtype: Any) -> Any:
    """(numbers, steps, input, target[, mask]) -> the loss and its gradient at the input, in one compiled call.

    Only the first steps of a sequence count, if their number is given.
    """

    def cast(leaf: Any) -> Any:
        return jnp.asarray(leaf).astype(dtype)

    variables = without_arrays(spec)

    def run(taken: list, steps: Any, input: Any, *others: Any) -> Any:
        core.check_kinds(spec, input)
        others = jax.tree.map(as_narrow, others)
        criterion: Any = numbers.put_in(spec, taken)

        def loss(input: Any) -> Any:
            if steps is None:
                return criterion.apply(*variables, (input, *others))[0]
            losses, _ = criterion.of_steps(*variables, (input, *others), key=None, train=False)
            return criterion.total(losses, steps)

        return jax.value_and_grad(loss)(jax.tree.map(cast, input))

    return programs.Compiled(jax.jit(run))


def _sized_as(array: Any) -> np.ndarray:
    return _zeros(tuple(array.shape), array.dtype)


@lru_cache(64)
def _zeros(shape: tuple, dtype: np.dtype) -> np.ndarray:
    """Zeros of any size, in the memory of one."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def _stamp(value: Any) -> Any:
    """What differs when the value has been written to, or is another; for what is not known, it always differs."""
    if isinstance(value, Tensor):
        return value.storage_.version, value.offset, value.shape, value.strides_
    if isinstance(value, np.ndarray):
        return value.tobytes(), value.dtype, value.shape
    if isinstance(value, (list, tuple)):
        return [_stamp(each) for each in value]
    if isinstance(value, dict):
        return {name: _stamp(each) for name, each in value.items()}
    return value if value is None or isinstance(value, (jax.Array, int, float)) else object()


def _is_same(now: Any, stamp: Any) -> bool:
    """Whether a stamp is the same as an earlier one."""
    if type(now) is not type(stamp):
        return False
    if type(now) is tuple:
        if now[1:] != stamp[1:]:
            return False
        held, before = now[0], stamp[0]
        # A tensor's array is compared by identity: one that is written to gives way to a copy.
        return held is before or (held == before if type(held) is bytes else settled(held) is settled(before))
    if type(now) is list:
        return len(now) == len(stamp) and all(map(_is_same, now, stamp))
    if type(now) is dict:
        return now.keys() == stamp.keys() and all(_is_same(now[name], stamp[name]) for name in now)
    return now is stamp or (isinstance(now, (int, float)) and now == stamp)


class Evaluation:
    """A loss with a function for its gradient, and the values it was computed from."""

    __slots__ = ("gradient", "input", "input_stamp", "loss", "spec", "target", "target_stamp")

    def __init__(self, loss: Value, gradient: Callable[[], Value], input: Value, target: Value, spec: Value):
        self.loss, self.gradient, self.input, self.target, self.spec = loss, gradient, input, target, spec
        self.input_stamp, self.target_stamp = _stamp(input), _stamp(target)

    def stands(self, input: Value, target: Value, spec: Value) -> bool:
        """Whether it is the loss of these values, which have not changed since."""
        return (
            (spec is self.spec or spec == self.spec)
            and _is_same(_stamp(input), self.input_stamp)
            and _is_same(_stamp(target), self.target_stamp)
        )
