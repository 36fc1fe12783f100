"""The description of a layer: hyper-parameters and children, no arrays.

`init(key)` makes its arrays, `apply(params, buffers, input)` is the pure function. An author writes the least
that the layer needs: `Map` (only `f(input)`), `Layer` (`init_params` and `f(params, input)`), or `Module`
(`forward`, with buffers, keys and children).
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

import jax

from . import hooks, recording
from .checked import checked
from .checks import expected, inside
from .keys import folded
from .printing import chain
from .traits import Traits, derived
from .tree import by_position, child_at, join, named_children

Children = tuple["Module", ...] | dict[str, "Module"]

DERIVED = ("_hash", "_traits")
"""What a description keeps that follows from its fields: no part of its value."""

registry: dict[str, type["Module"]] = {}
"""Every module class by its Torch name, such as "nn.Linear"."""


def _register(cls: type["Module"]) -> None:
    """Notes a class under its Torch name: the newest of a user's, but none in the place of this package's."""
    name, ours = cls.torch_name(), __name__.split(".")[0]
    known = registry.get(name)
    if known is not None and known.__module__ != cls.__module__:
        stays = known.__module__.split(".")[0] == ours
        of = f"{known.__module__}'s" if stays else f"that of {cls.__module__}, no longer of {known.__module__}"
        warnings.warn(f"{name} is {of}; another `package` in the class tells them apart", stacklevel=4)
        if stays:
            return
    registry[name] = cls


class Variables(NamedTuple):
    """A module's arrays: `params` are learnable, `buffers` hold everything else. Unpacks as a pair."""

    params: Any
    buffers: Any


Method = TypeVar("Method", bound=Callable)


