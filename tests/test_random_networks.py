"""Networks, criterions and sequences of calls that nobody thought of: all interfaces agree about them.

hypothesis draws them, always the same ones; `EXAMPLES=1000 make test ARGS="-k random_networks"` draws more.
"""

import os
import pickle
import tempfile
import warnings
from functools import lru_cache, partial

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from hypothesis import strategies as st

import functorch7 as f7
from functorch7.core import recording
from functorch7.core.tree import places
from functorch7.interop.torch7.writer import NOT_OF_TORCH
from functorch7.legacy import nn, torch
from functorch7.legacy.engine.foreign import InMode
from functorch7.legacy.objects.functional import wrap
from tests.legacy.helpers import same

drawn = partial(
    hypothesis.settings,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink] if "EXAMPLES" in os.environ else [
        hypothesis.Phase.generate
    ],
)  # fmt: skip


def examples(default):
    return drawn(max_examples=int(os.environ.get("EXAMPLES", default)))


numbers = np.random.default_rng(0)
X, GRADIENT, TARGET = (numbers.normal(size=(2, 3)).astype(np.float32) for _ in range(3))
WEIGHT = numbers.normal(size=(3, 3)).astype(np.float32)

# Networks of (2, 3) -> (2, 3) -----------------------------------------------------------------------------------------

GROWING = ("Exp", "Square")
PRINTING = ("PrintSize",)


def is_piece(case):
    """Whether a row of the table is such a network, for all numbers, and has no ties."""
    if not isinstance(case.input, np.ndarray) or case.input.shape != (2, 3) or not (case.input < 0).any():
        return False
    module, good = case.module, case.traceable and case.train and case.gradient
    if not good or module.traits.is_step or case.id in GROWING + PRINTING or isinstance(module, f7.Shared):
        return False
    outputs = jax.eval_shape(
        lambda key: module.apply(*module.init(key), case.input, key=key, train=True)[0], jax.random.key(0)
    )
    return getattr(outputs, "shape", None) == (2, 3)


PIECES = [case.module for case in MODULES if is_piece(case)]
PIECES += [f7.Linear(3, 3), f7.BatchNormalization(3), f7.LayerNormalization(3), f7.Dropout(0.4), f7.CMul(1, 3)]
STEPS = [f7.FastLSTM(3, 3), f7.GRU(3, 3), f7.RecLSTM(3, 3), f7.LSTM(3, 3), f7.Linear(3, 3), f7.Dropout(0.4)]
OF_ONE_EXAMPLE = [f7.Linear(3, 3), f7.Tanh(), f7.CAdd(3), f7.Dropout(0.3)]


def graph(first, second):
    start = f7.Node(first)
    return f7.Graph([start], [f7.Node(f7.CAddTable(), start, f7.Node(second, start))])


def over_time(step):
    return f7.Sequential(f7.Replicate(3), f7.Sequencer(step), f7.Select(1, -1))


def around(inner):
    """Networks of networks."""
    pair = st.tuples(inner, inner)
    added = f7.CAddTable()
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda modules: f7.Sequential(*modules)),
        pair.map(lambda two: f7.Sequential(f7.ConcatTable(*two), added)),
        pair.map(lambda two: f7.Sequential(f7.Concat(2, *two), f7.Narrow(2, 2, 3))),
        pair.map(lambda two: f7.Sequential(f7.Replicate(2), f7.SplitTable(1), f7.ParallelTable(*two), added)),
        pair.map(lambda two: f7.Sequential(f7.ConcatTable(two[0], f7.Identity()), f7.MapTable(two[1]), added)),
        pair.map(lambda two: graph(*two)),
        inner.map(lambda module: f7.Sequential(f7.Unsqueeze(1), f7.Bottle(module), f7.Select(1, 1))),
        inner.map(f7.Decorator),
        inner.map(lambda module: f7.Serial(module)),
        inner.map(over_time),
        st.tuples(*[st.sampled_from(OF_ONE_EXAMPLE)] * 2).map(
            lambda two: f7.Sequential(f7.Parallel(1, 1, *two), f7.View(2, 3))
        ),
        st.sampled_from(STEPS).map(over_time),
    )


networks = st.recursive(st.sampled_from(PIECES), around, max_leaves=4).map(lambda module: f7.Sequential(module))


def pulled_back(apply, params, buffers, key):
    """The output, the new buffers, and the gradients with respect to parameters and input."""

    def objective(params, input):
        output, new = apply(params, buffers, input, key)
        return (output * GRADIENT).sum() + f7.penalty(new), (output, new)

    gradients, (output, new) = jax.grad(objective, (0, 1), has_aux=True)(params, X)
    return output, f7.core.without_emitted(new), gradients


