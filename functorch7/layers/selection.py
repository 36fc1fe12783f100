"""Layers that take tables apart and put them together."""

from itertools import zip_longest

import jax
import jax.numpy as jnp

from ..core import TableMap, expected, spread
from ..core.precision import in_float32
from ..core.types import Array, Output, Table, Tree
from .table import as_the_first, check_entries, check_table


class SelectTable(TableMap):
    """y = x_{index}: one entry of a table: a tensor or a table. Numbers count from 1, or from -1 backwards; a dict has
    keys.

    Shape: [..., x, ...] -> x. A tensor of two dimensions or more is the table of its rows, as in Torch.
    Raises: ValueError if there is no such entry.
    Source: nn/doc/table.md#nn.SelectTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.SelectTable(-1).apply({}, {}, [jnp.array([1.0, 2.0]), jnp.array([3.0, 5.0])])[0].tolist()
    [3.0, 5.0]
    """

    index: int | str

    def f(self, input: Tree) -> Output:
        if isinstance(input, dict):
            if self.index not in input:
                raise expected(self, f"a table with the key {self.index!r}", input)
            return input[self.index]
        if not isinstance(self.index, int):
            raise expected(self, f"a table with the key {self.index!r}", input)
        table = check_entries(self, input)
        position = self.index - 1 if self.index > 0 else self.index + len(table)
        if self.index == 0 or not 0 <= position < len(table):
            raise expected(self, f"a table of at least {max(abs(self.index), 1)} (entries count from 1)", input)
        return table[position]

    def printed(self) -> str:
        return f"{self.type_name()}({self.index})"


class NarrowTable(TableMap):
    """[x_1, ..., x_n] -> [x_offset, ..., x_{offset + length - 1}]: `length` entries of a table, from entry `offset`;
    none if the length is negative, and fewer if the table ends before.

    Shape: [x1, ..., xn] -> [x_offset, ...]. A tensor of two dimensions or more is the table of its rows, as in Torch.
    Raises: ValueError for an offset below 1, and if the input is not a table.
    Source: nn/doc/table.md#nn.NarrowTable.

    >>> import functorch7 as f7
    >>> f7.NarrowTable(2, 2).apply({}, {}, [1.0, 2.0, 3.0])[0]
    [2.0, 3.0]
    """

    offset: int
    length: int = 1

    def __post_init__(self) -> None:
        if self.offset < 1:
            raise ValueError(f"nn.NarrowTable(offset, length): expected offset >= 1, got {self.offset}")

    def f(self, input: Table) -> list:
        return check_entries(self, input)[self.offset - 1 : self.offset - 1 + max(self.length, 0)]


class FlattenTable(TableMap):
    """[x1, [x2, [x3]], ...] -> [x1, x2, x3, ...]: the tensors of a nested table, depth first, as one flat table.

    Shape: [x1, [x2, [x3]], ...] -> [x1, x2, x3, ...].
    Raises: ValueError if the input is not a table.
    Source: nn/doc/table.md#nn.FlattenTable.

    >>> import functorch7 as f7
    >>> f7.FlattenTable().apply({}, {}, [1.0, [2.0, [3.0]]])[0]
    [1.0, 2.0, 3.0]
    """

    def f(self, input: Table) -> list:
        return jax.tree.leaves(check_table(self, input, 0))


class ZipTable(TableMap):
    """[[a1, a2], [b1, b2], ...] -> [[a1, b1, ...], [a2, b2, ...]].

    Shape: tables -> as many tables as the longest has entries. Missing entries of shorter tables are left out at the
    end, and None before entries of longer ones.
    Raises: ValueError unless the input is a table of tables.
    Source: dpnn/README.md#nn.ZipTable.

    >>> import functorch7 as f7
    >>> f7.ZipTable().apply({}, {}, [[1.0, 2.0], [10.0, 20.0]])[0]
    [[1.0, 10.0], [2.0, 20.0]]
    """

    def f(self, input: Table) -> list:
        rows = [check_table(self, row) for row in check_table(self, input)]
        columns = [list(column) for column in zip_longest(*rows)]
        for column in columns:
            while column[-1] is None:
                column.pop()
        return columns


