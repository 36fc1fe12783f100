"""The parts of torchx that dataload and NCEModule need, such as functions for nested tensors and a queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ..checks.tables import leaves
from ..core import Const
from ..core.types import Value
from ..layers.alias import alias_table
from ..losses.tables import map_leaves
from ..programs import Compiled
from .objects.nested import Nested, Tensors
from .objects.nested import recursiveAdd as recursiveAdd
from .objects.nested import recursiveCopy as recursiveCopy
from .objects.nested import recursiveFill as recursiveFill
from .objects.nested import recursiveNew as recursiveNew
from .objects.nested import recursiveNormal as recursiveNormal
from .objects.nested import recursiveResizeAs as recursiveResizeAs
from .objects.nested import recursiveSet as recursiveSet
from .objects.nested import recursiveSum as recursiveSum
from .objects.nested import recursiveTensorEq as recursiveTensorEq
from .objects.nested import recursiveType as recursiveType
from .tensors.alias import weights_of
from .tensors.kinds import Numbers
from .tensors.named import Named
from .tensors.random import next_key
from .tensors.shards import MultiCudaTensor as MultiCudaTensor
from .tensors.tensor import Tensor
from .tensors.values import unwrapped


def _mapped(function: Callable[[Tensor], Value], tree: Nested) -> Any:
    def of_tensor(leaf: object) -> Value:
        if not isinstance(leaf, Tensor):
            raise TypeError(f"expecting nested tensors or tables. Got {type(leaf).__name__} instead")
        return function(leaf)

    return map_leaves(of_tensor, tree)


def recursiveIndex(res: object, src: Tensors, dim: int, indices: Numbers) -> tuple[Tensors, Tensors]:
    """(res, src): res gets copies of src's slices at `indices` along a dimension; missing tensors are made."""
    at = np.asarray(unwrapped(indices)).astype(np.int64) - 1
    gathered = _mapped(lambda tensor: Tensor.of(np.take(tensor.numpy(), at, dim - 1)), src)
    return (gathered if res is None else recursiveCopy(res, gathered)[0]), src


def recursiveSub(src: Tensors, start: int, stop: int) -> Tensors:
    """Views of the rows from start to stop, both included."""
    return _mapped(lambda tensor: tensor.narrow(1, start, stop - start + 1), src)


def recursiveSize(src: Nested, excludedim: int | None = None) -> Value:
    """The sizes, without the given dimension."""
    return _mapped(lambda tensor: [n for dim, n in enumerate(tensor.shape, 1) if dim != excludedim], src)


def recursiveBatchSize(input: Nested) -> int:
    """The first size of the first tensor."""
    return next(leaves(input)).size(1)


class Queue(Named):
    """First in, first out."""

    def __init__(self) -> None:
        self._values: deque = deque()

    def empty(self) -> bool:
        """Whether it is empty."""
        return not self._values

    def put(self, value: object) -> None:
        """Adds a value."""
        self._values.append(value)

    def get(self) -> Any:
        """Takes the oldest value."""
        if not self._values:
            raise IndexError("Queue is empty")
        return self._values.popleft()


class AliasMultinomial(Named):
    """Draws from a fixed distribution over 1 .. n in constant time, by the alias method.

    `probs`: n weights, not all 0. Source: torchx/AliasMultinomial.lua; Walker, 1977.
    """

    def __init__(self, probs: Numbers):
        weights = Const(weights_of("AliasMultinomial", probs))
        self._draw = Compiled(jax.jit(alias_table(weights).draw, static_argnums=1))

    def draw(self) -> int:
        """One index."""
        return int(self._drawn((1,))[0])

    def batchdraw(self, output: Tensor) -> Tensor:
        """Fills a tensor with indices, and returns it."""
        return output.copy(self._drawn(output.shape))

    def _drawn(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.asarray(self._draw(next_key(), shape)) + 1
