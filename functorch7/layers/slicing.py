"""Layers that take, insert, repeat and rearrange slices of a tensor."""

from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ..checks.errors import example_axis
from ..core import Map, TableMap, axis, builder, check_dimension, check_positive, expected, gather, spread
from ..core.types import Array, Table
from .along import AlongDimension
from .lookup import check_indices
from .merging import flattened
from .table import check_table


class Narrow(AlongDimension, Map):
    """y_i = x_{offset + i - 1}: `length` slices of a dimension, from slice `offset`.

    Shape: the dimension's size becomes length. A negative length counts from the end (-1: up to the last); with a
    negative offset the slice starts at 1 and has size - length elements.
    Raises: ValueError for dimension 0 and for slices beyond the dimension.
    Source: nn/doc/simple.md#nn.Narrow.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Narrow(1, 2, 2).apply({}, {}, jnp.array([1.0, 2.0, 3.0, 4.0]))[0].tolist()
    [2.0, 3.0]
    """

    offset: int
    length: int = 1

    def f(self, input: Array) -> Array:
        along = axis(self, self.dimension, input.ndim)
        size = input.shape[along]
        length = self.length if self.length >= 0 else size - self.offset + self.length + 2
        first = self.offset
        if self.offset < 0:
            length, first = size - length, 1
        if first < 1 or length < 1 or first + length - 1 > size:
            raise expected(self, f"slices {self.offset} to {first + length - 1} in dimension {along + 1}", input)
        return lax.slice_in_dim(input, first - 1, first - 1 + length, axis=along)


class Select(AlongDimension, Map):
    """y = x_{index}: one slice of a dimension, which disappears; both may count backwards from -1.

    Shape: (..., n, ...) -> (..., ...).
    Raises: ValueError for dimension or index 0, or beyond the input's.
    Source: nn/doc/simple.md#nn.Select.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Select(1, -1).apply({}, {}, jnp.array([[1.0, 2.0], [3.0, 4.0]]))[0].tolist()
    [3.0, 4.0]
    """

    index: int

    def f(self, input: Array) -> Array:
        along = axis(self, self.dimension, input.ndim)
        size = input.shape[along]
        position = self.index - 1 if self.index > 0 else self.index + size
        if self.index == 0 or not 0 <= position < size:
            raise expected(self, f"at least {abs(self.index)} slices (counted from 1) in dimension {along + 1}", input)
        return lax.index_in_dim(input, position, along, keepdims=False)


class Index(AlongDimension, TableMap):
    """y_i = x_{index_i}: the slices of a dimension at a 1-D tensor of indices, counted from 1; gradients of
    repeated ones are added.

    Shape: [(..., n, ...), (k)] -> (..., k, ...).
    Raises: ValueError for dimension 0 or beyond the input's, if the indices are not 1-D, and for indices outside 1..n
    if these are concrete; under jit they give NaN.
    Source: nn/doc/simple.md#nn.Index.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Index(1).apply({}, {}, [jnp.array([10.0, 20.0, 30.0]), jnp.array([3, 1, 3])])[0].tolist()
    [30.0, 10.0, 30.0]
    """

    checks_values: ClassVar[bool] = True

    def f(self, input: Table) -> Array:
        tensor, index = check_table(self, input, 2)[:2]
        if index.ndim != 1:
            raise expected(self, "a 1D tensor of indices", index)
        along = axis(self, self.dimension, tensor.ndim)
        check_indices(self, index, tensor.shape[along])
        return gather(tensor, index.astype(jnp.int32) - 1, along)


class Replicate(Map):
    """y[i, k, j] = x[i, j], for k from 1 to n_features along a new dimension `dim`; i are the indices before it, j
    those after it.

    Shape: (...) -> (..., n_features, ...). With ndim, an input of more dimensions is a batch, and dim counts after it.
    Raises: ValueError for n_features or dim below 1, and for too few dimensions.
    Source: nn/doc/simple.md#nn.Replicate.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Replicate(5, 2), (8, 3))
    (8, 5, 3)
    """

    n_features: int
    dim: int = 1
    ndim: int | None = None

    def __post_init__(self) -> None:
        check_positive(self, n_features=self.n_features)
        if self.dim < 1:
            raise ValueError(f"{self.torch_name()}: can only replicate across positive dimensions, got {self.dim}")

    def f(self, input: Array) -> Array:
        at = self.dim - 1 + (1 if self.ndim is not None and input.ndim > self.ndim else 0)
        if at > input.ndim:
            raise expected(self, f"enough dimensions to replicate along dimension {at + 1}", input)
        shape = (*input.shape[:at], self.n_features, *input.shape[at:])
        return spread(jnp.expand_dims(input, at), shape)


