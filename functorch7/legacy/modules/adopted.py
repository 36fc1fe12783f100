"""Objects that are not modules but have a module's methods, which Torch's graphs accept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .module import Module

METHODS = ("updateOutput", "updateGradInput", "accGradParameters", "parameters", "reset")


def adopted(value: object) -> Module:
    """A module, or one with the methods of another object. Raises TypeError for an object without them."""
    if isinstance(value, Module):
        return value
    if not hasattr(value, "updateOutput"):
        raise TypeError(f"nngraph.Node: expected a module, or an object with the methods of one, got {value!r}")
    made = Module()
    vars(made).update({name: _method(value, name) for name in METHODS if hasattr(value, name)})
    return made


def _method(value: Any, name: str) -> Callable:
    """An object's method; a function in a table also takes the table."""
    found = getattr(value, name)
    return partial(found, value) if isinstance(value, dict) else found
