"""Rows of zeros as padding: masked, trimmed away, and left out of losses."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Module, expected
from ..core.emitted import is_emitted
from ..core.recording import recorder
from ..core.rows import held
from ..layers import Decorator, LookupTable, Sequential
from ..layers.lookup import check_indices
from .trimming import trimmed


def zero_rows(module: Module, input: Any, n_input_dim: int) -> jax.Array:
    """Which examples are all zeros in the input's first tensor: (B), or a scalar where there is no batch.

    Raises: ValueError if that tensor has neither n_input_dim dimensions nor one more.
    """
    first = jax.tree.leaves(input)[0]
    if first.ndim not in (n_input_dim, n_input_dim + 1):
        raise expected(module, f"input of {n_input_dim} dimensions (nInputDim), or a batch of these", input)
    return (first == 0).all(tuple(range(first.ndim - n_input_dim, first.ndim)))


def cleared(rows: jax.Array, tree: Any) -> Any:
    """Every tensor with zeros in these rows; no gradient reaches what was there."""

    def clear(leaf: jax.Array) -> jax.Array:
        return jnp.where(rows.reshape(rows.shape + (1,) * (leaf.ndim - rows.ndim)), jnp.zeros((), leaf.dtype), leaf)

    return jax.tree.map(clear, tree)


class MaskZero(Decorator):
    """The module inside; examples whose first input tensor is all zeros give zeros, and get no gradient.

    Shape: as the module; the first tensor of the input has n_input_dim dimensions, or one more for a batch.
    Parameters and buffers: those of the module, one level down. `silent` is accepted.
    As in Torch7, the gradient of the parameters (of a chain, of its last module's) is that of the module without the
    mask: a criterion that ignores these examples, as MaskZeroCriterion, gives them none.
    Raises: ValueError for inputs of other ranks.
    Source: rnn/README.md#rnn.MaskZero.
    """

    n_input_dim: int
    silent: bool

    def __init__(self, module: Module, n_input_dim: int, silent: bool = False):
        if isinstance(n_input_dim, bool) or not isinstance(n_input_dim, int):
            raise TypeError(f"{self.torch_name()}: expecting nInputDim number at arg 2, got {n_input_dim!r}")
        self._set(n_input_dim=n_input_dim, silent=silent)
        super().__init__(module)

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        zero = zero_rows(self, input, self.n_input_dim)
        way = partial(_masked, zero)
        output, buffer = self.call(0, params, buffers, input, key=key, train=train, way=way)
        return output, [buffer]


def _masked(
    zero: jax.Array, module: Module, params: Any, buffers: Any, input: Any, *, key: Any, train: bool
) -> tuple[Any, Any]:
    """The module's output without these rows; its parameters' gradient is not masked."""
    if type(module) is Sequential and module.modules:
        new = []
        for i in range(len(module.modules)):
            way = partial(_masked, zero) if i == len(module.modules) - 1 else None
            input, buffer = module.call(i, params, buffers, input, key=key, train=train, way=way)
            new.append(buffer)
        return input, new
    output, new = module.apply(params, buffers, input, key=key, train=train)
    if module.is_step or not jax.tree.leaves(params):
        return cleared(zero, output), new
    of_input, _ = module.apply(held(params), buffers, input, key=key, train=train)
    unmasked, _ = module.apply(params, buffers, lax.stop_gradient(input), key=key, train=train)

    def masked(of_input: jax.Array, unmasked: jax.Array) -> jax.Array:
        return cleared(zero, of_input) + (unmasked - lax.stop_gradient(unmasked))

    return jax.tree.map(masked, of_input, unmasked), new


class TrimZero(MaskZero):
    """MaskZero that leaves the examples of zeros out of the computation; cheaper where many are.

    Shape, parameters and buffers: as MaskZero; of the buffers, nothing changes.
    Raises: as MaskZero; ValueError for modules that draw numbers or emit penalties.
    Source: rnn/README.md#rnn.TrimZero.
    """

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        zero = zero_rows(self, input, self.n_input_dim)
        inner = self.modules[0]
        if not zero.ndim or recorder() is not None or inner.is_step:
            return super().forward(params, buffers, input, key=key, train=train)
        if self.draws(train) or any(map(is_emitted, jax.tree.leaves(buffers, is_leaf=is_emitted))):
            raise ValueError(f"{self.torch_name()}: cannot be used with what draws numbers or emits penalties")

        def run(params: Any, rows: Any) -> Any:
            return self.call(0, params, buffers, rows, key=None, train=train)[0]

        return trimmed(run, zero, params, input), buffers


class LookupTableMaskZero(LookupTable):
    """LookupTable that also takes the index 0, which gives zeros.

    Shape: indices (n) or (B, n), from 0 to n_index -> (n, n_output) or (B, n, n_output).
    Parameters: weight (n_index + 1, n_output), standard normal (times stdv); row i + 1 is index i's, the first unused.
    Raises: ValueError for other ranks, and for indices outside 0..n_index where these can be looked at.
    Source: rnn/README.md#rnn.LookupTableMaskZero.
    """

    def __init__(self, n_index: int, n_output: int):
        super().__init__(n_index + 1, n_output)

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        check_indices(self, input, self.n_index, 0)
        rows, buffers = super().forward(params, buffers, input + 1, key=key, train=train)
        # As in Torch7, the first row gets a gradient, although it is never seen.
        return jnp.where((input == 0)[..., None], rows - lax.stop_gradient(rows), rows), buffers
