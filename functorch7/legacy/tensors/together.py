"""Arrays that are combined: where they lie, and how they come to lie on the same devices."""

from __future__ import annotations

import jax

from .devices import Place, place_of, spread_over
from .noted import Noted, looked_at, settled


def place_among(array: object) -> Place | None:
    """Where an array, or what is noted of one, lies; None for the host."""
    return array.notes.place if type(array) is Noted else place_of(array)


def _held_at(array: object) -> Place | None:
    """Where an array has to stay; None if JAX may take it wherever it is needed."""
    place = place_among(array)
    return place if place is None or getattr(settled(array), "committed", True) else None


def brought_together(leaves: list) -> tuple[list, Place | None]:
    """(the values with all arrays at one place, that place).

    Arrays on some of another's devices are spread over all of these. Raises ValueError if none lies on all devices.
    """
    leaves, places = where_they_meet(leaves)
    if len(places) > 1:
        given = " and ".join(sorted(", ".join(sorted(map(str, each))) for each in places))
        raise ValueError(f"expected tensors that lie together, got some on {given}; copy takes elements to others")
    return leaves, next(iter(places), None)


def met(leaves: list) -> list:
    """Arrays for one call; those on some of another's devices are spread over all of these."""
    places = {*map(place_among, leaves)}
    return leaves if len(places) < 2 or len(places - {None}) < 2 else where_they_meet(leaves)[0]


def where_they_meet(leaves: list) -> tuple[list, set[Place]]:
    """The same, and where they lie then: at several places if none of them has all devices."""
    places = set(filter(None, map(_held_at, leaves)))
    place = max(places, key=len, default=None)
    if place is None or len(places) == 1 or not all(each <= place for each in places):
        return leaves, places
    found = [
        each if _held_at(each) in (None, place) else jax.device_put(looked_at(each), spread_over(place))
        for each in leaves
    ]
    return found, {place}
