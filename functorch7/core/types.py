"""Names of types that say more than Any does.

Where an entry or a result depends on the module, checkers are told so: Table, Tree, Output, Value and State hold Any,
and are the only names here that do.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from jax import Array as Array
from jax.typing import ArrayLike as ArrayLike

Key: TypeAlias = Array | None
"""A random key; None where nothing is drawn."""

Scalar: TypeAlias = float | Array
"""A number: Python's, or an array without dimensions, which may be traced."""

Sizes: TypeAlias = int | tuple[int, ...] | list[int]
"""One size, or several."""

Indices: TypeAlias = Sequence[int] | np.ndarray | Array
"""Positions, such as those of samples."""

Table: TypeAlias = list[Any] | tuple[Any, ...]
"""What Torch calls a table: arrays, or tables of them."""


class Device(Protocol):
    """One of JAX's devices, whose class says nothing to checkers."""

    id: int
    platform: str
    device_kind: str
    process_index: int


class Tree(Protocol):
    """Arrays nested in lists and dicts, such as `params` and `buffers`, which nest as the modules do.

    What is at a place depends on the module, so that an entry may be anything.
    """

    def __getitem__(self, name: Any, /) -> Any:
        """The entry at a position, or of a name."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...


Params: TypeAlias = Tree | Any
"""The parameters that users give: a tree, also as optax's functions return it, of which checkers then know less."""

Input: TypeAlias = ArrayLike | Tree
"""What users give a network or a criterion: an array, NumPy's or JAX's, a number, or a table of such."""

Output: TypeAlias = Array | Any
"""What a network gives: an array, or a table of such where it is made so, which checkers cannot know."""

Value: TypeAlias = Any
"""What flows through modules: an array or a table of such. Which of these a module takes is for its author to say.

A method that authors override with the kind that theirs takes has it in its base: any other type would refuse some.
"""


class Structure(Protocol):
    """How arrays are nested: what JAX calls a treedef, whose class says nothing to checkers."""

    def unflatten(self, leaves: Iterable[Value], /) -> Value:
        """These leaves, nested so."""
        ...

    def flatten_up_to(self, tree: Value, /) -> list:
        """What a tree has where this one has leaves."""
        ...


Batch: TypeAlias = tuple[Value, Value]
"""(input, target) of some examples."""

State: TypeAlias = dict[str, Any]
"""A module's own buffers or its recurrent state, by name: an array, a table of such, None where it is forgotten, or a
side output (`Emitted`)."""
