"""What users' calls find around them while a network's code runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from itertools import cycle

import jax.numpy as jnp

from ...core.contexts import during
from ...core.types import Array
from .user_calls import Left

_answers: ContextVar[Iterator | None] = ContextVar("answers", default=None)
_noted: ContextVar[list | None] = ContextVar("noted", default=None)
_anchor: ContextVar[Array | None] = ContextVar("anchor", default=None)
_is_apart: ContextVar[bool] = ContextVar("is_apart", default=False)


def anchor() -> Array:
    """A number, with respect to which is differentiated, so that backward reaches all that have gradients of their own:
    their input may be whole numbers, or what nobody passes a gradient on to.
    """
    given = _anchor.get()
    return jnp.zeros(()) if given is None else given


def anchored(value: Array | None) -> AbstractContextManager:
    """A block in which `anchor` is this."""
    return during(_anchor, value)


def noting_calls() -> AbstractContextManager[list[Left]]:
    """A block that gives a list, of what the users' calls in it leave, for `answering`."""
    return during(_noted, [])


def note_call(left: Array) -> None:
    """Notes what a call leaves, if somebody asks."""
    noted = _noted.get()
    if noted is not None:
        noted.append(left)


def answering(given: list) -> AbstractContextManager:
    """A block in which each user's call gives what it gave when it left these, in turn; without any, all are made."""
    return during(_answers, cycle(given) if given else None)


def answers() -> Iterator | None:
    """What the calls of this block give, in turn; None: they are made."""
    return _answers.get()


def apart() -> AbstractContextManager:
    """A block in which a program that is otherwise compiled runs operation by operation, users' calls among them."""
    return during(_is_apart, True)


def runs_apart() -> bool:
    """Whether this is in such a block."""
    return _is_apart.get()
