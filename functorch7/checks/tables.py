"""What is in tables: lists, tuples and dicts, at any depth."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, takewhile


def entries(value: object) -> Iterable:
    """The entries of a table; none for other values."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()


def as_dict(table: list | tuple | dict) -> dict:
    """A table's entries by their keys; a list's count from 1, as Torch's do."""
    return dict(enumerate(table, 1)) if isinstance(table, (list, tuple)) else table


def entries_from_1(table: Mapping) -> list:
    """The entries at 1, 2, ... of a table, up to the first that is not there."""
    return [table[place] for place in takewhile(table.__contains__, count(1))]


def tables(value: object, place: tuple = ()) -> Iterator[tuple[tuple, object]]:
    """All tables of a value, itself first, each after its place: the positions and names that lead to it."""
    if isinstance(value, (list, tuple, dict)):
        yield place, value
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from tables(each, (*place, name))


def leaves(value: object) -> Iterator:
    """What is no table, of a value and all that tables in it hold, depth first.

    A table is entered once: it may hold itself, and tables may hold each other.
    """
    seen: set[int] = set()

    def inside(value: object) -> Iterator:
        if not isinstance(value, (list, tuple, dict)):
            yield value
        elif id(value) not in seen:
            seen.add(id(value))
            for each in entries(value):
                yield from inside(each)

    return inside(value)
