"""Faults of JAX that users' programs can meet: each with a program that shows it, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify


class Fault(NamedTuple):
    """A known fault. `program()`, run here and now, gives what JAX makes of it, and `right` what it should be."""

    name: str
    seen: str
    about: str
    advice: str
    program: Callable[[], np.ndarray]
    right: Callable[[], np.ndarray]
    in_tracing: bool = False
    """Whether it lies in how JAX traces, so that it is there without compiling, too."""

    @property
    def present(self) -> bool:
        """Whether JAX has it as it is installed here, with the flags of this process."""
        return not np.allclose(self.program(), self.right(), rtol=1e-3, atol=1e-3)


GAP = 20_000
"""So many other numbers stand before each of the sums; with few there is no fault."""


def _columns() -> list[np.ndarray]:
    return [np.random.default_rng(seed).normal(size=(64, 64)).astype(np.float32) for seed in range(2)]


def _padded_sums() -> np.ndarray:
    """Sums over columns at three places of a vector, put together as the gradient of slices is."""

    @jax.jit
    def placed(one: jax.Array, other: jax.Array) -> jax.Array:
        sums, apart = [one.sum(0), one.sum(0), other.sum(0)], GAP + 64
        padded = [jnp.pad(each, (GAP + i * apart, (2 - i) * apart)) for i, each in enumerate(sums)]
        return padded[0] + padded[1] + padded[2]

    return np.asarray(placed(*_columns()))


def _placed_sums() -> np.ndarray:
    """The same by NumPy."""
    one, other = (columns.sum(0) for columns in _columns())
    return np.concatenate([np.pad(each, (GAP, 0)) for each in (one, one, other)])


def _cubes() -> np.ndarray:
    """The gradient of cubes that have a rule of their own, which needs their argument, behind a check."""

    @jax.custom_vjp
    def cube(values: jax.Array) -> jax.Array:
        return values * values * values

    def backward(values: jax.Array, gradient: jax.Array) -> tuple:
        return (3.0 * values * values * gradient,)

    cube.defvjp(lambda values: (values * values * values, values), backward)

    def total(values: jax.Array) -> jax.Array:
        checkify.check(values[0] > 0, "not positive")
        return cube(1.0 * values).sum()

    with jax.numpy_dtype_promotion("standard"):  # by which the wrong value, a truth value, is a number
        return np.asarray(jax.grad(lambda values: checkify.checkify(total)(values)[1])(jnp.array([1.0, 2.0])))


def _turned() -> np.ndarray:
    """The gradient, behind a check, of a turn whose rule of its own holds an array of places; 0 if it is refused."""
    places = np.array([1, 0])

    @jax.custom_vjp
    def turned(values: jax.Array) -> jax.Array:
        return values[places]

    turned.defvjp(lambda values: (values[places], None), lambda _, gradient: (gradient[places],))

    def total(values: jax.Array) -> jax.Array:
        checkify.check(values[0] > 0, "not positive")
        return turned(1.0 * values) @ jnp.array([1.0, 2.0])

    try:
        return np.asarray(jax.grad(lambda values: checkify.checkify(total)(values)[1])(jnp.array([1.0, 2.0])))
    except ValueError:
        return np.zeros(2)


def _foreign_order() -> np.ndarray:
    """What a compiled function gives for numbers in the other order of bytes, after one call with numbers in this."""
    function, native = jax.jit(lambda values: values + 1), np.ones(2, np.float32)
    function(native)
    try:
        return np.asarray(function(native.astype(native.dtype.newbyteorder())))
    except TypeError:  # as in the first call
        return _of_any_order()


def _of_any_order() -> np.ndarray:
    return np.array([2.0, 2.0])


FAULTS = (
    Fault(
        "sums of padded reductions",
        "jaxlib 0.10.2 on CPU",
        "The gradient with respect to one vector from which parameters are sliced can be wrong, without a word, where "
        "two parameters have equal gradients.",
        "Upgrade to Python 3.12 with jaxlib 0.11.2 or newer; or set XLA_FLAGS=--xla_cpu_experimental_ynn_fusion_type="
        "LIBRARY_FUSION_TYPE_DOT,LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT; functorch7 itself does not compile such sums.",
        _padded_sums,
        _placed_sums,
    ),
    Fault(
        "checks before gradients by hand",
        "jax 0.10.2 to 0.12.0, all backends",
        "In a function with checks, jax.custom_vjp gets a wrong value in place of a residual that is an argument of "
        "the function itself, without a word.",
        "Give such a residual through jax.lax.optimization_barrier, as functorch7.legacy does for users' modules.",
        _cubes,
        lambda: np.array([3.0, 12.0]),
        in_tracing=True,
    ),
    Fault(
        "arrays in gradients by hand, behind checks",
        "jax 0.10.2 to 0.12.0, all backends",
        "In a function with checks, a jax.custom_vjp that holds an array which is no argument is refused by an error "
        "about lengths (safe_zip).",
        "Give the array as an argument, as functorch7.legacy does for users' modules.",
        _turned,
        lambda: np.array([2.0, 1.0]),
        in_tracing=True,
    ),
    Fault(
        "numbers in another order of bytes",
        "jax 0.10.2 on CPU",
        "A compiled function that was called before reads the bytes of NumPy's big-endian numbers as they are, which "
        "gives other numbers, without a word.",
        'Convert them, as functorch7.legacy does: array.astype(array.dtype.newbyteorder("=")). Modules refuse them.',
        _foreign_order,
        _of_any_order,
    ),
)
