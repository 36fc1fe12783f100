"""Functions that see, and may replace, what goes through the modules of a network, forward and backward.

Hooks are attached to a description, each with the path of its module; `Module.call` hands them on to the children and
`Module.apply` runs those that have arrived. Where there are none, nothing is added to a program.
"""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .checks import is_concrete, title
from .recording import unrecorded
from .rows import unread
from .traits import Traits
from .tree import Name, Parent, Path, dotted, places
from .watching import Key, Watch, unwatched, watcher

KINDS = ("forward_pre", "forward", "backward_pre", "backward", "failed")
"""When a hook runs; "failed": when forward raises, with the output None (for the legacy interface)."""

Forward = Callable[[Any, Any, Any], tuple[Any, Any]]
"""forward(module, params, input) -> (output, buffers)."""


class Hook(NamedTuple):
    """A function at a place; those that were set everywhere run before others."""

    path: Path
    kind: str
    function: Callable
    everywhere: bool = False


class Hookable(Parent[Any], Protocol):
    """What hooks need to know of a module."""

    own_name: ClassVar[str | None]
    _hooks: ClassVar[tuple[Hook, ...]]

    @property
    def traits(self) -> Traits: ...

    def torch_name(self) -> str: ...

    def __getstate__(self) -> Any: ...


Described = TypeVar("Described", bound=Hookable)


class Called(NamedTuple):
    """What a forward_pre hook may return that also changes the description, of which some arguments are a part."""

    module: Any
    input: Any


