"""Names of types that say more than Any does."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

from jax import Array as Array

Key: TypeAlias = Array | None
"""A random key; None where nothing is drawn."""

Table: TypeAlias = list[Any] | tuple[Any, ...]
"""What Torch calls a table: arrays, or tables of them."""


class Tree(Protocol):
    """Arrays nested in lists and dicts, such as `params` and `buffers`, which nest as the modules do.

    What is at a place depends on the module, so that an entry may be anything.
    """

    def __getitem__(self, name: Any, /) -> Any:
        """The entry at a position, or of a name."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...
