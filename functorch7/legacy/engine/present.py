"""Pull-backs with the parameters as they are when backward is called, with which Torch's layers go back.

What a call has kept and depends on parameters alone (a weight in another layout) is then computed anew. Outputs, and
what else depends on the input, are forward's, as in Torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import jax
from jax.core import eval_jaxpr
from jax.extend.core import Jaxpr

from ... import programs
from ...core.types import Array
from ..tensors.storages import are_at
from . import compiled
from .compiled import Program, Residuals
from .plan import Plan


def parameters_now(plan: Plan, versions: list) -> list | None:
    """The parameters' arrays, if a program has changed them since a call that found these versions of their storages.

    None if it has not. Users' methods read the parameters themselves, and networks with hooks go back with those of
    forward.
    """
    layout = plan.parameters
    lie_elsewhere = plan.is_stale and not (layout := plan.layout_now(layout)).lies_as(plan.parameters)
    if not lie_elsewhere and are_at(layout.storages, versions):
        return None
    if not plan.program.spec.traits.traceable or plan.program.is_cut or plan.placed:
        return None
    if lie_elsewhere:  # since getParameters, or an assignment
        return layout.arrays_as(plan.parameters)
    return layout.arrays() if plan.noting is None else layout.noted()


def residuals_with(plan: Plan, residuals: Residuals, arguments: tuple, now: list | None) -> tuple[Residuals, list]:
    """What a call has left for backward, and what that needs of the call's arguments, with these parameters."""
    if now is not None:
        found = plan.run(_kept(plan.program), arguments, now)
        kept = [found.get(number, array) for number, array in enumerate(residuals.kept)]
        residuals, arguments = replace(residuals, kept=kept), (now, *arguments[1:])
    return residuals, residuals.needed(arguments)


@programs.kept
def _kept(program: Program) -> Callable:
    """(a call's arguments, other parameters) -> what the call keeps and they alone decide, by its number."""
    forward = compiled.differentiation(program)

    def run(arguments: tuple, parameters: list) -> dict[int, Array]:
        with jax.disable_jit(False):  # so that it is one equation
            traced, shapes = jax.make_jaxpr(forward, return_shape=True)(*arguments)
        (equation,) = traced.jaxpr.eqns
        closed, results = equation.params["jaxpr"], len(jax.tree.leaves(shapes[2].kept))
        part = _of_first(closed.jaxpr, len(parameters), len(closed.jaxpr.outvars) - results)
        values = eval_jaxpr(part[1], closed.consts, *parameters)
        return dict(zip(part[0], values, strict=True))

    return programs.Compiled(jax.jit(run))


def _of_first(program: Jaxpr, count: int, skipped: int) -> tuple[list[int], Jaxpr]:
    """Which of a program's results but the first few depend on its first `count` inputs alone, and their program."""
    inputs = program.invars[:count]
    known, equations = {*inputs, *program.constvars}, []
    for equation in program.eqns:
        if not equation.effects and all(hasattr(atom, "val") or atom in known for atom in equation.invars):
            equations.append(equation)
            known.update(equation.outvars)
    made = known.difference(program.constvars, inputs)
    results = dict(enumerate(program.outvars[skipped:]))
    wanted = {number: atom for number, atom in results.items() if not hasattr(atom, "val") and atom in made}
    names = program.debug_info.with_unknown_names()
    part = program.replace(invars=inputs, outvars=[*wanted.values()], eqns=equations, debug_info=names)
    return list(wanted), part
