"""The small layers of rnn."""

import jax.numpy as jnp

from ..core import Map, TableMap, expected, spread
from ..core.types import Array, Table
from ..layers import Linear


class LinearNoBias(Linear):
    """y = x A^T.

    Shape: (..., input_size) -> (..., output_size).
    Parameters: weight (output_size, input_size), uniform on +-1/sqrt(input_size), or +-stdv * sqrt(3).
    Raises: ValueError if the last dimension is not input_size, and if `bias` is anything but False.
    Source: rnn, LinearNoBias.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.LinearNoBias(3, 4), (8, 3))
    (8, 4)
    """

    bias: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bias is not False:
            raise ValueError(f"{self.torch_name()}: expected bias to be False, got {self.bias!r}; nn.Linear has one")


class CopyGrad(Map):
    """y = x.

    Shape: any, kept.
    Source: rnn, CopyGrad.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CopyGrad().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-1.0, 0.0, 2.0]
    """

    def f(self, input: Array) -> Array:
        return input


class SAdd(Map):
    """y = x + addend, or -(x + addend) with negate.

    Shape: any, kept.
    Source: rnn, SAdd.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SAdd(1.0, negate=True).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-0.0, -1.0, -3.0]
    """

    addend: float
    negate: bool = False

    def f(self, input: Array) -> Array:
        total = input + self.addend
        return -total if self.negate else total


class ExpandAs(TableMap):
    """[a, b] -> [a, b], where dimensions of size 1 of b repeat to the sizes of a.

    Shape: [s, s with ones] -> [s, s].
    Raises: ValueError unless the sizes of b are those of a, or 1.
    Source: rnn, ExpandAs.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.ExpandAs(), [(8, 3, 5), (8, 1, 5)])
    [(8, 3, 5), (8, 3, 5)]
    """

    def f(self, input: Table) -> list:
        if not isinstance(input, (list, tuple)) or len(input) != 2:
            raise expected(self, "a table of two tensors", input)
        like, given = input
        if given.ndim != like.ndim or any(s not in (1, t) for s, t in zip(given.shape, like.shape, strict=True)):
            raise expected(self, f"a second tensor of shape {tuple(like.shape)}, or 1 in some dimensions", given)
        return [like, spread(given, like.shape)]


class SeqReverseSequence(Map):
    """y_t = x_{T + 1 - t}: the input reversed along `dim`, 1 to 3.

    Shape: any of at least dim dimensions, kept.
    Raises: ValueError for another dim, and for inputs of fewer dimensions.
    Source: rnn/README.md#rnn.SeqReverseSequence.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SeqReverseSequence(1).apply({}, {}, jnp.array([1.0, 2.0, 3.0]))[0].tolist()
    [3.0, 2.0, 1.0]
    """

    dim: int

    def __post_init__(self) -> None:
        if self.dim not in (1, 2, 3):
            raise ValueError(
                f"nn.SeqReverseSequence: expected a dimension from 1 to 3 to reverse over, got {self.dim!r}"
            )

    def f(self, input: Array) -> Array:
        if input.ndim < self.dim:
            raise expected(self, f"at least {self.dim} dimensions", input)
        return jnp.flip(input, self.dim - 1)