def hooked(
    module: Described, at: str = "", *, forward_pre: Callable | None = None, forward: Callable | None = None,
    backward_pre: Callable | None = None, backward: Callable | None = None,
) -> Described:  # fmt: skip
    """The same description with hooks at some of its modules; its params, buffers and printing stay as they are.

    `at`: a place as in `state_dict`, such as "2" or "net.0" ("" is the module itself); or a name that `named` gave; or
    a class, "nn.Linear"; or "*", every module. The hooks are called with the description they are at:

    - forward_pre(module, input) -> None, or another input;
    - forward(module, input, output) -> None, or another output;
    - backward_pre(module, grad_output) -> None, or another gradient with respect to the output;
    - backward(module, grad_input, grad_output) -> None, or another gradient with respect to the input.

    Hooks of "*" run before others; else they run in the order in which they were set, each with what those before it
    have returned. They are traced with the network, so they are pure functions (`jax.debug.callback` shows values).
    In a sequencer they run at every step. Parts of a cell that are no calls (the gates of FastLSTM) have none.
    Gradients of integers are None; forward-mode differentiation does not go through backward hooks.
    Raises: ValueError for a place that is not there or never called, and for gradients of another structure or shape;
    TypeError for what is no function.
    Source: PyTorch's Modules note, "Module Hooks".
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
    """Whether the module at a path is called, and not only its arrays are used by what is around it."""
    return not any(path[i] in known[path[:i]].traits.uncalled for i in range(len(path)))


def check_called(module: Described) -> Described:
    """The module. Raises ValueError for a hook at a part that is not called, unless it was set everywhere."""
    known = dict(places(module))
    idle = [hook.path for hook in module._hooks if not hook.everywhere and not _runs(known, hook.path)]
    if idle:
        raise ValueError(
            f"{module.torch_name()}: a hook at {dotted(idle[0])!r} would never run: its arrays alone are used"
        )
    return module


def attached(module: Described, hooks: tuple[Hook, ...]) -> Described:
    """A copy with these hooks alone."""
    copy = object.__new__(type(module))
    copy.__dict__.update(module.__getstate__() | {"_hooks": hooks, "_traits": module.traits})
    return copy


def handed_on(module: Hookable, name: Name, child: Described) -> Described:
    """The child with the hooks that the module has for it, before its own."""
    below = tuple(hook._replace(path=hook.path[1:]) for hook in module._hooks if hook.path[:1] == (name,))
    return attached(child, below + child._hooks) if below else child


def here(module: Hookable) -> bool:
    """Whether hooks are at this module itself."""
    return any(not hook.path for hook in module._hooks)


def run(module: Hookable, forward: Forward, params: Any, input: Any, others: Any = ()) -> tuple[Any, Any]:
    """forward(module without its own hooks, params, input) -> (output, buffers), between the module's hooks.

    `others`: what else it depends on.
    """
    own = sorted((hook for hook in module._hooks if not hook.path), key=lambda hook: not hook.everywhere)
    at: dict[str, list[Callable]] = {kind: [hook.function for hook in own if hook.kind == kind] for kind in KINDS}
    for hook in at["forward_pre"]:
        new = hook(module, input)
        module, input = new if isinstance(new, Called) else (module, _chosen(new, input))
    bare = attached(module, tuple(hook for hook in module._hooks if hook.path))

    def between(bare: Hookable, params: Any, input: Any) -> tuple[Any, Any]:
        try:
            output, buffers = forward(bare, params, input)
        except Exception:
            for hook in at["failed"]:
                hook(module, input, None)
            raise
        for hook in at["forward"]:
            output = _chosen(hook(module, input, output), output)
        return output, buffers

    if not (at["backward_pre"] or at["backward"]):
        return between(bare, params, input)
    shape = None
    if module.traits.traceable:
        silent = attached(bare, tuple(hook for hook in bare._hooks if not hook.kind.startswith("backward")))
        with unread(), unwatched(), unrecorded():
            shape = jax.eval_shape(lambda: between(silent, params, input)[0])
    bracket = _Bracket(module, at["backward_pre"], at["backward"])
    params, input, channel = bracket.entered(params, input, shape, others)
    output, buffers = between(bare, params, input)
    return bracket.left(input, output, channel), buffers


def _chosen(new: Any, old: Any) -> Any:
    return old if new is None else new


class _Bracket:
    """Two identities around a call, in whose pull-backs the backward hooks run.

    The second is given gradOutput first. The first needs it, too: it is the gradient of zeros, the channel, that the
    first hands to the second. Their shapes have to be known before the call; what cannot be traced is pulled back value
    by value, and there a list will do.
    """

    def __init__(self, module: Hookable, pre: list[Callable], full: list[Callable]):
        self.module, self.pre, self.full = module, pre, full
        self.pulled: list = []
        self.seen = watcher()
        self.keys: dict[Callable, Key] = {}
        if self.seen is not None:
            self.keys = {hook: self.seen.key(hook) for hook in pre + full if isinstance(hook, Watch)}

    def entered(self, params: Any, input: Any, shape: Any, others: Any) -> tuple[Any, Any, list]:
        """(params, input, channel). Parameters pass through, so that backward comes here for their sake, too."""
        moving, joined = _parted(input)
        weights, filled = _parted(params)
        outputs, of_output = _parted(shape)
        # Under vmap all of these need the batch's dimension if one has it: else JAX adds up their gradients.
        zero = _zero_of((params, input, others))
        channel = [jnp.zeros(leaf.shape, leaf.dtype) for leaf in outputs]
        moving, channel = jax.tree.map(lambda each: jnp.where(False, zero.astype(each.dtype), each), (moving, channel))
        sinks = self._sinks(self.full)

        @jax.custom_vjp
        def enter(moving: list, weights: list, channel: list, sinks: list) -> tuple:
            return moving, weights, channel

        def backward(_: None, gradients: tuple) -> tuple:
            of_input, of_weights, of_channel = gradients
            grad_output = self.pulled.pop() if shape is None else of_output(of_channel, gradient=True)
            grad_input, shown = self._through(self.full, sinks, joined(of_input, gradient=True), grad_output)
            return jax.tree.leaves(grad_input), of_weights, jax.tree.map(jnp.zeros_like, of_channel), shown

        enter.defvjp(lambda *given: (enter(*given), None), backward)
        moving, weights, channel = enter(moving, weights, channel, sinks)
        return filled(weights), joined(moving), channel

    def left(self, input: Any, output: Any, channel: list) -> Any:
        """The output."""
        moving, joined = _parted(output)
        sinks = self._sinks(self.pre)
        self._show_templates(input, output)

        @jax.custom_vjp
        def leave(moving: list, channel: list, sinks: list) -> list:
            return moving

        def backward(_: None, gradients: list) -> tuple:
            grad_output, shown = self._through(self.pre, sinks, joined(gradients, gradient=True))
            if not channel:
                self.pulled.append(grad_output)
            leaves = jax.tree.leaves(grad_output)
            return leaves, leaves if channel else [], shown

        leave.defvjp(lambda *given: (leave(*given), None), backward)
        return joined(leave(moving, channel, sinks))

    def _through(self, hooks: list[Callable], sinks: list, gradient: Any, *others: Any) -> tuple[Any, list]:
        """(the gradient that the hooks leave, what the sinks get: what is there when it is their watch's turn)."""
        shown: list = []
        for hook, sink in zip(hooks, sinks, strict=True):
            shown.append(None if sink is None else (gradient, *others))
            if not isinstance(hook, Watch):
                gradient = _fitting(self.module, hook(self.module, gradient, *others), gradient)
        return gradient, shown

    def _sinks(self, hooks: list[Callable]) -> list:
        """For each hook, the zeros whose gradient is to be what it sees; None if nobody watches."""
        if self.seen is None:
            return [None] * len(hooks)
        keys = [self.keys.get(hook) for hook in hooks]
        self.seen.entries += [key for key in reversed(keys) if key is not None]
        return [None if key is None else self.seen.sinks.get(key) for key in keys]

    def _show_templates(self, input: Any, output: Any) -> None:
        if self.seen is not None:
            of_input, of_output = (jax.tree.map(jnp.zeros_like, _floating(value)) for value in (input, output))
            for hook, key in self.keys.items():
                self.seen.templates[key] = (of_output,) if hook in self.pre else (of_input, of_output)


def _is_floating(leaf: Any) -> bool:
    array = isinstance(leaf, (jax.Array, np.ndarray, np.generic, float, jax.ShapeDtypeStruct))
    return array and jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)


