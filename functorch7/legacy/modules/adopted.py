"""Objects that are not modules but have a module's methods, which Torch's graphs accept."""

from __future__ import annotations

from ...core.types import Value
from ...interop.torch7.reader import Adopted as Description
from ..objects.methods_of import METHODS, MethodOf, found_in, has_methods
from .module import Module


class Adopted(Module, describes=Description):
    """A module with the methods of another object; in files, and for Lua, it is that object."""

    def __init__(self, value: Value):
        super().__init__()
        self._take(Description(value), [])

    def _take(self, spec: Description, given: Value) -> None:
        owner = spec.object
        methods = {name: MethodOf(owner, name) for name in METHODS if found_in(owner, name) is not None}
        vars(self).update(methods, stands_for=owner)


def adopted(value: object) -> Module:
    """A module, or one with the methods of another object. Raises TypeError for an object without them."""
    if isinstance(value, Module):
        return value
    if not has_methods(value):
        raise TypeError(f"nngraph.Node: expected a module, or an object with the methods of one, got {value!r}")
    return Adopted(value)
