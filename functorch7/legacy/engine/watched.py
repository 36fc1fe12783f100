"""Networks with hooks: programs that hand out what hooks see, and the hooks' calls after them.

A hook that only looks is called when the compiled call is over, with what it gave. One that returns something is
traced as a part of the network from then on: the call is repeated with it, before anything has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import lax

from ... import core, programs
from ...checks.errors import ASKS_FOR_VALUES
from ...core.contexts import during
from ...core.hooks import Called, Hook, attached
from ...core.probe import Keyed
from ...core.types import Value
from ...core.watching import Pulled, Watch, Watcher, asked, watching
from ..tensors.changes import changed
from ..tensors.values import unwrapped, wrapped
from . import compiled
from .compiled import Program, Residuals
from .foreign import InMode
from .forms import Arguments, only_input
from .outside import Noted
from .registered import Registered, Titled
from .turns import Placed, Turns, standing
from .user_code import code_of_hook


class Running(Protocol):
    """What is needed of a forward call here: its plan, its arguments, and which hooks it has called."""

    plan: Any
    arguments: tuple
    turns: Turns
    residuals: Any


# What is compiled ------------------------------------------------------------------------------------------------


def with_arguments(spec: core.Module, input: Value, *others: Value) -> tuple:
    """What a hook `with_kwargs` is to see: the input with the form that the description has for it."""
    return Arguments(input, getattr(spec, "form", None)), *others


def called(spec: core.Module, args: tuple, kwargs: dict[str, Value]) -> Called:
    """The call of a module with these arguments. Raises TypeError for several where the module takes one."""
    if isinstance(spec, InMode):
        inner = called(spec.module, args, kwargs)
        return Called(spec.replace(module=inner.module), inner.input)
    if hasattr(spec, "on"):  # a user's forward
        return Called(*spec.on(*args, **kwargs))  # type: ignore[operator]
    return Called(spec, _arrays(only_input(core.title(spec), args, kwargs)))


def _arrays(values: Value) -> Value:
    return jax.tree.map(jnp.asarray, unwrapped(values))


class Traced(NamedTuple):
    """A hook that returns something, as a pure function of arrays. Raises TypeError if it asks for their values."""

    hook: Registered
    module: Titled
    outside: Noted  # what the function reads

    def __call__(self, spec: core.Module, *values: Value) -> Value:
        shown = with_arguments(spec, *values) if self.hook.with_kwargs else values
        who = f"{self.module.title()}: a {self.hook.kind} hook that returns something"
        try:
            with code_of_hook(self.hook.function).watched(who, (), is_hook=True):
                result = self.hook(self.module, *map(wrapped, shown))
        except ASKS_FOR_VALUES as error:
            raise TypeError(
                f"{who} is compiled with the network; it computes with operators of tensors or jax.numpy, not with "
                "NumPy or in place"
            ) from error
        if result is None:
            return None
        if self.hook.gives_arguments:
            return called(spec, *result)
        try:
            return _arrays(result)
        except TypeError:
            raise TypeError(
                f"{self.module.title()}: expected a {self.hook.kind} hook to return None, or tensors, got {result!r}"
            ) from None


def _watched(program: Program, buffers: list, draw: Any, watcher: Callable[[Any], Watcher]) -> Callable:
    """As `network_of`, of (parameters, input, state, sinks); it gives what is seen beside the new buffers."""
    network = compiled.network_of(program, buffers, draw)

    def run(arrays: list, input: Any, state: list, sinks: Any) -> tuple[Any, tuple]:
        with watching(watcher(sinks)) as seen:
            outcome, new = network(arrays, input, state)
        return outcome, (new, Keyed.of(seen.taps))

    return compiled.reporting(program, run)


@programs.kept
def evaluation(program: Program) -> Callable:
    """As `compiled.evaluation`, with what is seen beside the new buffers."""

    def forward(storages, buffers, input, state, draw):
        run = _watched(program, buffers, draw, Watcher)
        return run(compiled.arguments_of(program, storages), input, state, None)

    return compiled.as_compiled(program, forward)


@programs.kept
def differentiation(program: Program, backward: bool) -> Callable:
    """As `compiled.differentiation`, with what is seen; `backward`: the pull-back gives what hooks see."""

    def forward(*arguments):
        storages, buffers, input, state, draw = arguments
        given = compiled.arguments_of(program, storages), input, state
        if backward and not program.spec.traits.traceable:
            gradients: dict = {}
            run = _watched(program, buffers, draw, partial(Pulled, gradients))
            (output, side), vjp, new = jax.vjp(run, *given, jnp.zeros((), jnp.float32), has_aux=True)
            pull = jax.tree_util.Partial(partial(_with_seen, gradients), vjp)
        else:
            network = compiled.network_of(program, buffers, draw)
            sinks = Keyed.of(asked(lambda: network(*given)) if backward else {})
            run = _watched(program, buffers, draw, lambda sinks: Watcher(dict(sinks.items())))
            (output, side), pull, new = jax.vjp(run, *given, sinks, has_aux=True)
        return (output, side), new, Residuals.of(pull, program, arguments, given[0])

    return compiled.as_compiled(program, forward)


def _with_seen(gradients: dict, pull: Callable, cotangents: Any) -> tuple:
    """A pull-back that runs operation by operation, and what was seen meanwhile."""
    gradients.clear()
    *found, _ = pull(cotangents)
    return *found, Keyed.of(gradients)


# What is called --------------------------------------------------------------------------------------------------


_repeats: ContextVar[bool] = ContextVar("repeats", default=False)
_failed: ContextVar[list[int] | None] = ContextVar("failed", default=None)


def repeating() -> AbstractContextManager:
    """A block in which a network runs once more for what it gave: no hooks are called in it."""
    return during(_repeats, True)


def is_repeat() -> bool:
    """Whether a network runs only once more for what it gave: what it drew then is to be drawn again."""
    return _repeats.get()


class Failing(NamedTuple):
    """Notes that a module's forward has raised."""

    number: int

    def __call__(self, spec: core.Module, *values: Value) -> None:
        numbers = _failed.get()
        if numbers is not None:
            numbers.append(self.number)


