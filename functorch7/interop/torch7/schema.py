"""How Torch saves a class: maps the fields of a file to a description's fields and arrays."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from numbers import Number
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from ... import core
from ...core.types import Value
from ...layers import Decorator
from ...layers.initializers import shapes_of
from ...recurrent.masking import BATCH, GIVEN
from ..t7 import LuaFunction, T7Object
from ..t7.values import Content, Fields
from .build import storage
from .node import Node
from .record import EMPTIED, OWN_NAME, Record, plain, records_in
from .states import STATELESS, StateForm

SNAKE = {
    "batch_mode", "ceil_mode", "constant_scalar", "count_include_pad", "max_val", "min_val", "pad_b", "pad_l", "pad_r",
    "pad_t", "print_interval", "scale_factor", "stochastic_inference",
}  # fmt: skip
"""Names that Torch also writes with underscores."""


def torch_name(name: str) -> str:
    """Torch's name of a description's field: nInputPlane for n_input_plane, kW for kw."""
    if name in SNAKE:
        return name
    window = re.fullmatch(r"(k|d|pad|adj|i|out|dilation|)([wht])", name)
    if window:
        return window[1] + window[2].upper()
    return in_camels(name)


def in_camels(name: str) -> str:
    """The name in Torch's usual style: nInputPlane for n_input_plane."""
    first, *rest = name.strip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def grad_name(name: str) -> str:
    """The name of a parameter's gradient: gradWeight for weight."""
    return "grad" + name[:1].upper() + name[1:]


class Rule(NamedTuple):
    """One field of a description: how its value is read from a file's record, and what is written to the record.

    `name` is Torch's name if the value is saved unchanged. `is_sizes` says that Torch has a LongStorage.
    """

    read: Callable[[Record], Value]
    write: Callable[[Any], dict[str, Any]]
    name: str | None = None
    is_sizes: bool = False


def saved(name: str, default: object = None) -> Rule:
    """A field that is saved under a name; `default` if it is nil. A description's None is not saved."""
    return Rule(lambda record: plain(record.get(name, default)), lambda value: {name: torch_value(value)}, name)


def needed(name: str) -> Rule:
    """A required field."""
    return Rule(lambda record: plain(record.need(name)), lambda value: {name: torch_value(value)}, name)


def derived(read: Callable[[Record], Value]) -> Rule:
    """A field that is not saved because it follows from others."""
    return Rule(read, lambda _: {})


def size_of(name: str, axis: int) -> Rule:
    """A size of a tensor."""
    return derived(lambda record: record.size(name, axis))


def constant(value: Value) -> Rule:
    """A field with a constant value."""
    return derived(lambda _: value)


HAS_BIAS = derived(lambda record: record.has("bias"))
"""Whether there is a bias."""


def sizes(name: str) -> Rule:
    """Sizes, saved as a LongStorage."""
    return Rule(lambda record: plain(record.need(name)), lambda value: {name: storage(value)}, is_sizes=True)


def opposite(name: str) -> Rule:
    """A field saved as its opposite; nil is false."""
    return Rule(lambda record: not record.get(name), lambda value: {name: not value})


def masking(fields: Fields) -> Value:
    """What is masked: inputs of nInputDim dimensions, or, in the newer rnn, given masks (v2) or whole inputs."""
    if fields.get("nInputDim") is not None:
        return fields["nInputDim"]
    return GIVEN if fields.get("v2", True) else BATCH


def masking_saved(value: object) -> Fields:
    """The same as fields."""
    return {"v2": value == GIVEN} if isinstance(value, str) else {"nInputDim": value}


MASKING = Rule(lambda record: masking(record.fields), masking_saved)


def torch_value(value: object) -> Content:
    """A description's value in Torch's form."""
    if isinstance(value, core.Const):
        return np.array(value.value)
    return [torch_value(each) for each in value] if isinstance(value, tuple) else value


def children_named(*names: str) -> Callable[[Node, Fields], Fields]:
    """Also saves the modules inside, as far as there are any, under these names."""
    return lambda node, _: dict(zip(names, node.children, strict=False))


def _no_more(node: Node, fields: Fields) -> Fields:
    return {}


def _modules(record: Record) -> list[T7Object]:
    return records_in(record.get("modules"))


def _default(spec_class: type[core.Module], field: Value) -> Value:
    """The constructor's default for an argument; MISSING if it is required."""
    parameter = _arguments_of(spec_class).get(field.name)
    if parameter is None or parameter.default is parameter.empty:
        return field.default
    return parameter.default


@cache
def _arguments_of(spec_class: type[core.Module]) -> Mapping[str, inspect.Parameter]:
    """A constructor's arguments, for which Python takes as long as for reading a small module's tensors."""
    return inspect.signature(spec_class).parameters


class OfOne(tuple):
    """In place of a gradInput: two tensors of one element, where Torch requires them."""