class Squeeze(Map):
    """y[i, j] = x[i, 1, j]: the input without dimension `dim` if its size is 1, or without all dimensions of size 1.

    Shape: any. With num_input_dims, an input of one more dimension is a batch, whose dimension stays, and after which a
    positive dim counts.
    Raises: ValueError for dimension 0 or beyond the input's.
    Source: nn/doc/simple.md#nn.Squeeze.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Squeeze(2), (8, 1, 3))
    (8, 3)
    """

    dim: int | None = None
    num_input_dims: int | None = None

    def f(self, input: Array) -> Array:
        batch = self.num_input_dims is not None and input.ndim == self.num_input_dims + 1
        if self.dim is None:
            gone = tuple(a for a, size in enumerate(input.shape) if size == 1 and not (batch and a == 0))
            # A tensor has at least one dimension.
            return input.squeeze(gone if len(gone) < input.ndim else gone[1:])
        along = axis(self, self.dim + (1 if batch and self.dim >= 0 else 0), input.ndim)
        return input.squeeze(along) if input.shape[along] == 1 and input.ndim > 1 else input

    @builder
    def set_num_input_dims(self, num_input_dims: int) -> "Squeeze":
        """The same layer for examples with this many dimensions."""
        return self.replace(num_input_dims=num_input_dims)


class Unsqueeze(Map):
    """y[i, 1, j] = x[i, j]: the input with a new dimension of size 1 at `pos`.

    Shape: (...) -> (..., 1, ...). With num_input_dims, dimensions before the last num_input_dims are batches, and pos
    counts after them (0 is before the last of these); without it, all of the input's dimensions are one example.
    Raises: ValueError for positions beyond num_input_dims + 1, or before the input's first dimension.
    Differs from Torch7: num_input_dims is not fixed by the first input.
    Source: nn/doc/simple.md#nn.Unsqueeze.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Unsqueeze(2), (8, 3))
    (8, 1, 3)
    """

    pos: int
    num_input_dims: int | None = None

    def f(self, input: Array) -> Array:
        dims = input.ndim if self.num_input_dims is None else self.num_input_dims
        if dims > input.ndim:
            raise expected(self, f"at least {dims} dimensions", input)
        place = self.pos + input.ndim - dims
        if self.pos > dims + 1:
            raise expected(self, f"at least {self.pos - 1} dimensions in an example", input)
        if place < 1:
            raise expected(self, f"at least {1 - self.pos} dimensions before the example's {dims}", input)
        return jnp.expand_dims(input, place - 1)

    @builder
    def set_num_input_dims(self, num_input_dims: int) -> "Unsqueeze":
        """The same layer for examples with this many dimensions."""
        return self.replace(num_input_dims=num_input_dims)

    def printed(self) -> str:
        return f"{self.type_name()}(dim {self.pos})"


class Transpose(Map):
    """y[..., j, ..., i, ...] = x[..., i, ..., j, ...]: the input with pairs of dimensions exchanged, one pair after the
    other.

    Shape: any of enough dimensions. After `set_num_input_dims(n)` the pairs count within the last n dimensions.
    Raises: ValueError for dimension 0 or beyond the input's, TypeError for anything but pairs.
    Source: nn/doc/simple.md#nn.Transpose.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Transpose((1, 2), (2, 3)), (2, 3, 4))
    (3, 4, 2)
    """

    permutations: tuple[tuple[int, int], ...]
    num_input_dims: int | None = None

    def __init__(self, *permutations: Sequence[int]):
        pairs = tuple(tuple(check_dimension(self, dimension) for dimension in pair) for pair in permutations)
        self._set(permutations=pairs, num_input_dims=None)
        if any(len(pair) != 2 for pair in self.permutations):
            raise TypeError(f"nn.Transpose: expected pairs of dimensions, got {permutations}")

    def f(self, input: Array) -> Array:
        skipped = 0 if self.num_input_dims is None else input.ndim - self.num_input_dims
        for a, b in self.permutations:
            first, second = (axis(self, d + skipped if d > 0 else d, input.ndim) for d in (a, b))
            input = jnp.swapaxes(input, first, second)
        return input

    @builder
    def set_num_input_dims(self, num_input_dims: int) -> "Transpose":
        """The same layer for examples with this many dimensions."""
        return self.replace(num_input_dims=num_input_dims)


