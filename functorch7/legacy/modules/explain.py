"""Explains how users' modules run when a network is compiled."""

from __future__ import annotations

from ... import core
from ..engine.foreign import OfUser, calling
from .module import Module


def explain(module: Module) -> str:
    """A line for each user's module inside a network, which says how it is run, and why.

    A module whose code uses only what can be traced (tensors' methods, functions of `torch` and jax.numpy, its own
    fields) is compiled with the rest. The others are called. If nothing else prevents compilation, the network is cut:
    its parts between their calls are compiled functions. Otherwise the network around them runs module by module. What
    a class uses beyond its code shows in the first call. Custom modules with a `forward` are compiled, and not listed.

    >>> from functorch7.legacy import explain, nn
    >>> print(explain(nn.Tanh()))
    compiled as a whole: no module of the user's own
    """
    plan = module._planned_outside() if module.is_foreign() else module._planned()
    users = [*plan.foreign, *(fields.holder for fields in plan.traced)]
    if not users:
        return "compiled as a whole: no module of the user's own"
    if plan.program.is_cut:
        how = "called between compiled parts" if plan.is_worth_cutting else f"called, and {WITHOUT}: {UNSTEADY}"
    else:
        with calling(plan.foreign):
            how = f"called, and {WITHOUT}: {_obstacle(plan.spec) if not plan.placed else 'it has hooks'}"
    lines = []
    for user in sorted(users, key=lambda user: plan.members.index(user)):
        own = next((name for name in ("updateGradInput", "accGradParameters") if user.overrides(name)), "backward")
        gradient = f"its own {own}" if user.has_own_gradient() else "updateOutput is differentiated"
        place = "".join(f"[{name + 1 if isinstance(name, int) else name}]" for name in plan.paths[id(user)])
        why = f" ({plan.obstacles[id(user)]})" if id(user) in plan.obstacles else ""
        is_called = any(each is user for each in plan.foreign)
        lines.append(f"{place} {user.title()}: {how + why if is_called else TRACED}; {gradient}".strip())
    return "\n".join(lines)


TRACED = "compiled with the rest"
WITHOUT = "what is around it runs module by module"
UNSTEADY = "its outputs have another shape too often, or it is called inside a loop"


def _obstacle(spec: core.Module) -> str:
    """The first module that cannot be compiled."""
    for child in spec.child_modules():
        if not child.traits.traceable and not isinstance(child, OfUser):
            return _obstacle(child)
    return f"{core.title(spec)} cannot be compiled"
