"""Plans of calls: whatever follows from the arguments' types alone is worked out once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from .devices import at_hand
from .quiet import quietly


def types_of(args: tuple) -> tuple[type, ...]:
    """The types of arguments, by which plans are found."""
    return tuple(map(type, args))


def places_of_letters(letters: str, kinds: str) -> tuple[int, ...]:
    """The places of the letters of these kinds."""
    return tuple([place for place, letter in enumerate(letters) if letter in kinds])


Plan = Callable[..., Any]
"""A function of arguments, some of them tensors: the results as arrays, or None for a call that needs more checks."""


def planned(
    compute: Callable,
    places: tuple[int | None, ...],
    left_out: object,
    letters: str,
    of_one_size: bool,
    with_fractions: bool,
    check: Callable[[tuple], object] | None = None,
) -> Plan:
    """The plan of calls of `compute(library, ...)`, whose arguments are at these places of those given.

    `plan(args, tensor)`: place -1 is the tensor's, and None that of `left_out`. Plans serve the most frequent calls:
    NumPy's tensors of one type (with fractions if the operation needs them) and, if it needs that, of one size.
    `letters` are those of `compute`'s arguments: x and t for tensors, d and D for dimensions. `check` raises an error
    for sizes that do not fit.
    """
    are_in_order = places == tuple(range(len(places)))
    chosen = itemgetter(*(-2 if place is None else place for place in places), 0)  # one more, for it to give a tuple
    function = partial(compute, np) if (of_numpy := getattr(compute, "of_numpy", None)) is None else of_numpy
    tensors, dimensions = places_of_letters(letters, "xt"), places_of_letters(letters, "dD")
    at_first, others = tensors[0], tensors[1:]

    def plan(args: tuple, tensor: Any = None) -> Any:
        values = list(args) if are_in_order else list(chosen((*args, left_out, tensor))[:-1])
        first = values[at_first] = at_hand(values[at_first].peeked)
        if type(first) is not np.ndarray or not (shape := first.shape) or (dimensions and not first.size):
            return None
        dtype = first.dtype
        if with_fractions and dtype.kind != "f":
            return None
        for at in others:
            array = values[at] = at_hand(values[at].peeked)
            if type(array) is not np.ndarray or array.dtype is not dtype or (of_one_size and array.shape != shape):
                return None
        for at in dimensions:
            if (dimension := values[at]) is not None:
                if not 1 <= dimension <= len(shape):
                    return None
                values[at] = dimension - 1
        if check is not None:
            check(tuple([values[at].shape for at in tensors]))
        return quietly(function, *values)

    return plan
