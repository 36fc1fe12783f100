"""Rows of zeros as padding: masked, trimmed, and left out of losses."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Module, expected, hooks
from ..core.emitted import is_emitted
from ..core.probe import is_probed
from ..core.straight_through import derived_as
from ..core.types import Array, ArrayLike, Key, State, Table, Tree, Value
from ..layers import Decorator, LookupTable, Sequential
from ..layers.lookup import check_indices
from ..network import ZeroMask
from .trimming import trimmed


def zero_rows(module: Module, input: Array, n_input_dim: int) -> Array:
    """Which examples are all zeros in the input's first tensor: (B), or a scalar without a batch.

    Raises: ValueError if that tensor has neither n_input_dim dimensions nor one more.
    """
    first = jax.tree.leaves(input)[0]
    if first.ndim not in (n_input_dim, n_input_dim + 1):
        raise expected(module, f"input of {n_input_dim} dimensions (nInputDim), or a batch of these", input)
    return (first == 0).all(tuple(range(first.ndim - n_input_dim, first.ndim)))


GIVEN, BATCH = "given", "batch"
"""Instead of nInputDim: masks are required, or examples are checked whole."""


def masking(module: Module, n_input_dim: int | str | Table | None) -> int | str:
    """The stored form of Torch's argument: nInputDim, or v1: True to check inputs, False to require masks.

    Raises: TypeError for anything else.
    """
    if isinstance(n_input_dim, bool) or n_input_dim in (GIVEN, BATCH):
        return n_input_dim if isinstance(n_input_dim, str) else BATCH if n_input_dim else GIVEN
    if not isinstance(n_input_dim, int):
        raise TypeError(f"{module.torch_name()}: expecting nInputDim number, got {n_input_dim!r}")
    return n_input_dim


def given_mask(buffers: dict) -> Array | None:
    """The mask in the buffers; None if there is none, as in buffers that were made before `mask_zero`."""
    return buffers["zeroMask"].value if "zeroMask" in buffers else None


def padding(module: Module, buffers: State, input: Value, n_input_dim: int | str) -> Array:
    """Which examples of one step are padding, (B) or a scalar: those of the mask in the buffers, or those of zeros.

    Raises: ValueError for a mask of another size, and for a required mask that is missing.
    """
    first, given = jax.tree.leaves(input)[0], given_mask(buffers)
    if given is not None:
        if jnp.ndim(given) and jnp.shape(given) != first.shape[:1]:
            raise expected(module, f"a zeroMask of size batchsize, ({first.shape[0] if first.ndim else 1},)", given)
        return jnp.asarray(given, bool)
    check_given(module, n_input_dim)
    return zero_rows(module, input, max(first.ndim - 1, 0) if isinstance(n_input_dim, str) else n_input_dim)


def padding_of_sequence(module: Module, given: ArrayLike, shape: tuple[int, ...]) -> Array | None:
    """A given mask of a whole sequence, (T, B); None if nothing is masked.

    Raises: ValueError for a mask of another size.
    """
    if not jnp.ndim(given):
        return None
    if jnp.shape(given) != shape:
        raise expected(module, f"zeroMask of size seqlen x batchsize, {shape}", given)
    return jnp.asarray(given, bool)


def check_given(module: Module, n_input_dim: int | str | bool) -> None:
    """Raises ValueError if a required mask has not been given."""
    if n_input_dim == GIVEN:
        raise ValueError(
            f"{module.torch_name()}: expecting previous call to setZeroMask(zeroMask) with maskzero=true "
            "(set_zero_mask(module, buffers, zero_mask))"
        )


def cleared(rows: Array, tree: Tree) -> Value:
    """Every tensor with zeros in these rows; no gradient reaches the original values."""

    def clear(leaf: Array) -> Array:
        return jnp.where(rows.reshape(rows.shape + (1,) * (leaf.ndim - rows.ndim)), jnp.zeros((), leaf.dtype), leaf)

    return jax.tree.map(clear, tree)


class MaskZero(Decorator):
    """y_b = module(x)_b where x_b != 0, else 0: the module inside; examples whose first input tensor is all zeros give
    zeros, and get no gradient.

    Shape: as the module; the first tensor of the input has n_input_dim dimensions, or one more for a batch. With
    n_input_dim True (`v1`) it is a batch; with False (the default) `set_zero_mask` says which examples are masked.
    `maskinput` also sets them to zeros in the input; without `maskoutput` the output is left unchanged. After a number,
    the third argument is `silent`, which changes nothing.
    Parameters: those of the module, one level down. Buffers: the same, and zeroMask, (B), if given.
    As in Torch7, the gradient of the parameters (of a chain, of its last module's) is that of the module without the
    mask: a criterion that ignores these examples, as MaskZeroCriterion, gives them none.
    Raises: ValueError for inputs of other ranks, and if a required mask is missing.
    Source: rnn/README.md#rnn.MaskZero; rnn (2017), MaskZero.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> layer = f7.MaskZero(f7.AddConstant(1.0), 1)
    >>> params, buffers = layer.init(jax.random.key(0))
    >>> jax.jit(layer.apply)(params, buffers, jnp.array([[0.0, 0.0], [1.0, 2.0]]))[0].tolist()
    [[0.0, 0.0], [2.0, 3.0]]
    """

    n_input_dim: int | str
    maskinput: bool
    maskoutput: bool

    def __init__(
        self, module: Module, n_input_dim: int | bool = False, maskinput: bool = False, maskoutput: bool = True
    ):
        looked_at = masking(self, n_input_dim)
        self._set(n_input_dim=looked_at, maskinput=maskinput and isinstance(looked_at, str), maskoutput=maskoutput)
        super().__init__(module)

    def init_buffers(self) -> State:
        return {"zeroMask": ZeroMask()}

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        zero = padding(self, buffers[1], input, self.n_input_dim)
        way = hooks.between_hooks(partial(_masked, zero)) if self.maskoutput else None
        input = cleared(zero, input) if self.maskinput else input
        output, buffer = self.call(0, params, buffers, input, key=key, train=train, way=way)
        return output, [buffer, *buffers[1:]]


def _masked(
    zero: Array, module: Module, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool
) -> tuple[Array, Any]:
    """The module's output without these rows; its parameters' gradient is not masked."""
    if type(module) is Sequential and module.modules:
        new = []
        for i in range(len(module.modules)):
            way = hooks.between_hooks(partial(_masked, zero)) if i == len(module.modules) - 1 else None
            input, buffer = module.call(i, params, buffers, input, key=key, train=train, way=way)
            new.append(buffer)
        return input, new
    output, new = module.apply(params, buffers, input, key=key, train=train)
    if module.traits.is_step or not jax.tree.leaves(params):
        return cleared(zero, output), new
    by_params, _ = module.apply(params, buffers, lax.stop_gradient(input), key=key, train=train)

    def masked(seen: Array, by_params: Array) -> Array:
        rows = zero.reshape(zero.shape + (1,) * (seen.ndim - zero.ndim))
        return jnp.where(rows, derived_as(jnp.zeros_like(seen), by_params), seen)

    return jax.tree.map(masked, output, by_params), new


class TrimZero(MaskZero):
    """y_b = module(x)_b where x_b != 0, else 0: MaskZero that leaves the examples of zeros out of the computation;
    cheaper if there are many. If the module draws numbers, they are computed, and then set to zeros.

    Shape, parameters and buffers: as MaskZero; where examples are left out, no buffer changes.
    Raises: as MaskZero; ValueError for modules that emit penalties.
    Source: rnn/README.md#rnn.TrimZero.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.TrimZero(f7.Linear(3, 4), 1), (8, 3))
    (8, 4)
    """

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        zero = padding(self, buffers[1], input, self.n_input_dim)
        inner = self.modules[0]
        if not zero.ndim or not self.maskoutput or inner.traits.is_step:
            return super().forward(params, buffers, input, key=key, train=train)
        if any(map(is_emitted, jax.tree.leaves(buffers, is_leaf=is_emitted))):
            raise ValueError(f"{self.torch_name()}: cannot be used with what emits penalties")
        if self._hooks or is_probed() or self.draws(train):  # as in AbstractRecurrent
            output, buffer = self.call(0, params, buffers, input, key=key, train=train)
            return cleared(zero, output), [buffer, *buffers[1:]]

        def run(own: tuple, rows: Array) -> Array:
            params, buffers = own
            return self.call(0, params, buffers, rows, key=None, train=train)[0]

        return trimmed(run, zero, (params, buffers), input), buffers


class LookupTableMaskZero(LookupTable):
    """y_j = weight[x_j + 1] where x_j > 0, else 0: LookupTable that also takes the index 0, which gives zeros.

    Shape: indices (n) or (B, n), from 0 to n_index -> (n, n_output) or (B, n, n_output).
    Parameters: weight (n_index + 1, n_output), standard normal (times stdv); row i + 1 is index i's, the first unused.
    Raises: ValueError for other ranks, and for indices outside 0..n_index if these are concrete.
    Differs from Torch7: calls leave the first row as it is (Torch7 sets it to zero).
    Source: rnn/README.md#rnn.LookupTableMaskZero.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> rows = {"weight": jnp.array([[9.0], [1.0], [2.0]])}
    >>> f7.LookupTableMaskZero(2, 1).apply(rows, {}, jnp.array([2, 0, 1]))[0].tolist()
    [[2.0], [0.0], [1.0]]
    """

    def __init__(self, n_index: int, n_output: int):
        super().__init__(n_index + 1, n_output)

    def forward(
        self, params: dict[str, Array], buffers: Tree, input: Array, *, key: Key, train: bool
    ) -> tuple[Array, Tree]:
        check_indices(self, input, self.n_index, 0)
        following = jnp.where(input >= 0, jnp.asarray(input, jnp.int32), -1) + 1  # in a type that can hold it
        rows, buffers = super().forward(params, buffers, following, key=key, train=train)
        # As in Torch7, the first row gets a gradient, although it is never used.
        return jnp.where((input == 0)[..., None], derived_as(jnp.zeros_like(rows), rows), rows), buffers
