"""What the tests of other frameworks share."""

import jax
import numpy as np

from functorch7.network import structure_of

RANDOM = np.random.default_rng(3)


def made(module):
    """Variables of a module with positive numbers, in JAX arrays that cost no compiled program."""
    positive = lambda a: jax.numpy.asarray(RANDOM.uniform(0.1, 1, a.shape).astype(a.dtype))  # noqa: E731
    return jax.tree.map(positive, structure_of(module))