def _parted(tree: Any) -> tuple[list, Callable]:
    """(floating-point leaves, the way back from others in their place); in gradients all other leaves are None."""
    leaves, structure = jax.tree.flatten(tree)

    def joined(moving: list, gradient: bool = False) -> Any:
        rest = iter(moving)
        return structure.unflatten(
            [next(rest) if _is_floating(leaf) else None if gradient else leaf for leaf in leaves]
        )

    return [leaf for leaf in leaves if _is_floating(leaf)], joined


def _floating(tree: Any) -> Any:
    """The tree with None for what has no gradient."""
    moving, joined = _parted(tree)
    return joined(moving, gradient=True)


def _zero_of(tree: Any) -> jax.Array:
    """A zero that is made of all traced arrays of a tree."""
    zero = jnp.zeros(())
    for leaf in jax.tree.leaves(tree):
        if not is_concrete(leaf) and leaf.size:
            numbers = jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
            first = lax.stop_gradient(numbers).reshape(-1)[0]
            zero = jnp.where(False, first.astype(zero.dtype), zero)
    return zero


def _fitting(module: Hookable, new: Any, old: Any) -> Any:
    """What a backward hook has returned in place of a gradient, after the check that it is shaped as this one."""
    if new is None:
        return old
    given, wanted = (jax.tree.map(lambda leaf: tuple(np.shape(leaf)), tree) for tree in (new, old))
    if given != wanted:
        raise ValueError(
            f"{title(module)}: expected a backward hook to return a gradient of shape {wanted}, or None; got {given}"
        )
    return jax.tree.map(lambda n, o: jnp.asarray(n, o.dtype), new, old)
