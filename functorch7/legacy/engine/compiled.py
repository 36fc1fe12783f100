"""The compiled functions behind the stateful interface, shared by all networks of equal description and layout."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from ... import core, programs
from ...core.emitted import Emitted
from ...core.filming import filming
from ...core.recording import recording
from ...core.tied import tying
from ...core.types import Scalar, Tree, Value
from ...network import numbers
from ...network.kinds import map_state
from ...reinforce.loss import reward_as
from .cut import Cut
from .handed_on import HandedOn, handed_on
from .known_users import planned
from .narrowing import cast_to
from .running_calls import anchored, answering, noting_calls, runs_apart
from .terms import Term
from .views import View, add, read


class Program(NamedTuple):
    """All that is static about a network: the key of its compiled functions."""

    spec: core.Module  # without the numbers that are arguments
    params: Any  # the tree of parameters, with the positions of `views` as leaves: (treedef, order)
    views: tuple[View, ...]
    buffers: Any  # the treedef of the buffers, one leaf for each of a module's own
    train: bool
    dtype: str
    keeps_types: bool  # whether modules inside say of which type the output is
    frozen: frozenset[int]  # the numbers of the parameters that get no gradient
    is_cut: bool  # whether it is compiled between the calls of users' methods
    tied: tuple[tuple[int, ...], ...]  # the numbers of the buffers that share an array, in order of places

    @property
    def is_compiled(self) -> bool:
        """Whether it is compiled, as a whole or in parts."""
        return self.spec.traits.traceable or self.is_cut

    @property
    def takes_as_given(self) -> bool:
        """Whether the input keeps its type: 16 bits do not have all indices, at whose values layers look."""
        return jnp.finfo(self.dtype).bits == 16 and self.spec.traits.checks_values


def as_compiled(
    program: Program, function: Callable, probe: Callable | None = None, overwritten: tuple[int, ...] = ()
) -> Callable:
    """The function, compiled if the network can be; `probe` comes to the same users' calls without differentiation.

    `overwritten` are the arguments whose memory the results take.
    """
    if program.is_cut:
        return Cut(function, probe)
    if not program.spec.traits.traceable:
        return function
    return programs.Compiled(jax.jit(function, donate_argnums=overwritten))


class Side(NamedTuple):
    """What a call gives beside its output: losses, log-probabilities, the recurrent state, and what it hands on."""

    losses: list[Emitted]
    log_probs: list[Emitted]
    state: list
    handed_on: HandedOn | None = None


NOTHING = Side([], [], [])
"""What most calls give beside their output."""


@jax.tree_util.register_dataclass
@dataclass(slots=True)
class Residuals:
    """A pull-back as it leaves a compiled call, without the arrays that the call was given.

    An array that a compiled function takes and returns is copied: every weight would be, in every forward call.
    `sources` has one entry for each array of the pull-back: its number among the arguments, the view of one of them
    that it shows, or None if it is kept; `numbers` are those of all arguments among them.
    """

    kept: list
    answers: list  # what users' calls have left, in turn
    sources: tuple[int | View | None, ...] = field(metadata={"static": True})
    numbers: tuple[int, ...] = field(metadata={"static": True})
    treedef: Any = field(metadata={"static": True})

    @classmethod
    def of(
        cls, pull: Callable, program: Program, arguments: tuple, parameters: list, answers: list | None = None
    ) -> "Residuals":
        """The pull-back of a call with these arguments, whose first are the storages of the parameters."""
        known: dict[int, int | View] = {id(array): view for array, view in zip(parameters, program.views, strict=True)}
        known |= {id(leaf): number for number, leaf in enumerate(jax.tree.leaves(arguments))}
        leaves, treedef = jax.tree.flatten(pull)
        sources = tuple(known.get(id(leaf)) for leaf in leaves)
        kept = [leaf for leaf, source in zip(leaves, sources, strict=True) if source is None]
        numbers = {source.storage if isinstance(source, View) else source for source in sources}
        return cls(kept, answers or [], sources, tuple(number for number in numbers if number is not None), treedef)

    def needed(self, arguments: Value) -> list:
        """What of the call's arguments the pull-back uses."""
        given = jax.tree.leaves(arguments)
        return [given[number] for number in self.numbers]

    def pull_back(self, needed: list) -> Callable:
        """The pull-back, complete."""
        kept, given = iter(self.kept), dict(zip(self.numbers, needed, strict=True))

        def found(source: int | View | None) -> Any:
            if source is None:
                return next(kept)
            return read(given, source) if isinstance(source, View) else given[source]

        return self.treedef.unflatten([found(source) for source in self.sources])


