"""Layers that reduce a dimension, or scale by its contents."""

import math
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..checks.errors import example_axis
from ..core import Map, axis, check_dimension, check_positive, expected, expose
from ..core.precision import in_float32, with_fractions
from ..core.types import Array
from .along import AlongDimension


class Reduction(AlongDimension, Map, abstract=True):
    """Layers that reduce one dimension: write `reduce(input, axis)`, which keeps it with size 1."""

    dimension: int = 1
    n_input_dims: int | None = None

    def reduce(self, input: Array, axis: int) -> Array:
        """The input with the dimension's size reduced to 1."""
        raise NotImplementedError(f"{self.torch_name()} must define reduce")

    def f(self, input: Array) -> Array:
        along = example_axis(self, self.dimension, input.ndim, self.n_input_dims)
        reduced = self.reduce(input, along)
        return reduced.squeeze(along) if input.ndim > 1 else reduced


class Max(Reduction):
    """y = max_i x_i: the maximum over a dimension; the gradient goes to the first maximum.

    Shape: (n, p, q) -> (n, q) for dimension 2; a vector gives one element. An input of n_input_dims + 1 dimensions
    is a batch, and a positive dimension is counted after it.
    Raises: ValueError for dimension 0 or beyond the input's.
    Source: nn/doc/simple.md#nn.Max.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Max(2).apply({}, {}, jnp.array([[1.0, 5.0], [4.0, 2.0]]))[0].tolist()
    [5.0, 4.0]
    """

    def reduce(self, input: Array, axis: int) -> Array:
        return _first(input, input.max(axis, keepdims=True), axis)


class Min(Reduction):
    """y = min_i x_i: the minimum over a dimension; the gradient goes to the first minimum.

    Shape: as Max.
    Raises: ValueError for dimension 0 or beyond the input's.
    Source: nn/doc/simple.md#nn.Min.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Min(2).apply({}, {}, jnp.array([[1.0, 5.0], [4.0, 2.0]]))[0].tolist()
    [1.0, 2.0]
    """

    def reduce(self, input: Array, axis: int) -> Array:
        return _first(input, input.min(axis, keepdims=True), axis)


def _first(input: Array, value: Array, axis: int) -> Array:
    """The first element along an axis with this value, or NaN: takes a third of `argmax`'s time on CPUs."""
    place = lax.broadcasted_iota(np.int32, input.shape, axis)
    found = (input == lax.stop_gradient(value)) | (input != input)
    at = jnp.where(found, place, input.shape[axis]).min(axis, keepdims=True)
    return jnp.take_along_axis(input, at, axis)


class ArgMax(Map):
    """y = argmax_i x_i: the place, from 1, of the maximum along a dimension; the first of several. No gradient.

    Shape: (n, p, q) -> (n, q) for dim 2; a vector gives one element. An input of more than n_input_dim dimensions is a
    batch, and dim is counted after it. Integers, or numbers of the input's type if not as_long.
    Raises: ValueError for dimension 0 or beyond the input's.
    Source: dpnn, ArgMax.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.ArgMax(2).apply({}, {}, jnp.array([[1.0, 5.0], [4.0, 2.0]]))[0].tolist()
    [2, 1]
    """

    dim: int = 1
    n_input_dim: int = 9999
    as_long: bool = True

    def __post_init__(self) -> None:
        check_dimension(self, self.dim)

    def f(self, input: Array) -> Array:
        batch = input.ndim > self.n_input_dim and self.dim > 0
        along = axis(self, self.dim + 1 if batch else self.dim, input.ndim)
        place = jnp.argmax(input, along, keepdims=input.ndim == 1) + 1
        return place if self.as_long else place.astype(input.dtype)


class Sum(Reduction):
    """y = sum_i x_i: the sum over a dimension, divided by its size if size_average.

    Shape: as Max; without `squeeze` the dimension stays, with size 1.
    Raises: ValueError for dimension 0 or beyond the input's; TypeError if squeeze is not a boolean.
    Source: nn/doc/simple.md#nn.Sum.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Sum(2).apply({}, {}, jnp.array([[1.0, 5.0], [4.0, 2.0]]))[0].tolist()
    [6.0, 6.0]
    """

    size_average: bool = False
    squeeze: bool = True

    def reduce(self, input: Array, axis: int) -> Array:
        return (jnp.mean if self.size_average else jnp.sum)(with_fractions(input), axis, keepdims=True)

    def f(self, input: Array) -> Array:
        if self.squeeze:
            return super().f(input)
        return self.reduce(input, example_axis(self, self.dimension, input.ndim, self.n_input_dims))


