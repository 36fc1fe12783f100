"""Layers of classes: what other packages have beside Torch's names is put in front of a class when it is asked for."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

Bring = Callable[[], Any]
"""What imports the package of a layer, which puts it in front."""

_asked_for: dict[str, Bring] = {}
_set: dict[str, Bring] = {}


def offer(bring: Bring, names: Iterable[str], fields: Iterable[str]) -> None:
    """Says which names a layer has; it comes when one is asked for, and when one of its fields is set."""
    _asked_for.update(dict.fromkeys((*names, *fields), bring))
    _set.update(dict.fromkeys(fields, bring))


def _come(bring: Bring) -> None:
    bring()
    for names in (_asked_for, _set):
        for name in [name for name, one in [*names.items()] if one is bring]:
            names.pop(name, None)


def brought(name: str) -> bool:
    """Whether a layer has come now, because a name of its own is asked for."""
    bring = _asked_for.get(name)
    if bring is not None:
        _come(bring)
    return bring is not None


def brought_all() -> None:
    """Brings all layers that are not there yet."""
    for name in [*_asked_for]:
        brought(name)


def bring_for_fields(names: Iterable[str]) -> None:
    """Brings the layers that have these among their fields, which are set."""
    for name in names if _set else ():
        if name in _set:
            brought(name)


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

    def __getattr__(cls, name: str) -> Any:
        if brought(name) and hasattr(cls, name):
            return getattr(cls, name)
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
