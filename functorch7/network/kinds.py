"""The kinds of a module's buffers: recurrent state, side outputs, masks, and what is saved."""

from collections.abc import Callable, Mapping
from typing import Any

import jax

from ..core.emitted import is_emitted
from ..core.module import Module
from ..core.tree import mapped
from ..core.types import Tree, Value
from .zero_mask import is_zero_mask


def state_names(module: Module, own: Mapping[str, Value]) -> list[str]:
    """The names of the recurrent state among a module's own buffers."""
    return [name for name in module.traits.transient if name in own]


def map_state(module: Module, buffers: Tree, change: Callable[..., Value], *others: Tree) -> Value:
    """`buffers` with `change` applied to every piece of recurrent state, in a fixed order.

    `change` also gets the corresponding pieces of other trees of buffers.
    """

    def changed(module: Module, own: dict[str, Any], *rest: dict[str, Any]) -> dict[str, Any]:
        return own | {name: change(own[name], *(each[name] for each in rest)) for name in state_names(module, own)}

    return mapped(module, changed, buffers, *others)


def state_axes(module: Module, buffers: Tree) -> Tree:
    """For each piece of recurrent state, which axis counts examples: a tree like that of `carry_of`."""
    return mapped(
        module, lambda module, own: dict.fromkeys(state_names(module, own), module.traits.state_axis), buffers
    )


def buffer_kinds(module: Module, buffers: Tree) -> Tree:
    """The tree of `buffers` with the kind of each: persistent, transient, unsaved, side output, or mask."""

    def kinds(module: Module, own: dict[str, Any]) -> dict[str, Any]:
        declared = dict.fromkeys(module.traits.unsaved, "unsaved") | dict.fromkeys(module.traits.transient, "transient")
        return {name: declared.get(name) or jax.tree.map(_kind, own[name], is_leaf=_is_node) for name in own}

    return mapped(module, kinds, buffers)


def _is_node(buffer: Any) -> bool:
    return is_emitted(buffer) or is_zero_mask(buffer)


def _kind(buffer: Any) -> str:
    return "side output" if is_emitted(buffer) else "mask" if is_zero_mask(buffer) else "persistent"
