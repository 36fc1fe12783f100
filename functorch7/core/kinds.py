"""What is in the buffers of a module: recurrent state, side outputs, masks, and what is saved."""

from collections.abc import Callable
from typing import Any

import jax

from .emitted import is_emitted
from .module import Module
from .zero_mask import is_zero_mask


def map_state(module: Module, buffers: Any, change: Callable[..., Any], *others: Any) -> Any:
    """`buffers` with `change` applied to every piece of recurrent state, in a fixed order.

    `change` also gets the corresponding pieces of other trees of buffers.
    """
    children = module.children()
    if isinstance(children, tuple):
        trees = zip(children, *(tree[: len(children)] for tree in (buffers, *others)), strict=True)
        own = buffers[len(children) :]
        return [*(map_state(child, branch, change, *rest) for child, branch, *rest in trees), *own]
    names = [name for name in module.traits.transient if name in buffers]
    changed = {name: change(buffers[name], *(other[name] for other in others)) for name in names}
    inner = {
        name: map_state(child, buffers[name], change, *(other[name] for other in others))
        for name, child in children.items()
    }
    return {**buffers, **changed, **inner}


def buffer_kinds(module: Module, buffers: Any) -> Any:
    """The tree of `buffers` with the kind of each: persistent, transient, unsaved, side output, or mask."""
    children = module.children()
    if isinstance(children, tuple):
        inner = [buffer_kinds(child, b) for child, b in zip(children, buffers, strict=False)]
        return [*inner, *(jax.tree.map(_kind, own, is_leaf=_is_node) for own in buffers[len(children) :])]

    def kind(name: str, value: Any) -> Any:
        if name in children:
            return buffer_kinds(children[name], value)
        if name in module.traits.transient:
            return "transient"
        if name in module.traits.unsaved:
            return "unsaved"
        return jax.tree.map(_kind, value, is_leaf=_is_node)

    return {name: kind(name, value) for name, value in buffers.items()}


def _is_node(buffer: Any) -> bool:
    return is_emitted(buffer) or is_zero_mask(buffer)


def _kind(buffer: Any) -> str:
    return "side output" if is_emitted(buffer) else "mask" if is_zero_mask(buffer) else "persistent"