def network_of(program: Program, buffers: list, draw: tuple[Scalar, Scalar] | None) -> Callable:
    """The pure function of (parameters, input, recurrent state) that one forward call evaluates."""
    treedef, order = program.params
    key = None if draw is None else jax.random.fold_in(jax.random.key(draw[0]), draw[1])
    own = program.buffers.num_leaves  # after the buffers come the numbers that were taken out
    buffers, spec = buffers[:own], numbers.put_in(program.spec, buffers[own:])
    for first, *others in program.tied:
        for other in others:
            buffers[other] = buffers[first]

    def network(arrays: list, input: Any, state: list) -> tuple[Any, Any]:
        core.check_kinds(spec, input)
        given = [lax.stop_gradient(array) if i in program.frozen else array for i, array in enumerate(arrays)]
        params = treedef.unflatten([given[position] for position in order])
        rest = iter(state)
        tree = map_state(spec, program.buffers.unflatten(buffers), lambda _: next(rest))
        # A program may have put tensors of other sizes into its layers.
        with core.known_sizes(), tying([buffers[first] for first, *_ in program.tied]):
            input = cast_to(None if program.takes_as_given else program.dtype, input)
            output, new = spec.apply(params, tree, input, key=key, train=program.train)
        emitted = core.emitted(new, "loss"), core.emitted(new, "log_prob")
        side = Side(*emitted, state_of(spec, new), handed_on(output, input))
        return (_typed(program, output), side), program.buffers.flatten_up_to(new)

    return network


def _typed(program: Program, output: Any) -> Any:
    """An output, or its gradient, in the network's type, unless a module inside says of which type it is."""
    return output if program.keeps_types else cast_to(program.dtype, output)


def state_of(spec: core.Module, buffers: Tree) -> list:
    """The recurrent state, in order."""
    found: list = []
    map_state(spec, buffers, found.append)
    return found


def arguments_of(program: Program, storages: list) -> list:
    """With respect to what gradients are taken: what the views of the storages show."""
    return [read(storages, view) for view in program.views]


def reporting(program: Program, network: Callable) -> Callable:
    """The network with what its checks of values find beside the new buffers; None, and no cost, without checks."""
    # What is not compiled checks as it goes.
    if not (program.spec.traits.checks_values and program.is_compiled) or runs_apart():

        def run(*arguments: Any) -> tuple[Any, tuple]:
            with planned():
                outcome, new = network(*arguments)
            return outcome, (new, None)

        return run

    def run_checked(*arguments: Any) -> tuple[Any, tuple]:
        # Before it is differentiated: JAX leaves out the checks in a scan that it pulls back.
        error, (outcome, new) = core.reporting(network)(*arguments)
        return outcome, (new, error)

    return run_checked


@programs.kept
def evaluation(program: Program) -> Callable:
    """(storages, buffers, input, state, draw) -> (output, side), (new buffers, error); no residuals for backward."""

    def forward(storages, buffers, input, state, draw):
        network = reporting(program, network_of(program, buffers, draw))
        return network(arguments_of(program, storages), input, state)

    return as_compiled(program, forward)


