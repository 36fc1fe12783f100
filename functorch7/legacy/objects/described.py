"""Torch's attribute access over an immutable description: `conv.kW`, `dropout.p = 0.3`, `pool.ceil()`."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

import jax
import numpy as np

from ... import core
from ...checks.making import Unmade, words_of
from ...checks.tables import entries
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ...interop.torch7.table import schema_of
from ...network import numbers
from ..engine.fields import LEFT
from ..engine.user_code import is_ours
from ..tensors.casting import is_floating
from ..tensors.changes import changed
from ..tensors.default_type import type_of_modules
from ..tensors.devices import gpu
from ..tensors.kinds import Elements
from ..tensors.number import plain
from ..tensors.parameter import Parameter
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of, is_of_gpu
from .casting import cast_kept, cast_tensor
from .generated import class_of, classes, is_named, object_of
from .named_calls import MissingArgument, NamedCalls, WrongArgument
from .newest import Numbered, newest
from .own_elements import elements_of
from .own_sizes import has_sizes, sizes_of
from .resized import resized
from .signatures import ConstructorSignature, Documentation, by_position, in_torchs_words

if TYPE_CHECKING:
    from ..engine.plan import Root

Found = TypeVar("Found")

Given = list[tuple[core.Module, "Described"]]
"""The objects that a constructor was given, with their descriptions."""


def _by_torch_name(spec_class: type[core.Module], names: Iterable[str]) -> dict[str, str]:
    """The names by Torch's spelling of each, and by their own: `nInputPlane` and `n_input_plane`."""
    names = tuple(names)
    return {name: name for name in names} | {torch_spelling(spec_class, name): name for name in names}


def torch_spelling(spec_class: type[core.Module], name: str) -> str:
    """Torch's name for a field or method of a description."""
    return schema_of(spec_class).spell(name)


@cache
def _field_names(spec_class: type[core.Module]) -> dict[str, str]:
    rules = schema_of(spec_class).rules
    saved = {rule.name: field for field, rule in rules.items() if rule.name and not rule.name.startswith("_")}
    return saved | _by_torch_name(spec_class, (field.name for field in fields(spec_class)))  # type: ignore[arg-type]


@cache
def _argument_names(spec_class: type[core.Module]) -> dict[str, str]:
    return _by_torch_name(spec_class, inspect.signature(spec_class).parameters)


@cache
def builder_names(spec_class: type[core.Module]) -> dict[str, str]:
    """The methods of a description that give another, by both spellings."""
    found = inspect.getmembers(spec_class, lambda member: getattr(member, "is_builder", False))
    return _by_torch_name(spec_class, (name for name, _ in found))


def describe(spec_class: type[core.Module], args: tuple, kwargs: dict[str, Value]) -> tuple[core.Module, "Given"]:
    """A description from Torch's arguments, and the objects among them with their descriptions.

    None takes the default, as nil does in Lua, and false for a number; keywords may be written as Torch writes them.
    """
    objects: Given = []

    def converted(value: Any) -> Any:
        if isinstance(value, Described):
            return put_among(objects, value)
        if isinstance(value, (Tensor, Storage)):
            return np.asarray(value if isinstance(value, Tensor) else value.array)
        if isinstance(value, dict):
            return {name: converted(each) for name, each in value.items()}
        if isinstance(value, (list, tuple)) and any(isinstance(each, Described) for each in value):
            return tuple(map(converted, value))
        return plain(value)

    positional = by_position(spec_class)
    filled = [
        positional[i].default if i < len(positional) and _takes_default(value, positional[i]) else converted(value)
        for i, value in enumerate(args)
    ]
    names = _argument_names(spec_class)
    named: dict[str, Any] = {names.get(name, name): converted(value) for name, value in kwargs.items()}
    try:
        return spec_class(*filled, **named), objects
    except Unmade:
        kind = _misuse_by(spec_class, filled, named)
        usage = f"({', '.join(words_of(in_torchs_words(spec_class)))})"
        raise kind.of(spec_class.torch_name(), usage, args, kwargs) from None


def _misuse_by(spec_class: type[core.Module], given: Sequence, named: Mapping[str, Any]) -> type[WrongArgument]:
    """The error for arguments that a constructor does not take."""
    try:
        inspect.signature(spec_class).bind(*given, **named)
    except TypeError as error:
        return MissingArgument if str(error).startswith("missing") else WrongArgument
    return WrongArgument


def _takes_default(value: Value, parameter: inspect.Parameter) -> bool:
    """Whether Lua's `argument or default` is the default, which it is for false, too, where numbers are expected."""
    is_number = type(parameter.default) in (int, float)
    return parameter.default is not inspect.Parameter.empty and (value is None or (value is False and is_number))


def put_among(given: Given, each: "Described") -> core.Module:
    """Adds an object, and gives its description: a copy, where another one's is the very same (a clone's)."""
    description = each.description()
    if any(other is description for other, _ in given):
        description = description.replace()
    given.append((description, each))
    return description