class Schema:
    """How one class is saved.

    `rules` has the rules of the description's fields; other fields are saved under Torch's spelling of their names.
    `parameters` has names that differ from the description's. `children` finds the objects inside; there must be
    `inside` of them, if that is given (1 in decorators). `parts` names fields that hold modules or criterions.
    `more(node, fields)` returns additional fields that Torch saves. `output` and `grad_input` are Torch's values of
    these fields; the latter may be a function of the description. `state` says how recurrent state is kept. `name_of`
    returns the class's name, if it is not the description's.
    """

    def __init__(
        self,
        spec_class: type[core.Module],
        rules: dict[str, Rule] | None = None,
        *,
        version: int = 1,
        parameters: dict[str, str] | None = None,
        buffers: tuple[str, ...] = (),
        children: Callable[[Record], list[T7Object]] = _modules,
        inside: int | None = None,
        parts: tuple[str, ...] = (),
        more: Callable[[Node, Fields], Fields] = _no_more,
        output: type = np.ndarray,
        grad_input: type | Callable[[core.Module], type] = np.ndarray,
        state: StateForm = STATELESS,
        spell: Callable[[str], str] = torch_name,
        name_of: Callable[[core.Module], str] = lambda spec: spec.torch_name(),
    ):
        self.spec_class, self.rules, self.version = spec_class, rules or {}, version
        self.parameters, self.buffers, self.children, self.parts = parameters or {}, buffers, children, parts
        self.more, self.output, self.grad_input, self.spell = more, output, grad_input, spell
        self.name_of, self.state = name_of, state
        self.inside = 1 if inside is None and issubclass(spec_class, Decorator) else inside

    def rule(self, field: Value) -> Rule:
        """The rule for one of the description's fields."""
        if field.name in self.rules:
            return self.rules[field.name]
        name, default = self.spell(field.name), _default(self.spec_class, field)
        return needed(name) if default is MISSING else saved(name, default)

    def grad_input_of(self, spec: core.Module) -> type:
        """What Torch's gradInput is before any call."""
        return self.grad_input if isinstance(self.grad_input, type) else self.grad_input(spec)

    def own_fields(self) -> list[Field]:
        """The description's fields that are neither modules inside nor other parts."""
        return [f for f in fields(self.spec_class) if f.name != "modules" and f.name not in self.parts]  # type: ignore[arg-type]

    @property
    def name_field(self) -> str:
        """The field with the module's name: `name`, which loadcaffe and others set, unless the class has its own."""
        has_own = any(field.name == "name" for field in fields(self.spec_class))  # type: ignore[arg-type]
        return OWN_NAME if has_own else "name"

    def named(self, spec: core.Module, record: Record) -> core.Module:
        """The description with its name from a record, if there is one."""
        name = record.get(self.name_field)
        return spec.named(name) if name and isinstance(name, str) else spec

    def describe(self, record: Record, modules: tuple[core.Module, ...], parts: Fields) -> core.Module:
        """The description of a record, with the descriptions of the objects inside it."""
        values = {field.name: self.rule(field).read(record) for field in self.own_fields()}
        for name, value in values.items():
            check_kind(record, self.spell(name), value, _kinds(self.spec_class).get(name, ()))
        values |= parts
        if any(field.name == "modules" for field in fields(self.spec_class)):  # type: ignore[arg-type]
            values["modules"] = modules
        made = object.__new__(self.spec_class)
        made._set(**values)
        made._check_fields()
        return made

    def arrays(self, record: Record, spec: core.Module) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """The parameters of a record and their gradients, by the description's names."""
        parameters, gradients = {}, {}
        for name, like in shapes_of(spec).items():
            saved = self.parameters.get(name, name)
            found = record.array(saved)
            if saved in record.emptied():
                parameters[name], gradients[name] = (
                    _in_place(record, each, like) for each in (saved, grad_name(saved))
                )
                continue
            if found is None:
                raise record.error(f"no tensor {saved} of shape {like.shape}")
            parameters[name] = _shaped(record, saved, found, like.shape)
            gradient = record.array(grad_name(saved))
            if gradient is not None and gradient.size == found.size:
                gradients[name] = _shaped(record, grad_name(saved), gradient, like.shape)
        return parameters, gradients

    def write(self, node: Node) -> Fields:
        """The fields that Torch saves, without those of the objects inside."""
        saved: dict[str, Any] = {}
        for field in self.own_fields():
            saved |= self.rule(field).write(getattr(node.spec, field.name))
        for name, array in node.parameters.items():
            torch = self.parameters.get(name, name)
            saved[torch] = array
            if name in node.gradients:
                saved[grad_name(torch)] = node.gradients[name]
        shapes = shapes_of(node.spec)
        if others := [name for name, array in node.parameters.items() if _count(array) != _count(shapes[name])]:
            saved[EMPTIED] = {self.parameters.get(name, name): storage(shapes[name].shape) for name in others}
        saved |= {name: node.buffers[name] for name in self.buffers if name in node.buffers}
        return saved | self.more(node, saved) | (self.state.write(node.state) if node.state else {})


def _count(array: Value) -> int:
    """How many elements an array or a tensor has: without dimensions, Torch's have none."""
    return math.prod(array.shape) if array.shape else 0


def _in_place(record: Record, name: str, like: Value) -> np.ndarray:
    """The tensor that a program has put in the place of one shaped so."""
    found = record.array(name)
    return np.zeros(0, getattr(record.fields.get(name), "dtype", like.dtype)) if found is None else found


@cache
def _kinds(spec_class: type[core.Module]) -> dict[str, tuple[type, ...]]:
    """Values of a description's fields, where they are plain: numbers, texts, tuples, or nothing."""
    plain_kinds = {int: Number, float: Number, str: str, tuple: tuple, NoneType: NoneType}
    found = {}
    for name, hint in get_type_hints(spec_class).items():
        options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        kinds = [plain_kinds.get(get_origin(option) or option) for option in options]
        if None not in kinds:
            found[name] = tuple(kinds)
    return found


def check_kind(record: Record, name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Refuses values of another kind than the description's field has, and values that no description has."""
    wrong = not isinstance(value, kinds) if kinds else isinstance(value, (T7Object, LuaFunction))
    if wrong:
        expected = " or ".join(kind.__name__.replace("NoneType", "nil").lower() for kind in kinds) or "a plain value"
        raise record.error(f"expected {expected} as {name}, got {type(value).__name__}")


def _shaped(record: Record, name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if array.shape == shape:
        return array
    if array.size != np.prod(shape, dtype=int):
        raise record.error(f"expected {name} of shape {shape}, got {array.shape}")
    return array.reshape(shape)
