"""Numbers that seldom change between calls."""

import jax
from jax.typing import DTypeLike

from ...core.types import Array, Scalar
from ..tensors.devices import precision


class Steady:
    """A number that calls are given: as an array once it stays the same, which JAX takes faster than a number."""

    __slots__ = ("_number", "array")

    def __init__(self) -> None:
        self._number: Scalar | None = None
        self.array: Array | None = None  # of a number that was given twice in a row

    def of(self, number: Scalar, dtype: DTypeLike) -> Scalar:
        """What a call in this precision is given for a number."""
        if type(number) is not float or number != self._number:  # an equal one may be another object, as Lua's are
            self._number, self.array = number, None
            return number
        array = self.array
        if array is None:
            with precision(dtype), jax.ensure_compile_time_eval():
                array = self.array = jax.device_put(number)  # which compiles nothing
        return array
