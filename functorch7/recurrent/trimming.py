"""Leaves examples of zeros out of the computation, with shapes that do not depend on values."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.core import Primitive  # as jax.extend.core has it, which imports Pallas, too
from jax.interpreters import batching, mlir

from ..checks.errors import not_looking
from ..core.precision import is_inexact
from ..core.types import Array, Tree, Value
from ..core.varying import varying_as
from ..core.way_back import linear

PARTS = 4
"""The batch is computed whole, in up to this many parts, or not at all."""
LEAST = 4
"""Examples in a part: with fewer, a step of 256 units is not faster, and each part is a program to compile."""


def trimmed(function: Callable, zero: Array, own: Tree, rows: Value) -> Value:
    """function(own, rows) where `zero` (B) is false, and zeros elsewhere.

    `function` maps trees of arrays whose first dimension is the batch, example by example. All other arrays that it
    uses are its `own`: backward calls it again, when the current trace has ended. The examples that are not zero are
    gathered, and computed in the smallest part of the batch that holds them, by one of at most PARTS + 1 programs,
    chosen at run time. Backward chooses again, and repeats forward for these examples, because keeping the residuals of
    all programs would cost more.
    """
    batch = zero.shape[0]
    sizes = _sizes(batch)
    own, rows = varying_as((own, rows), zero)  # outside of the choice, since devices may choose differently
    whole = jax.eval_shape(function, own, rows)
    order = jnp.argsort(zero, stable=True)
    choice = _choice_for_all.bind((jnp.asarray(sizes) < (~zero).sum()).sum())

    def program(size: int) -> Callable:
        def run(operands: tuple) -> Any:
            own, rows, zero, order = operands
            if isinstance(size, int) and not size:
                return jax.tree.map(jnp.zeros_like, whole)
            taken = order[:size]
            results = function(own, jax.tree.map(lambda row: row[taken], rows))

            def spread(result: Array) -> Array:
                kept = ~zero[taken].reshape((-1,) + (1,) * (result.ndim - 1))
                return jnp.zeros((batch, *result.shape[1:]), result.dtype).at[taken].set(jnp.where(kept, result, 0))

            return jax.tree.map(spread, results)

        return run

    return _chosen(tuple(program(size) for size in sizes), choice, (own, rows, zero, order))


# Under `jax.vmap` (all steps of a sequence at once): the largest program that any needs. With a choice for each, every
# program would be computed.
_choice_for_all = Primitive("choice_for_all")
_choice_for_all.def_impl(lambda choice: choice)
_choice_for_all.def_abstract_eval(lambda choice: choice)
mlir.register_lowering(_choice_for_all, lambda _, choice: [choice])
batching.primitive_batchers[_choice_for_all] = lambda given, axes: (_choice_for_all.bind(given[0].max(axes[0])), None)


def _sizes(batch: int) -> list[int]:
    """How many examples are computed at once: none, those of some parts, or all."""
    if not isinstance(batch, int):  # a size with a name, in a program to be exported, has no parts
        return [batch]
    parts = max(1, min(PARTS, batch // LEAST))
    return sorted({-(-batch * part // parts) for part in range(parts + 1)})


def _chosen(programs: tuple[Callable, ...], choice: Array, operands: tuple) -> Value:
    """One of several programs, whose gradient needs no residuals except its operands; higher gradients keep all."""
    leaves, structure = jax.tree.flatten(operands)
    smooth = [is_inexact(leaf) for leaf in leaves]

    def run(program: Callable, moving: list, fixed: list) -> Any:
        parts = iter(moving), iter(fixed)
        return program(structure.unflatten([next(parts[0] if each else parts[1]) for each in smooth]))

    def switched(choice: Array, moving: list, fixed: list) -> Any:
        return lax.switch(choice, [lambda m, f, p=p: run(p, m, f) for p in programs], moving, fixed)

    @jax.custom_jvp
    def chosen(choice: Any, moving: list, fixed: list) -> Any:
        return switched(choice, moving, fixed)

    def forth(given: tuple, changes: list) -> Any:
        choice, moving, fixed = given
        with not_looking():  # the programs' checks have already been made
            return jax.jvp(lambda m: switched(choice, m, fixed), (moving,), (changes,))[1]

    def back(given: tuple, gradient: Any) -> list:
        choice, moving, fixed = given

        def pulled(program: Callable) -> Callable:
            return lambda moving, fixed: jax.vjp(lambda m: run(program, m, fixed), moving)[1](gradient)[0]

        return lax.switch(choice, [pulled(p) for p in programs], moving, fixed)

    @chosen.defjvp
    def _(primals: tuple, tangents: tuple) -> tuple:
        return chosen(*primals), linear(forth, back, primals, tangents[1])

    moving, fixed = ([leaf for leaf, s in zip(leaves, smooth, strict=True) if s is kind] for kind in (True, False))
    return chosen(choice, moving, fixed)
