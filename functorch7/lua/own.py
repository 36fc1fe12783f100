"""Classes that Lua defines below functorch7's, and fields that Lua keeps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING

from ..checks.errors import MISUSE
from ..checks.tables import as_dict
from ..interop.t7 import T7FormatError
from ..legacy.engine.fields import KEPT, KeptElsewhere
from ..legacy.engine.stand_in import StandIn
from ..legacy.modules.container import Container
from ..legacy.modules.module import Module
from ..legacy.modules.own_backward import is_written
from ..legacy.modules.recurrent import AbstractRecurrent
from ..legacy.objects import composed
from ..legacy.objects.casting import cast_tensor
from ..legacy.objects.described import Described, as_own_type, overridden_in
from ..legacy.objects.from_fields import with_fields
from ..legacy.objects.mode import ModeField
from ..legacy.objects.named_calls import MissingArgument
from ..legacy.objects.own_fields import is_known
from ..legacy.objects.own_methods import MethodOfFile, is_method
from ..legacy.objects.saved import version_of
from ..legacy.objects.serial import RESULTS
from ..legacy.objects.tree import ModuleList
from ..legacy.program.file import File
from ..legacy.tensors.casting import is_floating
from ..legacy.tensors.changes import changed
from ..legacy.tensors.type_names import precision_of
from .border import OBJECT, Encoded
from .constructing import arguments_of
from .held import LuaFunction
from .kinds import Bridge, Crossing
from .modes import UnsetMode
from .own_files import Copying, own_way
from .recurrences import KeepsSteps
from .several import ONE_RESULT, first_of

OWN = KEPT
"""The attribute that refers to an object's fields in Lua."""


GRADIENTS = ("updateGradInput", "accGradParameters")
"""Methods that a layer keeps when its `updateOutput` is replaced."""

NO_RESULT = (0, None)
"""What stands for `output` or `gradInput` before anything has made a tensor for it."""


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


def give_method(border: Bridge, owner: object, name: str, function: LuaFunction | MethodOfFile) -> None:
    """Gives an object a function in place of its class's method, in Lua as well."""
    made_fields_of(border, owner).put(name, function)
    vars(owner)[name] = function if isinstance(function, MethodOfFile) else LuaMethod(owner, name, function)
    changed(owner)


def hides_method(owner: object, name: str, value: object) -> bool:
    """Whether a field that is data has the name of a method of the object's class."""
    return is_method(owner, name) and not callable(value) and isinstance(owner, LuaObject)


def keep_beside(border: Bridge, owner: object, name: str) -> None:
    """Lets Lua keep a field of an object that hides a method of its class, which Python goes on calling."""
    made_fields_of(border, owner).put(name, vars(owner).pop(name))


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


class LuaMethod:
    """A Lua function as the method of one object."""

    def __init__(self, owner: object, name: str, function: LuaFunction):
        self.owner, self.name, self.function = owner, name, function
        self.__module__ = __name__

    def __call__(self, *given: object) -> Crossing:
        return result_of(self.name, self.function(self.owner, *given), self.owner)

    @property
    def keeps_gradient(self) -> bool:
        """Whether an object whose `updateOutput` it is has the gradient of its class, as in Torch."""
        return not runs_modules(type(self.owner))

    def __deepcopy__(self, memo: dict) -> LuaMethod:
        return LuaMethod(copy.deepcopy(self.owner, memo), self.name, self.function)


def result_of(name: str, found: Crossing, owner: object) -> Crossing:
    """The result of a method written in Lua, for callers that follow Python's rules."""
    if name == "parameters":  # no tables, or one, as it is written to freeze a layer
        given = found if isinstance(found, tuple) else (found, None)
        return (given[0] or [], given[1] or [], *given[2:])
    return first_of(found, owner) if isinstance(found, tuple) and name in ONE_RESULT else found


def traced(function: LuaFunction, user: object, given: tuple) -> Crossing:
    """The result of a method while a program is traced."""
    from .traced.machine import run  # which is imported when it is needed

    return run(function, user, given)


