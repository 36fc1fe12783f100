"""From what users hand over (tensors, arrays, numbers, tables) to what compiled functions take, and back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import jax
import numpy as np
import numpy.typing as npt

from ...checks.foreign import foreign
from ...checks.tables import entries
from ...core import is_concrete
from ...core.types import Value
from ...losses.tables import as_arrays, of_each
from .devices import at_hand
from .kinds import Elements
from .lua_values import CARRIED, Carried, OfLua
from .marked import Marked, marked
from .noted import Noted, ready, settled
from .number import only_element
from .storage import Storage
from .tensor import Tensor

Input: TypeAlias = (
    npt.ArrayLike
    | Sequence["Input | None"]
    | Mapping[int, "Input | None"]
    | Mapping[str, "Input | None"]
    | Mapping[int | str, "Input | None"]
)
"""What users give an object: a tensor, an array, a number, or a table of such."""

MANY_BYTES = 2**15
"""Fewer are compared quickest as `bytes`; copying more of them takes longer than comparing."""

Output: TypeAlias = Tensor | Any
"""What an object gives: a tensor, or a table of tensors where it is made so, which checkers cannot know."""


class Unseen(TypeError):
    """An array of which a compiled program would not see all: one with a mask."""

    def __init__(self, array: np.ma.MaskedArray):
        super().__init__(f"expected tensors, got {foreign(array)}")
        self.array = array


def _elements(tensor: Tensor, waits: bool) -> Elements:
    """A tensor's array or, for a call that waits, what is noted of it.

    JAX reads NumPy's 64-bit whole numbers as its default whole numbers, but keeps the type of those that it computed;
    without 64-bit numbers the two do not mix. So whole numbers are handed over as NumPy's.
    """
    found = tensor.noted if waits else tensor.array
    return found if tensor.dtype.kind == "f" or type(found) is Noted else at_hand(found)


def _copied(array: np.ndarray) -> np.ndarray:
    """A copy in this machine's order of bytes."""
    return array.copy() if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def unwrapped(value: Value, waits: bool = False) -> Value:
    """Tensors, numbers and lists of numbers as arrays; lists and dicts of them as tables of arrays.

    A call that waits takes what is noted of tensors on an accelerator, and copies of NumPy's arrays: their owner may
    write to them before it runs.
    Raises: Unseen.
    """
    if isinstance(value, Tensor):
        return _elements(value, waits)
    if type(value) is np.ndarray:
        return _copied(value) if waits or not value.dtype.isnative else value
    if isinstance(value, jax.Array):
        return value
    if isinstance(value, (list, tuple)):
        found = as_arrays(value)
        return [unwrapped(v, waits) for v in found] if isinstance(found, list) else found
    if isinstance(value, dict):
        return of_each(lambda v: unwrapped(v, waits), value)
    if isinstance(value, np.ma.MaskedArray):
        raise Unseen(value)
    return Carried(value) if isinstance(value, OfLua) else as_arrays(value)


def noted(value: Value) -> Value:
    """As `unwrapped`, for a call that waits."""
    return unwrapped(value, waits=True)


def as_input(value: Value, is_table: bool = False, waits: bool = False) -> Value:
    """As `unwrapped`, with plain numbers as floating-point numbers, which all numbers are in Torch.

    A list of plain numbers is a tensor, unless the module takes tables. NumPy's arrays are copied: their owner may
    write to them before backward asks for them.
    """
    if isinstance(value, Tensor):
        return _elements(value, waits)
    if type(value) is np.ndarray:
        return _copied(value)
    if isinstance(value, (list, tuple)):
        found = None if is_table else as_arrays(value)
        return found.astype(np.float64) if isinstance(found, np.ndarray) else [as_input(v, False, waits) for v in value]
    if isinstance(value, dict):
        return of_each(lambda v: as_input(v, False, waits), value)
    return float(value) if isinstance(value, int) else unwrapped(value, waits)


def as_noted(value: Value, is_table: bool = False) -> Value:
    """As `as_input`, for a call that waits."""
    return as_input(value, is_table, waits=True)


def as_ready(value: Value, is_table: bool = False) -> Value:
    """As `as_input`, for a call that runs at once on an accelerator; reading here does not count as looking."""
    found = as_noted(value, is_table)
    return jax.tree.map(ready, found) if isinstance(found, (list, dict)) else ready(found)


