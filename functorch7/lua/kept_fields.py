"""Fields of Python's objects that Lua keeps."""

from __future__ import annotations

import copy
from collections.abc import Callable

from ..checks.tables import as_dict
from ..legacy.engine.fields import KEPT, KeptElsewhere
from .border import OBJECT, Encoded
from .kinds import Bridge, Crossing

OWN = KEPT
"""The attribute that refers to an object's fields in Lua."""


class Fields(KeptElsewhere):
    """The fields of one object that Lua keeps (tables and functions), under the object's number."""

    def __init__(self, border: Bridge, number: int):
        self.border, self.number = border, number
        self.names: set[str | float] = set()

    def __del__(self) -> None:
        self.border.forgotten.append(self.number)

    def contents(self) -> dict[str | float, Crossing]:
        """The fields, converted to Python."""
        found = self.border.answered(self.border.ask.contents(self.number)) if self.names else {}
        return dict(as_dict(found))

    def put(self, name: str | float, value: object) -> None:
        """Lets Lua keep a field."""
        self.names.add(name)
        self.border.ask.own(self.number, name, *self.border.encode(value))

    def drop(self, name: str) -> None:
        """Lets Lua forget a field."""
        self.names.discard(name)
        self.border.ask.disown(self.number, name)

    def __deepcopy__(self, memo: dict) -> Fields:
        made = Fields(self.border, self.border.registry.another(self.number))
        for name, value in self.contents().items():
            made.put(name, copy.deepcopy(value, memo))
        return made

    def __reduce__(self) -> str | tuple:
        return dict, (self.contents(),)


def fields_of(owner: object) -> Fields | None:
    """An object's fields in Lua, if it has any."""
    return getattr(owner, "__dict__", {}).get(OWN)


def made_fields_of(border: Bridge, owner: object) -> Fields:
    """An object's fields in Lua, where it has them from now on."""
    own = fields_of(owner)
    if own is None:
        number = border.registry.numbers.get(id(owner)) or border.registry.reserved(type(owner))
        own = vars(owner)[OWN] = Fields(border, number)
    return own


def has_fields(kind: type) -> bool:
    """Whether objects of a class may have fields in Lua."""
    return kind.__dictoffset__ != 0


def own_encoder(border: Bridge, kind: type) -> Callable[[Crossing], Encoded]:
    """How objects that may have fields in Lua are encoded: those that do keep their numbers."""

    def encode(value: object) -> Encoded:
        number = border.registry.numbers.get(id(value))
        if number is None:
            own = fields_of(value)
            if own is None:
                number = border.registry.number(value, kind)
            else:
                number = own.number
                border.registry.put(number, value)
        return OBJECT, number

    return encode
