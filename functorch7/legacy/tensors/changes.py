"""Tells plans about changes of structure, but only those of trees that contain what has changed."""

import weakref
from typing import Any, Protocol

_everyone: weakref.WeakSet = weakref.WeakSet()
"""All watchers that there are."""


class Watcher(Protocol):
    """Something that depends on objects, and becomes stale when one of them changes.

    It is in their modes, unless one has been switched since.
    """

    is_stale: bool
    is_in_mode: bool


def watch(watcher: Watcher, *things: object) -> None:
    """Tells the watcher about changes of these objects as long as it exists."""
    _everyone.add(watcher)
    for thing in things:
        seats = getattr(thing, "_seats", ())
        if not seats:
            seats = weakref.WeakSet()
            object.__setattr__(thing, "_seats", seats)
        seats.add(watcher)


def watchers(thing: object) -> list:
    """The watchers of an object, now or earlier."""
    seats: Any = getattr(thing, "_seats", ())
    if type(seats) is tuple:  # nobody has watched it
        return []
    # A WeakSet's own iterator takes ten times as long, and modules are switched between modes in every round of a loop.
    return [watcher for reference in seats.data.copy() if (watcher := reference()) is not None]


def changed(*things: object) -> None:
    """Notes that the structure of these objects (modules, lists of them, tensors, storages) has changed."""
    for thing in things:
        for watcher in watchers(thing):
            watcher.is_stale = True


def classes_changed() -> None:
    """Notes that methods of classes have changed, whose objects only a look at all there are would find."""
    for watcher in [*_everyone]:
        watcher.is_stale = True


def switched(thing: object) -> None:
    """Notes that a module has changed its mode, training or evaluation."""
    for watcher in watchers(thing):
        watcher.is_in_mode = False
