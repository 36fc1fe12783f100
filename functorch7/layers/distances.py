"""Distances and similarities: to learned centres, or between the two tensors of a table."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Layer, TableMap, check_positive, expected, in_dtype_of, traced_for
from ..core.module import Module
from ..core.precision import in_float32, with_fractions
from ..core.types import Array, Table, Tree
from .initializers import filled, uniform
from .table import as_the_first, check_entries

MANY = 2**12
"""On CPUs, examples with this many differences are computed one after the other: those of a batch are slow to store."""


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def norm(x: Array, axis: int, eps: float) -> Array:
    """The Euclidean norm along an axis; its derivative is x / (norm + eps), 0 where the norm is 0."""
    return jnp.sqrt((x * x).sum(axis))


@norm.defjvp
def _(axis, eps, primals, tangents):
    length = norm(*primals, axis, eps)
    return length, (primals[0] * tangents[0]).sum(axis) / (length + eps)


class Centres(Layer, abstract=True):
    """Layers that compare vectors of input_size numbers with output_size learned ones."""

    input_size: int
    output_size: int

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size)

    def checked_input(self, params: Tree, input: Array) -> Array:
        """The input in the weight's dtype; ValueError unless it is one vector or a batch of vectors."""
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise expected(self, f"a 1D or 2D tensor with {self.input_size} in the last dimension", input)
        return in_dtype_of(self, input, params["weight"])


class Euclidean(Centres):
    """y_j = ||w_j - x||; the gradient at distance 0 is 0.

    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size).
    Parameters: weight (input_size, output_size), whose columns are centres; uniform on +-1/sqrt(input_size), or
    +-stdv * sqrt(3).
    Raises: ValueError for other shapes.
    Source: nn/doc/simple.md#nn.Euclidean.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> centres = {"weight": jnp.array([[0.0, 3.0], [0.0, 4.0]])}  # (0, 0) and (3, 4)
    >>> f7.Euclidean(2, 2).apply(centres, {}, jnp.array([0.0, 0.0]))[0].tolist()
    [0.0, 5.0]
    """

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": uniform(key, (self.input_size, self.output_size), self.input_size, stdv)}

    @in_float32
    def f(self, params: dict[str, Array], input: Array) -> Array:
        x = self.checked_input(params, input)
        each = partial(self.distances, {name: array.T for name, array in params.items()})
        if input.ndim == 1:
            return each(x)
        if traced_for() == "cpu" and self.input_size * self.output_size >= MANY:
            return lax.map(jax.checkpoint(each, prevent_cse=False), x)
        return jax.vmap(each)(x)

    def distances(self, rows: Tree, x: Array) -> Array:
        """The distances of one example from all centres, which are rows here."""
        return norm(x[None] - rows["weight"], -1, 1e-7)


class WeightedEuclidean(Euclidean):
    """y_j = ||c_j (w_j - x)||, element by element; the gradient at distance 0 is 0.

    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size).
    Parameters: weight as Euclidean's; diagCov (input_size, output_size), ones.
    Raises: ValueError for other shapes.
    Differs from Torch7: c = 0 gives no NaN.
    Source: nn/doc/simple.md#nn.WeightedEuclidean.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> arrays = {"weight": jnp.array([[3.0], [4.0]]), "diagCov": jnp.array([[2.0], [0.0]])}
    >>> f7.WeightedEuclidean(2, 1).apply(arrays, {}, jnp.array([0.0, 0.0]))[0].tolist()
    [6.0]
    """

    parameter_order = ("weight", "diagCov")

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {**super().init_params(key, stdv), "diagCov": filled((self.input_size, self.output_size), 1)}

    def distances(self, rows: Tree, x: Array) -> Array:
        return norm((x[None] - rows["weight"]) * rows["diagCov"], -1, 1e-7)


