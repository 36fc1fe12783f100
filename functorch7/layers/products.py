"""Products of the matrices and vectors of a table."""

import jax.numpy as jnp

from ..core import TableMap, expected
from ..core.precision import with_fractions
from ..core.types import Array, Table
from .table import check_table


class MM(TableMap):
    """y = A B: each is transposed first if `transA`, `transB`.

    Shape: [(m, n), (n, p)] -> (m, p), or with a batch in front of both.
    Raises: ValueError unless the input is a pair of matrices, or of batches of as many, whose sizes match.
    Source: nn/doc/simple.md#nn.MM.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.MM(trans_b=True), [(8, 2, 3), (8, 5, 3)])
    (8, 2, 5)
    """

    trans_a: bool = False
    trans_b: bool = False

    def f(self, input: Table) -> Array:
        first, second = map(with_fractions, check_table(self, input, 2)[:2])
        if first.ndim not in (2, 3) or second.ndim != first.ndim or first.shape[:-2] != second.shape[:-2]:
            raise expected(self, "two matrices, or two batches of as many matrices", input)
        left = jnp.swapaxes(first, -1, -2) if self.trans_a else first
        right = jnp.swapaxes(second, -1, -2) if self.trans_b else second
        if left.shape[-1] != right.shape[-2]:
            raise expected(self, "matrices whose sizes match", input)
        return left @ right


class MV(TableMap):
    """y = M v: M is transposed first if `trans`.

    Shape: [(m, n), (n)] -> (m), or with a batch in front of both.
    Raises: ValueError unless the input is a matrix and a vector, or batches of as many, whose sizes match.
    Source: nn, MV.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.MV().apply({}, {}, [jnp.array([[1.0, 2.0], [3.0, 4.0]]), jnp.array([1.0, 10.0])])[0].tolist()
    [21.0, 43.0]
    """

    trans: bool = False

    def f(self, input: Table) -> Array:
        matrix, vector = map(with_fractions, check_table(self, input, 2)[:2])
        if matrix.ndim not in (2, 3) or vector.ndim != matrix.ndim - 1 or matrix.shape[:-2] != vector.shape[:-1]:
            raise expected(self, "a matrix and a vector, or batches of as many", input)
        matrix = jnp.swapaxes(matrix, -1, -2) if self.trans else matrix
        if matrix.shape[-1] != vector.shape[-1]:
            raise expected(self, "a vector as long as the matrix has columns", input)
        return (matrix @ vector[..., None])[..., 0]
