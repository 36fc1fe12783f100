"""Lua's calls of Python's functions and methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

from ..interop import t7
from ..legacy.tensors.tensor import Tensor
from .arguments import Shape, shape_for
from .border import BACK, OBJECT, Border
from .errors import name_of, of_call
from .kinds import Crossing

TWO_OBJECTS = 9 * OBJECT
"""The kinds of two objects."""

THREE_OBJECTS = 73 * OBJECT
"""The kinds of three objects."""

ALL_OBJECTS = (TWO_OBJECTS, THREE_OBJECTS)

NUMBER_BETWEEN = 65 * OBJECT
"""The kinds of two objects with a number between them."""


class _Nothing:
    """Stands for a missing argument."""


class Calls:
    """Functions and methods, as Lua calls them: function(number, kinds of the arguments, arguments...)."""

    def __init__(self, border: Border):
        self.border = border
        self._numbers: dict[Callable, int] = {}
        self._functions: list[Callable] = []
        self._entries: list[Callable] = []

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """Functions for Lua, by name."""
        yield "call_method", self.method
        yield "call_object", self.object
        yield "function_of", self._entries.__getitem__

    def number(self, function: Callable) -> int:
        """The number of a function that Lua may call."""
        number = self._numbers.get(function)
        if number is None:
            number = self._numbers[function] = len(self._entries)
            self._functions.append(function)
            self._entries.append(self._entry(function, shape_for(function)))
        return number

    def function(self, number: int) -> Callable:
        """The function of a number."""
        return self._functions[number]

    def _entry(self, function: Callable, shape: Shape) -> Callable:
        """A function as Lua calls it. Most calls have objects and numbers that fit as they are: they are quick."""
        border, tables = self.border, self.border.tables
        objects: Crossing = border.registry.objects
        numbers, most, has_texts = border.registry.numbers, shape.most, bool(shape.texts)

        def entered(_: int, sig: int, first: object = _Nothing, second: object = _Nothing, *others: object) -> Crossing:
            try:
                if second is _Nothing:
                    if sig != OBJECT or most < 1 or tables.touched:
                        return self._fitted(function, shape, sig, () if first is _Nothing else (first,))
                    result = function(owner := objects[first])
                elif tables.touched or most < 2 + len(others) or (has_texts and sig not in ALL_OBJECTS):
                    return self._fitted(function, shape, sig, (first, second, *others))
                elif sig == OBJECT:
                    result = function(owner := objects[first], second, *others)
                elif sig == TWO_OBJECTS:
                    result = function(owner := objects[first], objects[second], *others)
                elif sig == THREE_OBJECTS and len(others) == 1:
                    result = function(owner := objects[first], objects[second], objects[others[0]])
                elif sig == NUMBER_BETWEEN and len(others) == 1:
                    result = function(owner := objects[first], second, objects[others[0]])
                else:
                    return self._fitted(function, shape, sig, (first, second, *others))
                if result is owner:
                    return BACK
                kind = type(result)
                if kind is Tensor:
                    return numbers.get(id(result)) or border.new_tensor(result), OBJECT
                return result if kind is float or kind is bool else border.returned(result)
            except BaseException as error:
                given = border.given(sig, tuple(each for each in (first, second, *others) if each is not _Nothing))
                return border.failed(of_call(function, given, error))

        return entered

    def _fitted(self, function: Callable, shape: Shape, sig: int, values: tuple) -> Crossing:
        border = self.border
        arguments = border.given(sig, values)
        if border.tables.touched and function in border.takes_dicts:
            arguments = border.tables.empty_as_dicts(arguments)
        return self._called(function, shape, arguments, arguments[0] if arguments else None)

    def method(self, number: int, sig: int, *values: Crossing) -> Crossing:
        """Calls the first argument's method of a name with the other arguments."""
        arguments = self.border.given(sig, values)
        owner, function = arguments[0], None
        try:
            function = getattr(owner, self.border.names[number])
            inner = getattr(function, "__func__", None) if getattr(function, "__self__", None) is owner else None
            function, arguments = (inner, arguments) if inner is not None else (function, arguments[1:])
            return self._called(function, shape_for(function), arguments, owner)
        except BaseException as error:
            return self.border.failed(error if function is None else of_call(function, arguments, error))

    def object(self, _: int, sig: int, *values: Crossing) -> Crossing:
        """Calls the first argument with the others."""
        function, *arguments = self.border.given(sig, values)
        try:
            if isinstance(function, t7.LuaFunction):
                raise TypeError(
                    "a function loaded from a file cannot be called: nothing in a file is executed, unless the program "
                    "is run with --functions-of-files"
                )
            if hasattr(function, "__next__"):
                return self.border.returned(next(function, None))
            if not callable(function):
                raise TypeError(f"attempt to call a {name_of(function)}")
            return self._called(function, shape_for(function), arguments)
        except BaseException as error:
            return self.border.failed(of_call(function, arguments, error) if inspect.isroutine(function) else error)

    def _called(self, function: Callable, shape: Shape, arguments: Crossing, owner: Crossing = None) -> Crossing:
        border = self.border
        given = border.tables.taken() if border.tables.touched else None
        if border.has_unfit or len(arguments) > shape.most or shape.texts:
            border.has_unfit = False
            arguments = shape.fitted(arguments)
        border.make_room()  # before the call, whose result Lua may have known until now, as a part of its owner
        result = function(*arguments)
        if given:
            border.tables.push(given)
        return border.returned(result, owner)
