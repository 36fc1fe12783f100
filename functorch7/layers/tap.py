"""Host functions that look at values on their way forward and at gradients on their way back."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback

from ..core import host_device, is_concrete
from ..core.types import Tree, Value

Hook = Callable[[Any], None] | None


@partial(jax.custom_vjp, nondiff_argnums=(0, 2, 3, 4))
def tap(who: str, tree: Tree, seen: Callable[[Value], object], forward: Hook = None, backward: Hook = None) -> Value:
    """`tree` itself; calls forward(seen(tree)) before anybody uses it, and backward(seen(gradient)) on the way back.

    `seen` is compiled with the rest and makes what the host function gets: small arrays, best. Outside `jit` the host
    functions are called at once and their exceptions are raised as they are; inside, they become JaxRuntimeErrors.
    Raises: RuntimeError, naming `who`, where a program is traced and JAX has no CPU, by which programs call the host.
    """
    return _shown(who, tree, seen, forward)


def _shown(who: str, tree: Tree, seen: Callable[[Any], Any], hook: Hook) -> Any:
    leaves, structure = jax.tree.flatten(tree)
    shown = [i for i, leaf in enumerate(leaves) if jnp.result_type(leaf) != jax.dtypes.float0]
    if hook is None or not shown:
        return tree
    if all(map(is_concrete, leaves)):
        hook(jax.block_until_ready(seen([leaves[i] for i in shown])))
        return tree

    if host_device() is None:
        raise RuntimeError(
            f"{who} calls the host, for which a compiled program needs a CPU among JAX's platforms, such as "
            f"JAX_PLATFORMS={jax.default_backend()},cpu; it has {jax.default_backend()} alone"
        )

    def call(values: Any) -> np.ndarray:
        hook(values)
        return np.zeros((), np.bool_)

    computed = lax.optimization_barrier([leaves[i] for i in shown])
    done = io_callback(call, jax.ShapeDtypeStruct((), np.bool_), seen(computed))
    for i in shown:  # nobody computes with them before the hook is through
        leaves[i], _ = lax.optimization_barrier((leaves[i], done))
    return structure.unflatten(leaves)


def _forward(who: str, tree: Any, seen: Callable[[Any], Any], forward: Hook, backward: Hook) -> tuple[Any, None]:
    return _shown(who, tree, seen, forward), None


def _backward(
    who: str, seen: Callable[[Any], Any], forward: Hook, backward: Hook, _: None, gradient: Any
) -> tuple[Any]:
    return (_shown(who, gradient, seen, backward),)


tap.defvjp(_forward, _backward)
