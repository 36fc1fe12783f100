"""Fields, methods and calls of Python objects for Lua instructions that are executed here."""

from __future__ import annotations

import inspect
import operator
from collections import OrderedDict
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from ...legacy import torch
from ...legacy.engine.fields import LEFT, Untraceable
from ...legacy.engine.stand_in import StandIn
from ...legacy.engine.user_code import TORCH
from ...legacy.objects.described import Described
from ...legacy.tensors.storage import Storage
from ...legacy.tensors.tensor import Tensor
from ...legacy.tensors.types import Constructor
from ..arguments import shape_of
from ..functions import maker
from ..held import LuaFunction, LuaValue
from ..kinds import Crossing
from ..text import from_lua, to_lua
from .closures import Closure
from .outside import Outside
from .values import Builtin, Method, Table, is_traced

PURE = {function for name in TORCH if inspect.isroutine(function := getattr(torch, name, None))}
"""The functions of `torch` that only compute."""


class Access:
    """What a Lua function can reach in Python."""

    def __init__(self, border: object, outside: Outside):
        self.border, self.outside = border, outside

    # Values that cross ----------------------------------------------------------------------------------------------

    def to_python(self, value: object) -> Crossing:
        """Converts a value for Python's functions: whole numbers to int, tables to lists or dicts."""
        if type(value) is float:
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        if type(value) is str:
            return from_lua(value)
        if isinstance(value, Table):
            return self._python_table(value)
        if isinstance(value, (LuaValue, Builtin, Method, Closure)):
            raise Untraceable("it hands a function or table on")
        return value

    def _python_table(self, table: Table) -> Crossing:
        count = len(table.items)
        if all(type(key) is float and key.is_integer() and 1 <= key <= count for key in table.items):
            return [self.to_python(table.items[float(i)]) for i in range(1, count + 1)]
        return {self.to_python(key): self.to_python(value) for key, value in table.items.items()}

    def to_values(self, result: object) -> list:
        """Converts the results of a Python call to Lua's values."""
        return [self.to_lua(each) for each in result] if type(result) is tuple else [self.to_lua(result)]

    def to_lua(self, value: object) -> Crossing:
        """Converts one Python value. Raises Untraceable for values that Lua would see in another form."""
        if value is None or type(value) in (bool, float):
            return value
        if type(value) is int:
            return float(value)
        if type(value) is str:
            return to_lua(value)
        if isinstance(value, np.generic):
            return self.to_lua(value.item())
        if isinstance(value, jax.Array) or (isinstance(value, Tensor) and value.shape == ()):  # a number of Lua's
            return self._of_array(value.array if isinstance(value, Tensor) else value)
        if isinstance(value, list):
            return Table({float(i): self.to_lua(each) for i, each in enumerate(value, 1) if each is not None}, True)
        if type(value) is dict or type(value) is OrderedDict:
            return Table({self.to_lua(key): self.to_lua(each) for key, each in value.items()}, True)
        if isinstance(value, (Tensor, Storage, Described, Constructor)):
            return value
        raise Untraceable(f"it gets a {type(value).__name__}")

    @staticmethod
    def _of_array(value: Crossing) -> Crossing:
        if value.ndim:
            return Tensor.of(value)
        if not jnp.issubdtype(value.dtype, jnp.floating):
            raise Untraceable("it asks for values")
        return value

    # Objects --------------------------------------------------------------------------------------------------------

    def item(self, owner: object, key: object) -> Crossing:
        """The value under a key."""
        _check_key(key)
        if isinstance(owner, Table):
            return owner.items.get(key)
        if type(owner) is LuaValue:  # a table outside
            return self.outside.found("entry", owner, key)
        if isinstance(owner, StandIn):
            return self._field(owner, key)
        if isinstance(owner, type):
            return self._of_class(owner, key)
        if isinstance(owner, (Tensor, Storage)):
            return self._of_tensor(owner, key) if type(key) is str else self._entry(owner, key)
        if isinstance(owner, Described) and type(key) is str:
            return self._of_module(owner, key)
        raise Untraceable(f"it looks into a {type(owner).__name__}")

    def _entry(self, owner: Crossing, key: Crossing) -> Crossing:
        key = self.to_python(key)
        return self.to_lua(owner[tuple(key) if isinstance(key, list) else key])

    def _field(self, user: Crossing, key: Crossing) -> Crossing:
        if type(key) is not str or key.startswith("__") or key in ("new", "_run"):
            raise Untraceable(f"it uses {key}")
        if key in LEFT or key in vars(user):
            value = vars(user)[key]
            return value if isinstance(value, Table) else self.to_lua(value)
        written = self.outside.method(key)
        if isinstance(getattr(written, "lua", None), LuaFunction):
            return written.lua
        try:
            found = StandIn.__getattribute__(user, key)  # without looking further, as getattr does
        except AttributeError:
            return None
        return self.to_lua(found)

    def _of_class(self, kind: type, key: Crossing) -> Crossing:
        for base in kind.__mro__:
            if key in vars(base):
                written = vars(base)[key]
                if isinstance(getattr(written, "lua", None), LuaFunction):
                    return written.lua
                break
        raise Untraceable(f"it uses {key} of {kind.__name__}")

    def _of_tensor(self, tensor: Crossing, key: str) -> Crossing:
        if key == "new":
            return Method(maker(tensor.type()))
        found = inspect.getattr_static(type(tensor), key, None)
        if key == "data" or not inspect.isfunction(found) or hasattr(found, "lua") or hasattr(found, "by_type"):
            raise Untraceable(f"it uses {key} of a tensor")
        return Method(found, tensor)

    def _of_module(self, module: object, key: str) -> Crossing:
        found = getattr(module, key, None)
        if not inspect.isroutine(found):
            return self.to_lua(found)
        if hasattr(found, "lua") or not inspect.ismethod(found) or found.__self__ is not module:
            raise Untraceable(f"it uses {key} of a module")
        return Method(found.__func__, module)

    def set_item(self, owner: object, key: object, value: object) -> None:
        """Sets an entry of a table that the function has made, an element of a tensor, or a field."""
        _check_key(key)
        if isinstance(owner, Table) and not owner.is_given:
            if key is None or key != key:
                raise Untraceable("it has no key")
            owner.items.pop(key, None) if value is None else owner.items.__setitem__(key, value)
        elif isinstance(owner, StandIn):
            self._set_field(owner, key, value)
        elif isinstance(owner, Tensor) and isinstance(key, (float, Table)):
            self._set_elements(owner, self.to_python(key), value)
        else:
            raise Untraceable("it writes to something outside of it")

    @staticmethod
    def _set_elements(tensor: Crossing, place: Crossing, value: Crossing) -> None:
        """Writes to a part of a tensor; a tensor must have the part's size."""
        part = tensor._place(tuple(place) if isinstance(place, list) else place)
        if not (type(value) is float or is_traced(value) or (isinstance(value, Tensor) and value.shape == part.shape)):
            raise Untraceable("it sets elements to something of another size")
        part.copy(value) if isinstance(value, Tensor) else part.fill(value)

    def _set_field(self, user: object, key: object, value: object) -> None:
        if type(key) is not str or key.startswith("__") or key == "_run":
            raise Untraceable(f"it sets {key}")
        if isinstance(value, Table) and key in LEFT:
            vars(user)[key] = value
            return
        held = inspect.getattr_static(type(user), key, None)
        if value is None or isinstance(value, Table) or inspect.isroutine(held):
            raise Untraceable(f"it sets {key} to {'nothing' if value is None else 'a table'}")
        if key not in LEFT and inspect.isdatadescriptor(held):
            raise Untraceable(f"it sets {key}")
        setattr(user, key, self.to_python(value))

    def length(self, value: object) -> Crossing:
        """The result of #."""
        if isinstance(value, Table):
            return value.length()
        if type(value) is str:
            return float(len(value))
        if isinstance(value, Tensor):
            return value.size()
        if isinstance(value, Storage):
            return float(len(value))
        if type(value) is LuaValue:
            return self.outside.found("length", value, False)
        raise Untraceable(f"it takes the length of a {type(value).__name__}")

    def operator(self, what: Callable, one: object, other: object) -> Crossing:
        """The result of an operator with a tensor as operand."""
        return self.to_lua(what(self.to_python(one), self.to_python(other)))

    def negated(self, tensor: Crossing) -> Crossing:
        """The negative of a tensor."""
        return self.to_lua(operator.neg(tensor))

    # Calls ----------------------------------------------------------------------------------------------------------

    def called(self, function: object, given: list) -> list:
        """The results of a Python function or method."""
        if isinstance(function, Constructor):
            return self.to_values(function(*map(self.to_python, given)))
        if not isinstance(function, Method):
            raise Untraceable(f"it calls a {type(function).__name__}")
        inner, owner = function
        if owner is None and inner not in PURE and not _makes_tensors(inner):
            raise Untraceable(f"it uses {getattr(inner, '__name__', inner)}")
        arguments = [self.to_python(each) for each in given]
        if owner is not None and (not given or given[0] is not owner) and not isinstance(given[0], Tensor):
            raise Untraceable("it calls a method of something else")
        shape = shape_of(inner)
        if any(each is None for each in arguments) or len(arguments) > shape.most:
            arguments = list(shape.fitted(arguments))
        return self.to_values(inner(*arguments))


def _check_key(key: object) -> None:
    """Raises Untraceable for unknown keys, and for those that Python takes for numbers."""
    if is_traced(key):
        raise Untraceable("it asks for values")
    if isinstance(key, bool):
        raise Untraceable("it looks under true or false")


def _makes_tensors(function: Callable) -> bool:
    return getattr(function, "__qualname__", "").startswith("maker.")
