"""A user's `forward` as a description: while a program is traced, it runs on stand-ins with traced tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import fields
from functools import partial
from typing import Any, ClassVar, NamedTuple, NoReturn

import jax
import jax.numpy as jnp

from ... import core
from ...checks.errors import ASKS_FOR_VALUES
from ...core import hooks, tree
from ...core.composite import key_beside, key_of_call
from ...core.contexts import during
from ...core.recording import recorded_at, recorded_path
from ...core.types import Array, Key, State, Tree, Value
from ...interop.t7.values import Fields
from ...losses.base import Criterion
from ..engine import outside
from ..engine.foreign import InMode, OfUser
from ..engine.forms import Arguments, Form, Static, array_of, frozen, is_array, split, thawed
from ..engine.known_users import ask_for_checks
from ..engine.outside import running
from ..engine.traced_user import TracedUser
from ..engine.user_code import code_of, names_in
from ..objects.generated import class_of, classes
from ..objects.tree import ModuleList
from ..tensors.indices import asking_for_checks
from ..tensors.random import refusing
from ..tensors.styles import pytorch_operators
from ..tensors.tensor import Tensor
from ..tensors.values import wrapped
from .made import Made, Tied
from .stand_ins import InsideUsers, collected, inside, outlived, put

Shapes = tuple[tuple[str, tuple[int, ...], str], ...]


class Returned(NamedTuple):
    """What a `forward` tells another one that calls it, beside arrays."""

    form: Form
    written: tuple[bool, ...]  # which of the tensors among its arguments it has changed in place

    def given_back(self, output: Value, given: Value) -> Value:
        """What it returns, with these arrays. Tensors that it was given and has changed have no values any more."""
        for each, is_written in zip(_arrays_in(given), self.written, strict=False):
            if is_written and isinstance(each, Tensor):
                each.storage_.make_later(_is_changed)
        return self.form.filled(jax.tree.leaves(output))


def _is_changed() -> NoReturn:
    raise TypeError(
        "a forward has changed the tensor that it was given in place, which its caller does not hear of; "
        "use what it returns, and write x = x + y, not x += y"
    )


def _arrays_in(values: Value) -> list:
    return [each for each in jax.tree.leaves(values) if is_array(each)]


_returned: ContextVar[list[Returned] | None] = ContextVar("returned", default=None)
"""Where a `forward` leaves that, if another one calls it."""


class Traced(core.Module, abstract=True):
    """A module whose `forward` the user wrote in PyTorch's style; one subclass for each user's class, in `kind`.

    The fields hold all that `forward` can depend on, so that objects of one class with equal attributes and structure
    share a compiled program. `parameters` and `buffers` are (name, shape, dtype). `init` returns zeros, for their
    structure only: the class's `__init__` draws the values when an object is made.
    """

    kind: ClassVar[Any]

    attributes: tuple[tuple[str, Static], ...]
    names: tuple[str, ...]
    modules: tuple[core.Module, ...]
    parameters: Shapes
    buffers: Shapes
    unsaved: tuple[str, ...] = ()  # type: ignore[misc]
    form: Form | None = None
    outside: tuple[tuple[str, Static], ...] = ()  # other values that `forward` reads
    looks: bool = False  # whether it checks values

    def children(self) -> dict[str, core.Module]:
        return dict(zip(self.names, self.modules, strict=True))

    @property
    def checks_values(self) -> bool:  # type: ignore[override]
        return self.looks or super().checks_values

    @property
    def parameter_order(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(name for name, _, _ in self.parameters)

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Array]:
        return _zeros(self.parameters)

    def init_buffers(self) -> State:
        return _zeros(self.buffers)

    def forward(self, params: Tree, buffers: State, input: Value, *, key: Key, train: bool) -> tuple[Value, Tree]:
        run, asked = Run(self, params, buffers, key, train), _returned.get()
        args, kwargs = Arguments(input, self.form).filled()
        given = [(each.storage_, each.storage_.array) for each in _arrays_in((args, kwargs))]
        try:
            watched = code_of(self.kind).watched(run.who, self.attributes)
            asking = asking_for_checks(partial(ask_for_checks, self.kind))
            with watched, running(run), refusing(run.who), asking, pytorch_operators(), during(_returned, None):
                returned = self.kind.forward(run.object, *args, **kwargs)
            if asked is not None:
                written = tuple(storage.array is not array for storage, array in given)
                asked[:] = [Returned(Form.of(returned)[0], written)]
                returned = jax.tree.map(lambda each: each if is_array(each) else None, returned)
            output = array_of(returned, f"{self.torch_name()}: forward returned")
            check_unchanged(run.object, self.torch_name())
            return output, collected(run.object)
        except ASKS_FOR_VALUES as error:
            raise TypeError(
                f"{self.torch_name()}: forward asks for a tensor's values (an `if`, float(), NumPy), which it does not "
                "have, because it runs once for all inputs of a shape; compute with tensors, torch.where or jax.numpy"
            ) from error
        finally:
            run.is_over = True

    def on(self, *args: Any, **kwargs: Any) -> tuple[core.Module, Value]:
        """(module, input) of a call with several arguments: the input is the table of the arrays among them."""
        form, given = split(args, kwargs)
        return self.replace(form=form), array_of(given)

    def printed(self) -> str:
        return tree_text(self.kind.__name__, "", self.children())

    def __reduce__(self):
        attached = {name: self.__dict__[name] for name in ("own_name", "_hooks") if name in self.__dict__}
        saved = [field.name for field in fields(self) if field.name != "outside"]
        return _described, (self.kind, {name: getattr(self, name) for name in saved}), attached


def _zeros(arrays: Shapes) -> dict[str, jax.Array]:
    """Zeros in these dtypes, or in JAX's replacements if it keeps no 64-bit numbers."""
    return {name: jnp.zeros(shape, jax.dtypes.canonicalize_dtype(dtype)) for name, shape, dtype in arrays}


