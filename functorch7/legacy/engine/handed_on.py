"""Tables that a network hands on from its input to its output: its user may know them as more than their entries."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from ...checks.tables import tables
from ...core.types import Value
from ..tensors.marked import is_marked, note
from ..tensors.noted import Noted
from ..tensors.number import as_number
from ..tensors.values import Input, Output, of_network, wrapped


@jax.tree_util.register_static
@dataclass(frozen=True)
class HandedOn:
    """The places of those tables of an output that are tables of the input themselves, with their places there."""

    places: tuple[tuple[tuple, tuple], ...]


def handed_on(output: Value, input: Value) -> HandedOn | None:
    """What a network's code gives on, as seen when it is traced."""
    own = {id(table): place for place, table in tables(input)}
    found = tuple((place, own[id(table)]) for place, table in tables(output) if id(table) in own)
    return HandedOn(found) if found else None


def noted_input(given: Input, input: Value) -> Value:
    """A network's input, of which the user's tables can be told again: as JAX's arrays, which all programs hand on."""
    found = jax.tree.map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf, input)
    note(given, found)
    return found


def result_of(output: Value, handed: HandedOn | None, given: Input, input: Value, keeps_types: bool) -> Output:
    """What a call gives its user, with the user's own tables in the place of those that are the input's.

    A criterion's value, out of a CriterionTable, is a number. Whole numbers stay of the type that a module inside says,
    if one says so.
    """
    if is_number(output):
        return as_number(output)
    if handed is not None and is_marked(given):
        output = _put_at(output, {place: _at(input, origin) for place, origin in handed.places})
    return wrapped(output) if keeps_types else of_network(output)


def is_number(output: Value) -> bool:
    """Whether an output is a number, of no dimensions."""
    return isinstance(output, (jax.Array, Noted)) and output.ndim == 0


def _at(value: Value, place: tuple) -> Value:
    """What a table has at a place."""
    for name in place:
        value = value[name]
    return value


def _put_at(value: Value, found: dict[tuple, Value], place: tuple = ()) -> Value:
    """A copy of a table with other values at some places."""
    if place in found:
        return found[place]
    if isinstance(value, dict):
        return type(value)((name, _put_at(each, found, (*place, name))) for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return [_put_at(each, found, (*place, number)) for number, each in enumerate(value)]
    return value
