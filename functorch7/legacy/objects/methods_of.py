"""Methods of objects that are not modules but have a module's methods, which Torch's graphs accept."""

from __future__ import annotations

from ...core.types import Value
from ...interop import t7
from .own_methods import MethodOfFile

METHODS = ("updateOutput", "updateGradInput", "accGradParameters", "parameters", "reset")


def found_in(value: Value, name: str) -> Value:
    """An object's method, or the function in a table; None if there is none."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def has_methods(value: object) -> bool:
    """Whether an object, or a class's objects, can be used as a module."""
    return found_in(value, "updateOutput") is not None


class MethodOf:
    """A method of such an object."""

    def __init__(self, owner: Value, name: str):
        self.owner, self.name = owner, name

    def __call__(self, *given: Value) -> Value:
        method = found_in(self.owner, self.name)
        if isinstance(method, t7.LuaFunction):
            method = MethodOfFile("nngraph.Node", self.name, method)
        found = method(self.owner, *given) if isinstance(self.owner, dict) else method(*given)
        return found or ([], []) if self.name == "parameters" else found
