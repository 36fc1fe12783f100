"""The recurrent state in files, in the fields in which Torch's modules keep it: what they go on from when loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np

from ...core.types import Value
from ..t7.values import Fields
from .record import Record


class StateForm(NamedTuple):
    """How one class keeps its recurrent state, which has the description's names."""

    read: Callable[[Record], Fields]
    write: Callable[[Fields], Fields]


def _nothing(_: object) -> Fields:
    return {}


STATELESS = StateForm(_nothing, _nothing)


def by_step(**tables: str) -> StateForm:
    """A table for each piece of state, with what every step has left."""

    def read(record: Record) -> Fields:
        step = record.get("step")
        last = step - 1 if isinstance(step, (int, float)) else 0
        return whole({name: _entry(record.get(table), last) for name, table in tables.items()})

    def write(state: Fields) -> Fields:
        return {"step": 2, **{table: [state[name]] for name, table in tables.items()}}

    return StateForm(read, write)


def by_sequence(**fields: str) -> StateForm:
    """The results of a whole sequence, beside what the sequence began with: without that nothing is remembered."""
    tensors = {"output": "_output", "cell": "cell"}

    def read(record: Record) -> Fields:
        if record.get("_remember", "neither") == "neither" or record.array("h0") is None:
            return {}
        found = {name: record.array(tensors[name]) for name in fields}
        return whole({name: None if array is None else array[-1] for name, array in found.items()})

    def write(state: Fields) -> Fields:
        before = {fields[name]: value for name, value in state.items()}
        return before | {tensors[name]: value[None].copy() for name, value in state.items()}  # tensors of their own

    return StateForm(read, write)


def _entry(table: Value, step: Value) -> Value:
    """What a table, of all steps or of some, has for one."""
    if isinstance(table, list):
        return table[int(step) - 1] if 1 <= step <= len(table) else None
    return table.get(step) if isinstance(table, dict) else None


def whole(state: Fields) -> Fields:
    """The state if all of it is there, as numbers."""
    leaves = jax.tree.leaves([*state.values()], is_leaf=lambda value: not isinstance(value, list))
    fits = all(isinstance(leaf, np.ndarray) and leaf.size and leaf.dtype.kind == "f" for leaf in leaves)
    return state if fits else {}
