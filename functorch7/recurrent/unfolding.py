"""Recurrences over whole sequences, whose weights get their gradients in one product over all steps."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ..core import unrolled_steps, varying, wide_on_cpu
from ..core.filming import filmed, filmed_state, is_filmed
from ..core.probe import scan
from ..core.types import Array, State, Tree, Value
from .masking import cleared

Sums = Callable[[str, Any], Any]
"""The products of a step: sums(name, value) is projected[name] + weights[name] value."""


def summing(projected: dict, weights: dict, factors: dict) -> Sums:
    """The sums of one step; notes in `factors` what each weight is multiplied by."""

    def sums(name: str, value: Array) -> Array:
        factors[name] = value
        return projected[name] + _product(value, weights[name])

    return sums


def _product(value: Array, weight: Array) -> Array:
    return jnp.einsum("...h,gh->...g", value, weight)


@wide_on_cpu
def unfolded(
    advance: Callable, projected: dict, state: Tree, weights: dict, masks: Value, zero: Array | None
) -> tuple[Array, State]:
    """(outputs, last state) of advance(sums, masks, state) -> (output, state) at every step.

    `projected`: by name, the input's part of the sums, time first; `weights`: by name, matrices with as many rows as
    there are sums, as in Linear.
    Examples that are `zero` (time x batch, or None) give zeros, and their state is reset.
    """
    projected, state = varying.varying_as((projected, state), (projected, state, weights, masks))
    if is_filmed():  # its zeros must not be arguments of a function with a derivative of its own
        return _scanned(advance, projected, state, weights, masks, zero)[0]
    return _unfolded(advance, projected, state, weights, masks, zero)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _unfolded(
    advance: Callable, projected: dict, state: Tree, weights: dict, masks: Any, zero: Array | None
) -> tuple[Array, Any]:
    return _scanned(advance, projected, state, weights, masks, zero)[0]


def _scanned(
    advance: Callable, projected: dict, state: Tree, weights: dict, masks: Any, zero: Array | None
) -> tuple[Any, dict]:
    """((outputs, last state), by name what each weight was multiplied by)."""
    loop = scan if is_filmed() else varying.scan

    def body(state: Any, each: tuple) -> tuple[Any, tuple]:
        projected, zero = each
        factors: dict[str, Any] = {}
        output, state = advance(summing(projected, weights, factors), masks, state)
        if zero is not None:
            output, state = cleared(zero, (output, state))
        return filmed_state(state, tuple(state)), (filmed("output", output), factors)

    length = jax.tree.leaves(projected)[0].shape[0]
    state, (outputs, factors) = loop(body, state, (projected, zero), unroll=unrolled_steps(length))
    return (outputs, state), factors


@_unfolded.defjvp
def _tangents(advance: Callable, primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    """A change of a weight is a change of its sums, so it is computed for all steps and not followed through the scan.

    Backward, the weight's gradient is then one product over all steps, instead of a sum that every step adds to.
    """
    projected, state, weights, masks, zero = primals
    of_projected, of_state, of_weights, _, _ = tangents
    results, follow, factors = jax.linearize(
        lambda projected, state: _scanned(advance, projected, state, weights, masks, zero),
        projected, state, has_aux=True,
    )  # fmt: skip
    of_sums = {name: of_projected[name] + factors[name] @ of_weights[name].T for name in weights}
    return results, follow(of_sums, of_state)