def taken_from(given: Given, spec: core.Module) -> Value:
    """The object whose description this is, taken out of those that are left; None if there is none."""
    for i, (description, _) in enumerate(given):
        if description is spec:
            return given.pop(i)[1]
    return None


def objects_inside(spec: core.Module, given: Given) -> list[Value]:
    """The objects of the modules inside: those that were given, which are taken out, and new ones, in Torch's order."""
    children = spec.child_modules()
    if not children or not {*map(id, children)} <= {id(description) for description, _ in given}:
        given.extend((each, object_of(each, given)) for each in spec.made_first)
    return [taken_from(given, child) or object_of(child, given) for child in children]


@cache
def overridden_in(kind: type, name: str) -> bool:
    """Whether a class has a user's version of a method."""
    return not is_ours(getattr(kind, name))


noting_classes: list[Callable[[type], None]] = []
"""What looks at every class that a user writes, and may change it."""


def class_named(name: str, derived: bool = False) -> type:
    """The newest class of this Torch name that a user has written, or None: with an updateOutput of its own, or
    `derived` from a class that has a description."""

    def fits(kind: Any) -> bool:
        return not is_ours(kind) and (kind.spec_class is not None) == derived and kind._class_name() == name

    return newest(Described, fits)


def parent_of(name: str) -> str | None:
    """Torch's name of the class from which a user has derived the one of this name, if there is such."""
    kind = class_named(name, derived=True)
    return None if kind is None else kind.spec_class.torch_name()


def is_derived(object: "Described") -> bool:
    """Whether a user has derived the object's class from one that has a description."""
    kind = type(object)
    return kind.spec_class is not None and not is_ours(kind)


def as_own_type(object: "Described", spec: core.Module) -> core.Module:
    """The description under the name of the object's class, if a user has derived that: so it is printed."""
    if not is_derived(object) or spec.own_type == object.typename():
        return spec
    spec = spec.replace()
    spec._set(own_type=object.typename())
    return spec


def among(value: object, kinds: type[Found] | tuple[type[Found], ...]) -> list[Found]:
    """What there is of some kinds in a field's value: itself, or those in its lists and dicts."""
    if isinstance(value, kinds):
        return [value]
    return [found for each in entries(value) for found in among(each, kinds)]


def described_among(value: object) -> list["Described"]:
    """The objects in a field's value: itself, or those in its lists and dicts."""
    return among(value, Described)