@lru_cache(maxsize=1)
def pulled_back_by(module, train):
    """`pulled_back`, compiled: steps one after the other share it."""

    def apply(params, buffers, input, key):
        return module.apply(params, buffers, input, key=key, train=train)

    return jax.jit(partial(pulled_back, apply))


def look(*_):
    """A hook that returns nothing."""


def recorded(module):
    def apply(params, buffers, input, key):
        with recording():
            return module.apply(params, buffers, input, key=key, train=True)

    return apply


def plain(module):
    return lambda params, buffers, input, key: module.apply(params, buffers, input, key=key, train=True)


def watched(module):
    return plain(f7.hooked(module, "*", forward_pre=look, forward=look, backward_pre=look, backward=look))


@examples(15)
@hypothesis.given(networks)
def test_networks_compute_the_same_when_looked_at_and_compiled(module):
    params, buffers = module.init(jax.random.key(0))
    key = jax.random.key(1)
    ways = plain, watched, recorded, lambda module: jax.checkpoint(plain(module))

    @jax.jit
    def compiled(params, buffers):
        return [pulled_back(way(module), params, buffers, key) for way in ways]

    expected, *others = compiled(params, buffers)
    for other in others:
        jax.tree.map(lambda got, wanted: np.testing.assert_allclose(got, wanted, 1e-4, 1e-5), other, expected)
    output, _ = plain(module)(params, buffers, X, key)
    np.testing.assert_allclose(output, expected[0], 1e-4, 1e-5)


# Sequences of calls ---------------------------------------------------------------------------------------------------


class Pair:
    """A network of the stateful interface, and what it should hold: pure functions and trees of arrays."""

    def __init__(self, module):
        self.module, self.train = module, True
        self.params, self.buffers = module.init(jax.random.key(0))
        self.gradients = jax.tree.map(jnp.zeros_like, self.params)
        copies = jax.tree.map(np.array, (self.params, self.buffers))
        self.held, self.steps, self.seen, self.handles, self.inside = wrap(module, *copies), 0, [], [], []

    def step(self):
        """Forward and backward, which are compared with the pure function's."""
        self.steps += 1
        torch.manualSeed(self.steps)
        self.seen.clear()
        key = jax.random.fold_in(jax.random.key(self.steps), 1)
        compiled = pulled_back_by(self.module, self.train)
        output, self.buffers, (of_params, of_input) = compiled(self.params, self.buffers, key)
        self.gradients = jax.tree.map(jnp.add, self.gradients, of_params)
        close(self.held.forward(X), output)
        close(self.held.get(1).output, output)
        close(self.held.backward(X, GRADIENT), of_input)
        close(self.held.get(1).gradInput, of_input)
        for values in self.seen:
            close(values, output)
        assert len(self.seen) == len(self.handles)

    def zero(self):
        self.held.zeroGradParameters()
        self.gradients = jax.tree.map(jnp.zeros_like, self.params)

    def update(self):
        self.held.updateParameters(0.1)
        self.params = jax.tree.map(lambda value, slope: value - 0.1 * slope, self.params, self.gradients)

    def evaluate(self):
        self.held.evaluate()
        self.module, self.train = unfrozen(self.module), False

    def training(self):
        self.held.training()
        self.module, self.train = unfrozen(self.module), True

    def freeze(self):
        """The network inside, alone, is evaluated from now on."""
        self.held.get(1).evaluate()
        self.module = f7.Sequential(InMode(unfrozen(self.module).modules[0], False))

    def flatten(self):
        self.held.getParameters()

    def clone(self):
        self.held, self.handles = self.held.clone(), []
        self.held.apply(lambda module: module.__dict__.pop("_hooks", None))

    def share(self):
        self.sharing = self.held  # kept alive
        self.held, self.handles = self.held.clone("weight", "bias"), []
        self.held.apply(lambda module: module.__dict__.pop("_hooks", None))

    def pickle(self):
        self.held, self.handles = pickle.loads(pickle.dumps(self.held)), []

    def save(self):
        with tempfile.TemporaryDirectory() as folder:
            if any(isinstance(each, NOT_OF_TORCH) for _, each in places(self.module)):
                with pytest.raises(TypeError, match="Torch7 has no such layer"):
                    torch.save(f"{folder}/network.t7", self.held)
                return
            torch.save(f"{folder}/network.t7", self.held)
            self.held, self.handles = torch.load(f"{folder}/network.t7"), []

    def cast(self):
        self.held.double().float()

    def hook(self):
        self.handles.append(self.held.register_forward_hook(lambda module, input, output: self.seen.append(output)))

    def hook_inside(self):
        """Hooks at every module that look both ways."""
        for module in self.held.listModules():
            self.inside += [module.register_forward_hook(look), module.register_full_backward_hook(look)]

    def unhook(self):
        while self.inside:
            self.inside.pop().remove()
        while self.handles:
            self.handles.pop().remove()

    def check(self):
        """Compares parameters and gradients, in Torch's order; a MapTable has modules that share theirs."""
        plain = unfrozen(self.module)
        for held, expected in zip(self.held.parameters(), (self.params, self.gradients), strict=True):
            held = list({(id(tensor.storage_), tensor.offset): tensor for tensor in held}.values())
            close(held, wrap(plain, jax.tree.map(np.array, expected), self.buffers).parameters()[0])


