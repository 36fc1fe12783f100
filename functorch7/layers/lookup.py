"""A learned matrix, of which the input names rows."""

from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Emitted, Module, builder, check_positive, check_values, expected, gather, lookable, title
from ..core.precision import in_float32
from ..core.straight_through import derived_as
from ..core.types import Array, Key, State, Tree, Value
from .initializers import normal


def are_numbers(values: Value, first: int, last: int) -> Value:
    """Which values are from `first` to `last`; NaN is not. In 32 bits, since narrower types cannot hold every limit."""
    if values.dtype.itemsize < 4:
        values = values.astype(np.float32 if jnp.issubdtype(values.dtype, jnp.floating) else np.int32)
    return (values >= first) & (values <= last)


def check_indices(module: Module, indices: Array | np.ndarray, size: int, first: int = 1) -> None:
    """Raises ValueError for an index outside of the `size` from `first` on, if indices are concrete."""
    values, last = lookable(indices), first + size - 1
    wrong = ~are_numbers(values, first, last)
    message = f"{title(module)}: expected indices from {first} to {last}, got {{value:g}} at position {{position}}"
    check_values(values, wrong, message)


@in_float32
def _limited(rows: Array, p: float, most: float) -> Array:
    """Rows, scaled down to this p-norm if theirs is larger."""
    norms = (jnp.abs(rows) ** p).sum(-1, keepdims=True) ** (1 / p)
    return jnp.where(norms > most, rows * (most / (norms + 1e-7)), rows)


class LookupTable(Module):
    """y_j = weight[x_j]: row i of a learned matrix, for every index i of the input; `Embedding` is the same for inputs
    of any rank.

    Shape: indices (n) or (B, n), from 1 to n_index -> (n, n_output) or (B, n, n_output).
    Parameters: weight (n_index, n_output), standard normal (times stdv). Rows at padding_value get no gradient. With
    max_norm, rows that are used and whose p-norm (norm_type, 2 by default) is above it are scaled down to it.
    Buffers (with max_norm): renormalized, the weight after that (a side output; `legacy` makes it the weight).
    Raises: ValueError for other ranks, and for indices outside 1..n_index if these are concrete; under jit
    (unless it is `checked`) such an index gives NaN.
    Source: nn/doc/convolution.md#nn.LookupTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> rows = {"weight": jnp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])}
    >>> f7.LookupTable(3, 2).apply(rows, {}, jnp.array([3, 1]))[0].tolist()
    [[5.0, 6.0], [1.0, 2.0]]
    """

    checks_values: ClassVar[bool] = True

    n_index: int
    n_output: int
    padding_value: int = 0
    max_norm: float | None = None
    norm_type: float | None = None
    scale_by_frequency: bool = False

    def __post_init__(self) -> None:
        check_positive(self, n_index=self.n_index, n_output=self.n_output)
        if self.norm_type is not None and not self.norm_type > 0:
            raise ValueError(f"{self.torch_name()}: non-positive-norm not supported, got {self.norm_type}")

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": normal(key, (self.n_index, self.n_output), 1 if stdv is None else stdv)}

    @property
    def causal(self) -> bool:
        """Not if a step's part of the gradient depends on all other steps."""
        return not self.scale_by_frequency

    def init_buffers(self) -> State:
        return {} if self.max_norm is None else {"renormalized": Emitted(None, "parameter")}

    @property
    def scaled_axes(self) -> dict[str, int] | None:  # type: ignore[override]
        """The axes that count outputs, where the weight may have 8 bits."""
        return {"weight": 0} if self.max_norm is None else None  # rows that are scaled down in use stay floats

    @property
    def row_parameters(self) -> tuple[str, ...]:
        return ("weight",) if self.max_norm is None else ()

    def renormalize(self, params: dict[str, Array], indices: Array | None = None) -> dict[str, Array]:
        """The params with rows whose norm is above max_norm scaled down to it: all, or those of some indices."""
        if self.max_norm is None:
            return params
        weight, p = jnp.asarray(params["weight"]), 2 if self.norm_type is None else self.norm_type
        limited = _limited(weight, p, self.max_norm)
        if indices is not None:
            limited = jnp.where(jnp.zeros((len(weight), 1), bool).at[indices - 1].set(True), limited, weight)
        return {**params, "weight": limited}

    def forward(
        self, params: dict[str, Array], buffers: Tree, input: Array, *, key: Key, train: bool
    ) -> tuple[Array, Tree]:
        if input.ndim not in (1, 2):
            raise expected(self, "a vector or matrix of indices", input)
        check_indices(self, input, self.n_index)
        indices, weight = jnp.asarray(input, jnp.int32), params["weight"]
        if self.max_norm is not None:
            scaled = lax.stop_gradient(self.renormalize(params, indices)["weight"])
            buffers = {"renormalized": Emitted(scaled, "parameter")}
            weight = derived_as(scaled, weight)
        rows = gather(weight, indices - 1)
        if self.padding_value:
            padding = (indices == self.padding_value)[..., None]
            rows = jnp.where(padding, lax.stop_gradient(rows), rows)
        if self.scale_by_frequency:
            counts = jnp.zeros(self.n_index + 1, jnp.int32).at[indices].add(1)[indices][..., None].astype(rows.dtype)
            rows = derived_as(rows, rows / counts)
        return rows, buffers

    @builder
    def set_padding(self, padding_value: int) -> "LookupTable":
        """The same layer, which gives no gradient to the row of this index."""
        return self.replace(padding_value=padding_value)

    @builder
    def set_max_norm(self, max_norm: float | None) -> "LookupTable":
        """The same layer with rows scaled down to this norm; None switches this off."""
        return self.replace(max_norm=max_norm)

    @builder
    def set_norm_type(self, norm_type: float) -> "LookupTable":
        """The same layer with the p of the norm."""
        return self.replace(norm_type=norm_type)

    @builder
    def scale_grad_by_freq(self) -> "LookupTable":
        """The same layer, which divides a row's gradient by the number of its index's occurrences."""
        return self.replace(scale_by_frequency=True)


class Embedding(LookupTable):
    """y_j = weight[x_j]: row i of a learned matrix, for every index i of an input of any shape: LookupTable under its
    current name.

    Shape: indices (...), from 1 to n_index -> (..., n_output).
    Parameters and buffers: as LookupTable.
    Raises: ValueError for indices outside 1..n_index if these are concrete.
    Source: torch.nn.Embedding, whose indices count from 0.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> words = f7.Embedding(1000, 16)
    >>> words.apply(*words.init(jax.random.key(0)), jnp.array([[[1, 5], [7, 1000]]]))[0].shape
    (1, 2, 2, 16)
    """

    def forward(
        self, params: dict[str, Array], buffers: Tree, input: Array, *, key: Key, train: bool
    ) -> tuple[Array, Tree]:
        rows, buffers = super().forward(params, buffers, input.reshape(-1), key=key, train=train)
        return rows.reshape(*input.shape, self.n_output), buffers


class Dictionary(LookupTable):
    """Deprecated: it cannot be made; LookupTable does the same.

    Shape: none.
    Raises: RuntimeError, always.
    Source: dpnn, Dictionary.lua.

    >>> import functorch7 as f7
    >>> try:
    ...     f7.Dictionary(1000, 16)
    ... except RuntimeError as error:
    ...     print("LookupTable" in str(error))
    True
    """

    def __init__(self, dict_size: int, embedding_size: int, acc_update: bool = False):
        raise RuntimeError("nn.Dictionary: DEPRECATED Jan 14, 2016; use nn.LookupTable")