def _described(kind: type, values: dict[str, Any]) -> Traced:
    return kind.described_by(**values, outside=code_of(kind).noted())  # type: ignore[attr-defined]


def describing(kind: type) -> type[Traced]:
    """The class of the descriptions of a user's class."""
    made = type(kind.__name__, (Traced,), {"kind": kind, "__module__": kind.__module__}, abstract=True)  # type: ignore[call-overload]
    classes[made] = kind
    return made


def names_of_settings(spec: core.Module) -> frozenset[str]:
    """The names of attributes of other objects that users' code, here or inside, reads."""
    return names_in(type(each).kind for _, each in tree.places(spec) if isinstance(each, Traced))


def tree_text(name: str, extra: str, children: Mapping[str, object]) -> str:
    """PyTorch's form of printing: Net(extra) or, with modules inside, a line for each."""
    if not children:
        return f"{name}({extra})"
    lines = [extra] if extra else []
    lines += [f"({key}): {child}".replace("\n", "\n  ") for key, child in children.items()]
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)"


def _registered(spec: Traced, inner: list[Any]) -> dict[Any, Any]:
    """The plain attributes of a user's module, the modules inside, and the kinds of its names."""
    names = tree.child_names(spec)
    return {
        **{name: thawed(value) for name, value in spec.attributes},
        **dict(zip(names, inner, strict=True)),
        "_own_name": spec.own_name,
        "_plain": dict.fromkeys(name for name, _ in spec.attributes),
        "_children": dict.fromkeys(names),
        "_parameters": dict.fromkeys(spec.parameter_order),
        "_buffers": {name: name not in spec.traits.unsaved for name, _, _ in spec.buffers},
    }


def _parted(spec: Any, buffers: Any) -> tuple[dict, dict]:
    """A module's own buffers: the arrays that users see as tensors, and the rest of its state."""
    own, _ = tree.split(spec, buffers)
    seen = {name for name, value in own.items() if hasattr(value, "dtype") and name not in spec.traits.transient}
    return {name: own[name] for name in own if name in seen}, {name: own[name] for name in own if name not in seen}


def _fields_of(spec: Any, params: Any, arrays: dict, inner: list) -> dict[str, Any]:
    """The fields of a module's stand-in: its arrays as tensors, and what is inside."""
    is_in_torchs_style = _in_torchs_style(spec) is not None
    given = spec.learned(params) if is_in_torchs_style else tree.split(spec, params)[0]
    learned = {name: jnp.asarray(value) for name, value in given.items() if value is not None}
    fields = {"_given": learned, **{name: Tensor.of(value) for name, value in (arrays | learned).items()}}
    if is_in_torchs_style:
        return fields
    if isinstance(spec, Traced):
        return fields | _registered(spec, inner)
    if isinstance(spec, Criterion):
        return fields | {"_spec": spec}
    return fields | {"_spec": spec, "modules": ModuleList(spec.torch_name(), inner)}


def _in_torchs_style(spec: Any) -> type | None:
    """The class of a user's module in Torch's style; None for others."""
    if isinstance(spec, OfUser):
        return type(spec.user())
    return spec.kind if isinstance(spec, TracedUser) else None