def with_hooks(spec: core.Module, placed: list[Placed]) -> core.Module:
    """A network's description with all its hooks, to be watched or traced."""
    new = []
    for number, each in enumerate(placed):
        if each.hook is None:
            new.append(Hook(each.path, "forward_pre", Watch(number, _nothing), True))
            continue
        watch = Watch(number, with_arguments) if each.hook.with_kwargs else Watch(number)
        outside = code_of_hook(each.hook.function).noted() if each.replaces else ()
        function = Traced(each.hook, each.module, outside) if each.replaces else watch
        new.append(Hook(each.path, each.hook.kind, function, each.everywhere))
        if each.hook.always_call:
            new.append(Hook(each.path, "failed", Failing(number)))
    return attached(spec, (*spec._hooks, *new))


def _nothing(*_: Value) -> tuple:
    return ()


def forward(call: Running, keep: bool) -> tuple[Value, Value, Residuals | None]:
    """(what the network gives, its new buffers and what its checks found, residuals), after its hooks were called."""
    call.turns = Turns()
    quiet = is_repeat()
    while True:
        plan, failed = call.plan, []
        run = plan.differentiate if keep else plan.evaluate
        try:
            with during(_failed, failed), repeating() if quiet or call.turns.had else nullcontext():
                outcome, ((new, seen), error), *rest = plan.run(run, *call.arguments)
            if error is not None:
                core.raise_found(error)
        except Exception:
            _call_always(plan, call.arguments[2], failed)
            raise
        if quiet or not answered(call, seen):
            return outcome, new, rest[0] if keep else None


def _call_always(plan: Any, input: Any, failed: list[int]) -> None:
    """Calls the hooks that are called always at the modules that have raised; inner ones get None for their input.

    What a compiled program has found wrong has been raised by the network.
    """
    root = plan.members[0]
    given = with_arguments(plan.spec, input)[0]
    whole = [i for i, (module, _, hook, _) in enumerate(plan.placed) if module is root and hook and hook.always_call]
    for number in failed or whole:
        module, hook = plan.placed[number].module, plan.placed[number].hook
        seen = None if module is not root else given if hook.with_kwargs else wrapped(input)
        hook(module, seen, None)


def answered(call: Running, seen: Keyed, backward: bool = False) -> bool:
    """Calls the hooks with what was seen. True if the call is to be repeated, with what has become part of its plan.

    That is a hook that has returned something, or, on the way forward, one that a hook has registered.
    """
    plan, turns = call.plan, call.turns
    events = {
        (plan.placed[number].path, count, plan.placed[number].hook): (plan.placed[number], values)
        for (number, count), values in seen.items()
    }
    for placed, values in (turns.backward if backward else turns.forward)(events):
        if _has_replaced(placed, values, plan):
            changed(placed.module)
        elif backward or not plan.is_stale or not _has_more(plan):
            continue
        call.plan, call.residuals = plan.renewed(), None
        return True
    turns.had.clear()
    return False


def _has_replaced(placed: Any, values: tuple, plan: Any) -> bool:
    """Calls a hook. Whether it has returned something, now or before."""
    # In a user's updateOutput that is being differentiated, values come with their tangents.
    shown = map(wrapped, jax.tree.map(lambda v: v if core.is_concrete(v) else lax.stop_gradient(v), values))
    if not placed.replaces and plan.run(placed.hook, placed.module, *shown) is None:
        return False
    if not placed.stands:
        raise TypeError(
            f"{placed.module.title()}: a {placed.hook.kind} hook that returns something is compiled with the "
            "network and cannot take itself away in a call; remove it after the call"
        )
    placed.hook.replaces.add(placed.module)
    return True


def _has_more(plan: Any) -> bool:
    """Whether a module has a hook that it had not when it was planned."""
    known = {(id(placed.module), placed.hook) for placed in plan.placed}
    return any((id(module), hook) not in known for module in plan.members for hook in standing(module))