def same_values(one: Value, other: Value) -> bool:
    """Whether two tables of arrays hold the same values; while arrays are traced, only their shapes are compared."""
    if one is other:
        return True
    if type(one) is type(other) is np.ndarray:  # the most frequent case, found quickly
        return one.shape == other.shape and _are_equal(one, other)
    one, other = settled(one), settled(other)
    if one is other:
        return True
    if isinstance(one, (list, dict)) or isinstance(other, (list, dict)):
        return type(one) is type(other) and _same_tables(one, other)
    if isinstance(one, Carried) or isinstance(other, Carried):
        return one == other
    if np.shape(one) != np.shape(other):
        return False
    if not (is_concrete(one) and is_concrete(other)):
        return True
    return _are_equal(np.asarray(one), np.asarray(other))


def _are_equal(one: np.ndarray, other: np.ndarray) -> bool:
    # Comparing bits is many times quicker than comparing numbers.
    same_bits = one.dtype == other.dtype and _have_same_bits(one, other)
    return same_bits or np.array_equal(one, other, equal_nan=True)


def _have_same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    if one.nbytes < MANY_BYTES or one.nbytes % 8 or not (one.flags.c_contiguous and other.flags.c_contiguous):
        return one.tobytes() == other.tobytes()
    words = (array.reshape(-1).view(np.uint64) for array in (one, other))
    return bool(np.equal(*words).all())


def _same_tables(one: list | dict, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_values, one, other))
    return one.keys() == other.keys() and all(same_values(value, other[name]) for name, value in one.items())


def as_gradient(value: Value, output: Value, read: Callable[[Value], Value]) -> Value:
    """A gradient read by `as_input` (or `as_noted`), with lists where the output has them.

    Entries beyond the output's are left out, as Torch's table layers never look at them. A tensor stands for its rows.
    """
    if isinstance(output, list) and isinstance(value, (list, tuple, Tensor)) and len(output) <= len(value):
        return [as_gradient(v, o, read) for v, o in zip(value, output, strict=False)]
    return read(value)


def completed(value: Value, other: Value) -> Value:
    """A value with the other's in place of None, in its tables too."""
    if isinstance(value, (list, tuple)) and isinstance(other, (list, tuple)) and len(value) == len(other):
        return [completed(one, another) for one, another in zip(value, other, strict=True)]
    return other if value is None else value


def is_one_of(value: Value, table: Value) -> bool:
    """Whether a value is itself one of a table's."""
    return isinstance(table, (list, tuple)) and any(each is value for each in table)


def wrapped(value: Value) -> Value:
    """Arrays as tensors, tables as tables of tensors."""
    if type(value) is Tensor:  # asking JAX whether something is its array takes long
        return value
    if isinstance(value, (np.ndarray, np.generic, jax.Array, Noted)):
        return Tensor.of(value)
    if type(value) is Carried:
        return value.value
    return as_table(wrapped, value) if isinstance(value, (list, tuple, dict)) else value


def of_network(value: Value) -> Value:
    """As `wrapped`, of what a network has computed: whole numbers, which it has in 32 bits, are LongTensors'."""
    if type(value) is Tensor:
        return value
    if isinstance(value, (np.ndarray, jax.Array, Noted)) and value.dtype == np.int32:
        storage = Storage(value)
        return Tensor.viewing(storage.cast(np.int64, storage.device), 0, value.shape)
    if isinstance(value, (list, tuple, dict)):
        return as_table(of_network, value)
    return wrapped(value)


def as_table(change: Callable[[Value], Value], arrays: Value) -> Value:
    """The user's table that a table of arrays stands for; else one of its entries, each changed."""
    found = marked(arrays)
    if found is not None:
        return found
    return of_each(change, arrays) if isinstance(arrays, dict) else [change(each) for each in arrays]


def shown(value: Value) -> Value:
    """As `wrapped`, for users' methods: an array without dimensions is a number, as Torch has no such tensors.

    While a program is being traced, it has no value yet and stays a JAX array.
    """
    if isinstance(value, (list, tuple, dict)):
        return as_table(shown, value)
    if isinstance(value, (np.ndarray, np.generic, jax.Array, Noted)) and np.ndim(value) == 0:
        if value.dtype == CARRIED:  # the gradient of a value that is no tensor, as Torch's programs expect
            return Tensor.of(np.zeros(1))
        return only_element(value) if is_concrete(value) else value
    return wrapped(value)


def as_tensors(value: Value) -> Value:
    """What a user's method is given: tensors, numbers, and tables of them; such values stay the same objects."""
    return value if _are_tensors(value) else shown(unwrapped(value))


def _are_tensors(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return isinstance(value, Marked) or all(map(_are_tensors, entries(value)))
    return isinstance(value, Tensor)


def shapes(value: Value) -> Value:
    """The shapes of a table's tensors, nested as it is."""
    return jax.tree.map(lambda leaf: tuple(np.shape(leaf)), value)
