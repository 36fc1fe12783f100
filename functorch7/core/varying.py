"""Inside `jax.shard_map`: which values differ from device to device.

JAX knows that results computed from differing values differ. But it has to be told about a new value where:

- it starts the carry of a loop, which must have the same type before the first step as after it;
- it is the result of one branch of a choice, whose other branches give values that differ;
- it goes into a function with a way back of its own beside values that differ: JAX adds up the gradients of
  a value that is the same on all devices at the point where it is made to differ.
"""

from collections.abc import Callable
from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import lax

from .types import Value


def varying_as(tree: Value, like: Value) -> Value:
    """The tree, whose arrays JAX takes to differ from device to device if any array of `like` does."""
    if not by_devices():
        return tree
    no = reduce(jnp.logical_or, [jnp.zeros_like(each, dtype=bool, shape=()) for each in jax.tree.leaves(like)])
    return jax.tree.map(lambda value: jnp.where(no, value, value), tree)


def shaped(shape: tuple[int, ...], like: jax.Array) -> jax.ShapeDtypeStruct:
    """The type of an array of this shape with the dtype of `like`, differing from device to device if that does."""
    return jax.eval_shape(partial(jnp.zeros_like, shape=shape), like)


def scan(
    body: Callable[[Value, Value], tuple[Value, Value]], carry: Value, xs: Value, unroll: int = 1
) -> tuple[Value, Value]:
    """`lax.scan`, whose first carry is made to differ from device to device where later ones do."""
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