@programs.kept
def differentiation(program: Program) -> Callable:
    """As `evaluation`, and the pull-back's residuals as a third result."""

    def forward(*arguments):
        storages, buffers, input, state, draw = arguments
        network = reporting(program, _noting(network_of(program, buffers, draw)))
        parameters = arguments_of(program, storages)
        given = (parameters, input, state, *([jnp.zeros(())] if program.is_cut else []))
        (output, side), pull, ((new, answers), error) = jax.vjp(network, *given, has_aux=True)
        return (output, side), (new, error), Residuals.of(pull, program, arguments, parameters, answers)

    def probe(storages, buffers, input, state, draw):
        network_of(program, buffers, draw)(arguments_of(program, storages), input, state)

    return as_compiled(program, forward, probe)


def _noting(network: Callable) -> Callable:
    """The network with what users' calls leave beside its new buffers, as a function of an `anchor`, too."""

    def run(arrays: list, input: Any, state: list, *number: Any) -> tuple[Any, tuple]:
        with noting_calls() as answers, anchored(*number or [None]):
            outcome, new = network(arrays, input, state)
        return outcome, (new, answers)

    return run


def _cotangents(program: Program, grad_output: Any, side: Side, rewards: list, state: list | None) -> tuple[Any, Side]:
    """Those of the output (given) and of its side: 1 for losses, minus the reward for log-probabilities.

    The state's are zeros at the last step (None).
    """
    losses = jax.tree.map(jnp.ones_like, side.losses)
    log_probs = [
        node if node.value is None else replace(node, value=-reward_as(reward, node))
        for node, reward in zip(side.log_probs, rewards, strict=True)
    ]
    zeros = jax.tree.map(jnp.zeros_like, side.state)
    core.check_kinds(program.spec, grad_output)
    return _typed(program, grad_output), Side(losses, log_probs, zeros if state is None else state, side.handed_on)


def _pulled(program: Program, residuals: Residuals, needed: list, *given: Any) -> tuple:
    """Gradients with respect to (parameters, input, state); with hooks, what they see on the way back comes after."""
    parameters, input, state, *seen = residuals.pull_back(needed)(_cotangents(program, *given))
    if program.is_cut:
        seen = []  # the gradient of the anchor
    return parameters, cast_to(program.dtype, without_float0(input)), state, *seen


def without_float0(gradients: Value) -> Value:
    """Gradients with zeros at integers, as Torch has them, in place of JAX's."""
    return jax.tree.map(lambda g: jnp.zeros(g.shape, jnp.int32) if g.dtype == jax.dtypes.float0 else g, gradients)


class Target(NamedTuple):
    """Where gradients are added: the views, and the storages' shapes if these are all of their elements, else None."""

    views: tuple[View, ...]
    shapes: tuple[tuple[int, ...], ...] | None


def _filled(views: tuple[View, ...], shapes: tuple[tuple[int, ...], ...], storages: list, changes: list) -> list:
    """The storages (None: zeros) with the changes added, where the views show all of their elements.

    Each is written part by part. The derivative of reading the parts out of one vector would be a sum of padded arrays,
    which jaxlib 0.10.2 compiles wrongly on CPUs (`functorch7 doctor` shows it), and which takes longer.
    """
    sums: dict[View, Any] = {}
    for view, given in zip(views, changes, strict=True):
        change = given.reshape(view.shape)  # a few gradients have other sizes than their parameters
        sums[view] = sums[view] + change if view in sums else change
    parts: list[list] = [[] for _ in shapes]
    for view in sorted(sums):
        part = sums[view] if storages[view.storage] is None else read(storages, view) + sums[view]
        parts[view.storage].append(part.reshape(-1))
    return [jnp.concatenate(each).reshape(shape) for each, shape in zip(parts, shapes, strict=True)]


def _accumulated(
    program: Program, target: Target, terms: Any, gradients: list, storages: list, scale: Any,
    weighing: tuple[list, list] | None,
) -> list:  # fmt: skip
    """`storages` with scale * gradients added at the target's views (scale None is 1; storages None are zeros).

    `terms` are what is known of them; `weighing` their numbers, and the parameters' storages.
    """
    if weighing is not None:
        given, parameters = weighing
        triples = zip(numbers.together(terms, given), gradients, program.views, strict=True)
        gradients = [
            term.of(gradient, None if term.regularizer is None else read(parameters, view))
            for term, gradient, view in triples
        ]
    scaled = gradients if scale is None else [scale * gradient for gradient in gradients]
    if target.shapes is not None:
        return _filled(target.views, target.shapes, storages, scaled)
    storages = list(storages)
    for view, gradient in zip(target.views, scaled, strict=True):
        add(storages, view, gradient)
    return storages


