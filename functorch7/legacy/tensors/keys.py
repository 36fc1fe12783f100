"""Makes JAX's random keys with NumPy; JAX would compile programs to make a key and to fold a number into it."""

from typing import Any

import jax
import numpy as np

_MASK = 0xFFFFFFFF
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def key_of(seed: int, number: int) -> jax.Array:
    """`jax.random.fold_in(jax.random.key(seed), number)`, of Threefry keys, for numbers of 32 bits.

    Source: Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011), Threefry-2x32 with 20 rounds.
    """
    schedule = (0, seed, seed ^ 0x1BD11BDA)
    first, second = 0, (number + seed) & _MASK
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            first = (first + second) & _MASK
            second = (second << rotation | second >> 32 - rotation) & _MASK ^ first
        first = (first + schedule[(group + 1) % 3]) & _MASK
        second = (second + schedule[(group + 2) % 3] + group + 1) & _MASK
    words: Any = np.array([first, second], np.uint32)
    return jax.random.wrap_key_data(words, impl="threefry2x32")
