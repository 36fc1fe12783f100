"""Arrays as hyper-parameters: hashed by content, so that a description that holds one stays hashable."""

import hashlib
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..checks.fields import UnfitValue
from ..checks.foreign import foreign


class Const:
    """An array given to a constructor (class weights, a connection table), compared and hashed by content.

    A module passes it on through its buffers, so that it never becomes a constant of the compiled program; a
    criterion, which has no buffers, builds it in.

    >>> import functorch7 as f7
    >>> f7.Const([1.0, 2.0]) == f7.Const([1.0, 2.0]), f7.Const([1.0, 2.0]).value.tolist()
    (True, [1.0, 2.0])
    """

    __slots__ = ("_digest", "value")

    def __init__(self, value: "npt.ArrayLike | Const | None"):
        array = np.array(value)
        if array.dtype.kind not in "biufcV" or isinstance(value, np.ma.MaskedArray):  # V: bfloat16 and its like
            raise UnfitValue(f"expected numbers, got {foreign(value)}")
        array.setflags(write=False)
        self.value = array
        digest = hashlib.sha256(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        self._digest = digest.digest()

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype) if copy or dtype not in (None, self.value.dtype) else self.value

    def __eq__(self, other):
        return isinstance(other, Const) and self._digest == other._digest

    def __hash__(self):
        return hash(self._digest)

    def __repr__(self):
        return f"Const({self.value.dtype}{list(self.value.shape)})"

    def __reduce__(self):
        return Const, (self.value,)


Numbers: TypeAlias = Const | Any
"""Numbers given to a constructor, of any kind that NumPy makes an array of; the module has them as a constant."""


def const(value: npt.ArrayLike | Const | None) -> Const | None:
    """`value` as a `Const`; `None` and a `Const` pass through."""
    return value if value is None or isinstance(value, Const) else Const(value)