class ReverseTable(TableMap):
    """[x1, ..., xn] -> [xn, ..., x1].

    Shape: a table, kept.
    Raises: ValueError unless the input is a table.
    Source: dpnn/README.md#nn.ReverseTable.

    >>> import functorch7 as f7
    >>> f7.ReverseTable().apply({}, {}, [1.0, 2.0, 3.0])[0]
    [3.0, 2.0, 1.0]
    """

    def f(self, input: Table) -> list:
        return check_table(self, input, 0)[::-1]


class ZipTableOneToMany(TableMap):
    """[v, [a, b, ...]] -> [[v, a], [v, b], ...].

    Shape: an entry and a table -> a table of pairs.
    Raises: ValueError unless there are two entries, the second a table.
    Source: dpnn/README.md#nn.ZipTableOneToMany.

    >>> import functorch7 as f7
    >>> f7.ZipTableOneToMany().apply({}, {}, [0.0, [1.0, 2.0]])[0]
    [[0.0, 1.0], [0.0, 2.0]]
    """

    def f(self, input: Table) -> list:
        if not isinstance(input, (list, tuple)) or len(input) != 2 or not isinstance(input[1], (list, tuple)):
            raise expected(self, "a table of an element and a table", input)
        return [[input[0], each] for each in input[1]]


class CAddTensorTable(TableMap):
    """[v, [a, b, ...]] -> [v + a, v + b, ...].

    Shape: a tensor and a table of tensors with as many elements -> a table of tensors of its shape.
    Raises: ValueError unless the second entry is a table of tensors with as many elements.
    Source: dpnn/README.md#nn.CAddTensorTable.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> table = [jnp.array([1.0, 2.0]), [jnp.array([10.0, 10.0]), jnp.array([20.0, 20.0])]]
    >>> [y.tolist() for y in f7.CAddTensorTable().apply({}, {}, table)[0]]
    [[11.0, 12.0], [21.0, 22.0]]
    """

    def f(self, input: Table) -> list:
        one, many = check_table(self, input, 2)[:2]
        one, *others = as_the_first(self, [one, *check_table(self, many)])
        return [one + each for each in others]


class MixtureTable(TableMap):
    """sum_i g_i e_i, example by example: experts mixed by a gater's weights.

    Shape: [gater (n) or (B, n), experts]: a table of n tensors, or one tensor with n slices in dimension `dim` (1 for
    a 1-D gater, 2 for a 2-D one) -> the shape of an expert; in a batch, dimension 1 of the experts is the batch.
    Raises: ValueError unless there is one gater output per expert and example.
    Source: nn/doc/table.md#nn.MixtureTable; Jacobs et al., 1991.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> gater = jnp.array([[0.25, 0.75]])
    >>> experts = [jnp.array([[4.0]]), jnp.array([[8.0]])]
    >>> f7.MixtureTable().apply({}, {}, [gater, experts])[0].tolist()
    [[7.0]]
    """

    dim: int | None = None

    @in_float32
    def f(self, input: Table) -> Array:
        gater, experts = check_table(self, input, 2)[:2]
        if gater.ndim not in (1, 2):
            raise expected(self, "a gater of 1 or 2 dimensions", gater)
        along = gater.ndim - 1 if self.dim is None else self.dim - 1
        if isinstance(experts, (list, tuple)):
            if len({jnp.shape(each) for each in experts}) != 1:
                raise expected(self, "experts of one shape", input)
            experts, along = jnp.stack(experts, gater.ndim - 1), gater.ndim - 1
        if not 0 <= along < experts.ndim or experts.shape[along] != gater.shape[-1]:
            raise expected(self, f"one gater output per expert ({gater.shape[-1]}) in dimension {along + 1}", input)
        if gater.ndim == 2 and (along == 0 or experts.shape[0] != gater.shape[0]):
            raise expected(self, f"experts' outputs for each of {gater.shape[0]} examples in dimension 1", input)
        shape = [1] * experts.ndim
        shape[along] = gater.shape[-1]
        if gater.ndim == 2:
            shape[0] = gater.shape[0]
        return (spread(gater, experts.shape, tuple(shape)) * experts).sum(along)
