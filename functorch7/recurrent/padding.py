"""Batches of sequences of different lengths, padded on either side, with a mask or lengths."""

from typing import Any

import jax
import jax.numpy as jnp

from ..core import Module, expected, explicit
from ..core.keys import folded, of_steps
from ..core.types import Array, ArrayLike, Key, Output, Tree, Value
from ..network import map_state
from .masking import cleared
from .over_time import scanned
from .sequencer import Sequencer


def over_padded(
    module: Module, params: Tree, buffers: Tree, inputs: Value, *, lengths: ArrayLike | None = None,
    mask: ArrayLike | None = None, key: Key = None, train: bool = False,
) -> tuple[Output, Array, Tree]:  # fmt: skip
    """(outputs, last, buffers) of a module at every step of a padded batch, whose padding changes nothing.

    In padding, state is unchanged, and outputs are zeros; so it may be on either side, or in between. `last` is each
    row's output at its last valid step, and the buffers hold its state after that step, which an encoder passes to a
    decoder (`carry_of`). Unlike in `mask_zero`, padding does not depend on values of the input.
    Shape: inputs (T, B, ...) -> outputs (T, B, ...), last (B, ...). Give either lengths (B), of sequences that begin at
    step 1, or mask (T, B), true where a step is valid. A Sequencer runs its module.
    Raises: ValueError for neither or both, for a mask of another shape, and for modules whose first step differs
    (Recurrent), since it may be padding.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> cell = f7.GRU(3, 2)
    >>> params, buffers = cell.init(jax.random.key(0))
    >>> outputs, last, buffers = over_padded(cell, params, buffers, jnp.ones((4, 2, 3)), lengths=jnp.array([4, 2]))
    >>> outputs.shape, last.shape, bool((outputs[1, 1] == last[1]).all()), bool((buffers["output"] == last).all())
    ((4, 2, 2), (2, 2), True, True)
    """
    if (mesh := explicit.mesh_of(inputs)) is not None:

        def run(params: Tree, buffers: Tree, given: tuple, *, key: Key) -> tuple[tuple[Output, Array], Tree]:
            inputs, lengths, mask = given
            outputs, last, buffers = over_padded(
                module, params, buffers, inputs, lengths=lengths, mask=mask, key=key, train=train
            )  # fmt: skip
            return (outputs, last), buffers

        (outputs, last), buffers = explicit.laid_out(mesh, run, params, buffers, (inputs, lengths, mask), key)
        return outputs, last, buffers
    key = of_steps(module, key, jax.tree.leaves(inputs)[0].shape[0])
    if isinstance(module, Sequencer):
        outputs, last, inner = over_padded(
            module.modules[0], params[0], module.start(buffers, train)[0], inputs, lengths=lengths, mask=mask,
            key=folded(key, 0), train=train,
        )  # fmt: skip
        return outputs, last, [inner]
    valid = _valid(module, jax.tree.leaves(inputs)[0].shape[:2], lengths, mask)
    if not _starts_from_zeros(module):
        raise ValueError(f"{module.torch_name()}: over_padded needs modules that start from zeros")

    def step(state: Any, time: Any, each: Any) -> tuple[Any, Any]:
        (buffers, last), (input, valid, step_key) = state, each
        output, new = module.apply(params, buffers, input, key=step_key, train=train)

        def kept(after: Any, before: Any) -> Any:
            return after if before is None else jax.tree.map(lambda a, b: _chosen(valid, a, b), after, before)

        output = cleared(~valid, output)
        return output, [map_state(module, new, kept, buffers), kept(output, last)]

    outputs, (buffers, last) = scanned(step, [buffers, None], (inputs, valid, key), True)
    return outputs, last, buffers


def _valid(module: Module, shape: tuple[int, ...], lengths: Any, mask: Any) -> jax.Array:
    """Which steps are valid: (T, B)."""
    if (lengths is None) == (mask is None):
        raise ValueError(f"{module.torch_name()}: over_padded needs either lengths or a mask")
    if mask is not None:
        given = jnp.asarray(mask, bool)
        if given.shape != shape:
            raise expected(module, f"a mask of time x batch {shape}", mask)
        return given
    each = jnp.asarray(lengths)
    if each.shape != shape[1:]:
        raise expected(module, f"a length for each of {shape[1]} sequences", lengths)
    return jnp.arange(shape[0])[:, None] < each[None]


def _chosen(rows: jax.Array, yes: jax.Array, no: jax.Array) -> jax.Array:
    return jnp.where(rows.reshape(rows.shape + (1,) * (yes.ndim - 1)), yes, no) if yes.shape[:1] == rows.shape else yes


def _starts_from_zeros(module: Module) -> bool:
    state = module.initial_state((1,), jnp.float32)
    own = all(state[name] is not None for name in getattr(module, "hidden", ()))
    return own and all(map(_starts_from_zeros, module.child_modules()))


def reversed_padded(inputs: Value, lengths: ArrayLike) -> Output:
    """Each sequence reversed, its padding (at the end) left in place: for the other direction of a pair.

    Shape: (T, B, ...) and lengths (B) -> (T, B, ...). A length above T counts as T, as for `over_padded`.
    """

    def reverse(leaf: jax.Array) -> jax.Array:
        times = jnp.arange(leaf.shape[0])[:, None]
        ends = jnp.minimum(jnp.asarray(lengths), leaf.shape[0])[None]
        source = jnp.where(times < ends, ends - 1 - times, times)
        return jnp.take_along_axis(leaf, source.reshape(source.shape + (1,) * (leaf.ndim - 2)), 0)

    return jax.tree.map(reverse, inputs)
