"""The generator behind the legacy interface's randomness: Torch's global one, or a thread's own."""

import numbers
from contextlib import AbstractContextManager
from contextvars import ContextVar

import jax
import numpy as np

from ...core.contexts import during
from .generator import Generator
from .keys import key_of
from .kinds import Operand

default_generator = Generator()


_GENERATOR: ContextVar[Generator | None] = ContextVar("generator", default=None)
_REFUSED: ContextVar[str | None] = ContextVar("refused", default=None)


def drawing_from(random: np.random.Generator) -> AbstractContextManager[object]:
    """A block in which `generator` is this one, in the calling thread."""
    return during(_GENERATOR, Generator(random))


def refusing(where: str | None) -> AbstractContextManager[object]:
    """A block in which no numbers can be drawn: a traced function would draw once for all calls. None lifts the ban."""
    return during(_REFUSED, where)


def generator() -> Generator:
    """The generator for tensors' values, initial values and permutations. Raises TypeError inside `refusing`."""
    if where := _REFUSED.get():
        raise drawing_is_refused(where)
    return _GENERATOR.get() or default_generator


def drawing_is_refused(where: str) -> TypeError:
    """The error for numbers drawn while something is traced."""
    return TypeError(
        f"{where} draws numbers, but runs once for all calls, which would get the same; use a module that "
        "draws (nn.Dropout, nn.WhiteNoise), or pass them as an argument"
    )


def next_draw() -> tuple[np.uint32, np.uint32]:
    """A key's seed and a number to fold into it, from which compiled programs make the key of their draw."""
    return default_generator.draw()


def next_key() -> jax.Array:
    """The key of the next draw, made at once."""
    return key_of(*map(int, next_draw()))


def split_off_generator(args: tuple) -> tuple[Generator | None, tuple]:
    """The generator that comes first among arguments, if one does, and the other arguments."""
    return (args[0], args[1:]) if args and isinstance(args[0], Generator) else (None, args)


def given_generator(args: tuple) -> tuple[Generator, tuple]:
    """The same, with the generator in use if none is given."""
    found, rest = split_off_generator(args)
    return found or generator(), rest


# Torch's functions ----------------------------------------------------------------------------------------------------


def manualSeed(*args: Operand) -> None:
    """manualSeed([generator,] number): seeds all randomness, or a generator; equal seeds give equal numbers.

    Raises TypeError for anything but a number.
    """
    chosen, rest = split_off_generator(args)
    if len(rest) != 1 or not isinstance(rest[0], numbers.Real):
        raise TypeError(f"torch.manualSeed: expected ([generator], number), got {args}")
    (chosen or default_generator).manual_seed(int(rest[0]))  # type: ignore[arg-type]


def seed(generator: Generator = default_generator) -> int:
    """Seeds all randomness, or a generator, from the operating system's random numbers, and returns the seed."""
    return generator.seed()


def initialSeed(generator: Generator = default_generator) -> int:
    """The seed in use."""
    return generator.initial_seed()
