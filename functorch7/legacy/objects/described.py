"""Torch's attribute access over an immutable description: `conv.kW`, `dropout.p = 0.3`, `pool.ceil()`."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

import jax
import numpy as np

from ... import core
from ...checks.kinds import fault_of_real
from ...checks.tables import leaves
from ...interop.torch7.schema import grad_name
from ...interop.torch7.table import schema_of
from ...network import numbers
from ..engine.fields import LEFT
from ..engine.user_classes import is_ours
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
from .generated import class_of, classes, is_named
from .misfit import Standing, assigned, unchecked
from .named_calls import NamedCalls
from .newest import Numbered, newest
from .own_elements import elements_of, has_sizes
from .signatures import ConstructorSignature, Documentation

if TYPE_CHECKING:
    from ..engine.plan import Root

Found = TypeVar("Found")


def by_torch_name(spec_class: type[core.Module], names: Iterable[str]) -> dict[str, str]:
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
    return saved | by_torch_name(spec_class, (field.name for field in fields(spec_class)))  # type: ignore[arg-type]


@cache
def _left_out(spec_class: type[core.Module]) -> frozenset[str]:
    """The parameters that a flag (bias, affine) may switch off, and the gradients: None where it has, as in Torch."""
    fields = _field_names(spec_class)
    has_own = spec_class.init_params is not core.Module.init_params
    names = [name for name in spec_class.parameter_order if name in fields or ("affine" in fields and has_own)]
    return frozenset([*names, *map(grad_name, names)])


@cache
def arguments_of(spec_class: type[core.Module]) -> tuple[inspect.Parameter, ...]:
    """The parameters of a description's class. Asking for them takes as long as all else in making a module."""
    return tuple(inspect.signature(spec_class).parameters.values())


@cache
def builder_names(spec_class: type[core.Module]) -> dict[str, str]:
    """The methods of a description that return another one, by both spellings."""
    found = inspect.getmembers(spec_class, lambda member: getattr(member, "is_builder", False))
    return by_torch_name(spec_class, (name for name, _ in found))


@lru_cache(4096)  # not without end, as it keeps users' classes
def overridden_in(kind: type, name: str) -> bool:
    """Whether a class has a user's version of a method."""
    return not is_ours(getattr(kind, name))


noting_classes: list[Callable[[type], None]] = []
"""Functions that are called with every class that a user defines, and may change it."""


def class_named(name: str, derived: bool = False) -> type:
    """A user's newest class of this Torch name, or None: one with its own updateOutput, or one `derived` from a
    described class."""

    def fits(kind: Any) -> bool:
        return not is_ours(kind) and (kind.spec_class is not None) == derived and kind._class_name() == name

    return newest(Described, fits)


def parent_of(name: str) -> str | None:
    """Torch's name of the class above a user's derived class of this name, if there is one."""
    kind = class_named(name, derived=True)
    return None if kind is None else kind.spec_class.torch_name()


def is_derived(object: "Described") -> bool:
    """Whether the object's class is a user's, derived from a described class."""
    kind = type(object)
    return kind.spec_class is not None and not is_ours(kind)


def as_own_type(object: "Described", spec: core.Module) -> core.Module:
    """The description; if a user has derived the object's class, it is printed under that name."""
    if not is_derived(object) or spec.own_type == object.typename():
        return spec
    spec = spec.replace()
    spec._set(own_type=object.typename())
    return spec


def among(value: object, kinds: type[Found] | tuple[type[Found], ...]) -> list[Found]:
    """The values of some kinds in a field: its value itself, or those in its lists and dicts."""
    return [each for each in leaves(value) if isinstance(each, kinds)]


def described_among(value: object) -> list["Described"]:
    """The objects in a field: its value itself, or those in its lists and dicts."""
    return among(value, Described)


