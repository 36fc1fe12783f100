"""Hooks at places in a network."""

from collections.abc import Callable
from typing import Any

from ..core import Module, places
from ..core.hooks import KINDS, Hook, attached
from ..core.tree import Path, dotted


def hooked(
    module: Module, at: str = "", *, forward_pre: Callable | None = None, forward: Callable | None = None,
    backward_pre: Callable | None = None, backward: Callable | None = None,
) -> Module:  # fmt: skip
    """The same description with hooks at some of its modules; its params, buffers and printing do not change.

    `at` is a place as in `state_dict`, such as "2" or "net.0" ("" is the module itself); or a name that `named` gave;
    or a class, "nn.Linear"; or "*" for every module. Hooks are called with the description of their module:

    - forward_pre(module, input) -> None, or another input;
    - forward(module, input, output) -> None, or another output;
    - backward_pre(module, grad_output) -> None, or another gradient with respect to the output;
    - backward(module, grad_input, grad_output) -> None, or another gradient with respect to the input.

    Hooks of "*" run before others; otherwise they run in the order in which they were set, each with the results of
    those before it. They are traced with the network, so they have to be pure (`jax.debug.callback` shows values). In
    a sequencer they run at every step. Modules that are never called (the gates of FastLSTM) cannot have hooks.
    Gradients of integers are None; forward-mode differentiation does not call backward hooks.
    Raises: ValueError for a place that is missing or never called, and for gradients of another structure or shape;
    TypeError for anything but a function.
    Source: PyTorch's Modules note, "Module Hooks".

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> network = f7.Sequential(f7.Square(), f7.Square())
    >>> doubled = f7.hooked(network, "0", forward=lambda module, input, output: 2 * output)
    >>> doubled.apply([{}, {}], [{}, {}], jnp.array([1.0, 3.0]))[0].tolist()  # (2 x^2)^2
    [4.0, 324.0]
    """
    known = dict(places(module))
    chosen = [path for path, each in known.items() if at in ("*", dotted(path), each.own_name, each.torch_name())]
    if not chosen:
        there = ", ".join(repr(dotted(path)) for path in known)
        raise ValueError(f"hooked: {module.torch_name()} has nothing at {at!r}; there are {there}")
    chosen, given_up = [path for path in chosen if _runs(known, path)], dotted(chosen[0])
    if not chosen:
        raise ValueError(
            f"hooked: a hook at {given_up!r} would never run, because {module.torch_name()} does not call what is "
            "there: it uses only its arrays"
        )
    functions = zip(KINDS, (forward_pre, forward, backward_pre, backward), strict=False)
    given = [(kind, function) for kind, function in functions if function is not None]
    for kind, function in given:
        if not callable(function):
            raise TypeError(f"hooked: expected a function as {kind} hook, got {function!r}")
    new = (Hook(path, kind, function, at == "*") for path in chosen for kind, function in given)
    return attached(module, (*module._hooks, *new))


def _runs(known: dict[Path, Any], path: Path) -> bool:
    """Whether the module at a path is called; otherwise the modules around it use only its arrays."""
    return not any(path[i] in known[path[:i]].traits.uncalled for i in range(len(path)))


def check_called(module: Module) -> Module:
    """The module. Raises ValueError for a hook at a module that is not called, unless the hook was set everywhere."""
    known = dict(places(module))
    idle = [hook.path for hook in module._hooks if not hook.everywhere and not _runs(known, hook.path)]
    if idle:
        raise ValueError(
            f"{module.torch_name()}: a hook at {dotted(idle[0])!r} would never run: its arrays alone are used"
        )
    return module
