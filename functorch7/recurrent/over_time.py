"""A module at every step of a sequence: at once if steps do not depend on one another, otherwise by a scan."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ..core import Module, explicit, hooks, places, unrolled_steps
from ..core.emitted import Emitted, is_emitted, without_emitted
from ..core.filming import filmed
from ..core.keys import of_steps
from ..core.probe import at_once, scan, silent
from ..core.recording import recorded_call
from ..core.traits import Traits
from ..core.types import Array, Key, Output, State, Table, Tree, Value
from ..layers import FakeQuantized, Quantized, Sequential
from ..network.zero_mask import with_zero_masks, without_zero_masks, zero_masks
from .abstract import Cell
from .recurrence import Recursor


def over_time(
    module: Module, params: Tree, buffers: Tree, inputs: Value, *, key: Key = None, train: bool = False
) -> tuple[Array, Tree]:
    """(outputs, buffers) of `module.apply` at every step, in order; time is the first dimension.

    State flows from step to step; losses emitted inside are summed over time, log-probabilities stacked. A chain is
    run module by module, each over the whole sequence: the result is the same, and products become larger. `key` is
    folded with the time of each step; keys of steps, one for each, are used directly.
    """
    if (mesh := explicit.mesh_of(inputs)) is not None:
        return explicit.laid_out(mesh, partial(over_time, module, train=train), params, buffers, inputs, key)
    key = of_steps(module, key, _length(inputs))
    run = partial(_all_steps, module, params, buffers, key=key, train=train)
    return recorded_call(run, inputs, steps=True)


def _all_steps(
    module: Module, params: Tree, buffers: Tree, inputs: Value, *, key: Key, train: bool
) -> tuple[Array, Any]:
    whole = _whole(module)
    if whole is not None:
        return hooks.between_hooks(whole, steps=True)(module, params, buffers, inputs, key=key, train=train)
    if not _has_memory(module, buffers, train):
        return _side_by_side(module, params, buffers, inputs, key=key, train=train)

    def step(buffers: Tree, time: Array, each: tuple) -> tuple[Array, Tree]:
        input, step_key = each
        return module.apply(params, buffers, input, key=step_key, train=train)

    return scanned(step, buffers, (inputs, key), module.traits.starts_at_zero)


def _whole(module: Module) -> Callable | None:
    """The way to run the module over the whole sequence other than by `apply` at every step, if there is one."""
    if type(module) is Sequential:
        return partial(Sequential.forward, way=over_time, through=True)
    if type(module) is Recursor and module.masked is None:
        return _inside
    if isinstance(module, (Quantized, FakeQuantized)):
        return _computed
    # In here the gates are not calls, also not step by step, so that they could not be inspected.
    return type(module).sequence if isinstance(module, Cell) and module.at_once else None


def _inside(
    module: Recursor, params: Tree, buffers: State, inputs: Value, *, key: Key, train: bool
) -> tuple[Array, Any]:
    inputs = filmed("input", inputs, steps=True)
    outputs, new = module.step(params, buffers, inputs, key=key, train=train, way=over_time)
    return filmed("output", outputs, steps=True), new


def _computed(module: Any, params: Tree, buffers: Tree, inputs: Value, **options: Any) -> tuple[Output, Tree]:
    return module.computed(_all_steps, params, buffers, inputs, **options)


def _has_memory(module: Module, buffers: Tree, train: bool) -> bool:
    """Whether a step depends on those before it: by its state, by buffers, or by a sequencer inside that remembers."""
    if module.traits.is_step or not module.traits.starts_at_zero:
        return True
    remembering = (getattr(each, "has_memory", None) for _, each in places(module))
    kept = jax.tree.leaves(without_zero_masks(without_emitted(buffers)))
    return bool(kept) or any(remembers is not None and remembers(train) for remembers in remembering)


def _length(inputs: Value) -> int:
    return jax.tree.leaves(inputs)[0].shape[0]


def _side_by_side(
    module: Module, params: Tree, buffers: Tree, inputs: Value, *, key: Key, train: bool
) -> tuple[Array, Any]:
    """All steps at once, for a module without memory."""
    key = key if module.traits.draws(train) else None
    masks = zero_masks(buffers)

    def step(input: Tree, key: Key, masks: list) -> tuple[Array, Tree]:
        output, new = module.apply(params, with_zero_masks(buffers, masks), input, key=key, train=train)
        return output, without_zero_masks(new)

    outputs, new = at_once(step, inputs, key, _sliced(masks, _length(inputs)))
    new = _with_emitted(new, [_stacked(node) for node in _emitted_nodes(new)])
    return outputs, with_zero_masks(new, masks)


def scanned(
    step: Callable, buffers: Tree, inputs: Value, starts_at_zero: bool, length: int | None = None
) -> tuple[Output, Tree]:
    """`lax.scan` of step(buffers, time, input) -> (output, buffers) over time.

    The first step runs before the scan if it makes state that is not zero. Side outputs are collected and do not flow
    from step to step, nor do given masks: each step has its own.
    """

    def body(buffers: Tree, each: Any) -> tuple[Any, Any]:
        *given, masks = each
        output, new = step(with_zero_masks(buffers, masks), *given)
        return without_zero_masks(without_emitted(new)), (output, _emitted_nodes(new))

    def first_of(sequence: Table) -> Any:
        return jax.tree.map(lambda x: x[0], sequence)

    length = _length(inputs) if length is None else length
    # Side outputs of the previous call, which a user may have passed with the state, are not part of a step's.
    masks, buffers = zero_masks(buffers), without_zero_masks(without_emitted(buffers))
    steps = (jnp.arange(length), inputs, _sliced(masks, length))
    if starts_at_zero:
        # The buffers after a step have the structure of those before any other.
        with silent():
            shapes = jax.eval_shape(body, buffers, first_of(steps))
        start = _zeros_for_none(buffers, shapes[0])
        after, (outputs, emitted) = scan(body, start, steps, unroll=unrolled_steps(length))
    else:
        start, first = body(buffers, (0, *first_of(steps[1:])))
        after, (outputs, emitted) = _from_second(body, start, first, steps, length)
    return outputs, with_zero_masks(_with_emitted(after, [_stacked(node) for node in emitted]), masks)


def _from_second(body: Callable, start: Tree, first: Output, steps: tuple, length: Any) -> tuple[Tree, Output]:
    """The results of the scan, after a first step that has already run."""
    if isinstance(length, int):
        others = jax.tree.map(lambda x: x[1:], steps)
        after, others = scan(body, start, others, first=1, unroll=unrolled_steps(length - 1))
        return after, jax.tree.map(lambda one, many: jnp.concatenate([one[None], many]), first, others)

    # If a length has a name (export): JAX cannot scan "time - 1" steps, which may be none.
    def step(buffers: Tree, each: tuple) -> tuple[Tree, Output]:
        return jax.tree.map(partial(jnp.where, each[0] == 0), (start, first), body(buffers, each))

    return scan(step, start, steps)


def unrolled(step: Callable, buffers: Tree, inputs: list) -> tuple[list, Tree]:
    """The same, step by step in Python, for modules that cannot be compiled."""
    outputs, emitted = [], []
    masks = zero_masks(buffers)
    sliced = _sliced(masks, len(inputs))
    for time, input in enumerate(inputs):
        now = [None if mask is None else mask[time] for mask in sliced]
        output, buffers = step(with_zero_masks(buffers, now), time, input)
        outputs.append(output)
        emitted.append(_emitted_nodes(buffers))
    stacked = jax.tree.map(lambda *nodes: jnp.stack(nodes), *emitted)
    buffers = _with_emitted(buffers, [_stacked(node) for node in stacked])
    return outputs, with_zero_masks(buffers, masks)


def repeated(step: Callable, buffers: Tree, traits: Traits, length: int) -> tuple[Output, Tree]:
    """step(buffers, time, None) `length` times, outputs stacked: scanned if modules of these traits can be compiled."""
    if traits.traceable:
        return scanned(step, buffers, None, traits.starts_at_zero, length)
    outputs, buffers = unrolled(step, buffers, [None] * length)
    return jax.tree.map(lambda *each: jnp.stack(each), *outputs), buffers


def _emitted_nodes(buffers: Tree) -> list:
    return [node for node in jax.tree.leaves(buffers, is_leaf=is_emitted) if is_emitted(node)]


def _with_emitted(buffers: Tree, nodes: list) -> Any:
    """`buffers` with its side outputs replaced by those collected over time."""
    rest = iter(nodes)
    return jax.tree.map(lambda b: next(rest) if is_emitted(b) else b, buffers, is_leaf=is_emitted)


def _zeros_for_none(buffers: Tree, after: Any) -> Any:
    """The buffers of a first step: zeros, shaped as after it, wherever there is no state yet."""
    if buffers is None:
        return jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), after)
    if isinstance(buffers, dict):
        return {name: _zeros_for_none(branch, after[name]) for name, branch in buffers.items()}
    if isinstance(buffers, list):
        return [_zeros_for_none(branch, a) for branch, a in zip(buffers, after, strict=True)]
    return buffers


def _stacked(node: Emitted) -> Emitted:
    """A side output collected by a scan: losses are summed, log-probabilities keep their time axis."""
    if node.value is None:
        return node
    if node.kind == "loss":
        return replace(node, value=node.value.sum(0))
    if node.kind == "parameter":
        return replace(node, value=node.value[-1])
    return replace(node, time_axes=node.time_axes + 1)


def _sliced(values: list, length: int) -> list:
    """Masks with time as their first axis, to be sliced step by step."""
    return [value if value is None or jnp.ndim(value) else jnp.broadcast_to(value, (length,)) for value in values]
