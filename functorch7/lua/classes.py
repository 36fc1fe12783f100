"""Answers Lua's questions about classes: what their objects look like, and what each name stands for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from types import MappingProxyType

from ..checks.errors import MISUSE
from ..interop import t7
from ..layers.graph_nodes import Node as Unfinished
from ..legacy import tds
from ..legacy.engine.fields import LEFT
from ..legacy.modules.by_step import ByStep
from ..legacy.modules.container import Container
from ..legacy.modules.directed import Members, Node
from ..legacy.modules.module import Module
from ..legacy.objects.described import Described, builder_names, overridden_in
from ..legacy.objects.layered import bring
from ..legacy.objects.own_fields import numbered, put_numbered
from ..legacy.objects.tree import ModuleList
from ..legacy.program.file import File
from ..legacy.program.timer import Timer
from ..legacy.tensors.generator import Generator
from ..legacy.tensors.storage import Storage
from ..legacy.tensors.tensor import Tensor
from ..legacy.tensors.types import Constructor
from .border import METHOD, OBJECT, Border
from .calls import Calls
from .constructing import arguments_of
from .errors import name_of_class, of_call
from .functions import (
    METAMETHODS,
    OPERATORS,
    calculated,
    called_either_way,
    element,
    in_lua,
    item,
    operation,
    place_of,
    put_element,
    put_item,
    special_field,
)
from .held import LuaFunction
from .kept_fields import OWN, Fields, fields_of
from .kinds import Crossing
from .naming import builder, class_above, is_gradient, is_hidden, is_method, is_note, let_set, reader, seen, static
from .own import OF_MODULE, LuaLayer, LuaObject, below, blank, complete, initializer
from .recurrences import KEEPER
from .several import HANDING_ON, with_all_results
from .written import is_declared, of_lua
from .written_methods import LuaMethod

USERDATA = (Tensor, Storage, Generator, Timer, File, tds.Vec)
"""Classes that Torch writes in C: their objects are userdata in Lua; those of other classes are tables."""

FIELDS_ALONE = (Described, Node, Unfinished)
"""Classes whose objects contain in brackets only what a program has put there: modules are in `network.modules`."""

MAPPING = (Tensor.apply, Tensor.map, Tensor.map2)
"""Methods that Lua replaces by its own, because they call a function for every element."""


class Classes:
    """Classes and the fields of their objects, for Lua."""

    def __init__(self, border: Border, calls: Calls):
        self.border, self.calls = border, calls
        self.kinds = border.registry.kinds
        self.derivations: list[type] = []
        self._fields: dict[int, Callable] = {}

    def bound(self) -> Iterator[tuple[str, Crossing]]:
        """Functions for Lua, by name; the number of one that it calls as it calls methods."""
        for name in (
            "describe", "look_up", "member", "construct", "blank", "complete", "class_name", "class_object", "set_item",
            "element", "put_element", "put_ranges", "length", "text", "place", "set", "class_of_type",
        ):  # fmt: skip
            yield name, self.border.entry(getattr(self, name))
        yield "field_of", self.field_of
        yield "at", self._at()
        yield "item", self.calls.number(self._item)
        yield "ranges", self.calls.number(self._ranges)
        yield "__concat", self.calls.number(lambda left, right: f"{left}{right}")
        for name, function in OPERATORS.items():
            yield f"__{name}", self.calls.number(partial(calculated, function))
        yield "class_number", lambda number: self.border.registry.class_number(self.border.registry.objects[number])

    # Classes --------------------------------------------------------------------------------------------------------

    def describe(self, number: int) -> tuple[str, str, bool]:
        """What represents a class's objects in Lua, the class's name, and whether numbers may be names of fields."""
        return *self._described(number), issubclass(self.kinds[number], FIELDS_ALONE)

    def _described(self, number: int) -> tuple[str, str]:
        kind = self.kinds[number]
        if issubclass(kind, (ModuleList, ByStep, Members)):
            return "list", kind.__name__
        if issubclass(kind, type):
            return "class", kind.__name__
        if kind is Constructor:
            return "type", kind.__name__
        if issubclass(kind, tds.Hash):
            return "mapping", kind.__name__
        if issubclass(kind, USERDATA):
            return "userdata", self.class_name(number)[0]
        if issubclass(kind, Container):
            return "container", self.class_name(number)[0]
        is_function = "__call__" in dir(kind) and not hasattr(kind, "typename") and not issubclass(kind, Mapping)
        is_function = is_function or kind is t7.LuaFunction or hasattr(kind, "__next__")
        return "function" if is_function else "table", self.class_name(number)[0]

    def class_name(self, number: int) -> tuple[str, bool, int | None, bool]:
        """Torch's name of a class, whether Lua has defined it, the class above, and whether it is one of a layer's."""
        kind = self.kinds[number]
        if kind is Tensor:
            return "torch.Tensor", False, None, False
        above = class_above(kind)
        is_described = issubclass(kind, LuaObject) and getattr(kind, "spec_class", None) is not None
        number_above = above and self.border.registry.class_number(above)
        return name_of_class(kind), issubclass(kind, LuaObject), number_above, is_described

    def class_object(self, number: int) -> type:
        """The class of a number."""
        return self.kinds[number]

    def look_up(self, number: int, key: str) -> tuple[str, Crossing]:
        """What a name stands for in objects of a class: a method, a method written in Lua, one that returns a pointer,
        a constructor, or a field.
        """
        kind = self.kinds[number]
        found = seen(kind, key)
        lua = getattr(found, "lua", None)
        if isinstance(lua, LuaFunction):
            return "lua", lua
        if key == "new" and issubclass(kind, (Tensor, Storage)):
            return "field", self.border.name_number(key)
        if key == "data" and issubclass(kind, (Tensor, Storage)):
            return "pointer", self.calls.number(found)
        if key == "new" and found is None and issubclass(kind, Described):
            return "constructor", None
        if inspect.isfunction(found):
            if "tensorCache" in inspect.signature(found).parameters:
                self.border.takes_dicts.add(found)
            return self._function(found, kind)
        if isinstance(found, staticmethod):
            return self._function(called_either_way(self.kinds[number], found.__func__))
        return "method" if inspect.isroutine(found) else "field", self.border.name_number(key)

    def member(self, number: int, key: str) -> tuple[str, Crossing]:
        """What a name stands for in a class: a function or a value."""
        kind = self.kinds[number]
        if key == "__init":
            written = next((vars(each)["__init"] for each in kind.__mro__ if "__init" in vars(each)), None)
            python = next(each for each in kind.__mro__ if not issubclass(each, LuaObject))
            return ("value", written.lua) if written is not None else self._function(initializer(python))
        if key in METAMETHODS and issubclass(kind, (Tensor, Storage)):
            done = operation(kind, key)
            return ("value", None) if done is None else ("function", self.calls.number(done))
        bring(key)  # if it is PyTorch's or BigDL's
        if kind in (Module, Container) and key in OF_MODULE:
            return self._of_module(key)
        found = static(kind, key)
        if isinstance(getattr(found, "lua", None), LuaFunction):
            return "value", found.lua
        if inspect.isroutine(found):
            return self._function(getattr(kind, key), kind)
        if found is None or (inspect.isdatadescriptor(found) and not isinstance(getattr(kind, key), list)):
            described = getattr(kind, "spec_class", None)
            if described is not None and key in builder_names(described):
                return "function", self.calls.number(builder(builder_names(described)[key]))
            return "value", None
        return "value", getattr(kind, key)

    def _of_module(self, key: str) -> tuple[str, Crossing]:
        """A method that no layer has from nn.Module: Torch's, or what a program has put in its place."""
        written = getattr(vars(LuaLayer).get(key), "lua", None)
        return ("function", self.calls.number(OF_MODULE[key])) if written is None else ("value", written)

    def _function(self, function: Callable, kind: type = object) -> tuple[str, Crossing]:
        if function in MAPPING:
            return "mapping", None
        if function in HANDING_ON and issubclass(kind, LuaObject):
            function = with_all_results(function)
        return "function", self.calls.number(in_lua(function, kind))

    def class_of_type(self, _: int, constructor: Constructor) -> int:
        """The number of the class of a type's tensors or storages."""
        return self.border.registry.class_number(constructor.kind)

    def derived(self, name: str, parent: type) -> type:
        """A class that a program defines below another; below a recurrence it is at first one that is compiled."""
        compiled = vars(parent).get("compiled")
        return self.made(name, compiled, {KEEPER: parent}) if compiled else self.made(name, below(parent))

    def made(self, name: str, bases: tuple[type, ...], fields: Mapping[str, object] = MappingProxyType({})) -> type:
        """A class of Lua's."""
        made = type(name.rpartition(".")[2], bases, {"_torch_class": name, "__module__": __name__, **fields})
        self.derivations.append(made)
        return made

    def construct(self, number: int, *given: object) -> Crossing:
        """An object of a class, by the `__init` that a program has put into it, if there is one."""
        self.border.make_room()
        kind = self.kinds[number]
        written = vars(kind).get("__init")
        if written is not None:
            made = kind.__new__(kind)
            written(made, *given)
            if not overridden_in(kind, "updateOutput"):
                complete(made)
            return made
        placed, named = arguments_of(kind, given)
        try:
            return kind(*placed, **named)
        except MISUSE as error:
            raise of_call(kind, given, error) from error

    def blank(self, number: int) -> Crossing:
        """An object of a class on which Lua's `__init` has not run yet."""
        return blank(self.kinds[number])

    def complete(self, _: int, made: LuaObject) -> None:
        """Describes an object that has no description yet, after its `__init`."""
        complete(made)

    # Fields ---------------------------------------------------------------------------------------------------------

    def field_of(self, number: int) -> Callable:
        """The function that returns the field of a name from the object of a number."""
        if number not in self._fields:
            self._fields[number] = self._field(number)
        return self._fields[number]

    def _field(self, number: int) -> Callable:
        objects, numbers, border = self.border.registry.objects, self.border.registry.numbers, self.border
        read = reader(name := border.names[number])
        is_plain = name != "new" and not name.startswith("__")

        def field(owner: int) -> Crossing:
            try:
                if not is_plain:
                    return border.returned(special_field(objects[owner], name))
                try:
                    value = read(objects[owner])
                except AttributeError:
                    return None
                kind = type(value)
                if kind is Tensor:
                    return numbers.get(id(value)) or border.new_tensor(value), OBJECT
                if kind is int or kind is float or kind is bool or kind is tuple:  # a call's would be several results
                    return border.returned(list(value) if kind is tuple else value)
                if isinstance(value, (list, dict)):
                    self._hold_table(objects[owner], name, value)
                elif inspect.isroutine(value) and not isinstance(getattr(value, "lua", None), LuaFunction):
                    return number, METHOD
                return border.returned(value)
            except BaseException as error:
                return border.failed(error)

        return field

    def _hold_table(self, owner: Crossing, name: str, value: Crossing) -> None:
        """Lets Lua see an object's own table itself; in objects of Lua's classes it becomes a Lua table."""
        if isinstance(owner, LuaObject) and name in LEFT:
            self._own(owner).put(name, value)
            return
        if getattr(owner, "__dict__", {}).get(name) is not value:
            return
        if isinstance(owner, LuaObject) and not is_declared(owner, name):
            self._own(owner).put(name, value)
            del vars(owner)[name]
        elif type(value) in (list, dict, ModuleList):
            self.border.live(value)

    def place(self, _: int, owner: object, name: str | float, is_function: bool) -> str:
        """Where a Lua table or function that becomes a field is kept.

        "lua", "python", "both"; "shown": Python has a table's list, and Lua the table while the object lives.
        """
        if not isinstance(name, str):
            self._own(owner).names.add(name)
            return "lua"
        if not isinstance(owner, (Described, LuaObject)) and not (is_function and is_method(owner, name)):
            return self._shown(owner)
        declared = is_declared(owner, name) and (is_function or not is_method(owner, name))
        if declared and not is_function and not (isinstance(owner, LuaObject) and name in LEFT):
            return self._shown(owner)
        self._own(owner).names.add(name)
        if not declared and name in vars(owner):  # a tensor or number that the program had there
            delattr(owner, name)
        return "both" if declared else "lua"

    def _shown(self, owner: object) -> str:
        return "shown" if hasattr(owner, "__dict__") and self._own(owner) else "python"

    def _own(self, owner: object) -> Fields:
        found = fields_of(owner)
        if found is None:
            found = vars(owner)[OWN] = Fields(self.border, self.border.registry.numbers[id(owner)])
        return found

    def set(self, _: int, owner: object, name: str | float, value: object = None) -> None:
        """Sets a field."""
        own = fields_of(owner)
        if own is not None and not isinstance(value, (list, dict, LuaFunction)):
            own.names.discard(name)
        if not isinstance(name, str):
            put_numbered(owner, name, value)
            return
        if isinstance(owner, (Tensor, Storage)):
            put_item(owner, name, value)
            return
        kept = getattr(owner, "__dict__", {}).get(name, Classes)
        if value is None and of_lua(type(owner), name):  # then the class's is seen
            vars(owner).pop(name, None)
            return
        if value is None and (isinstance(kept, LuaMethod) or (kept is not Classes and not static(type(owner), name))):
            setattr(owner, name, None) if is_gradient(owner, name) else delattr(owner, name)
            return
        if is_note(owner, name, value):
            setattr(owner, name, None)
            self._own(owner).put(name, value)
            return
        if isinstance(value, LuaFunction) and (isinstance(owner, (Described, LuaObject)) or is_method(owner, name)):
            value = LuaMethod(owner, name, value)
        elif isinstance(owner, Described) and is_hidden(owner, name):
            own = self._own(owner)
            own.put(name, value)
            if not isinstance(value, Described):  # methods such as getParameters look for modules among the fields
                return
        if isinstance(owner, LuaObject) and own is not None and name in own.names:
            super(LuaObject, owner).__setattr__(name, value)
            return
        if isinstance(owner, LuaObject):
            let_set(type(owner), name)
        setattr(owner, name, value)

    def _item(self, owner: Crossing, key: Crossing = None) -> Crossing:
        """What is at a place."""
        if isinstance(owner, FIELDS_ALONE):
            return self.border.inside(numbered(owner).get(key)) if isinstance(key, (int, float)) else None
        return self.border.inside(item(owner, key)) if isinstance(owner, (list, dict)) else item(owner, key)

    def _at(self) -> Callable:
        """The function that returns what is at a place of the tensor or storage of a number."""
        objects, numbers, border = self.border.registry.objects, self.border.registry.numbers, self.border

        def at(owner: int, place: float) -> Crossing:
            try:
                value = objects[owner][int(place)]
                if type(value) is Tensor:
                    return numbers.get(id(value)) or border.new_tensor(value), OBJECT
                return border.returned(value)
            except BaseException as error:
                return border.failed(error)

        return at

    def set_item(self, _: int, owner: Crossing, key: Crossing, value: Crossing = None) -> None:
        """Puts something at a place."""
        put_item(owner, key, value)

    def element(self, _: int, owner: Crossing, *places: float | None) -> Crossing:
        """The element at a place of a few numbers, `x[{1, 2}]`."""
        return element(owner, [place for place in places if place is not None])

    def put_element(self, _: int, owner: Crossing, value: float, *places: float | None) -> None:
        """Puts a number there."""
        put_element(owner, [place for place in places if place is not None], value)

    def _ranges(self, owner: Crossing, *parts: float) -> Crossing:
        """The part at a place of numbers and ranges, `x[{{1, 2}, 3}]`; see `place_of`."""
        return owner[place_of(parts)]

    def put_ranges(self, _: int, owner: Crossing, value: Crossing, *parts: float) -> None:
        """Puts a number or a tensor there."""
        owner[place_of(parts)] = value

    def length(self, _: int, owner: Crossing) -> Crossing:
        """The result of #: sizes of a tensor, the length, or the last place without a gap in steps or names."""
        if isinstance(owner, ByStep) or type(owner) is dict:
            return next(step for step in count() if step + 1 not in owner)
        return owner.size() if isinstance(owner, Tensor) else len(owner)

    def text(self, _: int, value: object) -> str:
        """The result of tostring; as in Torch, the text of a tensor or storage ends with a new line."""
        return f"{value}\n" if isinstance(value, (Tensor, Storage)) else str(value)
