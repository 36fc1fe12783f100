"""The arguments of constructors: a description made of them, and the objects among them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ... import core
from ...checks.making import Unmade, words_of
from ...checks.tables import leaves
from ...core.types import Value
from ..tensors.number import plain
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from .described import Described, arguments_of
from .documented import argument_names, open_argument
from .generated import object_of
from .named_calls import MissingArgument, WrongArgument
from .signatures import in_torchs_words

Given = list[tuple[core.Module, Described]]
"""The objects that a constructor was given, with their descriptions."""


def describe(spec_class: type[core.Module], args: tuple, kwargs: dict[str, Value]) -> tuple[core.Module, Given]:
    """A description from Torch's arguments, and the objects among them with their descriptions.

    None takes the default, as nil does in Lua, and false for a number; keywords may be written as Torch's source or
    its documentation writes them.
    """
    objects: Given = []

    def converted(value: Any) -> Any:
        if isinstance(value, Described):
            return put_among(objects, value)
        if isinstance(value, type) and issubclass(value, Described) and value.spec_class is not None:
            return value.spec_class
        if isinstance(value, (Tensor, Storage)):
            return np.asarray(value if isinstance(value, Tensor) else value.array)
        if isinstance(value, dict):
            return {name: converted(each) for name, each in value.items()}
        if isinstance(value, (list, tuple)) and any(isinstance(each, (Described, Storage)) for each in leaves(value)):
            return tuple(map(converted, value))
        return plain(value)

    def filled_in(value: Any, parameter: inspect.Parameter | None) -> Any:
        if parameter is not None and _takes_default(value, parameter):
            return parameter.default
        return converted(value)

    parameters = arguments_of(spec_class)
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    filled = [filled_in(value, each) for value, each in zip_longest(args, positional[: len(args)])]
    names, by_name = argument_names(spec_class), {each.name: each for each in parameters}
    fields = {names.get(name, name): value for name, value in kwargs.items()}
    named: dict[str, Any] = {name: filled_in(value, by_name.get(name)) for name, value in fields.items()}
    if (several := open_argument(spec_class)) in named:
        value = named.pop(several)
        filled += value if isinstance(value, (list, tuple)) else [value]
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
    """Whether Lua's `argument or default` is the default: for nil, and for false where no flag is expected."""
    default = parameter.default
    takes_flag = isinstance(default, bool) or "bool" in str(parameter.annotation)
    return default is not parameter.empty and (value is None or (value is False and not takes_flag))


def put_among(given: Given, each: Described) -> core.Module:
    """Adds an object and returns its description; a copy, if another object (a clone) has the same one."""
    description = each.description()
    if any(other is description for other, _ in given):
        description = description.replace()
    given.append((description, each))
    return description


def taken_from(given: Given, spec: core.Module) -> Value:
    """The given object with this very description, which is removed; a new one if there is none."""
    for i, (description, _) in enumerate(given):
        if description is spec:
            return given.pop(i)[1]
    return object_of(spec, given)


def objects_inside(spec: core.Module, given: Given) -> list[Value]:
    """The objects of the modules inside, in Torch's order: given ones, which are removed from `given`, and new ones."""
    children = spec.child_modules()
    if not children or not {*map(id, children)} <= {id(description) for description, _ in given}:
        given.extend((each, object_of(each, given)) for each in spec.made_first)
        for original, copy in spec.made_by_copying:
            made = taken_from(given, original)
            other = made.clone()
            other.reset()
            given.extend(((original, made), (copy, other)))
    return [taken_from(given, child) for child in children]
