"""What others ask about a module: the same of the module itself and of whatever stands for it."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES

import functorch7 as f7
from functorch7.core import Proxy
from functorch7.core.traits import DECLARED, Traits
from functorch7.legacy import nn


def names(case):
    return case.id


class AsItIs(Proxy, abstract=True):
    """A proxy that adds nothing."""

    def forward(self, params, buffers, input, *, key, train):
        return self.module.apply(params, buffers, input, key=key, train=train)


STANDING_FOR = {
    "a proxy": AsItIs,
    "hooked": lambda module: f7.hooked(module, forward=lambda *_: None),
    "named": lambda module: module.named("name"),
    "copied": lambda module: module.replace(),
}


@pytest.mark.parametrize("case", MODULES, ids=names)
def test_what_stands_for_a_module_has_its_traits(case):
    for way, stand in STANDING_FOR.items():
        other = stand(case.module)
        assert other.traits == case.module.traits, way
        assert other.children() == case.module.children(), way


@pytest.mark.parametrize("case", MODULES, ids=names)
def test_recurrent_state_is_what_is_none_at_first(case):
    for _, module in f7.core.places(case.module):
        assert set(module.traits.transient) >= {n for n, v in module.init_buffers().items() if v is None}


def test_every_trait_can_be_declared_under_its_name():
    assert all(hasattr(f7.core.Module, name) for name in DECLARED)
    assert {*DECLARED, "draws_in_training", "draws_in_evaluation"} == set(Traits._fields)


@pytest.mark.parametrize("inner", [f7.LookupTable(5, 3), f7.Bilinear(2, 3, 4)], ids=str)
def test_what_has_the_weight_of_another_calls_it_with_what_that_takes(inner):
    found, wanted = f7.WeightNorm(inner).traits, inner.traits
    assert (found.takes_table, found.checks_values) == (wanted.takes_table, wanted.checks_values)


def test_an_index_that_a_normalized_table_has_not():
    with pytest.raises(ValueError, match="nn.LookupTable.* expected indices from 1 to 5, got 9"):
        nn.WeightNorm(nn.LookupTable(5, 3)).forward(np.array([1, 9]))


# Frozen children ------------------------------------------------------------------------------------------------------

REFUSED = {
    "LookupTable": (lambda: nn.LookupTable(5, 3), [1, 9], "expected indices from 1 to 5, got 9"),
    "ReinforceBernoulli": (lambda: nn.ReinforceBernoulli(True), [0.5, 1.5], "probabilities from 0 to 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_frozen_child_looks_at_values_as_any_other(name):
    make, input, message = REFUSED[name]
    for frozen in (False, True):
        child = make()
        network = nn.Sequential(child, nn.Identity())
        if frozen:
            child.evaluate()
        with pytest.raises(ValueError, match=message):
            network.forward(input)


def test_a_frozen_child_takes_tables_of_numbers():
    select = nn.SelectTable(2)
    network = nn.Sequential(select)
    expected = network.forward([1, 2])
    select.evaluate()
    assert float(network.forward([1, 2])) == float(expected) == 2


@pytest.mark.parametrize("cell", [lambda: nn.RecLSTM(2, 3), lambda: nn.RecGRU(2, 3)], ids=["RecLSTM", "RecGRU"])
def test_a_module_of_which_only_the_arrays_are_used_may_be_frozen(cell):
    module, x = cell(), np.ones((4, 2), np.float32)
    expected = np.array(module.forward(x))
    module.forget()
    module.get(1).evaluate()
    np.testing.assert_array_equal(module.forward(x), expected)


# Draws over time ------------------------------------------------------------------------------------------------------

X = np.random.default_rng(0).normal(size=(4, 3, 2)).astype(np.float32)
DRAWING = {
    "alone": f7.Dropout(0.5),
    "a chain": f7.Sequential(f7.Dropout(0.5), f7.Tanh(), f7.Dropout(0.5)),
    "after a cell": f7.Sequential(f7.LSTM(2, 2), f7.Dropout(0.5)),
    "inside a cell": f7.GRU(2, 2, p=0.5),
    "in branches": f7.ConcatTable(f7.Dropout(0.5), f7.WhiteNoise()),
    "a sampler": f7.Sequential(f7.SoftMax(), f7.ReinforceCategorical()),
    "nested": f7.Sequential(f7.Recursor(f7.Sequential(f7.Dropout(0.5), f7.Tanh())), f7.Dropout(0.5)),
}


def step_by_step(sequencer, variables, key):
    """Each step by itself, with the key that a step has: folded with its time, then with the module's position."""
    (inner,), (buffers,), outputs = *variables, []
    for time, input in enumerate(X):
        step_key = jax.random.fold_in(jax.random.fold_in(key, time), 0)
        output, buffers = sequencer.modules[0].apply(inner, buffers, input, key=step_key, train=True)
        outputs.append(output)
    return jax.tree.map(lambda *steps: jnp.stack(steps), *outputs)


def recorded(sequencer, variables, key):
    with f7.core.recording():
        return sequencer.apply(*variables, X, key=key, train=True)[0]


LOOKED_AT = {
    "step by step": step_by_step,
    "with a recorder": recorded,
    "with a hook": lambda sequencer, variables, key: f7.hooked(sequencer, "*", forward=lambda *_: None).apply(
        *variables, X, key=key, train=True
    )[0],
    "compiled": lambda sequencer, variables, key: jax.jit(
        lambda params: sequencer.apply(params, variables.buffers, X, key=key, train=True)[0]
    )(variables.params),
}


@pytest.mark.parametrize("name", DRAWING)
def test_a_sequencer_draws_the_same_however_its_steps_run(name):
    sequencer, key = f7.Sequencer(DRAWING[name]), jax.random.key(1)
    variables = sequencer.init(jax.random.key(0))
    expected = sequencer.apply(*variables, X, key=key, train=True)[0]
    for way, run in LOOKED_AT.items():
        jax.tree.map(
            lambda got, wanted, way=way: np.testing.assert_allclose(got, wanted, 1e-5, 1e-6, err_msg=way),
            run(sequencer, variables, key), expected,
        )  # fmt: skip


@pytest.mark.parametrize("draws", [lambda: nn.Dropout(0.5), lambda: nn.WhiteNoise(0, 1)], ids=["Dropout", "WhiteNoise"])
def test_what_inner_modules_show_is_what_the_output_was_made_of(draws):
    inner, drawing = nn.Identity(), draws()
    sequencer = nn.Sequencer(nn.Sequential(drawing, inner))
    output = np.array(sequencer.forward(X))
    np.testing.assert_allclose(inner.output, output[-1], 1e-6)
    np.testing.assert_allclose(drawing.output, output[-1], 1e-6)


def test_a_recorder_of_one_thread_sees_nothing_of_another():
    network = f7.Sequential(f7.Tanh())
    inside, done = threading.Event(), threading.Event()

    def other():
        inside.wait(10)
        network.apply([{}], [{}], jnp.ones(2))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with f7.core.recording() as seen:
        inside.set()
        assert done.wait(10)
    thread.join()
    assert not seen.outputs
