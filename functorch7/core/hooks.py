"""Functions that see, and may replace, what goes through the modules of a network, forward and backward.

Hooks are attached to a description, each with the path of its module. `Module.call` hands them down to the children,
and `Module.apply` runs those whose path is at an end. Without hooks, nothing is added to a program.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..checks.errors import is_concrete, title
from .precision import is_inexact
from .probe import at_once, opened, silent
from .traits import Declared
from .tree import Name, Path
from .types import Output, Tree, Value
from .watching import SightKey, Watch, Watcher
from .way_back import linear

KINDS = ("forward_pre", "forward", "backward_pre", "backward", "failed")
"""When a hook runs; "failed": when forward raises, with the output None (for the legacy interface)."""

Forward = Callable[[Any, Any, Any], tuple[Any, Any]]
"""forward(module, params, input) -> (output, buffers)."""

Way = Callable[..., tuple[Any, Any]]
"""way(module, params, buffers, input, key=, train=) -> (output, buffers): what runs a module as `apply` does."""


class Hook(NamedTuple):
    """A function at a place. Hooks that were set on all modules (`everywhere`) run before others."""

    path: Path
    kind: str
    function: Callable
    everywhere: bool = False


AnyModule = TypeVar("AnyModule", bound=Declared)


class Called(NamedTuple):
    """What a forward_pre hook may return to change the description, too, which holds some arguments of a call."""

    module: Declared
    input: Value


def attached(module: AnyModule, hooks: tuple[Hook, ...]) -> AnyModule:
    """A copy with these hooks alone."""
    copy = object.__new__(type(module))
    copy.__dict__.update(module.__getstate__() | {"_hooks": hooks, "_traits": module.traits})
    return copy


def handed_on(module: Declared, name: Name, child: AnyModule) -> AnyModule:
    """The child with the hooks that the module has for it, before its own."""
    below = tuple(hook._replace(path=hook.path[1:]) for hook in module._hooks if hook.path[:1] == (name,))
    return attached(child, below + child._hooks) if below else child


def between_hooks(way: Way, steps: bool = False) -> Way:
    """A way of running a module, called as `apply` is, between the module's own hooks.

    `steps`: it runs for all steps at once, with time first; hooks see single ones.
    """

    def run(module: Declared, params: Tree, buffers: Tree, input: Value, **options: Any) -> tuple[Output, Tree]:
        if not module._hooks or all(hook.path for hook in module._hooks):
            return way(module, params, buffers, input, **options)

        def forward(bare: Declared, params: Tree, input: Value) -> tuple[Output, Tree]:
            return way(bare, params, buffers, input, **options)

        return _run(module, forward, params, input, (buffers, options["key"]), steps)

    return run


def _run(
    module: Declared, forward: Forward, params: Tree, input: Value, others: Value, steps: bool
) -> tuple[Output, Tree]:
    """forward(module without its own hooks, params, input) -> (output, buffers), between the module's hooks.

    `others`: what else it depends on.
    """
    each = at_once if steps else _alone
    own = sorted((hook for hook in module._hooks if not hook.path), key=lambda hook: not hook.everywhere)
    at: dict[str, list[Callable]] = {kind: [hook.function for hook in own if hook.kind == kind] for kind in KINDS}
    for hook in at["forward_pre"]:
        module, input = _called(hook, module, input, each)
    bare = attached(module, tuple(hook for hook in module._hooks if hook.path))

    def between(bare: Declared, params: Tree, input: Any) -> tuple[Any, Any]:
        try:
            output, buffers = forward(bare, params, input)
        except Exception:
            for hook in at["failed"]:
                hook(module, input, None)
            raise
        for hook in at["forward"]:
            output = _chosen(each(partial(hook, module), input, output), output)
        return output, buffers

    if not (at["backward_pre"] or at["backward"]):
        return between(bare, params, input)
    shape = None
    if module.traits.traceable:
        forwards = attached(bare, tuple(hook for hook in bare._hooks if not hook.kind.startswith("backward")))
        with silent():
            shape = jax.eval_shape(lambda: between(forwards, params, input)[0])
    bracket = _Bracket(module, at["backward_pre"], at["backward"], steps)
    params, input, channel = bracket.entered(params, input, shape, others)
    output, buffers = between(bare, params, input)
    return bracket.left(output, channel), buffers


def _alone(function: Callable, *values: Any) -> Any:
    return function(*values)


def _called(hook: Callable, module: Declared, input: Value, each: Callable) -> tuple[Declared, Any]:
    """The module and the input as a forward_pre hook leaves them."""
    modules = [module]

    def call(input: Any) -> Any:
        new = hook(module, input)
        if isinstance(new, Called):
            modules.append(new.module)
            return new.input
        return new

    new = each(call, input)
    return modules[-1], _chosen(new, input)


def _chosen(new: Any, old: Any) -> Any:
    return old if new is None else new


def _pull_back(
    module: Declared, hooks: list[Callable], shows: list[Callable | None], steps: bool, gradient: Any, *others: Any
) -> tuple[Any, list]:
    """(the gradient that the hooks leave; those of the sinks, which are what each watch sees at its turn)."""

    def once(gradient: Any, *others: Any) -> tuple[Any, list]:
        seen: list = []
        for hook, show in zip(hooks, shows, strict=True):
            seen.append(None if show is None else (gradient, *others))
            if not isinstance(hook, Watch):
                gradient = _fitting(module, hook(module, gradient, *others), gradient)
        return gradient, seen

    gradient, seen = (jax.vmap(once) if steps else once)(gradient, *others)
    if steps:
        seen = jax.tree.map(lambda values: values[0], seen)
    return gradient, [None if show is None else show(here) for show, here in zip(shows, seen, strict=True)]


class _Bracket:
    """Two identities around a call, whose pull-backs run the backward hooks.

    On the way back, the identity after the call comes first and is given gradOutput. The identity before the call needs
    gradOutput, too. So it hands zeros, the `channel`, to the one after the call; gradOutput returns as their gradient.
    For this the output's shape has to be known before the call. Where it is not, because the module cannot be traced,
    values are pulled back one by one, and a list (`pulled`) carries gradOutput instead.
    """

    def __init__(self, module: Declared, pre: list[Callable], full: list[Callable], steps: bool):
        self.module, self.pre, self.full, self.steps = module, pre, full, steps
        self.pulled: list = []
        self.seen: Watcher | None = opened(Watcher)
        watches = [] if self.seen is None else [hook for hook in pre + full if isinstance(hook, Watch)]
        self.keys: dict[Callable, SightKey] = {hook: self.seen.key(hook) for hook in watches}  # type: ignore[union-attr]

    def entered(self, params: Tree, input: Value, shape: Any, others: Any) -> tuple[Any, Any, list]:
        """(params, input, channel). Parameters pass through, so that backward comes here for their sake, too."""
        moving, joined, of_input = _parted(input)
        weights, filled, _ = _parted(params)
        outputs, _, of_output = _parted(shape)
        # Under vmap all of these need the batch's dimension if one has it: else JAX adds up their gradients.
        zero = _zero_of((params, input, others))
        channel = [jnp.zeros(leaf.shape, leaf.dtype) for leaf in outputs]
        moving, channel = jax.tree.map(lambda each: jnp.where(False, zero.astype(each.dtype), each), (moving, channel))
        sinks = self._sinks(self.full, input, shape)
        pull_back, pulled, has_channel = self._pull_back(self.full, sinks), self.pulled, shape is not None

        def backward(_: None, gradients: tuple) -> tuple:
            at_input, of_weights, of_channel = gradients
            grad_output = of_output(of_channel) if has_channel else pulled.pop()
            grad_input, shown = pull_back(of_input(at_input), grad_output)
            return jax.tree.leaves(grad_input), of_weights, jax.tree.map(jnp.zeros_like, of_channel), shown

        moving, weights, channel = linear(lambda _, given: given[:3], backward, None, (moving, weights, channel, sinks))
        return filled(weights), joined(moving), channel

    def left(self, output: Any, channel: list) -> Any:
        """The output."""
        moving, joined, of_output = _parted(output)
        sinks = self._sinks(self.pre, output)
        pull_back, pulled, has_channel = self._pull_back(self.pre, sinks), self.pulled, bool(channel)

        def backward(_: None, gradients: list) -> tuple:
            grad_output, shown = pull_back(of_output(gradients))
            if not has_channel:
                pulled.append(grad_output)
            leaves = jax.tree.leaves(grad_output)
            return leaves, leaves if has_channel else [], shown

        return joined(linear(lambda _, given: given[0], backward, None, (moving, channel, sinks)))

    def _pull_back(self, hooks: list[Callable], sinks: list) -> Callable:
        """`_pull_back` of hooks. A program keeps this function, which has nothing of what is being traced."""
        shows = [
            self.seen.show(self.keys[hook], sink is not None) if hook in self.keys else None  # type: ignore[union-attr]
            for hook, sink in zip(hooks, sinks, strict=True)
        ]
        return partial(_pull_back, self.module, hooks, shows, self.steps)

    def _sinks(self, hooks: list[Callable], *like: Any) -> list:
        """For each hook, the zeros whose gradient is to be what it sees, which is shaped like this; None for others."""
        like = tuple(jax.tree.map(self._zeros_of_a_step, _floating(value)) for value in like)
        return [
            self.seen.sink(self.keys[hook], like) if hook in self.keys else None  # type: ignore[union-attr]
            for hook in reversed(hooks)
        ][::-1]

    def _zeros_of_a_step(self, leaf: Any) -> jax.Array:
        return jnp.zeros(jnp.shape(leaf)[self.steps :], jnp.result_type(leaf))


def _is_floating(leaf: Any) -> bool:
    array = isinstance(leaf, (jax.Array, np.ndarray, np.generic, float, jax.ShapeDtypeStruct))
    return array and is_inexact(leaf)


def _parted(tree: Any) -> tuple[list, Callable, Callable]:
    """(floating-point leaves, the tree with others in their place, the same with None for all other leaves)."""
    leaves, structure = jax.tree.flatten(tree)
    moves = [_is_floating(leaf) for leaf in leaves]

    def among(rest: list) -> Callable:
        def joined(moving: list) -> Any:
            given = iter(moving)
            return structure.unflatten([next(given) if here else leaf for here, leaf in zip(moves, rest, strict=True)])

        return joined

    moving = [leaf for here, leaf in zip(moves, leaves, strict=True) if here]
    return moving, among(leaves), among([None] * len(leaves))


def _floating(tree: Any) -> Any:
    """The tree with None for what has no gradient."""
    moving, _, alone = _parted(tree)
    return alone(moving)


def _zero_of(tree: Any) -> jax.Array:
    """A zero that is made of all traced arrays of a tree."""
    zero = jnp.zeros(())
    for leaf in jax.tree.leaves(tree):
        if not is_concrete(leaf) and leaf.size:
            numbers = jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
            first = lax.stop_gradient(numbers).reshape(-1)[0]
            zero = jnp.where(False, first.astype(zero.dtype), zero)
    return zero


def _fitting(module: Declared, new: Any, old: Any) -> Any:
    """What a backward hook has returned in place of a gradient, after the check that it is shaped as this one."""
    if new is None:
        return old
    given, wanted = (jax.tree.map(lambda leaf: tuple(np.shape(leaf)), tree) for tree in (new, old))
    if given != wanted:
        raise ValueError(
            f"{title(module)}: expected a backward hook to return a gradient of shape {wanted}, or None; got {given}"
        )
    return jax.tree.map(lambda n, o: jnp.asarray(n, o.dtype), new, old)