def method_of(name: str, function: LuaFunction) -> Crossing:
    """A Lua function as the method of a class."""

    def method(self: object, *given: object) -> Crossing:
        found = traced(function, self, given) if isinstance(self, StandIn) else function(self, *given)
        return result_of(name, found, self)

    method.__name__ = method.__qualname__ = name
    method.lua = function  # type: ignore[attr-defined]
    return method


def complete(made: Crossing) -> None:
    """Describes an object by its fields, if its `__init` called nn.Module's instead of that of the class above, or gave
    the latter too few arguments.
    """
    described, missing = getattr(made, "spec_class", None), vars(made).pop("_missing", None)
    if described is None or made._spec is not None:
        return
    fields = {name: value for name, value in vars(made).items() if not name.startswith("_")}
    try:
        found = with_fields(described.torch_name(), fields)
    except T7FormatError:  # it has but its own methods, as in Torch
        if missing is not None and not overridden_in(type(made), "updateOutput"):
            raise missing from None
        return
    if "modules" not in vars(found):  # of what is described as a whole, such as nn.CReLU
        vars(made).pop("modules", None)
    kept = {name: value for name, value in vars(found).items() if name.startswith("_") or name not in vars(made)}
    vars(made).update(kept | {"_type": made._type, "_spec": as_own_type(made, found._spec)})
    changed(made)


class LuaObject(Described if TYPE_CHECKING else object):
    """The base of classes that Lua defines; it stands before the functorch7 class that they extend."""

    _torch_class = ""
    """The name that `torch.class` gave it."""
    _inherits_gradient = True
    """As in Torch, a criterion that defines only `updateOutput` has the `updateGradInput` of the class above."""

    def __init__(self, *given: object):
        """Runs Lua's `__init`, or the constructor of the class above."""
        written = getattr(self, "__init", None)
        if written is None:
            super().__init__(*given)
        else:
            written(*given)
            complete(self)

    def _by_user(self, field: str, method: Callable, input: Crossing, target: Crossing) -> Crossing:
        """What a criterion's method gives; as in Torch, only the method itself sets `output` and `gradInput`."""
        with precision_of(self._type):
            return method(input, target)

    train = UnsetMode()

    def _in_mode(self, train: bool) -> Crossing:
        if "train" not in vars(self):
            self.train = train
        return super()._in_mode(train)  # type: ignore[misc]

    @classmethod
    def _read_code(cls) -> Crossing:
        """What the engine can know from the code of the class's methods."""
        from .traced.outside import Outside

        return Outside(cls)

    @classmethod
    def _class_name(cls) -> str:
        return cls._torch_class

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        own = fields_of(self)
        if own is not None and name in own.names:
            if isinstance(value, (list, dict)):
                own.put(name, value)
            else:
                own.drop(name)

    def _cast(self, type_name: str, cache: dict) -> None:
        super()._cast(type_name, cache)
        for name, tensor in self._tensors().items():
            if not (is_floating(tensor.dtype) or is_known(self, name)):  # which Torch casts, too
                self.__dict__[name] = cast_tensor(tensor, type_name, cache)

    def _written(self) -> dict:
        own = fields_of(self)
        return composed.fields(self) | ({} if own is None else own.contents())

    def _take_read(self, fields: dict[str, Crossing]) -> None:
        for name, value in fields.items():
            setattr(self, name, value)

    def __deepcopy__(self, memo: dict) -> Crossing:
        if not any(own_way(type(self), name) for name in ("write", "read")):
            return super().__deepcopy__(memo)  # type: ignore[misc]
        file, kind = Copying(memo), type(self)
        write: Callable = own_way(kind, "write") or kind.write  # type: ignore[attr-defined]
        write(self, file)
        memo[id(self)] = made = blank(kind)
        read_itself(made, file.seek(1), version_of(self))
        return made

    def __getstate__(self) -> dict[str, Crossing]:
        state: dict[str, Crossing] = dict(super().__getstate__())  # type: ignore[arg-type]
        own = state.pop(OWN, None)
        return state if own is None else {**state, **own.contents()}


