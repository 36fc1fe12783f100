"""Torch's classes by name: `torch.class`, and Torch's questions about classes and their objects."""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable
from typing import Any

from ... import core
from ...interop.t7.values import Fields
from ...interop.torch7.names import KIN
from .. import nn
from ..objects.described import Described, class_named
from ..objects.from_fields import with_fields
from ..objects.generated import class_of
from ..objects.torch_object import TorchObject, plain_class_named
from ..tensors.types import Constructor, constructor_of
from .objects import type as type_of


def class_(name: str, *given: str | types.ModuleType | dict) -> Any:
    """A new class, `class_(name, [parentName], [module])`; with a parent, the class and its parent.

    Methods are set afterwards, `__init__` too. "package.Name" goes into a package, `legacy`'s or one among the caller's
    global names; "Name" goes among these; with a module or dict, into that. `getattr(torch, "class")` is the same.
    Raises ValueError for an unknown parent or package.

    >>> from functorch7.legacy import torch
    >>> shop = {}
    >>> Fruit = torch.class_("Fruit", shop)
    >>> Fruit.name = lambda self: "a fruit"
    >>> Apple, parent = torch.class_("Apple", "Fruit", shop)
    >>> torch.type(shop["Apple"]()), shop["Apple"]().name(), parent is Fruit
    ('Apple', 'a fruit', True)
    """
    parents: list[Any]
    *parents, module = given if given and not isinstance(given[-1], str) else (*given, None)
    if len(parents) > 1 or not all(isinstance(each, str) for each in (name, *parents)):
        raise TypeError(f"torch.class: expected (name, [parent's name], [module]), got {(name, *given)}")
    made = _made(name, parents[0] if parents else None, module, sys._getframe(1).f_globals)
    return (made, made.__bases__[0]) if parents else made


def newmetatable(name: str, parentName: str | None = None, constructor: Callable | None = None) -> type:
    """A new class, as from `class_`; with a constructor, the name stands for that. Raises ValueError as `class_` does.

    >>> sorted(newmetatable("Pair", None, lambda a, b: {a, b})().__dict__)
    []
    """
    names = sys._getframe(1).f_globals
    made = _made(name, parentName, None, names)
    if constructor is not None:
        _put(name, constructor, None, names)
    return made


def _made(name: str, parent: str | None, module: Any, names: dict[str, Any]) -> Any:
    base = TorchObject if parent is None else getmetatable(parent)
    if base is None:
        raise ValueError(f"torch.class: {name}: there is no class {parent!r}")
    fields = {"given_name": name, "__module__": names.get("__name__", "__main__"), "__doc__": None}
    made = types.new_class(name.rpartition(".")[2], (base,), exec_body=lambda body: body.update(fields))
    _put(name, made, module, names)
    return made


def _put(name: str, value: Any, module: Any, names: dict[str, Any]) -> None:
    """Puts a class where programs look for its name."""
    package, _, last = name.rpartition(".")
    place = names if module is None and not package else module if module is not None else _package(package, names)
    if isinstance(place, dict):
        place[last] = value
    else:
        setattr(place, last, value)


def _package(name: str, names: dict[str, Any]) -> Any:
    found = names.get(name, sys.modules.get(f"functorch7.legacy.{name}", sys.modules.get(name)))
    if found is None:
        raise ValueError(f"torch.class: there is no package {name!r} that has been imported")
    return found


# Classes by name ------------------------------------------------------------------------------------------------------


def getmetatable(name: str) -> type | Constructor | None:
    """The class of a name: `torch.class`'s, a module's, or the constructor of tensors or storages; None without one.

    >>> getmetatable("nn.Linear").__name__, getmetatable("no.Class")
    ('Linear', None)
    """
    spec_class = core.registry.get(KIN.get(name, name))
    if spec_class is not None:
        return class_of(spec_class)
    bases = {"nn.Module": nn.Module, "nn.Container": nn.Container, "nn.Criterion": nn.Criterion}
    return bases.get(name) or plain_class_named(name) or class_named(name) or constructor_of(name)


getconstructortable = getmetatable


def factory(name: str) -> Callable[[], object] | None:
    """A function that makes an empty object of a class, without `__init__`. None if there is no such class.

    >>> factory("torch.LongTensor")().nElement()
    0
    """
    kind = getmetatable(name)
    if not isinstance(kind, type):
        return kind
    return lambda: object.__new__(kind)


def setmetatable(table: Fields, classname: str) -> Any:
    """An object of a class with a table's entries as fields, which both share; for nn's own classes, the object that a
    file with these fields would give. Raises ValueError if there is no such class.

    >>> from functorch7.legacy import nn
    >>> setmetatable({"train": True}, "nn.Tanh")
    nn.Tanh
    """
    kind = getmetatable(classname)
    if not isinstance(kind, type):
        raise ValueError(f"torch.setmetatable: there is no class {classname!r}")
    if issubclass(kind, Described) and kind.spec_class is not None:
        return with_fields(classname, table)
    made = object.__new__(kind)
    made.__dict__ = table
    return made


def typename2id(name: str) -> int | None:
    """A class's own number, by its name; None if there is no such class."""
    kind = getmetatable(name)
    return None if kind is None else builtins.id(kind)


def id(object: object) -> int | None:
    """The number of an object's class; None for anything but Torch's objects.

    >>> from functorch7.legacy import nn
    >>> id(nn.Linear(2, 3)) == typename2id("nn.Linear"), id(3)
    (True, None)
    """
    return typename2id(type_of(object))


def isequal(object1: object, object2: object) -> bool:
    """Whether two tables or objects are the same one; False for numbers and texts."""
    return object1 is object2 and not isinstance(object1, (bool, int, float, str, types.NoneType))


def isclass(obj: object) -> bool:
    """Whether a value is one of Torch's classes, or made by `torch.class`. Source: torchnet."""
    return isinstance(obj, type) and issubclass(obj, (TorchObject, Described))


def version(object: object) -> int | None:
    """The `version_` of an object or its class, by default 1; None for anything but Torch's objects."""
    return None if id(object) is None else getattr(object, "version_", 1)


# Environments ---------------------------------------------------------------------------------------------------------


def getenv(function: types.FunctionType) -> Fields:
    """The global names that a function sees."""
    return function.__globals__


def setenv(function: types.FunctionType, table: Fields) -> types.FunctionType:
    """The function with other global names: a new function, where Lua changes the old one."""
    made = types.FunctionType(function.__code__, table, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made
