"""What the methods of a Lua class find outside their arguments: programs are valid as long as it stays the same."""

from __future__ import annotations

from weakref import WeakKeyDictionary, finalize

from ...legacy.engine.fields import Untraceable
from ...legacy.engine.user_classes import users
from ...legacy.engine.user_code import METHODS
from ...legacy.tensors.default_type import getdefaulttensortype
from ...legacy.tensors.types import Constructor
from ..held import LuaFunction, LuaValue
from ..kinds import Crossing
from ..text import to_lua
from .code import Code, Unreadable, read
from .values import Builtin, Method

OWN_LAYERS = "functorch7.lua.own"
"""The module of the bases of Lua's classes, whose methods do nothing."""

CHANGES = 8
"""If what a class's methods find changes more often than this, they are called: each change would be a new program."""

_NOTHING = object()
_changes: WeakKeyDictionary[type, int] = WeakKeyDictionary()


class Outside:
    """What one class's methods have found, which is compared before each call. It is equal only to itself."""

    reads, sets = (), frozenset[str]()  # which fields the code reads is not looked for

    def __init__(self, kind: type):
        self.kind = kind
        theirs = [base for base in users(kind) if base.__module__ != OWN_LAYERS]
        methods = [vars(base)[name] for name in METHODS for base in theirs if name in vars(base)]
        written = [each.lua for each in methods if isinstance(getattr(each, "lua", None), LuaFunction)]
        _changes[kind] = _changes.get(kind, -1) + 1
        self.obstacle = None if written and len(written) == len(methods) else "its code is not known"
        if _changes[kind] > CHANGES:
            self.obstacle = "what it uses outside of it changes too often"
        self.border: Crossing = written[0].border if written else None
        self._number = self.border.ask.guard() if written else None
        if written:
            finalize(self, self.border.unguarded.append, self._number)
        self._places: dict[tuple[type, str], Crossing] = {}
        self._found: dict[tuple, Crossing] = {}
        self._names: dict[LuaFunction, Crossing] = {}
        self._codes: dict[LuaFunction, Code] = {}
        self._default = getdefaulttensortype()
        self._version = self.border.written if written else 0

    def noted(self) -> tuple:
        """It, as a part of a program's key, as long as it stands."""
        return (self,) if self.stands() else ()

    def stands(self) -> bool:
        """Whether everything that was found is unchanged."""
        if self.border is None:
            return False
        if self._default != getdefaulttensortype() or self._version != self.border.written:
            return False
        for (base, name), value in self._places.items():
            if vars(base).get(name, _NOTHING) is not value:
                return False
        return not self._found or bool(self.border.ask.stands(self._number))

    def method(self, name: str) -> Crossing:
        """What the user's classes define under a name, or None."""
        for base in users(self.kind):
            found: Crossing = vars(base).get(name, _NOTHING)
            self._places.setdefault((base, name), found)
            if found is not _NOTHING:
                return found
        return None

    def code_of(self, function: LuaFunction) -> Code:
        """A function's instructions. Raises Untraceable if it has none, or unknown ones."""
        if function not in self._codes:
            text = self.border.answered(self.border.ask.code(function.reference))
            if text is None:
                raise Untraceable(f"it uses {self._names.get(function, 'a function')}")
            try:
                self._codes[function] = read(to_lua(text).encode("latin-1"))
            except Unreadable as error:
                raise Untraceable(f"its code is not readable: {error}") from None
        return self._codes[function]

    def found(self, kind: str, holder: LuaValue, key: object) -> Crossing:
        """An outer variable of a function, a global variable, or an entry of a table; it is noted."""
        place = (kind, holder, key)
        if place not in self._found:
            number = int(key) if type(key) is float and key.is_integer() else key
            answer = self.border.answered(self.border.ask.outside(self._number, kind, holder.reference, number))
            name = self.border.ask.variable(holder.reference, number) if kind == "upvalue" else key
            self._found[place] = self._value(name, *(answer if isinstance(answer, tuple) else (answer,)))
        return self._found[place]

    def _value(self, key: Crossing, what: str, value: Crossing = None) -> Crossing:
        if what == "strange":
            raise Untraceable(f"it uses {key}")
        if what == "library":
            return Builtin(value)
        if what == "python":
            return Method(self.border.function_of(value))
        if isinstance(value, LuaFunction):
            self._names[value] = key
        if type(value) is int:
            return float(value)
        if not isinstance(value, (bool, float, str, type(None), LuaValue, type, Constructor)):
            raise Untraceable(f"it uses {key}")  # a tensor, or another object in which things may change
        return to_lua(value) if type(value) is str else value
