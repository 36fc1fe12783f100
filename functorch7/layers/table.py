"""Layers that take or return tables: Python lists."""

import operator
from functools import reduce

import jax
import jax.numpy as jnp
import numpy as np

from ..checks.errors import example_axis
from ..core import TableMap, expected
from ..core.module import Module
from ..core.precision import in_float32
from ..core.types import Array, Table, Value
from .along import AlongDimension


def check_table(module: Module, input: Table, at_least: int = 1) -> list:
    """The input as a list, if it is a table of this many entries."""
    if not isinstance(input, (list, tuple)) or len(input) < at_least:
        raise expected(module, f"a table of at least {at_least}" if at_least else "a table", input)
    return list(input)


def rows_or_entries(input: Value, count: int | None = None, dimensions: int = 2) -> list | None:
    """The entries of a table, or the rows of a tensor, if there are `count` of them; None otherwise.

    Torch allows this for modules that read entries by number, since `tensor[1]` is the first row: a number, where a
    tensor of one dimension is possible.
    """
    has_rows = getattr(input, "ndim", 0) >= dimensions and count in (None, input.shape[0])
    return list(input) if has_rows or isinstance(input, (list, tuple)) else None


def check_entries(module: Module, input: Value, count: int | None = None) -> list:
    """The same for a table, or tensor, of which a module takes the first `count` entries, or some (None)."""
    entries = rows_or_entries(input, count)
    return check_table(module, input if entries is None else entries, count or 1)


def check_tensors(module: Module, outputs: Table) -> list:
    """The input as a list, if it is a table of tensors without tables."""
    tensors = check_table(module, outputs)
    if not all(hasattr(tensor, "shape") for tensor in tensors):
        raise expected(module, "tensors to join", tensors)
    return tensors


def joined(module: Module, tensors: Table, dimension: int | None, n_input_dims: int | None = None) -> Array:
    """A table's tensors joined along a 1-based dimension, or our error if their sizes do not match.

    As in Torch, which copies each to its place, those after the first may have fewer or more dimensions of size 1.
    """
    tensors = check_tensors(module, tensors)
    shape = tensors[0].shape
    along = example_axis(module, dimension, len(shape), n_input_dims)
    placed = []
    for tensor in tensors:
        place = (*shape[:along], *tensor.shape[along : along + 1], *shape[along + 1 :])
        if len(place) != len(shape) or _without_ones(tensor.shape) != _without_ones(place):
            raise expected(module, f"sizes that match in every dimension but {along + 1}", tensors)
        placed.append(tensor.reshape(place))
    return jnp.concatenate(placed, along)


def _without_ones(shape: tuple[int, ...]) -> list[int]:
    return [size for size in shape if size != 1]


def as_the_first(module: Module, tensors: Table) -> list:
    """A table's tensors in the sizes of the first, if all have equally many elements, as Torch requires."""
    tensors = check_table(module, tensors)
    if any(isinstance(tensor, (list, tuple, dict)) for tensor in tensors):
        raise expected(module, "a table of tensors, and of no tables", tensors)
    shape = jnp.shape(tensors[0])
    for tensor in tensors:
        if jnp.size(tensor) != jnp.size(tensors[0]):
            raise expected(module, f"tensors with as many elements as the first, of shape {shape}", tensor)
    return [jnp.reshape(tensor, shape) for tensor in tensors]


class CAddTable(TableMap):
    """y = sum_i x_i: the sum of the table's tensors.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements. `inplace` is accepted
    and changes no value.
    Raises: ValueError unless the input is a table of tensors with equally many elements.
    Source: nn/doc/table.md#nn.CAddTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CAddTable().apply({}, {}, [jnp.array([1.0, 2.0]), jnp.array([3.0, 5.0])])[0].tolist()
    [4.0, 7.0]
    """

    inplace: bool = False

    def f(self, input: Table) -> Array:
        return reduce(operator.add, as_the_first(self, input))


class CSubTable(TableMap):
    """y = x1 - x2.

    Shape: [s, s] -> s; those behind the first may have other sizes, with as many elements.
    Raises: ValueError unless the input is a table of tensors with equally many elements.
    Source: nn/doc/table.md#nn.CSubTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CSubTable().apply({}, {}, [jnp.array([1.0, 2.0]), jnp.array([3.0, 5.0])])[0].tolist()
    [-2.0, -3.0]
    """

    def f(self, input: Table) -> Array:
        first, second = as_the_first(self, check_entries(self, input, 2)[:2])
        return first - second


