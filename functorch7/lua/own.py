"""Classes that Lua defines below functorch7's, and fields that Lua keeps."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING

from ..checks.errors import MISUSE
from ..interop.t7 import T7FormatError
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
from ..legacy.objects.own_methods import is_method
from ..legacy.objects.saved import version_of
from ..legacy.objects.serial import RESULTS
from ..legacy.objects.tree import ModuleList
from ..legacy.program.file import File
from ..legacy.tensors.casting import is_floating
from ..legacy.tensors.changes import changed
from ..legacy.tensors.type_names import precision_of
from .constructing import arguments_of
from .kept_fields import OWN, fields_of
from .kinds import Crossing
from .modes import UnsetMode
from .own_files import Copying, own_way
from .recurrences import KeepsSteps

GRADIENTS = ("updateGradInput", "accGradParameters")
"""Methods that a layer keeps when its `updateOutput` is replaced."""

NO_RESULT = (0, None)
"""What stands for `output` or `gradInput` before anything has made a tensor for it."""


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

    accGradParameters.does_nothing = True  # type: ignore[attr-defined]


def hides_method(owner: object, name: str, value: object) -> bool:
    """Whether a field that is data has the name of a method of the object's class."""
    return is_method(owner, name) and not callable(value) and isinstance(owner, LuaObject)


def _output_as_it_is(self: Crossing, input: object = None) -> Crossing:
    return self.output


OF_MODULE: dict[str, Callable] = {
    "updateOutput": _output_as_it_is,
    "updateGradInput": LuaLayer.updateGradInput,
    "accGradParameters": LuaLayer.accGradParameters,
}
"""What nn.Module's own methods do in Torch, where every layer has others; what a program puts in their place is for its
own layers alone.
"""


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
