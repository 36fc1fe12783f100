"""Host functions that observe values in the forward pass and gradients in the backward pass."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src.core import Primitive  # as jax.extend.core defines it, which also imports Pallas
from jax.experimental import io_callback
from jax.interpreters import ad, batching, mlir

from ..core import host_device
from ..core.types import Tree, Value
from ..core.way_back import own_way_back

Hook = Callable[[Any], None] | None
Seen = Callable[[Any], Any]
Program = Callable[..., list]


def tap(who: str, tree: Tree, seen: Callable[[Value], object], forward: Hook = None, backward: Hook = None) -> Value:
    """`tree` itself; calls forward(seen(tree)) before it is used, and backward(seen(gradient)) in the backward pass.

    `seen` is compiled with the rest and makes the host function's arguments, preferably small arrays. Outside `jit` the
    host functions are called at once and their exceptions are raised unchanged; inside, they become JaxRuntimeErrors.
    Raises: RuntimeError, naming `who`, if a program is traced and JAX has no CPU, which programs need to call the host.
    """
    tree = tree if forward is None else _looked_at(who, tree, seen, forward)
    return (
        tree if backward is None else own_way_back(tree, lambda gradients: _looked_at(who, gradients, seen, backward))
    )


def _looked_at(who: str, tree: Tree, seen: Seen, hook: Callable[[Any], None]) -> Any:
    leaves, structure = jax.tree.flatten(tree)
    if not leaves:
        return tree
    at_once, program = partial(_called_at_once, seen, hook), partial(_called_by_a_program, who, seen, hook)
    return structure.unflatten(_look.bind(*leaves, at_once=at_once, program=program))


def _called_at_once(seen: Seen, hook: Callable[[Any], None], *leaves: Any) -> list:
    hook(jax.block_until_ready(seen(list(leaves))))
    return list(leaves)


def _called_by_a_program(who: str, seen: Seen, hook: Callable[[Any], None], *leaves: Any) -> list:
    if host_device() is None:
        raise RuntimeError(
            f"{who} calls the host, for which a compiled program needs a CPU among JAX's platforms, such as "
            f"JAX_PLATFORMS={jax.default_backend()},cpu; it has {jax.default_backend()} alone"
        )

    def call(values: Any) -> np.ndarray:
        hook(values)
        return np.zeros((), np.bool_)

    done = io_callback(call, jax.ShapeDtypeStruct((), np.bool_), seen(lax.optimization_barrier(list(leaves))))
    # Nothing is computed with them before the hook has returned.
    return [lax.optimization_barrier((leaf, done))[0] for leaf in leaves]


# The identity of all operands, as a separate operation, since JAX's `custom_jvp` must have no effects --------

_look = Primitive("looked_at")
_look.multiple_results = True
_look.def_impl(lambda *values, at_once, program: at_once(*values))
mlir.register_lowering(_look, mlir.lower_fun(lambda *values, at_once, program: program(*values), multiple_results=True))


@_look.def_effectful_abstract_eval
def _shapes_and_effects(*avals: Any, at_once: Program, program: Program) -> tuple[list, Any]:
    return list(jax.make_jaxpr(program)(*avals).out_avals), _effects()


@cache
def _effects() -> Any:
    """The effects of JAX's own callbacks for debugging, which are allowed where `jax.checkpoint` runs them again."""
    return jax.make_jaxpr(partial(jax.debug.callback, lambda: None))().effects


def _tangents(primals: Any, tangents: Any, **ways: Program) -> tuple:
    return _look.bind(*primals, **ways), list(tangents)


def _batched(values: Any, axes: Any, *, at_once: Program, program: Program) -> tuple:
    """The host is called for each example of the batch."""
    of_batch = jax.vmap(program, list(axes), list(axes))
    return _look.bind(*values, at_once=of_batch, program=of_batch), axes


ad.primitive_jvps[_look] = _tangents
batching.primitive_batchers[_look] = _batched
