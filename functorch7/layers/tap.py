"""Host functions that look at values on their way forward and at gradients on their way back."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.experimental import io_callback

from ..core import host_device, is_concrete
from ..core.types import Tree, Value
from ..core.way_back import own_way_back

Hook = Callable[[Any], None] | None


def tap(who: str, tree: Tree, seen: Callable[[Value], object], forward: Hook = None, backward: Hook = None) -> Value:
    """`tree` itself; calls forward(seen(tree)) before anybody uses it, and backward(seen(gradient)) on the way back.

    `seen` is compiled with the rest and makes what the host function gets: small arrays, best. Outside `jit` the host
    functions are called at once and their exceptions are raised as they are; inside, they become JaxRuntimeErrors.
    Raises: RuntimeError, naming `who`, where a program is traced and JAX has no CPU, by which programs call the host.
    """
    tree = tree if forward is None else _looked_at(who, tree, seen, forward)
    return (
        tree if backward is None else own_way_back(tree, lambda gradients: _looked_at(who, gradients, seen, backward))
    )


@partial(jax.custom_jvp, nondiff_argnums=(0, 2, 3))
def _looked_at(who: str, tree: Tree, seen: Callable[[Any], Any], hook: Callable[[Any], None]) -> Any:
    return _shown(who, tree, seen, hook)


@_looked_at.defjvp
def _tangents(who: str, seen: Callable[[Any], Any], hook: Callable[[Any], None], primals: Any, tangents: Any) -> tuple:
    return _looked_at(who, *primals, seen, hook), tangents[0]


def _shown(who: str, tree: Tree, seen: Callable[[Any], Any], hook: Callable[[Any], None]) -> Any:
    leaves, structure = jax.tree.flatten(tree)
    if not leaves:
        return tree
    if all(map(is_concrete, leaves)):
        hook(jax.block_until_ready(seen(leaves)))
        return tree

    if host_device() is None:
        raise RuntimeError(
            f"{who} calls the host, for which a compiled program needs a CPU among JAX's platforms, such as "
            f"JAX_PLATFORMS={jax.default_backend()},cpu; it has {jax.default_backend()} alone"
        )

    def call(values: Any) -> np.ndarray:
        hook(values)
        return np.zeros((), np.bool_)

    done = io_callback(call, jax.ShapeDtypeStruct((), np.bool_), seen(lax.optimization_barrier(leaves)))
    # Nobody computes with them before the hook is through.
    return structure.unflatten([lax.optimization_barrier((leaf, done))[0] for leaf in leaves])
