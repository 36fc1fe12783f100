"""The description of a layer: hyper-parameters and children, no arrays.

`init(key)` makes its arrays, `apply(params, buffers, input)` is the pure function. An author writes the least
that the layer needs: `Map` (only `f(input)`), `Layer` (`init_params` and `f(params, input)`), or `Module`
(`forward`, with buffers, keys and children).
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError, dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar, dataclass_transform, overload

import jax
from jax.typing import ArrayLike

from ..checks.checked import checked
from ..checks.entries import entry
from ..checks.errors import inside, is_looking, title, with_hint
from ..checks.fields import unfit_field
from ..checks.foreign import check_function
from ..checks.given import (
    check_apart,
    check_made,
    check_own,
    check_result,
    check_stdv,
    check_train,
    shapes_made,
    unfit,
)
from ..checks.kinds import check_kinds
from ..checks.making import making, naming_fields
from ..checks.numbers import position
from ..checks.sizes import check_room, sized
from ..programs import Compiled
from . import explicit, hooks
from .keys import check_key, check_single, folded, missing
from .precision import whole_as
from .printing import chain
from .probe import opened, silent
from .recording import Recorder, recorded_below
from .tied import handing_on
from .traits import Declared
from .tree import by_position, child_at, child_names, join
from .types import Array, Key, Output, Params, Tree, Value

Children = tuple["Module", ...] | dict[str, "Module"]

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
    """A module's arrays: `params` are learnable, `buffers` hold everything else. Unpacks as a pair.

    >>> import functorch7 as f7, jax
    >>> params, buffers = f7.Linear(3, 2).init(jax.random.key(0))
    >>> sorted(params), buffers
    (['bias', 'weight'], {})
    """

    params: Value
    buffers: Value


class Functional(Protocol):
    """An object of `legacy`, which gives a description and its arrays."""

    def functional(self) -> "tuple[Module, Variables]": ...


Method = TypeVar("Method", bound=Callable)


def builder(method: Method) -> Method:
    """Marks a method that returns a changed description (`no_bias`, `ceil`, `remember`).

    The legacy interface offers it under Torch's name and changes the object in place.
    """
    method.is_builder = True  # type: ignore[attr-defined]
    return method


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Module(Declared):
    """A frozen description, hashable and equal by value, of a pure function with explicit arrays.

    Subclasses declare their hyper-parameters as dataclass fields, in Torch's order. These names are all that an author
    has to know, and most take four of them or fewer:

    - to write, as needed: `forward`, `init_params`, `init_buffers`, `children`, `draws`, `printed`;
    - to declare, as needed: `package`, `parameter_order`, `takes_table`;
    - to use: `init`, `apply`, `call` (for a module inside), `replace`, `traits`.

    What has to be declared rarely is in `Declared` (`traits.py`), what every description can in `Description`.
    """

    package: ClassVar[str] = "nn"
    parameter_order: ClassVar[tuple[str, ...]] = ("weight", "bias")
    _own_init: ClassVar[bool] = False

    def __init_subclass__(cls, abstract: bool = False, init: bool = True, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        # init=False, said by classes that inherit a hand-written __init__, is for type checkers only.
        cls._own_init = cls._own_init or "__init__" in vars(cls)
        if "__post_init__" in vars(cls):
            cls.__post_init__ = naming_fields(cls.__post_init__)  # type: ignore[method-assign]
        dataclass(frozen=True, eq=False, repr=False, init=not cls._own_init)(cls)
        if "__init__" in vars(cls):
            cls.__init__ = making(cls.__init__)  # type: ignore[method-assign]
        if "forward" in vars(cls):
            cls.forward = entry(cls.forward)  # type: ignore[method-assign]
        cls.__setattr__ = cls.__delattr__ = _refuse_change  # type: ignore[assignment]
        if not abstract:
            _register(cls)

    # What an author overrides, beside what is `Declared` -----------------------------------------------------

    def children(self) -> Children:
        """The modules inside, a tuple (by position) or a dict (by name); the arrays nest in the same way.

        Where it is a tuple, the module's own buffers, if any, are a dict after the children's.
        """
        return {}

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Array]:
        """This module's own learnable arrays; `stdv` is Torch's `reset(stdv)`."""
        return {}

    def forward(self, params: Tree, buffers: Tree, input: Value, /, *, key: Key, train: bool) -> tuple[Output, Tree]:
        """The layer itself; called by `apply`, which users call."""
        raise NotImplementedError(f"{self.torch_name()} must define forward, or f in a Map or Layer")

    # What users call -----------------------------------------------------------------------------------------

    @entry
    def init(self, key: jax.Array, stdv: float | None = None) -> Variables:
        """Fresh arrays, float32. Equal keys give equal arrays; a child's depend on its position only.

        Raises: TypeError for a seed in the place of a key, and for an input: no array depends on one; ValueError for
        several keys, for which `jax.vmap(module.init)` makes arrays, and for an author's arrays that are called alike.
        """
        check_key(self.torch_name(), key)
        check_single(self.torch_name(), key)
        check_stdv(self.torch_name(), stdv)
        if by_position(self):
            _check_no_arrays(type(self))
        try:
            own = sized(self, self.init_params, *((key,) if stdv is None else (key, stdv)))
            check_made(self, "init_params", own, child_names(self))
            self._set(_initial_shapes=shapes_made(own))
            made = [child.init(jax.random.fold_in(key, i), stdv) for i, child in enumerate(self.child_modules())]
        except Exception as error:
            wrong = unfit_field(self, error)
            if wrong is not None:
                raise wrong from error
            raise
        buffers = sized(self, self.init_buffers)
        check_made(self, "init_buffers", buffers, {*child_names(self), *own})
        params = join(self, own, [each.params for each in made])
        return Variables(params, join(self, buffers, [each.buffers for each in made]))

    @entry
    def apply(
        self, params: Params, buffers: Tree, input: ArrayLike | Tree, *, key: Key = None, train: bool = False
    ) -> tuple[Output, Tree]:
        """The output and the new buffers. Pure: nothing that is given changes.

        Raises ValueError for input of a wrong shape, for parameters of other sizes than `init` makes, and if a key is
        needed and missing; TypeError for what is no key, and for a `train` that is traced or neither True nor False.
        """
        if train is not True and train is not False:
            check_train(self, train)
        if isinstance(params, tuple) or isinstance(buffers, tuple):
            check_apart(self, params, buffers)
        if key is None and self.traits.draws(train):
            raise missing(self, train)
        if key is not None:
            check_key(self.torch_name(), key)
        check_kinds(self, input)
        if type(self).init_params is not Module.init_params:
            check_own(self, params, buffers)
        if (mesh := explicit.mesh_of(input)) is not None:
            return explicit.laid_out(mesh, partial(self.apply, train=train), params, buffers, input, key)
        if numbers := self.traits.large_numbers:
            with silent():
                check_room(self, numbers, self.forward, (params, buffers, input), key=key, train=train)
        try:
            with jax.named_scope(type(self).__name__):
                return _forward(self, params, buffers, input, key=key, train=train)
        except Exception as error:
            known = unfit(self, params, buffers, input, error)
            if known is not None:
                raise known from error
            raise

    def __call__(self, *given: Value, **named: Value) -> Output:
        """Raises TypeError: a description holds no arrays that it could be a function with. Criterions have none."""
        raise TypeError(
            f"{title(self)}: a description is no function, because it holds no arrays; "
            "write network.apply(params, buffers, input), or run.name(input) in a Composite"
        )

    def call(
        self, name: int | str, params: Tree, buffers: Tree, input: Tree, *, key: Key, train: bool,
        way: Callable | None = None, through: bool = False,
    ) -> tuple[Output, Tree]:  # fmt: skip
        """Runs one child: the only place where a module calls another.

        Folds the key by position, adds "In 3 module of nn.Sequential:" to errors, and lets recorders look in.
        A child that can be compiled is, where this module cannot. `way(child, ...)` runs it otherwise than by `apply`;
        `through`: it does not run the child itself, but a module inside.
        """
        place, child = child_at(self, name)
        if self._hooks:
            child = hooks.handed_on(self, name, child)
        traits = child.traits
        key = folded(key, place) if traits.draws(train) else None
        if way is None:
            alone = traits.traceable and not self.traits.traceable and not is_looking()
            compiled = alone and not child._hooks and opened(Recorder) is None
            way = (_checked_apply if traits.checks_values else _compiled_apply) if compiled else type(child).apply
        run = partial(handing_on(way), child, params[name], buffers[name], key=key, train=train)
        with inside(self, name), jax.named_scope(str(name)):
            return recorded_below(name, run, input, through)


def _as_module(container: "Container", given: Any, position: int) -> Module:
    """What was given to a container as module. Raises TypeError, saying what to use, for other values."""
    if isinstance(given, Module):
        return given
    if callable(given) and not isinstance(given, type) and not hasattr(given, "functional"):
        return Lambda(given)
    raise TypeError(f"{container.torch_name()}: expected a module as module {position}, got {with_hint(given)}")


def _refuse_change(module: Any, name: str, *value: Any) -> None:
    """Raises FrozenInstanceError, which says what is done instead of setting or deleting an attribute."""
    raise FrozenInstanceError(
        f"{module.torch_name()}: cannot change {name!r}, because descriptions never change; replace({name}=...) gives "
        f"another one, and a class declares its fields, `{name}: int`, in the place of setting them in __init__"
    )


def _check_no_arrays(kind: type[Module]) -> None:
    """Raises TypeError for a class of containers that makes arrays, for which their trees have no place."""
    if kind.init_params is not Module.init_params:
        raise TypeError(
            f"{kind.torch_name()}: a container's parameters are only those of its modules; put the arrays of its own "
            "init_params into a module inside, or make it a Composite, whose fields are modules"
        )


@hooks.between_hooks
def _forward(module, params, buffers, input, *, key, train):
    result = module.forward(params, buffers, input, key=key, train=train)
    check_result(module, result)
    return result if module.own_dtype is None else (whole_as(module.own_dtype, result[0]), result[1])


def _apply(module, params, buffers, input, *, key, train):
    return module.apply(params, buffers, input, key=key, train=train)


_compiled_apply = Compiled(jax.jit(_apply, static_argnums=0, static_argnames="train"))
_checked_apply = checked(_apply, static_argnums=0, static_argnames="train")


class Map(Module, abstract=True):
    """A module without arrays: write `f(input)`.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> class Doubled(f7.Map):
    ...     def f(self, input):
    ...         return 2 * input
    >>> Doubled().apply({}, {}, jnp.array([1.0, 2.0]))[0].tolist()
    [2.0, 4.0]
    """

    def f(self, input: Value, /) -> Output:
        """The output: what an author writes. Raises NotImplementedError in a class without it."""
        raise NotImplementedError(f"{self.torch_name()} must define f(input)")

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        return self.f(input), buffers


class TableMap(Map, abstract=True):
    """A Map whose input is a table: a list or a dict."""

    takes_table: ClassVar[bool] = True


class Lambda(Map):
    """y = function(x): a function of an array, or of a table, as a module.

    Shape: what the function takes -> what it gives. Functions are compared by identity, so that one that is made anew
    (`lambda x: x + 1` in a loop) compiles anew; networks that are pickled need functions with a name of their own.
    Raises: TypeError for what cannot be called, for modules and criterions, and for other libraries' modules, whose
    arrays would not be learned; the errors of the function.
    Source: torchvision.transforms.Lambda; keras.layers.Lambda.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Lambda(jnp.square).apply({}, {}, jnp.array([1.0, 2.0, 3.0]))[0].tolist()
    [1.0, 4.0, 9.0]
    """

    function: Callable

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, (type, Module)):
            raise TypeError(f"nn.Lambda: expected a function, got {self.function!r}")
        check_function("nn.Lambda", self.function)

    def f(self, input: Value) -> Output:
        return self.function(input)

    def printed(self) -> str:
        return f"nn.Lambda({getattr(self.function, '__name__', type(self.function).__name__)})"


class Layer(Module, abstract=True):
    """A module with learnable arrays: write `init_params(key, stdv=None)` and `f(params, input)`."""

    def f(self, params: Tree, input: Value, /) -> Output:
        """The output, by the arrays of `init_params`: what an author writes. Raises NotImplementedError without it."""
        raise NotImplementedError(f"{self.torch_name()} must define f(params, input)")

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        return self.f(params, input), buffers


class Container(Module, init=False):
    """A module made of the modules in `modules`; its params and buffers are lists in the same order.

    The modules are given one by one or as one list; a function among them becomes a `Lambda`. `net[0]` is the first,
    `net[1:3]` a container of some, for which `params[1:3]` and `buffers[1:3]` are the arrays; `list(net)` are all.

    >>> import functorch7 as f7
    >>> f7.Sequential(f7.Linear(2, 3), f7.Tanh())[0]
    nn.Linear(2 -> 3)
    """

    modules: tuple[Module, ...]

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        _check_no_arrays(cls)

    def __init__(self, *modules: Module | Callable | Sequence[Module | Callable]):
        self._set(modules=modules)
        self.__post_init__()

    def __post_init__(self) -> None:
        given = self.modules
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = given[0]
        self._set(modules=tuple(_as_module(self, each, i) for i, each in enumerate(given, 1)))

    def __len__(self) -> int:
        return len(self.modules)

    def __bool__(self) -> bool:
        """True, also without modules: that is a module, too, so that `given or default` is what was given."""
        return True

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules)

    @overload
    def __getitem__(self, index: int) -> Module: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> Module:
        """The module at a position from 0, or a container of some. Raises TypeError, IndexError for others."""
        if isinstance(index, slice):
            return self.replace(modules=self.modules[index])
        return self.modules[position(self.torch_name(), index, len(self.modules))]

    def children(self) -> Children:
        return self.modules

    def printed(self) -> str:
        return chain(self.type_name(), self.modules)