class CDivTable(TableMap):
    """y = x1 / x2, element by element.

    Shape: [s, s] -> s; those behind the first may have other sizes, with as many elements.
    Raises: ValueError unless the input is a table of tensors with equally many elements.
    Source: nn/doc/table.md#nn.CDivTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CDivTable().apply({}, {}, [jnp.array([1.0, 6.0]), jnp.array([2.0, 3.0])])[0].tolist()
    [0.5, 2.0]
    """

    @in_float32  # of the gradient, as its square is divided by
    def f(self, input: Table) -> Array:
        first, second = as_the_first(self, check_entries(self, input, 2)[:2])
        return first / second


class CMulTable(TableMap):
    """y = x_1 x_2 ... x_n: the product of the table's tensors, element by element.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements.
    Raises: ValueError unless the input is a table of tensors with equally many elements.
    Source: nn/doc/table.md#nn.CMulTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CMulTable().apply({}, {}, [jnp.array([1.0, 2.0]), jnp.array([3.0, 5.0])])[0].tolist()
    [3.0, 10.0]
    """

    def f(self, input: Table) -> Array:
        return reduce(operator.mul, as_the_first(self, input))


class CMaxTable(TableMap):
    """y = max(x_1, ..., x_n): the maximum of the table's tensors, element by element; the gradient goes to the first
    that has it.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements.
    Raises: ValueError unless the input is a table of tensors with equally many elements.
    Source: nn/doc/table.md#nn.CMaxTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CMaxTable().apply({}, {}, [jnp.array([1.0, 6.0]), jnp.array([2.0, 3.0])])[0].tolist()
    [2.0, 6.0]
    """

    def f(self, input: Table) -> Array:
        return reduce(lambda best, x: jnp.where(x > best, x, best), as_the_first(self, input))


class CMinTable(TableMap):
    """y = min(x_1, ..., x_n): the minimum of the table's tensors, element by element; the gradient goes to the first
    that has it.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements.
    Raises: ValueError unless the input is a table of tensors with equally many elements.
    Source: nn/doc/table.md#nn.CMinTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CMinTable().apply({}, {}, [jnp.array([1.0, 6.0]), jnp.array([2.0, 3.0])])[0].tolist()
    [1.0, 3.0]
    """

    def f(self, input: Table) -> Array:
        return reduce(lambda best, x: jnp.where(x < best, x, best), as_the_first(self, input))


class JoinTable(AlongDimension, TableMap):
    """y = join(x_1, ..., x_n): the table's tensors joined along `dimension`.

    Shape: tensors that agree in every other dimension, except dimensions of size 1, which those after the first may
    lack; `n_input_dims` is the number of dimensions of one example: tensors with one more have a batch in front, and
    `dimension` is counted after it; 0 is the batch's.
    Raises: ValueError for dimension 0 otherwise, an empty table, or sizes that do not match.
    Source: nn/doc/table.md#nn.JoinTable.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.JoinTable(2), [(8, 3), (8, 4)])
    (8, 7)
    >>> f7.output_shape(f7.JoinTable(1, 1), [(8, 3), (8, 4)])  # dimension 1 of an example
    (8, 7)
    """

    n_input_dims: int | None = None

    def f(self, input: Table) -> Array:
        return joined(self, input, self.dimension, self.n_input_dims)


class MaskedSelect(TableMap):
    """y = x[mask != 0]: the elements of x where mask is not 0, row by row.

    Shape: [x, mask], with as many elements -> (count,). The output's size depends on the mask's values: without
    `size` it works only outside of jit; with `size` it has that many elements, cut or filled with zeros.
    Raises: ValueError for another `size`, if the numbers of elements differ, or under jit without `size`.
    Source: nn/doc/simple.md#nn.MaskedSelect.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.MaskedSelect(size=4), [(2, 3), (2, 3)])  # values and mask, under jit
    (4,)
    """

    size: int | None = None

    def __post_init__(self) -> None:
        if self.size is not None and (not isinstance(self.size, (int, np.integer)) or self.size < 0):
            raise ValueError(f"{self.torch_name()}: expected a size that is a whole number, got {self.size!r}")

    @property
    def traceable(self) -> bool:
        return self.size is not None

    def f(self, input: Table) -> Array | None:
        x, mask = check_table(self, input, 2)[:2]
        if x.size != mask.size:
            raise expected(self, "a tensor and a mask with as many elements", input)
        x, chosen = jnp.asarray(x).reshape(-1), mask.reshape(-1).astype(bool)
        if self.size is not None and not x.size:  # JAX reads nothing of an empty array, not even what is to fill
            return jnp.zeros(self.size, x.dtype)
        if self.size is not None:
            (at,) = jnp.nonzero(chosen, size=self.size, fill_value=x.size)
            return x.at[at].get(mode="fill", fill_value=0)
        try:
            (at,) = jnp.nonzero(chosen)
        except jax.errors.ConcretizationTypeError as error:
            raise ValueError(
                f"{self}: its output's size depends on the mask's values; under jit give it: MaskedSelect(size=n)"
            ) from error
        return x[at]
