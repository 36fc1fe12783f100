"""What calls on an accelerator have found wrong with values: it is told when somebody looks at something there.

To fetch it after each call would make Python wait for the accelerator, which otherwise runs behind it.
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
"""So many findings wait at most."""

_waiting: list[tuple[Callable[[], Error], Place]] = []


def tell_later(found: Callable[[], Error], place: Place) -> None:
    """Keeps what a call has found, or will have when it has run, at this place."""
    _waiting.append((found, place))
    if len(_waiting) >= MOST:
        tell()


def tell() -> None:
    """Raises the ValueError of the first call that has found something, if there was one since the last time."""
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
    """Whether one of them is set: one program for a few numbers of flags, and one transfer."""
    if len(flags) == 1:
        return bool(np.asarray(flags[0]))
    missing = 2 ** (len(flags) - 1).bit_length() - len(flags)
    return bool(np.asarray(_program()([*flags, *flags[:1] * missing])))


@functools.cache
def _program() -> programs.Compiled:
    return programs.Compiled(jax.jit(lambda flags: functools.reduce(jnp.logical_or, map(jnp.any, flags))))
