"""Users' tables that are more than their entries: Lua's with a metatable.

Networks know of arrays alone. But arrays that they hand on, from their input or from one user's module to another, are
the very arrays that were made of a table, and then stand for this table again.
"""

from collections.abc import Iterable
from weakref import WeakValueDictionary

import jax

from ...checks.tables import tables
from ...core.types import Value


class Marked:
    """A list or dict that is more than its entries; a base beside `list` or `dict`."""


_known: WeakValueDictionary[tuple, Marked] = WeakValueDictionary()


def note(table: Value, arrays: Value) -> None:
    """Notes which arrays were made of a user's table and of those inside it."""
    if not isinstance(table, (list, tuple, dict)):
        return
    if isinstance(table, Marked) and isinstance(arrays, (list, dict)):
        leaves, key = _leaves_of(arrays)
        if _known.get(before := vars(table).get("_key", ())) is table:
            del _known[before]
        # The arrays are kept, so that no other gets the place of one in memory.
        vars(table).update(_leaves=leaves, _key=key)
        _known[key] = table
    for each, made in _pairs(table, arrays):
        note(each, made)


def is_marked(value: Value) -> bool:
    """Whether there is such a table in a value."""
    is_table = isinstance(value, (list, tuple, dict))
    return is_table and any(isinstance(table, Marked) for _, table in tables(value))


def _pairs(table: Value, arrays: Value) -> Iterable[tuple[Value, Value]]:
    if isinstance(table, (list, tuple)) and isinstance(arrays, list):
        return zip(table, arrays, strict=False)
    if isinstance(table, dict) and isinstance(arrays, dict):
        return [(table[name], arrays[name]) for name in arrays if name in table]
    return ()


def _leaves_of(arrays: Value) -> tuple[list, tuple]:
    leaves, structure = jax.tree.flatten(arrays)
    return leaves, (structure, *map(id, leaves))


def marked(arrays: Value) -> Value:
    """The marked table that a list or dict of arrays was made of, or that it is; None if there is none."""
    if isinstance(arrays, Marked) or not _known:
        return arrays if isinstance(arrays, Marked) else None
    leaves, key = _leaves_of(arrays)
    found = _known.get(key)
    if found is None or not leaves:
        return None
    then = vars(found)["_leaves"]
    return found if len(then) == len(leaves) and all(a is b for a, b in zip(then, leaves, strict=True)) else None
