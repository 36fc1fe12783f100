"""Masks of padding that users give next to the input: nodes in the buffers of the modules that use them."""

from collections.abc import Iterable
from dataclasses import dataclass

import jax

from ..core.types import Tree, Value


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class ZeroMask:
    """Which examples are padding: true (or 1) for padding, T x B for a sequence, B for a step.

    None: not given. A scalar applies to all examples.
    """

    value: Value = None


def is_zero_mask(node: object) -> bool:
    """True for a mask's node; for use as `is_leaf`."""
    return isinstance(node, ZeroMask)


def zero_masks(buffers: Tree) -> list:
    """The values of all masks, in the tree's order."""
    return [node.value for node in jax.tree.leaves(buffers, is_leaf=is_zero_mask) if is_zero_mask(node)]


def with_zero_masks(buffers: Tree, values: Iterable) -> Tree:
    """`buffers` with these values in place of those of its masks."""
    rest = iter(values)
    return jax.tree.map(lambda b: ZeroMask(next(rest)) if is_zero_mask(b) else b, buffers, is_leaf=is_zero_mask)


def without_zero_masks(buffers: Tree) -> Tree:
    """`buffers` with every mask emptied: the structure that `init` makes."""
    return with_zero_masks(buffers, [None] * len(zero_masks(buffers)))