class Cosine(Centres):
    """y_j = x . w_j / ((||w_j|| + 1e-12) (||x|| + 1e-12)).

    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size).
    Parameters: weight (output_size, input_size), uniform on +-1/sqrt(output_size), or +-stdv * sqrt(3).
    Raises: ValueError for other shapes.
    Source: nn/doc/simple.md#nn.Cosine.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> rows = {"weight": jnp.array([[2.0, 0.0], [0.0, 5.0]])}
    >>> f7.Cosine(2, 2).apply(rows, {}, jnp.array([3.0, 0.0]))[0].tolist()
    [1.0, 0.0]
    """

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": uniform(key, (self.output_size, self.input_size), self.output_size, stdv)}

    @in_float32
    def f(self, params: dict[str, Array], input: Array) -> Array:
        weight = params["weight"]
        input = self.checked_input(params, input)
        product = lax.dot_general(input, weight, (((input.ndim - 1,), (1,)), ((), ())))
        lengths = (norm(weight, 1, 1e-12) + 1e-12).reshape((1,) * (input.ndim - 1) + (-1,))
        return product / (lengths * (norm(input, -1, 1e-12)[..., None] + 1e-12))


def _pair(module: Module, input: Table) -> tuple[Array, Any]:
    """The two tensors of a table, or rows of a tensor: vectors or batches of vectors, in the sizes of the first."""
    first, second = as_the_first(module, check_entries(module, input, 2)[:2])
    if first.ndim not in (1, 2):
        raise expected(module, "two vectors or two matrices", input)
    return first, second


def _one_per_example(values: Array) -> Array:
    """Torch gives a tensor of size 1 for a single example."""
    return values.reshape(-1)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _p_norm(x: Array, p: float) -> Array:
    """||x||_p over the last dimension; its derivative is x |x|^(p-2) / (norm + 1e-6)^(p-1), 0 where x is 0."""
    return (jnp.abs(x) ** p).sum(-1) ** (1 / p)


@_p_norm.defjvp
def _(p, primals, tangents):
    (x,) = primals
    length = _p_norm(x, p)
    zero = x == 0
    slope = jnp.sign(x) * jnp.where(zero, 1, jnp.abs(x)) ** (p - 1)
    return length, (slope * tangents[0]).sum(-1) / (length + 1e-6) ** (p - 1)


class PairwiseDistance(TableMap):
    """||x1 - x2||_p, example by example; the gradient at distance 0 is 0.

    Shape: [(n), (n)] -> (1), or [(B, n), (B, n)] -> (B); the second may have other sizes, with as many elements.
    Raises: ValueError for another p, and unless the input is a pair with equally many elements.
    Differs from Torch7: for p between 1 and 2 the gradient is the true derivative, and 0 where x1 = x2.
    Source: nn/doc/table.md#nn.PairwiseDistance.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.PairwiseDistance(1).apply({}, {}, [jnp.array([[3.0, 0.0]]), jnp.array([[0.0, 4.0]])])[0].tolist()
    [7.0]
    """

    norm: float = 2

    def __post_init__(self) -> None:
        if not 0 < self.norm < float("inf"):
            raise ValueError(f"{self.torch_name()}: expected a finite p above 0, got {self.norm}")

    @in_float32
    def f(self, input: Table) -> Array:
        first, second = _pair(self, input)
        return _one_per_example(_p_norm(first - second, self.norm))


class DotProduct(TableMap):
    """y = x1 . x2, example by example.

    Shape: [(n), (n)] -> (1), or [(B, n), (B, n)] -> (B); the second may have other sizes, with as many elements.
    Raises: ValueError unless the input is a pair with equally many elements.
    Source: nn/doc/table.md#nn.DotProduct.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.DotProduct().apply({}, {}, [jnp.array([[1.0, 2.0]]), jnp.array([[3.0, 4.0]])])[0].tolist()
    [11.0]
    """

    @in_float32
    def f(self, input: Table) -> Array:
        first, second = _pair(self, input)
        return _one_per_example((with_fractions(first) * with_fractions(second)).sum(-1))


class CosineDistance(TableMap):
    """y = x1 . x2 / sqrt((||x1||^2 + 1e-12) (||x2||^2 + 1e-12)), example by example: a similarity, despite its name.

    Shape: [(n), (n)] -> (1), or [(B, n), (B, n)] -> (B); the second may have other sizes, with as many elements.
    Raises: ValueError unless the input is a pair with equally many elements.
    Source: nn/doc/table.md#nn.CosineDistance.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CosineDistance().apply({}, {}, [jnp.array([[3.0, 0.0]]), jnp.array([[0.0, 4.0]])])[0].tolist()
    [0.0]
    """

    @in_float32
    def f(self, input: Table) -> Array:
        first, second = _pair(self, input)
        lengths = [lax.rsqrt((x * x).sum(-1) + 1e-12) for x in (first, second)]
        return _one_per_example((first * second).sum(-1) * lengths[0] * lengths[1])
