"""Who hears of a change of structure: the plans of the trees that hold what has changed, and nobody else."""

import weakref
from typing import Protocol


class Watcher(Protocol):
    """What has looked at objects, and is stale as soon as one of them is no longer as it was.

    It is known to be in their modes, unless one has been switched since it looked.
    """

    is_stale: bool
    is_in_mode: bool


def watch(watcher: Watcher, *things: object) -> None:
    """Lets the watcher hear of changes of these objects, for as long as it lives."""
    for thing in things:
        seats = getattr(thing, "_seats", ())
        if not seats:
            seats = weakref.WeakSet()
            object.__setattr__(thing, "_seats", seats)
        seats.add(watcher)


def watchers(thing: object) -> list:
    """Those that hear of its changes, or of earlier ones."""
    seats = getattr(thing, "_seats", ())
    if type(seats) is tuple:  # nobody has watched it
        return []
    # A WeakSet's own iterator takes ten times as long, and modules are switched between modes in every round of a loop.
    return [watcher for reference in seats.data.copy() if (watcher := reference()) is not None]


def changed(*things: object) -> None:
    """Notes that the structure of these objects (modules, lists of them, tensors, storages) is another one now."""
    for thing in things:
        for watcher in watchers(thing):
            watcher.is_stale = True


def switched(thing: object) -> None:
    """Notes that a module is in another mode now, training or evaluation."""
    for watcher in watchers(thing):
        watcher.is_in_mode = False
