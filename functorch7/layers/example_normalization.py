"""Normalisation by statistics of one example, as in today's networks; independent of the batch and the mode."""

from collections.abc import Sequence
from typing import ClassVar

from jax import lax

from ..core import Layer, check_floating, check_positive, expected, spread
from ..core.precision import at_least_float32
from ..core.types import Array, Tree
from .initializers import filled
from .shape import sizes_of


class LayerNorm(Layer):
    """y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over the last dimensions: those of `size`.

    Shape: (..., *size), kept; `size` is a number or several.
    Parameters (if affine): weight, of `size`, ones; bias, of `size`, zeros.
    Raises: ValueError for other sizes; TypeError for integers.
    Source: Ba et al., 2016; torch.nn.LayerNorm.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> norm = f7.LayerNorm(2)
    >>> norm.apply(*norm.init(jax.random.key(0)), jnp.array([[3.0, 5.0], [10.0, 0.0]]))[0].round(3).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """

    tunable: ClassVar[tuple[str, ...]] = ("eps",)

    size: int | Sequence[int]
    eps: float = 1e-5
    affine: bool = True

    def __post_init__(self) -> None:
        sizes = sizes_of(self, (self.size,))
        check_positive(self, **{f"size {i}": each for i, each in enumerate(sizes, 1)})
        self._set(size=sizes)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": filled(self.size, 1.0), "bias": filled(self.size, 0.0)} if self.affine else {}

    def f(self, params: dict[str, Array], input: Array) -> Array:
        check_floating(self, input)
        sizes = tuple(self.size)  # type: ignore[arg-type]
        if input.shape[-len(sizes) :] != sizes:
            raise expected(self, f"input of sizes {'x'.join(map(str, sizes))} in the last dimensions", input)
        x = input.astype(at_least_float32(input.dtype))
        y = self.standardized(x, tuple(range(-len(sizes), 0)))
        return (self.scaled(params, y) if self.affine else y).astype(input.dtype)

    def standardized(self, x: Array, axes: tuple[int, ...]) -> Array:
        """The input normalised by its statistics along these axes."""
        return _standardized(x, axes, self.eps)

    def scaled(self, params: Tree, x: Array) -> Array:
        """The standardized input, changed by the parameters."""
        return x * spread(params["weight"].astype(x.dtype), x.shape) + spread(params["bias"].astype(x.dtype), x.shape)

    def printed(self) -> str:
        return f"{self.type_name()}({'x'.join(map(str, self.size))})"  # type: ignore[arg-type]


class RMSNorm(LayerNorm):
    """y = x / sqrt(mean(x^2) + eps) * weight, over the last dimensions: those of `size`.

    Shape: (..., *size), kept; `size` is a number or several.
    Parameters (if affine): weight, of `size`, ones.
    Raises: ValueError for other sizes; TypeError for integers.
    Source: Zhang & Sennrich, 2019; torch.nn.RMSNorm.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> norm = f7.RMSNorm(2, affine=False)
    >>> [f"{y:.3f}" for y in norm.apply({}, {}, jnp.array([3.0, 4.0]))[0]]
    ['0.849', '1.131']
    """

    eps: float = 1e-6

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": filled(self.size, 1.0)} if self.affine else {}

    def standardized(self, x: Array, axes: tuple[int, ...]) -> Array:
        return x * lax.rsqrt((x * x).mean(axes, keepdims=True) + self.eps)

    def scaled(self, params: Tree, x: Array) -> Array:
        return x * spread(params["weight"].astype(x.dtype), x.shape)


class GroupNorm(Layer):
    """y = (x - mean) / sqrt(var + eps) * weight + bias, with the statistics of an example's group of planes.

    Shape: (B, n_output, ...), kept; the planes, in dimension 2, are in `groups` of neighbours (1: all together,
    n_output: each by itself, which is called instance normalisation).
    Parameters (if affine): weight (n_output,), ones; bias (n_output,), zeros.
    Raises: ValueError for planes that the groups do not divide, and other numbers of planes; TypeError for integers.
    Source: Wu & He, 2018; torch.nn.GroupNorm.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> images = jnp.array([[[[1.0, 3.0]], [[10.0, 30.0]]]])  # one, of two planes of 1 x 2
    >>> f7.GroupNorm(2, 2, affine=False).apply({}, {}, images)[0].round(3).tolist()
    [[[[-1.0, 1.0]], [[-1.0, 1.0]]]]
    """

    tunable: ClassVar[tuple[str, ...]] = ("eps",)

    groups: int
    n_output: int
    eps: float = 1e-5
    affine: bool = True

    def __post_init__(self) -> None:
        check_positive(self, groups=self.groups, n_output=self.n_output)
        if self.n_output % self.groups:
            raise ValueError(f"{self}: expected planes in {self.groups} equal groups, got {self.n_output}")

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": filled(self.n_output, 1.0), "bias": filled(self.n_output, 0.0)} if self.affine else {}

    def f(self, params: dict[str, Array], input: Array) -> Array:
        check_floating(self, input)
        if input.ndim < 2 or input.shape[1] != self.n_output:
            raise expected(self, f"a batch with {self.n_output} planes in dimension 2", input)
        x = input.astype(at_least_float32(input.dtype))
        grouped = x.reshape(x.shape[0], self.groups, self.n_output // self.groups, *x.shape[2:])
        y = _standardized(grouped, tuple(range(2, grouped.ndim)), self.eps).reshape(x.shape)
        if self.affine:
            per_plane = (self.n_output, *[1] * (y.ndim - 2))
            weight, bias = (spread(params[name].astype(y.dtype), y.shape, per_plane) for name in ("weight", "bias"))
            y = y * weight + bias
        return y.astype(input.dtype)

    def printed(self) -> str:
        return f"{self.type_name()}({self.groups}, {self.n_output})"


def _standardized(x: Array, axes: tuple[int, ...], eps: float) -> Array:
    centered = x - x.mean(axes, keepdims=True)
    return centered * lax.rsqrt((centered * centered).mean(axes, keepdims=True) + eps)