class Run(outside.Run):
    """One run of a user's `forward`: the stand-ins for its module and all inside, and the random key."""

    def __init__(self, spec: Traced, params: Tree, buffers: State, key: Key, train: bool):
        self.spec, self.params, self.key, self.train = spec, params, key, train
        self.who = f"{spec.torch_name()}: forward"
        self.recorded = recorded_path()
        self.made, self.is_over = 0, False
        self.calls: Counter[tree.Path] = Counter()
        self.object = self._stand_in(spec, params, buffers, train, ())

    def _stand_in(self, spec: Any, params: Any, buffers: Any, train: bool, path: tree.Path) -> Any:
        """An object of the user's or the layer's class over traced arrays, without looking at the real one."""
        if isinstance(spec, InMode):
            return self._stand_in(spec.module, params, buffers, spec.train, path)
        if isinstance(spec, Tied):
            is_kept = spec.seat.keeps()
            return spec.seat.stand_in if is_kept else self._stand_in(spec.module, params, buffers, train, path)
        theirs = _in_torchs_style(spec)
        made = object.__new__(inside(class_of(type(spec))) if theirs is None else inside(theirs, InsideUsers))
        fields = made.__dict__
        inner = [
            self._stand_in(child, params[name], buffers[name], train, (*path, name))
            for name, child in tree.named_children(spec)
        ]
        arrays, state = _parted(spec, buffers)
        fields.update(_run_inside=self, _path=path, _inner=inner, _described=spec, _state=state, train=train)
        fields.update(_fields_of(spec, params, arrays, inner))
        return made

    def call(self, module: Value, args: tuple, kwargs: Fields) -> Value:
        """Runs a module inside, at any depth, with `core.Module.call` at each level."""
        path = module.__dict__["_path"]
        if self.is_over:
            raise outlived(module)
        if not path:
            return self.spec.kind.forward(module, *args, **kwargs)
        form, given = split(args, kwargs, partial(names_of_settings, self.spec))
        key = key_of_call(self.spec, self.key, self.calls[path])
        self.calls[path] += 1
        returned: list[Returned] = []
        with running(None), recorded_at(self.recorded, {}):
            output, new = self.spec.call(
                path[0], self.params, collected(self.object), array_of(given),
                key=key, train=self.train, way=partial(_entered, path[1:], form, returned), through=len(path) > 1,
            )  # fmt: skip
        put(self.object.__dict__[path[0]], new)
        return returned[0].given_back(output, (args, kwargs)) if returned else wrapped(output)

    def call_made(self, module: Value, args: tuple, kwargs: Fields) -> Value:
        """Runs a module that `forward` has made of stand-ins, as a description with their arrays."""
        made = Made(module, self)
        form, given = split(args, kwargs, partial(names_of_settings, made.spec))
        key = key_beside(self.spec, self.key, self.made)
        self.made += 1
        returned: list[Returned] = []
        with running(None), recorded_at((*self.recorded, f"made {self.made}"), made.places()):
            output, new = _entered(
                (), form, returned, made.spec, made.params, made.buffers, array_of(given),
                key=key, train=bool(module.in_training),
            )  # fmt: skip
        made.put(new)
        return returned[0].given_back(output, (args, kwargs)) if returned else wrapped(output)

    def at(self, path: tree.Path) -> tuple[core.Module, Tree]:
        """(description, with its hooks, params) of a module inside."""
        spec: Any = self.spec
        for name in path:
            spec = hooks.handed_on(spec, name, tree.child_at(spec, name)[1])
            spec = spec.inner if isinstance(spec, InMode) else spec
        return spec, tree.found_at(self.params, path)


def check_unchanged(made: Value, who: str, place: str = "self") -> None:
    """Refuses attributes, other than buffers, that a `forward` has set: it runs once, not at every call."""
    fields, spec = made.__dict__, made.__dict__["_described"]
    wrong: list[str] = []
    if isinstance(spec, Traced):
        kinds = {type(each).outer_class for each in made._members() if hasattr(type(each), "described_by")}
        before, names = dict(spec.attributes), names_in(kinds)
        wrong = [
            name for name in fields["_plain"]
            if name not in before or frozen(fields[name], names) != before[name]
        ]  # fmt: skip
    wrong += [name for name, array in fields["_given"].items() if fields[name].array is not array]
    if fields.get("_spec", spec) is not spec:
        wrong.append("settings")
    if wrong:
        raise TypeError(
            f"{who}: forward sets {place}.{wrong[0]}, which would happen only when it is traced; "
            f"return it, or make it a buffer: self.register_buffer({wrong[0]!r}, tensor)"
        )
    for name, each in zip(tree.child_names(spec), fields["_inner"], strict=True):
        check_unchanged(each, who, f"{place}.{name}")


def _entered(
    path: tree.Path, form: Form | None, returned: list[Returned], child: Any, params: Any, buffers: Any, input: Any,
    *, key: Any, train: bool,
) -> tuple[Any, Any]:  # fmt: skip
    """Runs the module at a path inside a child, or, at the end of the path, the child; `returned` gets its form."""
    if isinstance(child, InMode):
        child, train = child.inner, child.train
    if path:
        way = partial(_entered, path[1:], form, returned)
        through = len(path) > 1
        output, new = child.call(path[0], params, buffers, input, key=key, train=train, way=way, through=through)
        return output, tree.with_at(buffers, (path[0],), new)
    if form is not None:
        args, kwargs = form.arguments(input)
        if isinstance(child, Criterion) and len(args) > 1 and not kwargs:  # criterion(input, target)
            return child.apply(params, buffers, [array_of(each) for each in args], key=key, train=train)
        if not isinstance(child, Traced):
            given = ", ".join([*map(core.describe, args), *(f"{n}={core.describe(v)}" for n, v in kwargs.items())])
            raise TypeError(f"{core.title(child)}: expected one input (a table, where it takes several), got {given}")
        child = child.replace(form=form)
    with during(_returned, returned if isinstance(child, Traced) else None):
        return child.apply(params, buffers, input, key=key, train=train)