def unfrozen(module):
    (inner,) = module.modules
    return f7.Sequential(inner.module) if isinstance(inner, InMode) else module


def close(got, expected):
    same(got, expected, 2e-4, 2e-5)


CALLS = [name for name in vars(Pair) if not name.startswith("_") and name not in ("step", "check")]


@examples(15)
@hypothesis.given(networks, st.lists(st.sampled_from(["step", *CALLS]), min_size=2, max_size=5))
def test_sequences_of_calls_leave_what_pure_functions_say(module, calls):
    pair = Pair(module)
    for call in [*calls, "step"]:
        getattr(pair, call)()
    pair.check()


# Criterions -----------------------------------------------------------------------------------------------------------


def leaf(make):
    return make, lambda input, target: make()._spec(input, target)


def weighted(two):
    (first, of_first), (second, of_second) = two
    return (
        lambda: nn.MultiCriterion().add(first()).add(second(), 0.5),
        lambda input, target: of_first(input, target) + 0.5 * of_second(input, target),
    )


def parallel(two):
    """Of a table with twice the input, by a module."""
    (first, of_first), (second, of_second) = two
    twice = lambda: nn.ConcatTable().add(nn.Identity()).add(nn.Square())  # noqa: E731
    return (
        lambda: nn.ModuleCriterion(nn.ParallelCriterion(True).add(first(), 2).add(second()), twice(), None),
        lambda input, target: 2 * of_first(input, target) + of_second(input**2, target),
    )


def stepwise(one):
    """Of each row by itself; the rows are the steps."""
    make, loss = one
    return (
        lambda: nn.SequencerCriterion(make()),
        lambda input, target: sum(loss(i, t) for i, t in zip(input, target, strict=True)),
    )


def masked(one):
    """Where no row is zeros, none is masked."""
    make, loss = one
    return (lambda: nn.MaskZeroCriterion(make(), 1)), loss


def transformed(one):
    make, loss = one
    return (
        lambda: nn.ModuleCriterion(make(), nn.Tanh(), nn.Sigmoid()),
        lambda input, target: loss(jnp.tanh(input), jax.nn.sigmoid(target)),
    )


def repeated(one):
    """Of each row with the first row of the target."""
    make, loss = one
    return (
        lambda: nn.ModuleCriterion(nn.RepeaterCriterion(make()), None, nn.Select(1, 1)),
        lambda input, target: sum(loss(row, target[0]) for row in input),
    )


def linear():
    module = nn.Linear(3, 3)
    module.weight.copy(WEIGHT)
    module.bias.zero()
    return module


def learned(one):
    """With parameters, which are the same in each object."""
    make, loss = one

    def quiet():
        with warnings.catch_warnings(action="ignore"):  # parameters that ModuleCriterion does not update
            return nn.ModuleCriterion(make(), linear())

    return quiet, lambda input, target: loss(input @ WEIGHT.T, target)


leaves = st.sampled_from([leaf(make) for make in (nn.MSECriterion, nn.AbsCriterion, nn.SmoothL1Criterion)])
of_rows = st.recursive(leaves, lambda inner: st.tuples(inner, inner).map(weighted), max_leaves=3)
criterions = st.recursive(
    leaves | leaves.map(masked) | of_rows.map(stepwise),  # which takes no ModuleCriterion
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(weighted),
        st.tuples(inner, inner).map(parallel),
        inner.map(transformed),
        inner.map(learned),
        leaves.map(repeated),
    ),
    max_leaves=4,
)


@examples(15)
@hypothesis.given(criterions)
def test_nested_criterions_compute_the_sum_of_their_parts(drawn):
    make, loss = drawn
    criterion = make()
    description, (params, buffers) = criterion.functional()

    @jax.jit
    def program(*given):
        return jax.value_and_grad(loss)(*given), description.apply(params, buffers, given)[0]

    (expected, gradient), output = program(X, TARGET)
    close(output, expected)
    for held in (criterion, criterion.clone(), pickle.loads(pickle.dumps(criterion))):
        close(held.forward(X, TARGET), expected)
        close(held.backward(X, TARGET), gradient)
    table = nn.CriterionTable(criterion)
    close(table.forward([X, TARGET]), expected)
    close(table.backward([X, TARGET])[0], gradient)
    close(criterion.output, expected)
    close(criterion.gradInput, gradient)
