"""The border between Python and Lua. Only numbers, strings and booleans cross it; `glue/border.lua` is its other side.

lupa's own proxies are not used: they lose or confuse objects that only Lua holds when Lua collects garbage. Here, a
Python object is a number in Lua, and a registry keeps it as long as Lua refers to it. A Lua function is a number in
Python, and Lua keeps it as long as Python refers to it.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import jax
import numpy as np

from ..interop.t7 import Key
from ..legacy.objects.mode import Mode
from ..legacy.objects.tree import ModuleList
from ..legacy.tensors.number import Number
from ..legacy.tensors.tensor import Tensor
from .asked import Asked
from .errors import LuaError, text_of
from .held import LuaFunction, LuaValue
from .kinds import Crossing
from .registry import FEW, Registry
from .tables import MADE, Tables
from .text import from_lua, to_lua

PLAIN, OBJECT, STRING, FUNCTION, VALUE, OWNER, METHOD, NIL = range(8)
"""The kind of a value that crosses. The kinds of several values are the digits of a number, the lowest digit first."""

BACK = (None, OWNER)
"""The result of a method that returns its object."""

LIST = -1
"""In place of the kinds: the arguments are in one list."""

RAISED, RETHROWN, THROWN, ENDING = -1, -2, -3, -11
"""In place of the kinds of results: an error's message; one that already says where it comes from; a thrown Lua value,
whose kind is subtracted; the message of an exception that ends the program."""

NEW_LIST = -12
"""In place of the kinds of results: a list that is new to Lua; its number, and those of its objects, follow."""

TABLES = (*MADE, tuple, dict, OrderedDict)
FLOATS = {float}
"""The types of several results that cross as they are."""

SHORT = 16
"""Lists of no more objects cross with their results."""

Encoded = tuple[int, Any]


class Border:
    """Takes values, calls, results and errors across."""

    ask: Asked
    """Lua's functions that Python calls."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.tables = Tables(self)
        self.takes_dicts: set[Callable] = set()
        self.names: list[str] = []
        self.released: list[int] = []
        self.forgotten: list[int] = []
        self.unguarded: list[int] = []
        self.written = 0  # how often Lua has put something into a class
        self.function_of: Callable[[int], Callable]
        self.raised: BaseException | None = None
        self.has_unfit = False  # a nil, or a text that may be a numeral, has come
        self._name_numbers: dict[str, int] = {}
        self._held: WeakValueDictionary[int, LuaValue] = WeakValueDictionary()
        self._objects = self.registry.objects
        as_object = self._objects.__getitem__
        self._decoders = (_same, as_object, self._text, self._function, self._value, _minus_zero, _same, self._nil)
        self._encoders: dict[type, Callable[[Crossing], Encoded]] = {
            **dict.fromkeys((int, float, bool, type(None)), _plain),
            **dict.fromkeys(TABLES, self._table),
            int: _whole, str: _text, bytes: _bytes,
            LuaFunction: _function, LuaValue: _reference, Tensor: self._tensor, Key: lambda key: self.encode(key.value),
            Mode: lambda mode: _plain(bool(mode)),
        }  # fmt: skip

    # Values from Lua ------------------------------------------------------------------------------------------------

    def given(self, sig: int, values: tuple) -> Crossing:
        """Converts arguments to Python."""
        if sig == 0:
            return values
        if sig == OBJECT and len(values) == 1:
            return (self._objects[values[0]],)
        if sig == LIST:
            return self._objects[values[0]]
        found = []
        for value in values:
            found.append(self._decoders[sig & 7](value))
            sig >>= 3
        return found

    def _nil(self, _: None) -> None:
        self.has_unfit = True

    def _text(self, value: str) -> str:
        self.has_unfit = True
        return from_lua(value)

    def decoded(self, code: int, value: Crossing) -> Crossing:
        """Converts one value to Python."""
        return self._decoders[code](value)

    def _function(self, reference: int) -> LuaFunction:
        return self._hold(LuaFunction, reference)

    def _value(self, reference: int) -> LuaValue:
        return self._hold(LuaValue, reference)

    def _hold(self, kind: type, reference: int) -> Crossing:
        found = self._held.get(reference)
        if found is None:
            found = self._held[reference] = kind(self, reference)
        return found

    # Values to Lua --------------------------------------------------------------------------------------------------

    def encode(self, value: object) -> Encoded:
        """The kind of a value, and what crosses for it."""
        encoder = self._encoders.get(type(value))
        return self._encode_other(value) if encoder is None else encoder(value)

    def _encoded(self, values: tuple) -> tuple[int, list]:
        """The kinds of several values as the digits of a number, and what crosses for them."""
        found = [self.encode(each) for each in values]
        return sum(code << 3 * place for place, (code, _) in enumerate(found)), [value for _, value in found]

    def _encode_other(self, value: object) -> Encoded:
        kind = type(value)
        if isinstance(value, np.generic):
            return self.encode(value.item())
        if isinstance(value, Number):
            return self.encode(float(value))
        if isinstance(value, (np.ndarray, jax.Array)):
            return self._tensor(Tensor.of(value))
        if isinstance(value, Path):
            return _text(str(value))
        if isinstance(value, BaseException):  # as pcall gives it
            thrown = getattr(value, "value", None) if isinstance(value, LuaError) else None
            return _text(text_of(value)) if thrown is None else self.encode(thrown)
        if isinstance(value, tuple):  # one with names
            return self._table(value)
        lua = getattr(value, "lua", None) if inspect.isroutine(value) else None
        if isinstance(lua, LuaFunction):
            return _function(lua)
        self._encoders[kind] = self.encoder_of(kind)
        return self._encoders[kind](value)

    def encoder_of(self, kind: type) -> Callable[[Crossing], Encoded]:
        """How objects of a class are encoded: as objects."""
        return lambda value: (OBJECT, self.registry.number(value, kind))

    def _tensor(self, value: Tensor) -> Encoded:
        if not value.shape:  # a number that was among a network's tensors: Torch has no such tensors
            return self.encode(value.item())
        return OBJECT, self.registry.numbers.get(id(value)) or self.registry.added_tensor(value)

    def new_tensor(self, value: Tensor) -> int:
        """The number of a tensor that is new to Lua and crosses alone, so that unused objects may be dropped now."""
        if self.registry.is_full():
            self.sweep()
        return self.registry.added_tensor(value)

    def _new_list(self, value: list) -> tuple | None:
        """A list of tensors that is new to Lua, as it crosses alone; None for others."""
        numbers = self.registry.numbers
        if not value or len(value) > SHORT or id(value) in numbers:
            return None
        for each in value:
            if type(each) is not Tensor or not each.shape:
                return None
        if self.registry.is_full():
            self.sweep()
        found = [numbers.get(id(each)) or self.registry.added_tensor(each) for each in value]
        return self.tables.added(value), NEW_LIST, *found

    def _table(self, value: object) -> Encoded:
        return OBJECT, self.tables.number(value)

    def live(self, value: list | dict) -> None:
        """Lets Lua see a list or dict of an object itself, not a table with its contents."""
        self.registry.number(value, ModuleList)

    def inside(self, value: Crossing) -> Crossing:
        """A value in a list or dict that Lua sees itself; if it is a list or dict, Lua sees that itself, too."""
        if type(value) in TABLES and type(value) is not tuple and id(value) not in self.registry.numbers:
            self.live(value)
        return value

    def returned(self, result: Crossing, owner: Crossing = None) -> Crossing:
        """A call's result as it crosses: a plain value alone; otherwise the first value, all kinds, the others."""
        if result is None:
            return None
        if result is owner:
            return BACK
        kind = type(result)
        if kind is float or kind is bool:
            return result
        if kind is tuple:
            if {*map(type, result)} == FLOATS:
                return (result[0], PLAIN, *result[1:])
            sig, (first, *others) = self._encoded(result or (None,))
            return (first, sig, *others)
        if kind is list and (found := self._new_list(result)) is not None:
            return found
        code, value = self.encode(result)
        return value if code == PLAIN else (value, code)

    # Calls from Lua -------------------------------------------------------------------------------------------------

    def name_number(self, name: str) -> int:
        """The number by which a name crosses."""
        number = self._name_numbers.get(name)
        if number is None:
            number = self._name_numbers[name] = len(self.names)
            self.names.append(name)
        return number

    def entry(self, function: Callable[..., Crossing]) -> Callable[..., Crossing]:
        """A function as Lua calls it: function(number, kinds, arguments...)."""

        tables = self.tables

        def entered(number: int, sig: int = 0, *values: object) -> Crossing:
            try:
                arguments = self.given(sig, values)
                if not tables.touched:
                    return self.returned(function(number, *arguments))
                given = tables.taken()
                result = function(number, *arguments)
                tables.push(given)
                return self.returned(result)
            except BaseException as error:
                return self.failed(error)

        return entered

    def failed(self, error: BaseException) -> tuple:
        """Converts an exception for Lua."""
        self.tables.taken()
        if isinstance(error, LuaError) and error.value is not None:
            code, value = self.encode(error.value)
            return value, THROWN - code
        self.raised = error
        if isinstance(error, (SystemExit, KeyboardInterrupt)):
            return to_lua(text_of(error)), ENDING
        return to_lua(text_of(error)), RETHROWN if isinstance(error, LuaError) else RAISED

    # Calls to Lua ---------------------------------------------------------------------------------------------------

    def call_lua(self, reference: int, given: tuple) -> Crossing:
        """Calls a function of Lua's; raises LuaError for errors in it."""
        if given:
            sig, values = self._encoded(given)
            answer = self.ask.call(reference, sig, *values)
        else:
            answer = self.ask.call(reference, 0)
        return self.answered(answer)

    def answered(self, answer: object) -> Crossing:
        """Converts the results of a Lua function: None, one value, or a tuple."""
        if type(answer) is not tuple:
            return answer
        first, sig, *rest = answer
        if sig < 0:
            self._raise(sig, first, *rest)
        self.tables.taken()
        found = self.given(sig, (first, *rest))
        return found[0] if len(found) == 1 else tuple(found)

    def _raise(self, sig: int, value: Crossing, traceback: str = "") -> None:
        if sig == RAISED:
            message = from_lua(value)
            cause, self.raised = self.raised, None
            if isinstance(cause, (SystemExit, KeyboardInterrupt)):
                raise cause
            known = cause is not None and text_of(cause) in message
            raise LuaError(message, from_lua(traceback)) from (cause if known else None)
        thrown = self.decoded(THROWN - sig, value)
        raise LuaError(f"an error that is no text: {thrown}", from_lua(traceback), thrown)

    # What is not used any more --------------------------------------------------------------------------------------

    def make_room(self) -> None:
        """Sweeps if it is time."""
        if self.registry.is_full() or len(self.released) > FEW:
            self.sweep()

    def sweep(self) -> None:
        """Drops objects that Lua no longer uses, and lets Lua drop what Python no longer holds."""
        gone = [each for each in self.released if each not in self._held]
        self.released.clear()
        for start in range(0, len(gone), 200):
            self.ask.release(*gone[start : start + 200])
        while self.forgotten:
            self.ask.forget(self.forgotten.pop())
        while self.unguarded:
            self.ask.unguard(self.unguarded.pop())
        self.registry.settle(self.ask.drop_unused())
        self.tables.forget()

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """Functions for Lua, by name."""
        yield "drop", self.registry.drop
        yield "fill", self.tables.fill
        yield "fill_with_objects", self.tables.fill_with_objects
        yield "send_again", self.tables.send_again


def _same(value: object) -> Crossing:
    return value


def _minus_zero(_: object) -> float:
    return -0.0


def _plain(value: object) -> Encoded:
    return PLAIN, value


def _whole(value: int) -> Encoded:
    return PLAIN, value if -(2**53) < value < 2**53 else float(value)


def _text(value: str) -> Encoded:
    return PLAIN, to_lua(value)


def _bytes(value: bytes) -> Encoded:
    return PLAIN, value.decode("latin-1")


def _function(value: LuaFunction) -> Encoded:
    return FUNCTION, value.reference


def _reference(value: LuaValue) -> Encoded:
    return VALUE, value.reference
