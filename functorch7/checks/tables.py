"""What is in tables: lists, tuples and dicts, at any depth."""

from collections.abc import Iterable, Iterator


def entries(value: object) -> Iterable:
    """The entries of a table; none for other values."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()


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
