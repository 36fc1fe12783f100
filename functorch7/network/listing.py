"""The contents of a module, by dotted name: positions count from 0, and the module itself has the name ""."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ..checks.errors import describe
from ..checks.foreign import foreign, is_foreign
from ..core import tree
from ..core.module import Module
from ..core.types import Device, Params, Tree, Value
from . import naming


def named_children(module: Module) -> Iterator[tuple[str, Module]]:
    """(name, module) of the modules directly inside, in order; a position counts as a name.

    >>> import functorch7 as f7
    >>> dict(f7.named_children(f7.Sequential(f7.Linear(3, 2), f7.Tanh())))
    {'0': nn.Linear(3 -> 2), '1': nn.Tanh}
    """
    return ((str(name), child) for name, child in tree.named_children(module))


def named_modules(module: Module, prefix: str = "") -> Iterator[tuple[str, Module]]:
    """(dotted name, module) of a module and of all inside, outer ones first. Equal modules are listed separately.

    >>> import functorch7 as f7
    >>> [name for name, _ in f7.named_modules(f7.Sequential(f7.Tanh(), f7.Sequential(f7.ReLU())))]
    ['', '0', '1', '1.0']
    """
    start = (prefix,) if prefix else ()
    return ((tree.dotted(path), each) for path, each in tree.places(module, start))


def named_parameters(module: Module, params: Params) -> Iterator[tuple[str, jax.Array]]:
    """(dotted name, array) of the learnable arrays, in Torch's order; an alias in `Shared` has none.

    >>> import functorch7 as f7, jax
    >>> network = f7.Sequential(f7.Linear(3, 2), f7.Tanh())
    >>> {name: array.shape for name, array in f7.named_parameters(network, network.init(jax.random.key(0)).params)}
    {'0.weight': (2, 3), '0.bias': (2,)}
    """
    return _present(naming.named_parameters(module, params))


def named_buffers(module: Module, buffers: Tree) -> Iterator[tuple[str, jax.Array]]:
    """(dotted name, array) of the buffers, saved or not, without recurrent state, masks and side outputs.

    >>> import functorch7 as f7
    >>> norm = f7.BatchNormalization(2)
    >>> {name: array.tolist() for name, array in f7.named_buffers(norm, norm.init_buffers())}
    {'running_mean': [0.0, 0.0], 'running_var': [1.0, 1.0]}
    """
    return _present(naming.named_buffers(module, buffers, ("persistent", "unsaved")))


def _present(found: Iterator[tuple[tree.Path, Any]]) -> Iterator[tuple[str, jax.Array]]:
    return ((tree.dotted(path), value) for path, value in found if value is not None)


def _is_floating(dtype: DTypeLike) -> bool:
    try:
        return jnp.issubdtype(jnp.dtype(dtype), jnp.inexact)
    except (TypeError, ValueError):  # the name of none, or none at all
        return False


def to(variables: object, dtype: DTypeLike | None = None, device: Device | str | None = None) -> Value:
    """A tree of arrays (variables, params, buffers) with its floating-point arrays cast, and all on a device.

    `device` is a device of JAX or its kind ("cpu", "gpu"); None changes nothing.
    Raises: TypeError for a dtype of integers, for a description, which has no arrays, and for other libraries' arrays;
    RuntimeError for a kind of device that JAX does not have.

    >>> import functorch7 as f7, jax
    >>> params, _ = f7.to(f7.Linear(2, 1).init(jax.random.key(0)), "bfloat16")
    >>> params["weight"].dtype
    dtype(bfloat16)
    """
    if isinstance(variables, Module):
        raise TypeError(f"to: expected arrays, such as variables, got {variables.torch_name()}, which holds none")
    if dtype is not None and not _is_floating(dtype):
        given = jnp.dtype(dtype) if isinstance(dtype, (type, np.dtype)) else dtype if isinstance(dtype, str) else None
        raise TypeError(f"to: expected a floating-point dtype, got {describe(dtype) if given is None else given}")
    place = _device_of(device) if isinstance(device, str) else device

    def moved(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype"):
            return leaf
        if is_foreign(leaf):
            raise TypeError(f"to: expected arrays, such as variables, got {foreign(leaf)}")
        cast = leaf.astype(dtype) if dtype is not None and jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf
        return cast if place is None else jax.device_put(cast, place)

    return jax.tree.map(moved, variables)


def _device_of(kind: str) -> Device:
    try:
        return jax.devices(kind)[0]
    except RuntimeError as error:
        there = ", ".join(sorted({device.platform for device in (*jax.devices(), *jax.devices("cpu"))}))
        raise RuntimeError(f"to: expected a kind of devices that there are, {there}, got {kind!r}") from error
