"""Numbers that seldom change between calls."""

import jax
from jax.typing import DTypeLike

from ...core.types import Scalar
from ..tensors.devices import precision


class Steady:
    """A number that calls are given: as an array once it stays the same, which JAX takes faster than a number."""

    __slots__ = ("_array", "_number")

    def __init__(self) -> None:
        self._number = self._array = None

    def of(self, number: Scalar, dtype: DTypeLike) -> Scalar:
        """What a call in this precision is given for a number."""
        if number is not self._number or type(number) is not float:
            self._number, self._array = number, None
            return number
        if self._array is None:
            with precision(dtype), jax.ensure_compile_time_eval():
                self._array = jax.device_put(number)  # which compiles nothing
        return self._array
