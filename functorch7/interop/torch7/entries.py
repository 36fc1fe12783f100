"""Finds the network in a file: a checkpoint is a table that contains one or several among other things."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...checks.tables import as_dict
from ...core import registry
from ...core.types import Value
from ...losses import Criterion
from ..t7 import T7Object
from .names import REPLICAS, known_name
from .reader import readers


def is_module(value: T7Object) -> bool:
    """Whether an object of a file is of a class that functorch7 can make: a module or a criterion."""
    return value.class_name in readers or value.class_name in REPLICAS or known_name(value.class_name) is not None


def is_network(value: object) -> bool:
    """Whether a value of a file is a module's object, not a criterion's."""
    if not isinstance(value, T7Object) or not is_module(value):
        return False
    kind = registry.get(known_name(value.class_name) or "")
    return kind is None or not issubclass(kind, Criterion)


def network_of(path: str, value: Value, entry: str | None, is_network: Callable[[Value], bool] = is_network) -> Value:
    """The network in the contents of a file: the whole value, the given entry of a table, or the only network in it.

    Raises: TypeError if there is no network, if the entry is not one, and if there are several and no entry was given.
    """
    if entry is None and not isinstance(value, (dict, list)):
        return value
    found = dict(_networks(value, is_network, (), set()))
    if entry is not None:
        if entry not in found:
            raise TypeError(f"{path}: no network at {entry}; {_named(found)}")
        return found[entry]
    if len({id(network) for network in found.values()}) != 1:
        raise TypeError(f"{path}: expected a network, the file holds a table {_extent(value)}; {_named(found)}")
    return next(iter(found.values()))


def _named(found: dict[str, Value]) -> str:
    if not found:
        return "no network is in it; see load_t7, or functorch7 inspect"
    return "name one of those in it as entry: " + ", ".join(found)


def _extent(table: Value) -> str:
    return f"with the keys {', '.join(map(repr, table))}" if isinstance(table, dict) else f"of {len(table)} entries"


def _networks(
    value: Value, is_network: Callable[[Value], bool], place: tuple[str, ...], seen: set[int]
) -> Iterator[tuple[str, Value]]:
    """(place, network) for all networks of a table and of the tables in it, which may contain themselves."""
    if is_network(value):
        yield ".".join(place), value
    elif isinstance(value, (dict, list)) and id(value) not in seen:
        seen.add(id(value))
        for key, each in as_dict(value).items():
            yield from _networks(each, is_network, (*place, str(key)), seen)
