"""Layers that take or give tables: Python lists."""

from typing import Any

import jax
import jax.numpy as jnp

from ..core import Map, axis, check_dimension, expected


def check_table(module: Any, input: Any, at_least: int = 1) -> list:
    """The input as a list, if it is a table of so many entries."""
    if not isinstance(input, (list, tuple)) or len(input) < at_least:
        raise expected(module, f"a table of at least {at_least}", input)
    return list(input)


def joined(module: Any, tensors: Any, dimension: int | None, n_input_dims: int | None = None) -> jax.Array:
    """A table's tensors joined along a 1-based dimension, or our error if their sizes do not match."""
    tensors = check_table(module, tensors)
    along = axis(module, dimension, tensors[0].ndim, n_input_dims)
    if len({(t.ndim, t.shape[:along], t.shape[along + 1 :]) for t in tensors}) > 1:
        raise expected(module, f"sizes that match in every dimension but {along + 1}", tensors)
    return jnp.concatenate(tensors, along)


class CAddTable(Map):
    """The sum of the table's tensors.

    Shape: [s, s, ...] -> s.  `inplace` is accepted and changes no value.
    Raises: ValueError unless the input is a table of tensors of one shape.
    Source: nn/doc/table.md#nn.CAddTable.
    """

    inplace: bool = False

    def f(self, input: Any) -> Any:
        first, *others = check_table(self, input)
        for other in others:
            if jnp.shape(other) != jnp.shape(first):
                raise expected(self, f"tensors of one shape ({jnp.shape(first)})", other)
            first = first + other
        return first


class JoinTable(Map):
    """The table's tensors joined along `dimension`.

    Shape: tensors that agree in every other dimension; `n_input_dims` is the number of dimensions of one
    example: tensors with one more have a batch in front, and `dimension` is counted after it.
    Raises: ValueError for dimension 0, an empty table, or sizes that do not match.
    Source: nn/doc/table.md#nn.JoinTable.
    """

    dimension: int
    n_input_dims: int | None = None

    def __post_init__(self) -> None:
        check_dimension(self, self.dimension)

    def f(self, input: Any) -> Any:
        return joined(self, input, self.dimension, self.n_input_dims)


class MaskedSelect(Map):
    """The elements of x where mask is not 0, row by row.

    Shape: [x, mask], both of one shape -> (count,). The output's size depends on the mask's values: without
    `size` it works outside jit only; with `size` it has that many elements, cut or filled up with zeros.
    Raises: ValueError if the shapes differ, or under jit without `size`.
    Source: nn/doc/simple.md#nn.MaskedSelect.
    """

    size: int | None = None

    @property
    def traceable(self) -> bool:
        return self.size is not None

    def f(self, input: Any) -> Any:
        x, mask = check_table(self, input, 2)[:2]
        if x.shape != mask.shape:
            raise expected(self, "a tensor and a mask of one shape", input)
        x, chosen = jnp.asarray(x).reshape(-1), mask.reshape(-1).astype(bool)
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
