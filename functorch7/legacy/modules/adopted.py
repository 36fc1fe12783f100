"""Objects that are no modules and have the methods of one, as Torch's graphs take them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .module import Module

METHODS = ("updateOutput", "updateGradInput", "accGradParameters", "parameters", "reset")


def adopted(value: object) -> Module:
    """A module, or one whose methods are those of an object that is none. Raises TypeError for an object without."""
    if isinstance(value, Module):
        return value
    if not hasattr(value, "updateOutput"):
        raise TypeError(f"nngraph.Node: expected a module, or an object with the methods of one, got {value!r}")
    made = Module()
    vars(made).update({name: _method(value, name) for name in METHODS if hasattr(value, name)})
    return made


def _method(value: Any, name: str) -> Callable:
    """What is called with the other arguments alone; in a table it is a function that takes the table, too."""
    found = getattr(value, name)
    return partial(found, value) if isinstance(value, dict) else found
