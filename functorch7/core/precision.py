"""16-bit numbers in formulas that need more: squares beyond 65504, an eps of 1e-12, places in large images."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from .backend import traced_for
from .types import Array, Value

Given = ParamSpec("Given")
Result = TypeVar("Result")


def is_inexact(leaf: Value) -> bool:
    """Whether a number or an array may have a derivative: it is real or complex, not whole and no truth value."""
    return jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)


def cast_floating(tree: Value, dtype: DTypeLike) -> Value:
    """The tree with its floating-point arrays in another dtype."""
    return jax.tree.map(lambda leaf: leaf.astype(dtype) if is_inexact(leaf) else leaf, tree)


def floating(dtype: DTypeLike) -> DTypeLike:
    """The dtype of what is made of constants, or of data: the dtype itself, float32 for whole numbers."""
    return dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.float32


def with_fractions(array: Array) -> Array:
    """An array as sums and products take it: whole numbers, whose types are too narrow for these, as real ones."""
    return array if jnp.issubdtype(array.dtype, jnp.inexact) else jnp.asarray(array, jnp.result_type(float))


def whole_as(dtype: DTypeLike, tree: Value) -> Value:
    """The tree with its whole numbers in a type, as narrow as JAX has it."""

    def changed(array: Value) -> Value:
        return array if jnp.issubdtype(array.dtype, jnp.inexact) else array.astype(jax.dtypes.canonicalize_dtype(dtype))

    return jax.tree.map(changed, tree)


def at_least_float32(dtype: DTypeLike) -> DTypeLike:
    """The dtype in which to accumulate: float32, or the dtype itself if it is wider."""
    return dtype if jnp.finfo(dtype).bits >= 32 else jnp.float32


def widened(tree: Value) -> Value:
    """The tree with its floating-point arrays of 16 bits as float32, in which small changes and long sums are seen."""

    def wide(array: Value) -> Value:
        narrow = _is_floating(array) and jnp.finfo(array.dtype).bits < 32
        return array.astype(jnp.float32) if narrow else array

    return jax.tree.map(wide, tree)


def spread(array: Array, to: tuple[int, ...], shape: tuple[int, ...] | None = None) -> Array:
    """An array, brought into a shape if one is given, repeated to these sizes along its missing dimensions and ones.

    Its gradient is the sum over all repeats. Of 16 bits they are added up in float32: beside a large sum small numbers
    would be lost, as many as an image has places.
    """
    array = array if shape is None else array.reshape(shape)
    wide = array.astype(at_least_float32(array.dtype)) if is_inexact(array) else array
    return jnp.broadcast_to(wide, to).astype(array.dtype)


def in_float32(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """`function`, computed in float32 and rounded once where all its numbers are of one 16-bit type."""

    @wraps(function)
    def computed(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        given: Value = (args, kwargs)
        narrow = narrow_type(given)
        if narrow is None:
            return function(*args, **kwargs)
        args, kwargs = cast(given, narrow, jnp.float32)
        return cast(function(*args, **kwargs), jnp.float32, narrow)

    return computed


def wide_on_cpu(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """`function` as by `in_float32` on CPUs, where XLA computes each product of 16-bit numbers in 32 bits anyway.

    Written in 16 bits, every operation would convert its operands and its result, and round.
    """
    wide = in_float32(function)

    @wraps(function)
    def computed(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        return (wide if traced_for() == "cpu" else function)(*args, **kwargs)

    return computed


def narrow_type(tree: Value) -> DTypeLike | None:
    """The one 16-bit type of all floating-point numbers in a tree; None if they have another, or several."""
    types = {leaf.dtype for leaf in jax.tree.leaves(tree) if _is_floating(leaf)}
    return next((each for each in types if each.itemsize == 2), None) if len(types) == 1 else None


def _is_floating(leaf: Value) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)


def cast(tree: Value, before: DTypeLike, after: DTypeLike) -> Value:
    """The tree with its arrays of one type in another."""
    return jax.tree.map(lambda leaf: leaf.astype(after) if getattr(leaf, "dtype", None) == before else leaf, tree)
