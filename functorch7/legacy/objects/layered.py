"""Layers of classes: what other packages have beside Torch's names is put in front of a class when it is asked for."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

Bring = Callable[[], Any]
"""What imports the package of a layer, which puts it in front."""

_layers: dict[str, Bring] = {}
"""What brings the layer that has a name."""

fields: dict[str, Bring] = {}
"""The same of names that are properties, or kept in objects: a layer comes when one is set, too."""


given_forward: list[Callable[[Any], None]] = []
"""What looks at a class that gets another `forward` after it was made."""


def offer(by: Bring, names: Iterable[str], settable: Iterable[str] = ()) -> None:
    """Says which names a layer has, and which of them are set."""
    fields.update(dict.fromkeys(settable, by))
    _layers.update(dict.fromkeys(names, by))
    _layers.update(fields)


def bring(name: str) -> bool:
    """Brings the layer that has a name; whether there is such a layer."""
    found = _layers.get(name)
    if found is not None:
        found()
    return found is not None


def bring_all() -> None:
    """Brings all layers."""
    for found in {*_layers.values()}:
        found()


def brought(kind: type, name: str) -> bool:
    """Whether a class has a name that it did not seem to have, because its layer has come."""
    return bring(name) and any(name in vars(base) for base in kind.__mro__)


def put_in_front(kind: type, addition: type) -> None:
    """Makes a class the first of the bases of another, so that it comes before what that one inherits."""
    if not issubclass(kind, addition):
        kind.__bases__ = (addition, *kind.__bases__)


Kind = ABCMeta if TYPE_CHECKING else type(Protocol)
"""What the classes of a class derived from ABC, from Protocol and from one with layers have in common."""


class Layered(Kind):
    """The class of classes that have layers: a layer's name that is not there yet brings the layer."""

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