class Padding(Map):
    """y_i = x_{i + pad} where i > -pad, else value: `value`, |pad| times along a dimension, before it for pad < 0,
    after it for pad > 0.

    `index` moves the place inwards: before element `index` from the left, or after all but index - 1 from the right.
    Shape: the dimension's size grows by |pad|. With n_input_dim, an input of another number of dimensions is a batch,
    and a positive dim is counted after it; 0 is the batch's.
    Raises: ValueError for dimension 0 otherwise, or beyond the input's.
    Source: nn/doc/simple.md#nn.Padding.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Padding(1, -2).apply({}, {}, jnp.array([1.0, 2.0]))[0].tolist()
    [0.0, 0.0, 1.0, 2.0]
    """

    dim: int
    pad: int
    n_input_dim: int | None = None
    value: float = 0
    index: int = 1
    tunable: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        check_dimension(self, self.dim, self.n_input_dim)

    def f(self, input: Array) -> Array:
        batch = self.n_input_dim is not None and input.ndim != self.n_input_dim
        along = axis(self, self.dim + (1 if batch and self.dim >= 0 else 0), input.ndim)
        size = input.shape[along]
        place = self.index - 1 if self.pad < 0 else size - (self.index - 1)
        if not 0 <= place <= size:
            raise expected(self, f"at least {self.index - 1} elements in dimension {along + 1}", input)
        shape = (*input.shape[:along], abs(self.pad), *input.shape[along + 1 :])
        before, after = jnp.split(input, [place], along)
        return jnp.concatenate([before, jnp.full(shape, self.value, input.dtype), after], along)


class PixelShuffle(Map):
    """out[c][h r + i][w r + j] = in[c r^2 + i r + j][h][w]: channels become resolution.

    Shape: (C r^2, H, W) -> (C, H r, W r), or with a batch in front.
    Raises: ValueError for r below 1, other ranks, and if the channels are not a multiple of r^2.
    Source: nn/doc/simple.md#nn.PixelShuffle; Shi et al., 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.PixelShuffle(2), (8, 12, 5, 5))
    (8, 3, 10, 10)
    """

    upscale_factor: int

    def __post_init__(self) -> None:
        check_positive(self, upscale_factor=self.upscale_factor)

    def f(self, input: Array) -> Array:
        r = self.upscale_factor
        if input.ndim not in (3, 4) or input.shape[-3] % (r * r):
            raise expected(self, f"a 3D or 4D tensor with a multiple of {r * r} channels", input)
        *batch, channels, height, width = input.shape
        parts = input.reshape(*batch, channels // (r * r), r, r, height, width)
        moved = jnp.moveaxis(parts, (-4, -3), (-3, -1))  # (..., C, H, r, W, r)
        return moved.reshape(*batch, channels // (r * r), height * r, width * r)


class Collapse(Map):
    """y_b = vec(x_b): all dimensions of an example merged into one.

    Shape: n_input_dim dimensions -> (count), more -> (B, count).
    Source: dpnn/README.md#nn.Collapse.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Collapse(2), (8, 3, 4))
    (8, 12)
    """

    n_input_dim: int

    def f(self, input: Array) -> Array:
        return flattened(input, int(input.ndim > self.n_input_dim))


class SplitTable(AlongDimension, Map):
    """x -> [x_1, ..., x_n]: the table of a tensor's slices along a dimension, which disappears.

    Shape: (..., n, ...) -> n tensors (..., ...). An input of n_input_dims + 1 dimensions is a batch, and a positive
    dimension is counted after it; 0 is the batch's.
    Raises: ValueError for dimension 0 otherwise, or beyond the input's.
    Source: nn/doc/table.md#nn.SplitTable.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SplitTable(2), (8, 3, 4))
    [(8, 4), (8, 4), (8, 4)]
    """

    n_input_dims: int | None = None

    @property
    def causal(self) -> bool:
        """Whether it splits the first dimension: then the table is one of steps."""
        return self.dimension == 1 and not self.n_input_dims

    def f(self, input: Array) -> list:
        along = example_axis(self, self.dimension, input.ndim, self.n_input_dims)
        slices = [jax.lax.index_in_dim(input, i, along, keepdims=False) for i in range(input.shape[along])]
        return slices if input.ndim > 1 else [s.reshape(1) for s in slices]
