"""Torch's initial values, from a JAX key, or from the source of random numbers in whose block they are made.

Layers split keys and draw only with these functions, in the order in which Torch draws, so that a sequential generator
gives them Torch's own values.
"""

import math
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from ..checks.sizes import check_sizes, sized
from ..core import Module, is_concrete
from ..core.contexts import during
from ..core.types import Array, ArrayLike, Value


class NumberSource(Protocol):
    """A sequential generator: each call returns its next numbers, as an array of the parameters' dtype."""

    dtype: np.dtype
    """The parameters' dtype."""

    def uniform(self, shape: tuple[int, ...], low: ArrayLike, high: ArrayLike) -> Array:
        """Numbers in [low, high)."""
        ...

    def normal(self, shape: tuple[int, ...], mean: float, stdv: float) -> Array:
        """Normally distributed numbers."""
        ...


class Zeros:
    """A source of initial values that will be overwritten: nothing is drawn."""

    dtype = np.dtype(np.float32)

    def uniform(self, shape: tuple[int, ...], low: ArrayLike, high: ArrayLike) -> np.ndarray:
        """Zeros."""
        return np.zeros(shape, np.float32)

    normal = uniform

    def key(self) -> Array:
        """A constant key, made by NumPy: JAX compiles a program for its first key."""
        return jax.random.wrap_key_data(np.zeros(2, np.uint32), impl="threefry2x32")  # type: ignore[arg-type]


ROOMS = 2**15, 2**20
"""So many numbers are drawn at once, in 0.09 and 2.6 ms: JAX compiles a program for each shape, which takes 170."""

SOURCE: ContextVar[NumberSource | None] = ContextVar("source", default=None)
"""The source from which initial values are drawn, instead of from their keys."""


def _source(key: Array) -> NumberSource | None:
    """The source; None while a program is traced, in which there are only shapes."""
    return SOURCE.get() if is_concrete(key) else None


def split(key: Array, count: int = 2) -> Array | list[Array]:
    """Keys of consecutive draws; always the same one if there is a source, which does not use it."""
    return [key] * count if _source(key) else jax.random.split(key, count)


def _drawn(
    draw: Callable[[Array, tuple[int, ...]], Array], key: Array, shape: tuple[int, ...],
    scaled: Callable[[Any], Any] = lambda drawn: drawn,
) -> Array:  # fmt: skip
    """A draw of this shape, cut out of a larger one: each of Threefry's numbers depends only on its key and place."""
    size = math.prod(shape)
    room = next((room for room in ROOMS if size <= room), None)
    by_place = jax.config.jax_threefry_partitionable  # type: ignore[attr-defined]
    by_place = by_place and jax.random.key_impl(key) == "threefry2x32"
    if room is None or not by_place or not is_concrete(key) or key.committed:
        return scaled(draw(key, shape))
    more = draw(key, (room,))
    if not is_concrete(more):  # a concrete key, although a program is being traced
        return scaled(draw(key, shape))
    return jax.device_put(scaled(np.asarray(more)[:size].reshape(shape)))


def between(key: Array, shape: tuple[int, ...], low: ArrayLike = 0, high: ArrayLike = 1) -> Array:
    """Uniform on [low, high), which are numbers or arrays that broadcast to the shape."""
    check_sizes(shape)
    if source := _source(key):
        return source.uniform(shape, low, high)

    def draw(key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.uniform(key, shape, jnp.float32, low, high)

    return _drawn(draw, key, shape) if np.ndim(low) == np.ndim(high) == 0 else draw(key, shape)


def normal(key: Array, shape: tuple[int, ...], stdv: float = 1) -> Array:
    """Normally distributed around 0."""
    check_sizes(shape)
    if source := _source(key):
        return source.normal(shape, 0, stdv)
    return _drawn(lambda key, shape: jax.random.normal(key, shape, jnp.float32), key, shape, lambda drawn: drawn * stdv)


def filled(shape: int | Sequence[int], value: ArrayLike) -> Array:
    """Known numbers in the type of drawn ones, for any of JAX's types of floats: one, or an array of this shape.

    They are NumPy's at first, since jax.numpy compiles a program for each shape.
    """
    source = SOURCE.get()
    check_sizes(shape if isinstance(shape, Sequence) else (shape,))
    return jax.device_put(np.full(shape, value, np.float32 if source is None else source.dtype))


def overwritten(key: Array, shape: tuple[int, ...], value: float) -> Array:
    """Known numbers where Torch draws others first: of a sequential generator as many are used."""
    if source := _source(key):
        source.uniform(shape, 0, 1)
    return filled(shape, value)


def bound_of(fan_in: int, stdv: float | None = None) -> float:
    """1/sqrt(fan_in), or stdv * sqrt(3) if `reset(stdv)` sets one. Raises ValueError for a negative one."""
    if stdv is not None and stdv < 0:
        raise ValueError(f"reset: expected a standard deviation that is not negative, got {stdv}")
    return 1 / math.sqrt(fan_in) if stdv is None else stdv * math.sqrt(3)


def uniform(key: Array, shape: tuple[int, ...], fan_in: int, stdv: float | None = None) -> Array:
    """Uniform on [-b, b) with b from `bound_of`.

    Source: torch/nn, the `reset` method of each layer.
    """
    bound = bound_of(fan_in, stdv)
    return between(key, shape, -bound, bound)


def weight_and_bias(
    key: Array, weight: tuple[int, ...], fan_in: int, bias: bool, stdv: float | None = None
) -> dict[str, Array]:
    """`weight`, and `bias` (one per output, the weight's first dimension) if requested, both by `uniform`."""
    weight_key, bias_key = split(key)
    params = {"weight": uniform(weight_key, weight, fan_in, stdv)}
    if bias:
        params["bias"] = uniform(bias_key, weight[:1], fan_in, stdv)
    return params


def shapes_of(spec: Module) -> dict[str, Value]:
    """The shapes of a module's own parameters.

    Nothing is cached for modules without parameters: a graph's description may contain places of a user's objects.
    """
    if type(spec).init_params is Module.init_params:
        return {}
    found = vars(spec).get("_initial_shapes")
    if found is None:
        found = _shapes_of(spec)
        # Objects ask again and again, and find it here without comparing descriptions.
        spec._set(_initial_shapes=found)
    return found


@lru_cache(1024)
def _shapes_of(spec: Module) -> dict[str, Value]:
    source = Zeros()  # nothing is drawn, and no drawing is traced
    key = source.key()
    with during(SOURCE, source):
        return jax.eval_shape(lambda: sized(spec, spec.init_params, key))