@programs.kept
def backward(program: Program, target: Target, terms: tuple[Term, ...] | None, at_input: bool = True) -> Callable:
    """The pull-back, and the accumulation of its gradients: gradInput (or None), the state's gradient, new storages."""

    def run(residuals, needed, grad_output, side, rewards, state, storages, over, scale, weighing):
        storages = [kept if given is None else given for kept, given in zip(storages, over, strict=True)]
        gradients, grad_input, state, *seen = _pulled(program, residuals, needed, grad_output, side, rewards, state)
        new = _accumulated(program, target, terms, gradients, storages, scale, weighing)
        return grad_input if at_input else None, state, new, *seen

    return as_compiled(program, run, overwritten=(7,))


@programs.kept
def pull_back(program: Program) -> Callable:
    """The pull-back alone: the parameters' gradients, gradInput, the state's gradient."""
    return as_compiled(program, partial(_pulled, program))


@programs.kept
def pull_back_to_input(program: Program) -> Callable:
    """The same without the parameters' gradients, which are not computed then: gradInput, the state's gradient."""
    return as_compiled(program, lambda *given: _pulled(program, *given)[1:3])


@programs.kept
def accumulation(program: Program, target: Target, terms: tuple[Term, ...] | None) -> Callable:
    """(gradients, storages, scale, weighing) -> storages with scale * gradients added."""
    return programs.Compiled(jax.jit(partial(_accumulated, program, target, terms)))


@programs.kept
def update(views: tuple[View, ...], grad_views: tuple[View, ...], whole: bool) -> Callable:
    """(storages, gradients, rate) -> storages with rate * gradient taken off at every view.

    `whole` says that the storages correspond element by element.
    """

    def run(storages, gradients, rate):
        if whole:
            return [s - rate * g.reshape(s.shape) for s, g in zip(storages, gradients, strict=True)]
        storages = list(storages)
        for view, grad_view in zip(views, grad_views, strict=True):
            add(storages, view, -rate * read(gradients, grad_view))
        return storages

    return programs.Compiled(jax.jit(run))


@programs.kept
def inspection(program: Program) -> Callable:
    """What every child received and gave, by path: ((inputs, outputs, exposed), gradients at their inputs)."""
    return _looking(program, recording, lambda seen: (seen.inputs, (seen.inputs, seen.outputs, seen.exposed)))


@programs.kept
def film(program: Program) -> Callable:
    """What every recurrent module received, gave and remembered at each step, and the gradients there."""
    return _looking(program, filming, lambda seen: (seen.taps, seen.taps))


def _looking(program: Program, look: Callable, found: Callable) -> Callable:
    """The forward call, repeated on the arguments that it had in a block of `look`, which is given zeros to be added.

    `found` gives what the zeros are shaped as, and what is seen. Gradients are None unless cotangents are given.
    """

    def run(storages, buffers, input, state, draw, cotangents, answers):
        network = network_of(program, buffers, draw)
        arrays = arguments_of(program, storages)

        def seen(perturbations: dict) -> tuple[Any, tuple]:
            with look(perturbations) as seeing:
                result, _ = network(arrays, input, state)
            return result, found(seeing)

        with answering(answers):
            _, (shaped, values) = seen({})
            if cotangents is None:
                return values, None
            zeros = jax.tree.map(lambda a: jnp.zeros(jnp.shape(a), jnp.result_type(a)), shaped)
            _, pull = jax.vjp(lambda perturbations: seen(perturbations)[0], zeros)
            (gradients,) = pull(_cotangents(program, *cotangents))
        return values, jax.tree.map(lambda g: None if g.dtype == jax.dtypes.float0 else g, gradients)

    return as_compiled(program, run)
