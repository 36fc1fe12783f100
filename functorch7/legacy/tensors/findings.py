"""Errors in values that calls on an accelerator have found: they are raised when a result there is read.

Fetching them after each call would make Python wait for the accelerator, which otherwise runs behind.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.checkify import Error

from ... import core, programs
from .devices import Place

MOST = 64
"""How many findings wait at most."""

_waiting: list[tuple[Callable[[], Error], Place]] = []


def tell_later(found: Callable[[], Error], place: Place) -> None:
    """Keeps what a call at this place finds, when it has run."""
    _waiting.append((found, place))
    if len(_waiting) >= MOST:
        tell()


def tell() -> None:
    """Raises the ValueError of the first call since the last time that has found something, if any."""
    if not _waiting:
        return
    waiting = _waiting[:]
    _waiting.clear()
    errors, flags = [], defaultdict(list)
    for found, place in waiting:
        errors.append(error := found())
        # Its truth values: whether there is an error, and what it may say of values.
        flags[place] += [leaf for leaf in jax.tree.leaves(error) if leaf.dtype == bool]
    if any(map(_is_any, flags.values())):
        for error in errors:
            core.raise_found(error)


def _is_any(flags: list) -> bool:
    """Whether one of them is set; there are programs for a few numbers of flags, and one transfer."""
    if len(flags) == 1:
        return bool(np.asarray(flags[0]))
    missing = 2 ** (len(flags) - 1).bit_length() - len(flags)
    return bool(np.asarray(_program()([*flags, *flags[:1] * missing])))


@functools.cache
def _program() -> programs.Compiled:
    return programs.Compiled(jax.jit(lambda flags: functools.reduce(jnp.logical_or, map(jnp.any, flags))))
