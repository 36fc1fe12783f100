"""What is inside a module, by dotted name: positions count from 0, and the module itself has the name ""."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from . import naming
from .kinds import buffer_kinds
from .module import Module


def named_children(module: Module) -> Iterator[tuple[str, Module]]:
    """(name, module) of the modules directly inside, in order; a position is a name, too."""
    children = module.children()
    pairs = children.items() if isinstance(children, dict) else enumerate(children)
    return ((str(name), child) for name, child in pairs)


def named_modules(module: Module, prefix: str = "") -> Iterator[tuple[str, Module]]:
    """(dotted name, module) of a module and of all inside, outer ones first. Equal modules are modules of their own."""
    yield prefix, module
    for name, child in named_children(module):
        yield from named_modules(child, f"{prefix}.{name}" if prefix else name)


def named_parameters(module: Module, params: Any) -> Iterator[tuple[str, jax.Array]]:
    """(dotted name, array) of the learnable arrays, in Torch's order; an alias in `Shared` has none."""
    for path, value in naming.named_parameters(module, params):
        if value is not None:
            yield naming.dotted(path), value


def named_buffers(module: Module, buffers: Any) -> Iterator[tuple[str, jax.Array]]:
    """(dotted name, array) of the buffers, saved or not, without recurrent state, masks and side outputs."""
    kinds = naming.leaves_by_name(buffer_kinds(module, buffers))
    for name, value in naming.leaves_by_name(buffers).items():
        if kinds.get(name) in ("persistent", "unsaved"):
            yield name, value


def to(variables: Any, dtype: Any = None, device: Any = None) -> Any:
    """A tree of arrays (variables, params, buffers) with its floating-point arrays cast, and all on a device.

    `device` is a device of JAX or its kind ("cpu", "gpu"); None changes nothing. Raises TypeError for a dtype of
    integers.
    """
    if dtype is not None and not jnp.issubdtype(dtype, jnp.inexact):
        raise TypeError(f"to: expected a floating-point dtype, got {jnp.dtype(dtype)}")
    place = jax.devices(device)[0] if isinstance(device, str) else device

    def moved(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype"):
            return leaf
        cast = leaf.astype(dtype) if dtype is not None and jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf
        return cast if place is None else jax.device_put(cast, place)

    return jax.tree.map(moved, variables)
