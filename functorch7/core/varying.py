"""Inside `jax.shard_map`: which values differ from device to device, which JAX has to be told where a value begins.

What is computed of values that differ does, too, by itself. But a loop's carry has to be, before the first step, what
it is after one, and so have the results of all branches of a choice. What a function with a way back of its own takes
has to be alike, too: JAX adds up the gradients of what is the same on all devices where it is made to differ.
"""

from collections.abc import Callable
from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import lax

from .types import Value


def varying_as(tree: Value, like: Value) -> Value:
    """The tree; all its arrays differ from device to device, as far as JAX knows, where any of another one's does."""
    if not by_devices():
        return tree
    no = reduce(jnp.logical_or, [jnp.zeros_like(each, dtype=bool, shape=()) for each in jax.tree.leaves(like)])
    return jax.tree.map(lambda value: jnp.where(no, value, value), tree)


def shaped(shape: tuple[int, ...], like: jax.Array) -> jax.ShapeDtypeStruct:
    """The type of an array of this shape that has the numbers of another one, and differs where that does."""
    return jax.eval_shape(partial(jnp.zeros_like, shape=shape), like)


def scan(
    body: Callable[[Value, Value], tuple[Value, Value]], carry: Value, xs: Value, unroll: int = 1
) -> tuple[Value, Value]:
    """`lax.scan`, whose carry is before the first step what it is after one."""
    if by_devices() and len(jax.tree.leaves(xs)[0]):
        before = None
        while (after := jax.eval_shape(body, carry, jax.tree.map(lambda x: x[0], xs))[0]) != before:
            carry, before = jax.tree.map(varying_as, carry, after), after
    return lax.scan(body, carry, xs, unroll=unroll)


def no_change(whole: jax.Array) -> jax.Array:
    """The tangent of whole numbers for a `custom_jvp`, which differs from device to device where these do."""
    return jax.custom_derivatives.zero_from_primal(whole)


def by_devices() -> bool:
    """Whether what is traced here is the program of one device among several, which `jax.shard_map` runs."""
    return bool(jax.sharding.get_abstract_mesh().manual_axes)