class Described(Numbered, NamedCalls, Root if TYPE_CHECKING else object):
    """An object with a description in `_spec`, whose fields it offers under Torch's names."""

    spec_class: type[core.Module] | None = None
    __signature__: Any = ConstructorSignature()
    is_criterion = False
    is_stand_in = False  # for a module, while a user's `forward` is traced
    stands_for: Any = None
    """An object that is not a module, whose methods it calls."""
    outer_class: Any = property(type, doc="The class, of a stand-in that of what it stands for.")
    _spec: Any = Standing()
    _type = "torch.FloatTensor"
    _seats: Any = ()

    @classmethod
    def _passes_no_gradient(cls) -> bool:
        """Whether gradInput stays as it is: for Lua layers without methods for gradients."""
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
        """Whether it has a description; this does not make one."""
        return self._spec is not None

    def _tensors(self) -> dict[str, Tensor]:
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}

    def __getattr__(self, name: str) -> Any:
        spec = None if name.startswith("__") else unchecked(self)
        if spec is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        method = builder_names(type(spec)).get(name)
        if method is not None:
            return self._builder(method)
        field = _field_names(type(spec)).get(name)
        if field is not None:
            value: Any = None if field in spec.parameter_order else getattr(spec, field)
            is_shown = isinstance(value, core.Const) or has_sizes(type(spec), field)
            return elements_of(self, field, value) if is_shown else value
        if name in _left_out(type(spec)):
            return None
        raise AttributeError(f"{self.typename()} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        spec = unchecked(self)
        named = [] if spec is None else [*_field_names(type(spec)), *builder_names(type(spec))]
        return sorted({*super().__dir__(), *named})

    def __setattr__(self, name: str, value: object) -> None:
        held = self.__dict__.get(name)
        if name in self.__dict__ and (isinstance(value, Described) or isinstance(held, (Described, list))):
            object.__setattr__(self, name, value)  # what the object holds counts, whatever its description says
            changed(self)
            return
        if isinstance(held, Tensor) and not isinstance(value, Tensor):
            value = self._in_place_of(name, held, value)
        if unchecked(self) is None:
            self._set_undescribed(name, value)
        elif not self._set_field(name, value):
            self._hold_attribute(name, value)
            if name not in LEFT and (isinstance(value, (Tensor, Described)) or isinstance(held, Tensor)):
                changed(self)

    def _in_place_of(self, name: str, held: Tensor, value: object) -> object:
        """What is held in the place of a tensor that is in a field: of an array, a tensor."""
        if not isinstance(value, (np.ndarray, jax.Array)):
            return value
        if (fault := fault_of_real(value, f"a {name}")) is not None:
            raise type(fault)(f"{self.typename()}: {fault}")
        return Tensor.of(value)

    def _set_field(self, name: str, value: object) -> bool:
        """Sets a field of the description; whether the name is that of one."""
        spec: Any = unchecked(self)
        if name.startswith("_") or hasattr(type(self), name):
            return False
        field = _field_names(type(spec)).get(name)
        if field is None:
            return False
        if value is None and isinstance(getattr(spec, field), bool):
            value = False  # Lua's nil, as of an argument that was not given
        if field not in spec.parameter_order:
            if isinstance(self.__dict__.get(name), (bool, int, float, str)):
                del self.__dict__[name]  # which a program has set before it was described
            fitting = assigned(self, field, _as_given(value))
            changed(self) if fitting is None else self._respecify(fitting)
            return True
        if isinstance(value, Tensor) and getattr(spec, field) is False:
            return self._learn(field, value)
        return False

    def _learn(self, field: str, value: Tensor) -> bool:
        """Takes a tensor for a parameter that was switched off: `linear.bias = tensor` takes noBias() back.

        Returns False if the class has none: then it is a field of a program's class below it.
        """
        try:
            spec = self._spec.replace(**{field: True})
        except ValueError:
            if is_derived(self):
                return False
            raise
        self._put_parameter(field, value)
        self._respecify(spec)
        return True

    def _set_undescribed(self, name: str, value: object) -> None:
        """Sets what an object of a user's class holds, which has no description."""
        if isinstance(value, Parameter) and not overridden_in(type(self), "updateOutput"):
            raise TypeError(f"{self.typename()}: define forward, without which the parameter {name!r} is not learned")
        self._hold_attribute(name, value)

    def _hold_attribute(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if isinstance(value, Parameter) and grad_name(name) in self.__dict__:
            self.__dict__[grad_name(name)] = value.grad  # it is learned as one, wherever it is

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        changed(self)

    def _builder(self, method: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> "Described":
            build = getattr(self._spec, method)
            names = by_torch_name(type(self._spec), inspect.signature(build).parameters) if kwargs else {}
            self._respecify(build(*args, **{names.get(name, name): value for name, value in kwargs.items()}))
            return self

        return call

    def _respecify(self, spec: core.Module) -> bool:
        """Takes another description of the same class.

        Returns False if plans stay valid, because only numbers differ that are arguments of programs.
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

    # Types -------------------------------------------------------------------------------------------------------

    def _parts(self) -> list["Described"]:
        """The objects inside, which change type with this one."""
        return [each for value in vars(self).values() for each in described_among(value)]

    def _made(self, array: Elements | None = None) -> Tensor:
        """A tensor of this object's type, on its device, with an array's elements; empty without an array."""
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
        """Casts it as a part of another object, with the user's own `type` if there is one."""
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

    def cudaDouble(self, tensorCache: dict | None = None) -> Self:
        """Moves to the GPU, as float64. Raises RuntimeError if there is none."""
        return self.type("torch.CudaDoubleTensor", tensorCache)

    def cudaHalf(self, tensorCache: dict | None = None) -> Self:
        """Moves to the GPU, as float16. Raises RuntimeError if there is none."""
        return self.type("torch.CudaHalfTensor", tensorCache)


def _as_given(value: Any) -> Any:
    """A constructor's argument for a tensor, storage or table."""
    if isinstance(value, Storage):
        return tuple(value.totable())
    if isinstance(value, list):
        return tuple(map(_as_given, value))
    return np.asarray(value) if isinstance(value, Tensor) else plain(value)
