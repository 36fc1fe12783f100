"""Many storages at once: what `Storage` does for one, without a Python call for each."""

from collections.abc import Iterable
from operator import attrgetter, is_

import jax
import numpy as np

from .devices import has_others
from .noted import settled
from .storage import Storage

_array = attrgetter("_array")


def arrays_of(storages: Iterable[Storage]) -> list:
    """The array of each, to compute with."""
    found = []
    for storage in storages:
        array = storage._array
        if array is None or type(storage) is not Storage:
            array = storage.ready
        else:
            storage._owned = False
        found.append(array)
    return found


def are_at(storages: list[Storage], versions: list) -> bool:
    """Whether none has been written to since it had this version."""
    if all(map(is_, map(_array, storages), versions)):  # which were not owned any more when they were handed out
        return True
    return all([settled(each.version) is settled(then) for each, then in zip(storages, versions, strict=True)])


def are_zero(storages: Iterable[Storage]) -> bool:
    """Whether all are known to hold zeros, without looking."""
    for storage in storages:
        if storage._array is not None or storage._make is not None:
            return False
    return True


def noted_of(storages: Iterable[Storage]) -> list:
    """The array of each, or, on an accelerator, what is noted of it."""
    return [storage.noted for storage in storages] if has_others() else arrays_of(storages)


def given_up(storages: Iterable[Storage], once: bool, or_zero: bool) -> tuple[list, list]:
    """(arrays, arrays that a program may overwrite): each storage is in one list, and None in the other.

    Only a program that runs once may overwrite any. With `or_zero`, a storage that is known to hold zeros gives None
    in both lists.
    """
    kept, over = [], []
    for storage in storages:
        array = storage._array
        if once and storage._owned and isinstance(array, jax.Array):
            kept.append(None)
            over.append(array)
        else:
            kept.append(None if or_zero and storage.is_zero else storage.ready)
            over.append(None)
    return kept, over


def hold(storages: Iterable[Storage], arrays: Iterable[np.ndarray], owned: bool = False) -> None:
    """Gives each an array; `owned`: nobody else has seen them."""
    are_on_host = not has_others()
    for storage, array in zip(storages, arrays, strict=True):
        if are_on_host and storage.is_plain:
            storage._array, storage._make, storage._owned, storage._parts = array, None, owned, None
        else:
            storage.array = array
            storage._owned = owned


def zero(storages: Iterable[Storage]) -> None:
    """Fills each with zeros, at no cost until somebody reads."""
    for storage in storages:
        if storage.is_plain:
            storage._array = storage._make = storage._parts = None
        else:
            storage.zero()
