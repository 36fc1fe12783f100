"""The one generator behind the legacy interface's randomness: Torch's, set by `manualSeed`."""

import contextlib
import threading
from collections.abc import Iterator

import jax
import numpy as np


class _State:
    """A base key with a counter (for initial values and layers that draw), and NumPy's generator for tensors."""

    key: jax.Array | None = None
    count = 0
    numpy = np.random.default_rng()


def manualSeed(seed: int) -> None:
    """Starts all randomness of the legacy interface anew; equal seeds give equal numbers."""
    _State.key, _State.count, _State.numpy = jax.random.key(seed), 0, np.random.default_rng(seed)


_own = threading.local()  # a thread's own generator


@contextlib.contextmanager
def drawing_from(random: np.random.Generator) -> Iterator[None]:
    """Inside, `generator` is this one, in the calling thread."""
    _own.generator = random
    try:
        yield
    finally:
        del _own.generator


@contextlib.contextmanager
def refusing(where: str | None) -> Iterator[None]:
    """Inside, numbers cannot be drawn: a program that is traced draws once for all its calls. None allows it again."""
    before, _own.refused = getattr(_own, "refused", None), where
    try:
        yield
    finally:
        _own.refused = before


def generator() -> np.random.Generator:
    """The generator of tensors' values and of permutations. Raises TypeError inside `refusing`."""
    if getattr(_own, "refused", None):
        raise TypeError(
            f"{_own.refused} draws numbers, but runs once for all calls, which would get the same; use a module that "
            "draws (nn.Dropout, nn.WhiteNoise), or pass them as an argument"
        )
    return getattr(_own, "generator", _State.numpy)


def next_draw() -> tuple[jax.Array, np.uint32]:
    """A base key and a number to fold into it: inside a compiled function, so that it costs no dispatch."""
    if _State.key is None:
        _State.key = jax.random.key(int(_State.numpy.integers(2**31)))
    _State.count += 1
    return _State.key, np.uint32(_State.count)