class Mean(Sum):
    """y = sum_i x_i / n: the mean over a dimension.

    Shape: as Max.
    Raises: ValueError for dimension 0 or beyond the input's.
    Source: nn/doc/simple.md#nn.Mean.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Mean(2).apply({}, {}, jnp.array([[1.0, 5.0], [4.0, 2.0]]))[0].tolist()
    [3.0, 3.0]
    """

    def __init__(self, dimension: int = 1, n_input_dims: int | None = None):
        self._set(dimension=dimension, n_input_dims=n_input_dims, size_average=True, squeeze=True)
        self.__post_init__()


class Normalize(Map):
    """y = x / (sum_j |x_j|^p + eps)^(1/p) over the last dimension; x / (max_j |x_j| + eps) for p = inf.

    Shape: (n) or (B, n), kept.
    Raises: ValueError for p <= 0 and for more dimensions.
    Differs from Torch7: the gradient is the derivative, for any p and eps (Torch7 has other ones below 2 and for inf).
    Source: nn/doc/simple.md#nn.Normalize.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.1f}" for y in f7.Normalize(2).apply({}, {}, jnp.array([3.0, 4.0]))[0].tolist()]
    ['0.6', '0.8']
    """

    tunable: ClassVar[tuple[str, ...]] = ("eps",)

    p: float
    eps: float = 1e-10

    def __post_init__(self) -> None:
        if not self.p > 0:
            raise ValueError(f"nn.Normalize: {self.p:g}-norm not supported, expected p > 0")

    @in_float32
    def f(self, input: Array) -> Array:
        if input.ndim not in (1, 2):
            raise expected(self, "a 1D or 2D tensor", input)
        size = jnp.where(input >= 0, input, -input)
        if math.isinf(self.p):
            at = jnp.argmax(size, -1, keepdims=True)
            return input / (jnp.take_along_axis(size, at, -1) + self.eps)
        zero = size == 0  # where a power below 1 has no derivative; its gradient is 0
        power = jnp.where(zero, 0, jnp.where(zero, 1, size) ** self.p) if self.p != 2 else jnp.square(input)
        return input / (power.sum(-1, keepdims=True) + self.eps) ** (1 / self.p)

    def printed(self) -> str:
        return (
            f"{self.type_name()}({self.p:g})"
            if float(self.p).is_integer() or math.isinf(self.p)
            else f"{self.type_name()}({self.p:f})"
        )


class TemporalDynamicKMaxPooling(Map):
    """k = max(min_k, ceil(factor T)): the k largest values of each feature over time, in their order.

    Shape: (T, F) -> (k, F), or (B, T, F) -> (B, k, F).
    Exposes: indices, the steps of these values, counted from 1.
    Raises: ValueError for min_k below 1, a factor outside 0 to 1, other ranks, and sequences shorter than min_k.
    Source: nn/doc/convolution.md#nn.TemporalDynamicKMaxPooling; Kalchbrenner et al., 2014.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.TemporalDynamicKMaxPooling(2).apply({}, {}, jnp.array([[1.0], [5.0], [3.0]]))[0].tolist()
    [[5.0], [3.0]]
    """

    exposes: ClassVar[tuple[str, ...]] = ("indices",)

    min_k: int
    factor: float = 0

    def __post_init__(self) -> None:
        check_positive(self, min_k=self.min_k)
        if not 0 <= self.factor <= 1:
            raise ValueError(f"{self.torch_name()}: expected a factor from 0 to 1, got {self.factor}")

    def f(self, input: Array) -> Array:
        if input.ndim not in (2, 3):
            raise expected(self, "a 2D tensor, or a 3D tensor for a batch", input)
        length = input.shape[-2]
        if length < self.min_k:
            raise expected(self, f"a sequence of at least {self.min_k} steps", input)
        k = max(self.min_k, math.ceil(self.factor * length))
        over_time = jnp.moveaxis(input, -2, -1)
        at = jnp.sort(jax.lax.top_k(over_time, k)[1], -1)
        expose(indices=jnp.moveaxis(at, -1, -2) + 1)
        return jnp.moveaxis(jnp.take_along_axis(over_time, at, -1), -1, -2)
