"""What is in tables: lists, tuples and dicts, at any depth."""

from collections.abc import Iterable, Iterator


def entries(value: object) -> Iterable:
    """The entries of a table; none for other values."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()


def leaves(value: object) -> Iterator:
    """What is no table, of a value and all that tables in it hold, depth first."""
    if not isinstance(value, (list, tuple, dict)):
        yield value
    for each in entries(value):
        yield from leaves(each)
