"""PyTorch's tables of modules and parameters: registered, and used one by one in the `forward` around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Self

from ...checks.numbers import position
from ...core.types import Value
from ..engine.forms import is_array
from ..modules.module import Module
from ..objects.described import Described
from ..tensors.kinds import Numbers
from ..tensors.parameter import Parameter
from .custom import Custom
from .traced import describing, tree_text


class Table(Custom):
    """Shared by tables of modules and of parameters: names, their values, and ways to set them."""

    _of_parameters = False
    _what = "module"

    def _names(self) -> list[str]:
        return self.own_parameters() if self._of_parameters else self.child_names()

    def _held(self) -> list[Any]:
        return [getattr(self, name) for name in self._names()]

    def _put(self, name: str, value: Any) -> None:
        """Puts a module or a parameter under a name. Raises TypeError for None, which tables do not hold."""
        if self._of_parameters and is_array(value) and not isinstance(value, Parameter):
            value = Parameter(value)
        if value is None:
            raise TypeError(f"{self.typename()}: expected a {self._what}, got None")
        if name in self._names():
            setattr(self, name, value)
        else:
            register: Any = self.register_parameter if self._of_parameters else self.add_module
            register(name, value)

    def __len__(self) -> int:
        return len(self._names())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        if not self._of_parameters:
            return super().__repr__()
        sizes = ("x".join(map(str, parameter.shape)) for parameter in self._held())
        lines = (f"Parameter containing: [{self._type} of size {size}]" for size in sizes)
        return tree_text(type(self).__name__, "", dict(zip(self._names(), lines, strict=True)))


class Listed(Table):
    """A table with positions, from 0, as names."""

    def _renumber(self, values: Iterable[Any]) -> None:
        values = list(values)
        for name in self._names():
            delattr(self, name)
        self.extend(values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._held())

    def _name(self, index: int) -> str:
        return str(position(self.typename(), index, len(self), f"{self._what}s"))

    def _of_same_kind(self, values: Iterable[Any]) -> Value:
        return (ParameterList if self._of_parameters else ModuleList)(values)

    def __getitem__(self, index: int | slice) -> Value:
        if isinstance(index, slice):
            return self._of_same_kind(self._held()[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index: int, value: Value) -> None:
        self._put(self._name(index), value)

    def __delitem__(self, index: int | slice) -> None:
        values = self._held()
        del values[index if isinstance(index, slice) else int(self._name(index))]
        self._renumber(values)

    def append(self, value: Value) -> Self:
        """Adds one at the end."""
        self._put(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Value]) -> Self:
        """Adds several at the end."""
        if not isinstance(values, Iterable):
            what, given = f"{self._what}s", type(values).__name__
            raise TypeError(f"{self.typename()}: extend expected {what} in a list, got {given}")
        for value in values:
            self.append(value)
        return self

    def insert(self, index: int, value: Value) -> None:
        """Inserts one before a position."""
        values = self._held()
        self.append(value)  # this refuses wrong values before anything has changed
        values.insert(index, self[-1])
        self._renumber(values)

    def pop(self, index: int = -1) -> Value:
        """Removes one and returns it."""
        value = self[index]
        del self[index]
        return value

    def __add__(self, values: Iterable[Value]) -> Value:
        return self._of_same_kind([*self, *values])

    def __iadd__(self, values: Iterable[Value]) -> Self:
        return self.extend(values)


class ModuleList(Listed):
    """A list of modules, named "0", "1", ...; positions count from 0, and slices are lists of the same modules.

    Raises: TypeError for anything but modules; IndexError out of range; NotImplementedError when called.
    Source: PyTorch, the Modules note.
    """

    def __init__(self, modules: Iterable[Described] | None = None):
        super().__init__()
        self.extend([] if modules is None else modules)

    def __repr__(self) -> str:
        """Equal neighbours are printed once: (0-2): 3 x Name(...)."""
        lines: dict[str, str] = {}
        for text, group in groupby(enumerate(map(repr, self)), key=lambda pair: pair[1]):
            first, *more = (position for position, _ in group)
            lines[f"{first}-{more[-1]}" if more else str(first)] = f"{len(more) + 1} x {text}" if more else text
        return tree_text(type(self).__name__, self.extra_repr(), lines)


class ParameterList(Listed):
    """A list of parameters, named "0", "1", ...; tensors put in become parameters.

    Raises: TypeError for anything but tensors; IndexError out of range; NotImplementedError when called.
    Source: PyTorch, the Modules note.
    """

    _of_parameters = True
    _what = "parameter"

    def __init__(self, values: Iterable[Numbers] | None = None):
        super().__init__()
        self.extend([] if values is None else values)


class Named(Table):
    """A table by name, in the order of insertion."""

    def __getitem__(self, name: str) -> Value:
        self._check(name)
        return getattr(self, name)

    def __setitem__(self, name: str, value: Value) -> None:
        self._put(name, value)

    def __delitem__(self, name: str) -> None:
        self._check(name)
        delattr(self, name)

    def _check(self, name: str) -> None:
        if name not in self:
            raise KeyError(f"{self.typename()}: expected one of {self._names()}, got {name!r}")

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def keys(self) -> list[str]:
        """The names."""
        return self._names()

    def values(self) -> list[Value]:
        """The modules or parameters."""
        return self._held()

    def items(self) -> list[tuple[str, Value]]:
        """Pairs of names and values, in order."""
        return list(zip(self._names(), self._held(), strict=True))

    def update(self, given: Mapping[str, Value] | Iterable[tuple[str, Value]]) -> None:
        """Adds the given ones, in place of those with the same names."""
        if not isinstance(given, Iterable):
            raise TypeError(f"{self.typename()}: update expected a dict or pairs, got {type(given).__name__}")
        for name, value in dict(given).items():
            self[name] = value

    def pop(self, name: str) -> Value:
        """Removes one and returns it."""
        value = self[name]
        del self[name]
        return value

    def clear(self) -> None:
        """Removes all."""
        for name in self._names():
            delattr(self, name)


class ModuleDict(Named):
    """Modules by name, in the order of insertion.

    Raises: TypeError for anything but modules; KeyError for a name with a dot, or an attribute's;
    NotImplementedError when called. Source: PyTorch, the Modules note.
    """

    def __init__(self, modules: Mapping[str, Module] | None = None):
        super().__init__()
        self.update({} if modules is None else modules)


class ParameterDict(Named):
    """Parameters by name, in the order of insertion; tensors put in become parameters.

    Raises: TypeError for anything but tensors; KeyError for a name with a dot, or an attribute's;
    NotImplementedError when called. Source: PyTorch, the Modules note.
    """

    _of_parameters = True
    _what = "parameter"

    def __init__(self, parameters: Mapping[str, Numbers] | None = None):
        super().__init__()
        self.update({} if parameters is None else parameters)


for _kind in (Table, Listed, Named, ModuleList, ModuleDict, ParameterList, ParameterDict):
    _kind.described_by = describing(_kind)
