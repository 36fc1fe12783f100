"""What a program puts into classes: methods, values and tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ..legacy.modules.container import Container
from ..legacy.modules.module import Module
from ..legacy.modules.own_backward import GOING_BACK
from ..legacy.modules.passing import Copy, Passing
from ..legacy.modules.special import Kmeans
from ..legacy.objects.described import Described, overridden_in
from ..legacy.objects.generated import class_of
from ..legacy.objects.own_fields import OF_PROGRAMS, holder_of, is_known
from ..legacy.tensors.changes import classes_changed
from ..legacy.tensors.types import Constructor
from .border import Border
from .calls import Calls
from .functions import METAMETHODS, by_type, in_lua
from .gradients import keep_gradient, keep_own_gradient
from .held import LuaFunction
from .kinds import Crossing
from .naming import static
from .own import OF_MODULE, LuaLayer, LuaObject
from .recurrences import keep_steps
from .written_methods import method_of

COMPUTING = ("updateOutput", "updateGradInput", "accGradParameters", "backward")
"""Methods that compiled programs replace, unless a user has defined others."""

PLANNED = (*COMPUTING, "parameters", "zeroGradParameters", "updateParameters")
"""Methods of which plans know whether a user has defined others."""

OF_CONTAINERS = ("parameters", "zeroGradParameters", "updateParameters", "share", "reset", "clearState")
"""Methods that Torch's containers do not have from nn.Module: what a program puts there is for the modules inside."""

GOING_BACK_HERE: tuple[type[Module], ...] = (Copy, Kmeans, Passing)
"""Layers whose `backward` is nn.Module's in Torch, where it calls their updateGradInput."""

_NOTHING = object()


def of_lua(kind: type, name: str) -> bool:
    """Whether a class's attribute was put there by a Lua program; the class may be the program's."""
    holder = holder_of(kind, name)
    return name in OF_PROGRAMS.get(holder, ()) or (issubclass(holder, LuaObject) and bool(holder._torch_class))


def is_declared(owner: object, name: str) -> bool:
    """Whether a field is one that functorch7 knows."""
    if of_lua(type(owner), name):
        return inspect.isroutine(static(type(owner), name))
    if static(type(owner), name) is not None or name == "modules":
        return True
    if not isinstance(owner, Described):
        return name in dir(owner)
    if isinstance(owner, LuaObject) and owner._spec is None:
        return False
    return is_known(owner, name) or (name not in vars(owner) and name in dir(owner))


class Written:
    """What a program has put into classes, and what was there before."""

    def __init__(self, border: Border, calls: Calls):
        self.border, self.calls = border, calls
        self.before: list[tuple[type, str, Any]] = []

    def define(self, number: int, key: str, value: object, method: int | None = None) -> bool:
        """Puts a method or value into a class; after nil, the class above counts again.

        `method` is the number of a Python method: if it was there before, it is put back as it was. Returns whether the
        class begins to keep its steps by it, which changes its other methods, too.
        """
        kind = self.border.registry.kinds[number]
        if kind is Module and key in OF_MODULE:
            kind = LuaLayer
        if not issubclass(kind, LuaObject) or kind is LuaLayer:
            if method is not None:
                value = self._as_it_was(kind, key, self.calls.function(method), value)
            self._keep_of_containers(kind, key)
            self._note(kind, key)
        if value is not None:
            setattr(kind, key, method_of(key, value) if isinstance(value, LuaFunction) else value)
        elif key in vars(kind):
            delattr(kind, key)
        if kind is Module and key == "backward":
            self._put_instead(vars(kind)[key] if isinstance(value, LuaFunction) else None)
        if key == "updateOutput" and issubclass(kind, LuaObject):
            keep_gradient(kind)
        elif key == "updateOutput":
            keep_own_gradient(kind, isinstance(value, LuaFunction), self._note)
        keeps_steps = value is not None and keep_steps(kind, key)
        self._heard_of(kind, key)
        return keeps_steps

    def _as_it_was(self, kind: type, key: str, method: Callable, value: object) -> object:
        """What the class had at first (None: nothing), if the method is Lua's form of that; else the value."""
        own = next((before for each, name, before in self.before if (each, name) == (kind, key)), _NOTHING)
        above = (vars(each)[key] for each in kind.__mro__[1:] if key in vars(each))
        first = OF_MODULE[key] if kind is LuaLayer else next(above, None) if own is _NOTHING else own
        is_first = inspect.isfunction(first) and in_lua(first, kind) is method
        return value if not is_first else None if own is _NOTHING else own

    def _keep_of_containers(self, kind: type, key: str) -> None:
        """Leaves containers, and who else has one of its own in Torch, what nn.Module's method was."""
        if kind is not Module:
            return
        own = map(class_of, GOING_BACK) if key == "backward" else [Container] if key in OF_CONTAINERS else []
        for each in own:
            if key not in vars(each):
                self.before.append((each, key, _NOTHING))
                setattr(each, key, getattr(Module, key))

    def _put_instead(self, backward: Callable | None) -> None:
        """Gives layers that have a `backward` only here nn.Module's, which a program has written; None: their own."""
        for kind in GOING_BACK_HERE:
            self._note(kind, "backward")
            own = next(before for each, name, before in self.before if (each, name) == (kind, "backward"))
            kind.backward = own if backward is None else backward

    def _note(self, kind: type, key: str) -> None:
        self.before.append((kind, key, vars(kind).get(key, _NOTHING)))
        if key not in vars(kind):
            OF_PROGRAMS.setdefault(kind, set()).add(key)

    def _heard_of(self, kind: type, key: str) -> None:
        """Makes networks plan again, as one may contain objects of a class with a new method."""
        overridden_in.cache_clear()
        self.border.written += 1
        if key in PLANNED and issubclass(kind, Described) and not issubclass(kind, LuaObject):
            classes_changed()

    def define_for_type(self, _: int, constructor: Constructor, key: str, value: LuaFunction | int) -> None:
        """Defines a method for tensors or storages of one type; given a method's number, restores that of all types."""
        operator_named = METAMETHODS.get(key.removesuffix("__"))  # luaT calls __add__ for __add
        names = [f"__{operator_named}__", f"__r{operator_named}__"] if operator_named else [key]
        kind, usual = constructor.kind, isinstance(value, int)
        for reflected, name in enumerate(names):
            if not hasattr(vars(kind).get(name), "by_type"):
                if usual or (reflected and not hasattr(kind, name)):
                    continue
                self._note(kind, name)
                setattr(kind, name, by_type(getattr(kind, name, None), reflected == 1))
            if usual:
                vars(kind)[name].by_type.pop(constructor.name, None)
            else:
                vars(kind)[name].by_type[constructor.name] = value
        self.border.written += 1

    def restore(self) -> None:
        """Restores Python's classes as they were before Lua changed them."""
        for kind, key, before in reversed(self.before):
            if before is not _NOTHING:
                setattr(kind, key, before)
            elif key in vars(kind):
                delattr(kind, key)
            OF_PROGRAMS.get(kind, set()).discard(key)
            self._heard_of(kind, key)
        self.before.clear()

    def bound(self) -> Iterator[tuple[str, Crossing]]:
        """Functions for Lua, by name."""
        for name in ("define", "define_for_type"):
            yield name, self.border.entry(getattr(self, name))