class LuaLayer(LuaObject):
    """The base of classes that Lua defines below nn.Module or nn.Container.

    As in Torch, a layer without a method for its gradient passes none on, and need not be differentiable. It has no
    mode until `training` or `evaluate` is called.
    """

    train = ModeField(first=None)

    def __init__(self, *given: object):
        """Runs Lua's `__init`, or the constructor of the class above."""
        if hasattr(self, "__init"):
            without_results(self)
        super().__init__(*given)

    @classmethod
    def _passes_no_gradient(cls) -> bool:
        """Whether no method for gradients is defined."""
        return not any(is_written(getattr(cls, name)) for name in (*GRADIENTS, "backward"))

    def updateGradInput(self, input: object, gradOutput: object = None) -> Crossing:
        """`gradInput` as it is, as in Torch."""
        return self.gradInput

    _gradient_of_output = updateGradInput

    def accGradParameters(self, input: object, gradOutput: object, scale: float = 1) -> None:
        """Adds nothing, as in Torch."""


def blank(kind: Crossing) -> Crossing:
    """An object of a class on which Lua's `__init`, or `read`, has not run yet."""
    return without_results(kind.__new__(kind))


def read_itself(made: Crossing, file: File, version: int) -> None:
    """Lets a blank object read itself, in its class's own way or as Torch's modules do."""
    read = own_way(type(made), "read")
    made.read(file) if read is None else read(made, file, version)
    complete(made)


def without_results(made: Crossing) -> Crossing:
    """A layer as in Torch: it has neither output nor gradInput until `__init` calls that of the class above."""
    if isinstance(made, LuaLayer):
        vars(made).update(dict.fromkeys(RESULTS, NO_RESULT))
    return made


def initializer(kind: type) -> Callable:
    """The `__init` of a Python class, for objects of classes below it."""
    if not issubclass(kind, Described):
        return kind.__init__
    return _without_arguments(kind) if kind.spec_class is None else _with_what_is_given(kind)


@cache
def _without_arguments(kind: type) -> Callable:
    def init(self: Described) -> None:
        # A class below nn.Linear that calls nn.Module's sets Linear's fields itself, of which it is described later.
        if self.spec_class is None or kind is not Module:
            kind.__init__(self)
        _as_made_above(self)

    return init


def _as_made_above(made: Described) -> None:
    """An object as the `__init` of a class above leaves it: with empty results; of a container, without modules."""
    if isinstance(made, Container):
        vars(made).setdefault("modules", ModuleList(made.typename(), []))
    if isinstance(made, LuaLayer):
        for name in RESULTS:
            vars(made).pop(name, None)


@cache
def _with_what_is_given(kind: type) -> Callable:
    @wraps(kind.__init__)
    def init(self: Described, *given: object, **named: object) -> None:
        placed, others = arguments_of(kind, given)
        try:
            kind.__init__(self, *placed, **named, **others)
        except MISUSE as error:  # so that it sets the fields itself, of which it is described later
            is_short = isinstance(error, MissingArgument) or all(each is None for each in placed)
            if not (is_short and isinstance(self, LuaObject)):
                raise
            vars(self)["_missing"] = error
        _as_made_above(self)

    return init


def runs_modules(kind: type) -> bool:
    """Whether it is a container: its gradient is that of its modules as they ran, whatever input it gave them."""
    return issubclass(kind, Container) and not issubclass(kind, AbstractRecurrent)


def below(parent: type) -> tuple[type, ...]:
    """The bases of a Lua class with this parent; before a Python class comes what all classes of Lua have in common."""
    if issubclass(parent, LuaObject):
        return (parent,)
    if parent is AbstractRecurrent:
        return (LuaLayer, KeepsSteps, parent)
    return (LuaLayer, parent) if parent in (Module, Container) else (LuaObject, parent)


def is_only_lua(kind: type) -> bool:
    """Whether a class is one of these bases, not a program's."""
    return issubclass(kind, LuaObject) and not kind._torch_class
