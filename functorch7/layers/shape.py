"""Layers that only change the shape of their input."""

import math
from collections.abc import Iterable

import jax
import numpy as np

from ..checks.declared import whole_number
from ..core import Map, builder, expected
from ..core.module import Module
from ..core.types import Output, Tree


class Identity(Map):
    """y = x.

    Shape: any, tables too.
    Source: nn/doc/simple.md#nn.Identity.

    >>> import functorch7 as f7
    >>> f7.Identity().apply({}, {}, [1.0, 2.0])[0]
    [1.0, 2.0]
    """

    takes_complex = True

    def f(self, input: Tree) -> Output:
        return input


def sizes_of(module: Module, sizes: tuple) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence (Torch's LongStorage)."""
    if len(sizes) == 1 and np.ndim(sizes[0]):
        sizes = tuple(np.asarray(sizes[0]).tolist())
    found = tuple(whole for size in sizes if (whole := whole_number(size)) is not None)
    if not sizes or len(found) < len(sizes):
        raise ValueError(f"{module.torch_name()}: expected sizes, got {sizes}")
    return found


def check_open_sizes(module: "Reshape | View") -> None:
    """Refuses sizes that are not positive, except one that may be -1."""
    if any(s < 1 and s != -1 for s in module.size):
        raise ValueError(f"{module.torch_name()}: expected sizes that are positive or -1, got {module.size}")
    if module.size.count(-1) > 1:
        raise ValueError(f"{module.torch_name()}: expected at most one size of -1, got {module.size}")


def known_count(size: tuple[int, ...]) -> int:
    """The elements of one row along the open dimension, or of all."""
    return math.prod(s for s in size if s != -1)


class Reshape(Map):
    """vec(y) = vec(x): the input's elements, row by row, as `sizes`, of which one may be -1: the remaining size.

    Shape: with batch_mode True, (B, ...) -> (B, *sizes); with False, any -> sizes; with None (the default)
    sizes if the element counts agree and the first dimension is not 1, else as True. With a size of -1 the counts
    never agree, so that the first dimension is a batch unless batch_mode is False.
    Raises: ValueError for a size that is neither positive nor -1, for two -1, and if the element counts differ.
    Source: nn/doc/simple.md#nn.Reshape.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Reshape(2, 6), (8, 3, 4))
    (8, 2, 6)
    >>> f7.output_shape(f7.Reshape(2, -1), (8, 3, 4))
    (8, 2, 6)
    """

    size: tuple[int, ...]
    batch_mode: bool | None = None

    def __init__(self, *sizes: int | Iterable[int], batch_mode: bool | None = None):
        if len(sizes) > 1 and (isinstance(sizes[-1], bool) or sizes[-1] is None):  # Torch's last argument
            sizes, batch_mode = sizes[:-1], sizes[-1]
        self._set(size=sizes_of(self, sizes), batch_mode=batch_mode)
        check_open_sizes(self)

    def f(self, input: jax.Array) -> jax.Array:
        whole = input.size == math.prod(self.size) and (input.ndim == 0 or input.shape[0] != 1)
        batch_shape = () if self.batch_mode is False or (self.batch_mode is None and whole) else input.shape[:1]
        known = known_count(self.size)
        example = math.prod(input.shape[len(batch_shape) :])
        if example % known if -1 in self.size else example != known:
            count = f"a multiple of {known} elements" if -1 in self.size else f"{known} elements"
            raise expected(self, count + ("" if self.batch_mode is False else " per example"), input)
        return input.reshape(batch_shape + tuple(example // known if size == -1 else size for size in self.size))

    def printed(self) -> str:
        return f"{self.type_name()}({'x'.join(map(str, self.size))})"


class Flatten(Map):
    """y_b = vec(x_b): every example as a vector, row by row.

    Shape: (B, ...) -> (B, n).
    Raises: ValueError for an input without a batch.
    Source: torch.nn.Flatten; keras.layers.Flatten.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Flatten().apply({}, {}, jnp.ones((2, 3, 4, 5)))[0].shape
    (2, 60)
    """

    def f(self, input: jax.Array) -> jax.Array:
        if input.ndim < 2:
            raise expected(self, "a batch of at least 2 dimensions", input)
        return input.reshape(input.shape[0], math.prod(input.shape[1:]))


class View(Map):
    """vec(y) = vec(x): the input's elements, row by row, as `sizes`, of which one may be -1; the remaining factor
    becomes a leading batch.

    Shape: any -> sizes, or (batch, *sizes). `set_num_input_dims(n)` says that only the last n dimensions are one
    example, so that all before them are the batch.
    Raises: ValueError for a size that is neither positive nor -1, for two -1, and if the counts do not fit.
    Source: nn/doc/simple.md#nn.View.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.View(-1, 12), (8, 3, 4))
    (8, 12)
    >>> f7.output_shape(f7.View(-1).set_num_input_dims(2), (8, 3, 4))
    (8, 12)
    """

    size: tuple[int, ...]
    num_input_dims: int | None = None

    def __init__(self, *sizes: int | Iterable[int]):
        self._set(size=sizes_of(self, sizes), num_input_dims=None)
        self.__post_init__()

    def __post_init__(self) -> None:
        check_open_sizes(self)

    def f(self, input: jax.Array) -> jax.Array:
        dims = input.ndim if self.num_input_dims is None else self.num_input_dims
        batch_shape = input.shape[: max(input.ndim - dims, 0)]
        example = math.prod(input.shape[len(batch_shape) :])
        known = known_count(self.size)
        if example % known:
            sizes = "x".join(map(str, self.size))
            raise expected(self, f"a multiple of {known} elements to view as {sizes}", input)
        batch = math.prod(batch_shape) * (1 if -1 in self.size else example // known)
        if batch == 1 and not batch_shape:
            return input.reshape(self.size)
        return input.reshape((batch, *self.size))

    @builder
    def set_num_input_dims(self, num_input_dims: int) -> "View":
        """The same view of examples with this many dimensions."""
        return self.replace(num_input_dims=num_input_dims)

    @builder
    def reset_size(self, *sizes: int | Iterable[int]) -> "View":
        """The same view with other sizes."""
        return self.replace(size=sizes_of(self, sizes))

    def printed(self) -> str:
        return f"{self.type_name()}({', '.join(map(str, self.size))})"
