"""Layers of classes: additional names of other packages, which are put in front of a class when they are used."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

Bring = Callable[[], Any]
"""Imports the package of a layer, which puts itself in front."""

_layers: dict[str, Bring] = {}
"""The function that brings the layer with a name."""

fields: dict[str, Bring] = {}
"""The same for properties and fields of objects: setting one also brings the layer."""


given_forward: list[Callable[[Any], None]] = []
"""Functions that are called with a class whose `forward` is set after it was made."""


def offer(by: Bring, names: Iterable[str], settable: Iterable[str] = ()) -> None:
    """Declares a layer's names, and which of them can be set."""
    fields.update(dict.fromkeys(settable, by))
    _layers.update(dict.fromkeys(names, by))
    _layers.update(fields)


def bring(name: str) -> bool:
    """Brings the layer with a name; returns whether there is one."""
    found = _layers.get(name)
    if found is not None:
        found()
    return found is not None


def is_of_other_package(name: str) -> bool:
    """Whether only a layer has the name, and Torch's modules have not."""
    return name in _layers and name != "half"


def bring_all() -> None:
    """Brings all layers."""
    for found in {*_layers.values()}:
        found()


def brought(kind: type, name: str) -> bool:
    """Brings the layer with a name; returns whether the class has the name now."""
    return bring(name) and any(name in vars(base) for base in kind.__mro__)


def put_in_front(kind: type, addition: type) -> None:
    """Makes a class the first base of another."""
    if not issubclass(kind, addition):
        kind.__bases__ = (addition, *kind.__bases__)


Kind = ABCMeta if TYPE_CHECKING else type(Protocol)
"""A metaclass for classes that derive from ABC, from Protocol, or from a class with layers."""


class Layered(Kind):
    """The metaclass of classes with layers: asking for a name of a layer brings the layer."""

    __dict__: Any  # type: ignore[misc]  # pyright takes that of an object for that of its class
    __new__, __init__ = ABCMeta.__new__, ABCMeta.__init__  # type: ignore[assignment]
    __instancecheck__, __subclasscheck__ = type.__instancecheck__, type.__subclasscheck__

    def __setattr__(cls, name: str, value: object) -> None:
        type.__setattr__(cls, name, value)
        if name == "forward":
            for look in given_forward:
                look(cls)

    def __getattr__(cls, name: str) -> Any:
        if brought(cls, name):
            return type.__getattribute__(cls, name)
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