class Described(Numbered, NamedCalls, Root if TYPE_CHECKING else object):
    """An object with a description in `_spec`, whose fields it offers under Torch's names."""

    spec_class: type[core.Module] | None = None
    __signature__: Any = ConstructorSignature()
    is_criterion = False
    is_stand_in = False  # for a module, while a user's `forward` is traced
    outer_class: Any = property(type, doc="The class, of a stand-in that of what it stands for.")
    _spec: Any = None
    _type = "torch.FloatTensor"
    _seats: Any = ()

    @classmethod
    def _passes_no_gradient(cls) -> bool:
        """Whether gradInput stays what it is: of layers of Lua's that say nothing of gradients."""
        return False

    def __init_subclass__(cls, describes: type[core.Module] | None = None, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        if describes is not None:
            classes[describes] = cls
            cls.spec_class = describes if is_named(describes) else None
            cls.__doc__ = Documentation(describes, cls.__doc__) if cls.spec_class else cls.__doc__  # type: ignore[assignment]
        if not is_ours(cls):
            for look in noting_classes:
                look(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made = super().__new__(cls)
        if (type_name := type_of_modules()) != cls._type:
            made.__dict__["_type"] = type_name
        return made

    @property
    def is_described(self) -> bool:
        """Whether it has a description, which this does not make."""
        return self._spec is not None

    def description(self) -> core.Module:
        """The immutable description as it stands."""
        return self._spec

    def _tensors(self) -> dict[str, Tensor]:
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self._spec is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        method = builder_names(type(self._spec)).get(name)
        if method is not None:
            return self._builder(method)
        field = _field_names(type(self._spec)).get(name)
        if field is not None:
            value: Any = None if field in self._spec.parameter_order else getattr(self._spec, field)
            if isinstance(value, core.Const):
                return elements_of(self, field, value)
            return sizes_of(self, name, value) if has_sizes(type(self._spec), field) else value
        raise AttributeError(f"{self.typename()} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        spec = self._spec
        named = [] if spec is None else [*_field_names(type(spec)), *builder_names(type(spec))]
        return sorted({*super().__dir__(), *named})

    def __setattr__(self, name: str, value: object) -> None:
        held = self.__dict__.get(name)
        if name in self.__dict__ and (isinstance(value, Described) or isinstance(held, (Described, list))):
            object.__setattr__(self, name, value)  # what the object holds counts, whatever its description says
            changed(self)
            return
        field, spec = None, self._spec
        if spec is not None and not name.startswith("_") and not hasattr(type(self), name):
            field = _field_names(type(spec)).get(name)
        if spec is not None and field is not None and field not in spec.parameter_order:
            self._respecify(spec.replace(**{field: _as_given(value)}))
            return
        if spec is None and isinstance(value, Parameter) and not overridden_in(type(self), "updateOutput"):
            raise TypeError(f"{self.typename()}: define forward, without which the parameter {name!r} is not learned")
        if isinstance(self.__dict__.get(name), Tensor) and isinstance(value, (np.ndarray, jax.Array)):
            value = Tensor.of(value)
        if spec is not None and field is not None and isinstance(value, Tensor) and getattr(spec, field) is False:
            self._put_parameter(field, value)  # `linear.bias = tensor` takes noBias() back
            self._respecify(spec.replace(**{field: True}))
            return
        object.__setattr__(self, name, value)
        if isinstance(value, Parameter) and grad_name(name) in self.__dict__:
            self.__dict__[grad_name(name)] = value.grad  # it is learned as one, wherever it is
        if spec is not None and isinstance(value, Tensor) and name in spec.parameter_order:
            fitting = resized(spec, name, value.shape)
            if fitting is not None:
                self._respecify(fitting)
        counts = spec is not None and name not in LEFT
        if counts and (isinstance(value, (Tensor, Described)) or isinstance(held, Tensor)):
            changed(self)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        changed(self)

    def _builder(self, method: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> "Described":
            self._respecify(getattr(self._spec, method)(*args, **kwargs))
            return self

        return call

    def _respecify(self, spec: core.Module) -> bool:
        """Takes another description (same class, some field changed).

        False where nobody need hear of it, because it differs in numbers that are arguments already.
        """
        spec, before = as_own_type(self, numbers.tuned(spec, self._spec)), self._spec
        object.__setattr__(self, "_spec", spec)
        counts = not numbers.differ_in_numbers_alone(spec, before)
        if counts:
            changed(self)
        return counts

    @classmethod
    def _class_name(cls) -> str:
        if "given_name" in vars(cls):  # by torch.class
            return vars(cls)["given_name"]
        if cls.spec_class is None or class_of(cls.spec_class) is not cls:  # a user's class
            return f"nn.{cls.__name__}"
        return cls.spec_class.torch_name()

    def typename(self) -> str:
        """Torch's name of the class, such as "nn.Linear"."""
        return self._class_name()

    def __tostring__(self) -> str:
        """What is printed: a method that Torch's classes write, and call of the class above."""
        return self.typename()

    def __repr__(self) -> str:
        return str(self.__tostring__())

    def _shown(self) -> core.Module:
        """The description as it is printed inside of others."""
        return self.description()

    # Types -------------------------------------------------------------------------------------------------------

    def _parts(self) -> list["Described"]:
        """The objects inside, which change type with this one."""
        return [each for value in vars(self).values() for each in described_among(value)]

    def _made(self, array: Elements | None = None) -> Tensor:
        """A tensor of this object's type, where that is, with an array's elements; an empty one without."""
        dtype, device = dtype_of(self._type), gpu(self._type) if is_of_gpu(self._type) else None
        storage = (Storage.zeros((0,), dtype) if array is None else Storage(array)).cast(dtype, device)
        return Tensor.viewing(storage, 0, storage.shape)

    def _cast(self, type_name: str, cache: dict) -> None:
        is_other, vars(self)["_type"] = type_name != self._type, type_name
        for name, tensor in self._tensors().items():
            if is_floating(tensor.dtype) and (is_other or tensor.dtype != dtype_of(type_name)):
                self.__dict__[name] = cast_tensor(tensor, type_name, cache)
        cast_kept(self, type_name, cache)
        changed(self)
        for part in self._parts():
            part._cast_inside(type_name, cache)

    def _cast_inside(self, type_name: str, cache: dict) -> None:
        """Casts it as a part of another object: by its user's own `type`, if there is one."""
        if overridden_in(self.__class__, "type"):
            self.type(type_name, cache)
        else:
            self._cast(type_name, cache)

    def _typed(self, type_name: str, tensorCache: dict | None) -> Self:
        dtype_of(type_name)
        if is_of_gpu(type_name):
            gpu(f"{core.title(self)}: cuda()")
        self._cast(type_name, {} if tensorCache is None else tensorCache)
        return self

    def float(self, tensorCache: dict | None = None) -> Self:
        """Casts to float32."""
        return self.type("torch.FloatTensor", tensorCache)

    def double(self, tensorCache: dict | None = None) -> Self:
        """Casts to float64 (which works whether or not JAX's x64 mode is on)."""
        return self.type("torch.DoubleTensor", tensorCache)

    def cuda(self, tensorCache: dict | None = None) -> Self:
        """Moves to the GPU, as float32. Raises RuntimeError if there is none."""
        return self.type("torch.CudaTensor", tensorCache)


def _as_given(value: Any) -> Any:
    """What a constructor is given for a tensor's elements, or a storage's."""
    if isinstance(value, Storage):
        return tuple(value.totable())
    return np.asarray(value) if isinstance(value, Tensor) else plain(value)
