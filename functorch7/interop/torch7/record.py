"""An object of a file that gives its fields by name; a missing field is an error that says where."""

from __future__ import annotations

import numpy as np

from ... import core
from ...core.types import Value
from ..t7 import T7FormatError, T7Object, T7Storage
from ..t7.values import TENSORS, Content, Fields

PLAIN_KINDS = (str, bool, int, float)
OWN_FIELDS = "functorch7_fields"
"""The field that lists the fields that a program has added to those of its class."""

FROZEN = "_functorch7_frozen"
"""The field that names the parameters that are not learned; others without a gradient get a gradient of zeros."""

WITHOUT_GRADIENT = "_functorch7_without_gradient"
"""The field that names those whose `requires_grad` is false, as in PyTorch: they have a gradient of zeros."""

OWN_NAME = "_functorch7_name"
"""The field for a module's name where its class has another field `name`."""

EMPTIED = "_functorch7_emptied"
"""The field with the sizes of parameters in whose place a program has put a tensor without elements (`weight:set()`),
or of another size, about which a file says nothing else."""


class T7ModuleError(T7FormatError):
    """An object of a known class whose fields do not make a module."""


class Record:
    """A T7Object's fields, upgraded to the newest version, under the name of the class that stands for it."""

    def __init__(self, object: T7Object, class_name: str, fields: Fields, path: str):
        self.object, self.class_name, self.fields, self.path = object, class_name, fields, path

    def error(self, message: str) -> T7ModuleError:
        """An error that names its object."""
        return T7ModuleError(f"{self.object.class_name} at {self.path}: {message}", self.object.offset)

    def get(self, name: str, default: Value = None) -> Content:
        """A field; the default if it is nil."""
        value = self.fields.get(name)
        return default if value is None else value

    def need(self, *names: str) -> Content:
        """The first of these fields that exists. Raises T7ModuleError."""
        for name in names:
            if self.fields.get(name) is not None:
                return self.fields[name]
        present = ", ".join(sorted(map(str, self.fields)))
        raise self.error(f"no field {' or '.join(names)}; there are: {present}")

    def array(self, name: str) -> np.ndarray | None:
        """A tensor with elements; None if there is none."""
        value = self.fields.get(name)
        return value if isinstance(value, np.ndarray) and value.size else None

    def has(self, name: str) -> bool:
        """Whether the object has a parameter of this name, with elements or emptied."""
        return self.array(name) is not None or name in self.emptied()

    def size(self, name: str, axis: int) -> int:
        """A size of a tensor, by its dimension from 0."""
        array = self.array(name)
        shape = self.emptied().get(name, () if array is None else array.shape)
        if len(shape) <= axis:
            raise self.error(f"expected a tensor of {axis + 1} dimensions as {name}")
        return shape[axis]

    def emptied(self) -> dict[str, tuple[int, ...]]:
        """The sizes of parameters in whose place the program has put another tensor, by their names in the file."""
        given = self.fields.get(EMPTIED)
        sizes = {name: getattr(each, "array", None) for name, each in given.items()} if isinstance(given, dict) else {}
        return {str(name): tuple(map(int, each)) for name, each in sizes.items() if each is not None and len(each)}

    def settings(self) -> Fields:
        """Other properties of the object: mode, type of tensors, what its Serial form empties, what is frozen.

        Raises: T7ModuleError for values that are invalid for these.
        """
        names = dict.fromkeys(("dpnn_serialEmpty", FROZEN, WITHOUT_GRADIENT), _is_list_of_names)
        kinds = {"train": _is_boolean, "_type": _is_tensor_type, **names}
        found = {name: self.fields[name] for name in kinds if self.fields.get(name) is not None}
        wrong = [name for name, value in found.items() if not kinds[name](value)]
        if wrong:
            raise self.error(f"the field {wrong[0]} has a {type(found[wrong[0]]).__name__} that says nothing")
        return found

    def own_fields(self) -> Fields:
        """The fields that a program may have added to those of the object's class.

        Torch's files do not distinguish these from what Torch's classes leave behind. From those files, harmless values
        are taken: numbers, texts, and tables of these, under names that do not begin with an underscore (those of
        Torch's classes do); and functions, if a program may call them.
        """
        named = self.fields.get(OWN_FIELDS)
        if named is None:
            names = [name for name in self.fields if _is_name(name) and not str(name).startswith("_")]
            return {name: self.fields[name] for name in names if is_harmless(self.fields[name])}
        if not (isinstance(named, list) and all(map(_is_name, named))):
            raise self.error(f"expected names as {OWN_FIELDS}, got {type(named).__name__}")
        return {name: self.fields[name] for name in named if self.fields.get(name) is not None}


def is_harmless(value: Value) -> bool:
    """Whether a value is a number, text or boolean, or a table of these."""
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, dict)) and id(each) not in seen:
            seen.add(id(each))
            waiting += [*each, *each.values()] if isinstance(each, dict) else each
        elif not isinstance(each, (*PLAIN_KINDS, list, dict)):
            return False
    return value not in ([], {})


def _is_boolean(value: Value) -> bool:
    return isinstance(value, bool)


def _is_tensor_type(value: Value) -> bool:
    return isinstance(value, str) and (value in TENSORS or value == "torch.Tensor")


def _is_list_of_names(value: Value) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_name(value: Value) -> bool:
    """Whether a value may be a field's name: objects have numbers as names, too."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def plain(value: object) -> Content:
    """A value in the form that descriptions accept: tables and storages as tuples, tensors as constants."""
    if isinstance(value, T7Storage):
        return tuple(value.array.tolist())
    if isinstance(value, list):
        return tuple(plain(each) for each in value)
    return core.Const(value) if isinstance(value, np.ndarray) else value


def records_in(value: object) -> list[T7Object]:
    """The objects in a table, in order; the table may have holes."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(key for key in value if isinstance(key, (int, float)))]
    return [each for each in value if isinstance(each, T7Object)] if isinstance(value, list) else []