def builder(method: Method) -> Method:
    """Marks a method that returns a changed description (`no_bias`, `ceil`, `remember`).

    The legacy interface offers it under Torch's name and changes the object in place.
    """
    method.is_builder = True  # type: ignore[attr-defined]
    return method


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Module:
    """A frozen description, hashable and equal by value, of a pure function with explicit arrays.

    Subclasses declare their hyper-parameters as dataclass fields, in Torch's order.
    """

    package: ClassVar[str] = "nn"
    parameter_order: ClassVar[tuple[str, ...]] = ("weight", "bias")
    made_first: ClassVar[tuple["Module", ...]] = ()
    """Modules inside, at any depth, in the order in which Torch makes them, where that is not their order here."""
    own_name: ClassVar[str | None] = None
    """The name that `named` gave to this one module."""
    _own_init: ClassVar[bool] = False
    _hooks: ClassVar[tuple[hooks.Hook, ...]] = ()

    def __init_subclass__(cls, abstract: bool = False, init: bool = True, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        # init=False, said by classes that inherit a hand-written __init__, is for type checkers only.
        cls._own_init = cls._own_init or "__init__" in vars(cls)
        dataclass(frozen=True, eq=False, repr=False, init=not cls._own_init)(cls)
        if not abstract:
            _register(cls)

    # What an author overrides ------------------------------------------------------------------------------

    def children(self) -> Children:
        """The modules inside, a tuple (by position) or a dict (by name); the arrays nest in the same way.

        Where it is a tuple, the module's own buffers, if any, are a dict after the children's.
        """
        return {}

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Any]:
        """This module's own learnable arrays; `stdv` is Torch's `reset(stdv)`."""
        return {}

    def init_buffers(self) -> dict[str, Any]:
        """This module's own buffers before the first call."""
        return {}

    # Traits (`traits.py` says what each means): a class declares those that do not follow from the modules inside.

    unsaved: ClassVar[tuple[str, ...]] = ()
    exposes: ClassVar[tuple[str, ...]] = ()
    uncalled: ClassVar[tuple[int | str, ...]] = ()
    scaled_axes: ClassVar[dict[str, int] | None] = None

    def draws(self, train: bool) -> bool:
        return any(child.traits.draws(train) for child in self.child_modules())

    @property
    def traceable(self) -> bool:
        return all(child.traits.traceable for child in self.child_modules())

    @property
    def checks_values(self) -> bool:
        return any(child.traits.checks_values for child in self.child_modules())

    @property
    def takes_table(self) -> bool:
        return False

    @property
    def row_parameters(self) -> tuple[str, ...]:
        return ()

    @property
    def transient(self) -> tuple[str, ...]:
        if type(self).init_buffers is Module.init_buffers:
            return ()
        return tuple(name for name, value in self.init_buffers().items() if value is None)

    @property
    def is_step(self) -> bool:
        return bool(self.transient) or any(child.traits.is_step for child in self.child_modules())

    @property
    def starts_at_zero(self) -> bool:
        return not self.transient and all(child.traits.starts_at_zero for child in self.child_modules())

    @property
    def traits(self) -> Traits:
        """What others ask about this module."""
        try:
            return self.__dict__["_traits"]
        except KeyError:
            self._set(_traits=derived(self))
            return self.__dict__["_traits"]

    def initial_state(self, batch: tuple[int, ...], dtype: Any) -> dict[str, Any]:
        """The recurrent state before the first step, for a batch of this shape; None where it is not known before."""
        return dict.fromkeys(self.traits.transient)

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        """The layer itself; called by `apply`, which users call."""
        raise NotImplementedError(f"{self.torch_name()} must define forward, or f in a Map or Layer")

    def printed(self) -> str:
        """The text that `print` shows: Torch's."""
        return self.torch_name()

    # What users call -----------------------------------------------------------------------------------------

    def init(self, key: jax.Array, stdv: float | None = None) -> Variables:
        """Fresh arrays, float32. Equal keys give equal arrays; a child's depend on its position only."""
        if by_position(self):
            _check_no_arrays(type(self))
        own = self.init_params(key) if stdv is None else self.init_params(key, stdv)
        made = [child.init(jax.random.fold_in(key, i), stdv) for i, child in enumerate(self.child_modules())]
        params = join(self, own, [each.params for each in made])
        return Variables(params, join(self, self.init_buffers(), [each.buffers for each in made]))

    def apply(
        self, params: Any, buffers: Any, input: Any, *, key: jax.Array | None = None, train: bool = False
    ) -> tuple[Any, Any]:
        """The output and the new buffers. Pure: nothing that is given changes.

        Raises ValueError for input of a wrong shape, and if a key is needed and missing.
        """
        if key is None and self.traits.draws(train):
            raise ValueError(f"{self.torch_name()}: needs a random key; pass key=jax.random.key(seed)")
        try:
            with jax.named_scope(type(self).__name__):
                if self._hooks and hooks.here(self):
                    return hooks.run(self, partial(_forward, buffers, key, train), params, input, (buffers, key))
                return self.forward(params, buffers, input, key=key, train=train)
        except AttributeError as error:
            if str(error).startswith(f"'{type(input).__name__}' object") and isinstance(input, (list, tuple, dict)):
                raise expected(self, "a tensor", input) from error
            raise

    def call(
        self, name: int | str, params: Any, buffers: Any, input: Any, *, key: Any, train: bool,
        way: Callable | None = None, through: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Runs one child: the only place where a module calls another.

        Folds the key by position, adds "In 3 module of nn.Sequential:" to errors, and lets recorders look in.
        A child that can be compiled is, where this module cannot. `way(child, ...)` runs it otherwise than by `apply`;
        `through`: it does not run the child itself, but a module inside.
        """
        position, child = child_at(self, name)
        if self._hooks:
            child = hooks.handed_on(self, name, child)
        key = folded(key, position) if child.traits.draws(train) else None
        if way is None:
            alone = child.traits.traceable and not self.traits.traceable
            compiled = alone and not child._hooks and recording.recorder() is None
            in_compiled = _checked_apply if child.traits.checks_values else _compiled_apply
            way = in_compiled if compiled else type(child).apply
        run = partial(way, child, params[name], buffers[name], key=key, train=train)
        shown = name if isinstance(name, str) else position + 1
        error_place = inside(f"In {shown} module of {self.torch_name()}:")
        with error_place, jax.named_scope(str(name)), recording.below(name):
            return run(input) if through else recording.recorded_call(run, input)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked as at construction."""
        unknown = set(changes) - {field.name for field in fields(self)}  # type: ignore[arg-type]
        if unknown:
            raise TypeError(f"{self.torch_name()}: no such field: {', '.join(sorted(unknown))}")
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__getstate__() | changes)
        copy.__post_init__()
        return copy

    def named(self, name: str | None) -> Self:
        """A copy with a name (None: without), by which `find`, `labels` and `freeze` know it; it prints as before.

        Raises: TypeError for what is no text, or empty.

        >>> import functorch7 as f7
        >>> network = f7.Sequential(f7.Linear(3, 2).named("first"), f7.Tanh())
        >>> f7.find(network, "first"), f7.find(network, "second")
        ((0,), None)
        """
        if name is not None and (not isinstance(name, str) or not name):
            raise TypeError(f"{self.torch_name()}: expected a name, got {name!r}")
        copy = self.replace()
        copy._set(own_name=name)
        return copy

    @classmethod
    def torch_name(cls) -> str:
        """The name under which Torch knows the class, such as "nn.Linear"."""
        return f"{cls.package}.{cls.__name__}"

    # Value semantics -----------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        """Checks the fields; subclasses extend it."""

    def _set(self, **values: Any) -> None:
        """Sets fields during construction (the dataclass is frozen after it)."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def child_modules(self) -> tuple["Module", ...]:
        """The modules inside, in order."""
        return tuple(child for _, child in named_children(self))

    def _values(self) -> tuple:
        own = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return (self.own_name, self._hooks, *own)

    def __hash__(self) -> int:
        try:
            return self.__dict__["_hash"]
        except KeyError:
            self._set(_hash=hash((type(self), self._values())))
            return self.__dict__["_hash"]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Module) or type(self) is not type(other):
            return False
        return hash(self) == hash(other) and self._values() == other._values()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in DERIVED}

    def __iter__(self) -> Iterator[Callable]:
        """`init, apply = module`."""
        return iter((self.init, self.apply))

    def __repr__(self) -> str:
        return self.printed()


def _check_no_arrays(kind: type[Module]) -> None:
    """Raises TypeError for a class of containers that makes arrays, for which their trees have no place."""
    if kind.init_params is not Module.init_params:
        raise TypeError(
            f"{kind.torch_name()}: a container's parameters are those of its modules, so that its own init_params has "
            "no place for arrays; put them into a module inside, or make it a Composite, whose fields are modules"
        )


def _forward(buffers, key, train, module, params, input):
    return module.forward(params, buffers, input, key=key, train=train)


def _apply(module, params, buffers, input, *, key, train):
    return module.apply(params, buffers, input, key=key, train=train)


_compiled_apply = jax.jit(_apply, static_argnums=0, static_argnames="train")
_checked_apply = checked(_apply, static_argnums=0, static_argnames="train")


class Map(Module, abstract=True):
    """A module without arrays: write `f(input)`."""

    def f(self, input: Any) -> Any:
        raise NotImplementedError(f"{self.torch_name()} must define f(input)")

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        return self.f(input), buffers


class TableMap(Map, abstract=True):
    """A Map whose input is a table: a list or a dict."""

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]


class Layer(Module, abstract=True):
    """A module with learnable arrays: write `init_params(key, stdv=None)` and `f(params, input)`."""

    def f(self, params: Any, input: Any) -> Any:
        raise NotImplementedError(f"{self.torch_name()} must define f(params, input)")

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        return self.f(params, input), buffers


class Container(Module, init=False):
    """A module made of the modules in `modules`; its params and buffers are lists in the same order."""

    modules: tuple[Module, ...]

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        _check_no_arrays(cls)

    def __init__(self, *modules: Module):
        self._set(modules=modules)
        self.__post_init__()

    def __post_init__(self) -> None:
        for i, module in enumerate(self.modules, 1):
            if isinstance(module, type) and issubclass(module, Module):
                raise TypeError(
                    f"{self.torch_name()}: module {i} is the class {module.__name__}; call it: {module.__name__}(...)"
                )
            if not isinstance(module, Module):
                raise TypeError(f"{self.torch_name()}: expected a module as module {i}, got {module!r}")

    def children(self) -> Children:
        return self.modules

    def printed(self) -> str:
        return chain(self.torch_name(), self.modules)
