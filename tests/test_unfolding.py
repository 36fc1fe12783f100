"""Whole sequences at once compute what single steps compute: values, gradients, and derivatives of these."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxprs_in_params
from jax.test_util import check_grads

import functorch7 as f7

T, B, D, H = 3, 3, 2, 4
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


def in_float64(test):
    """Runs a test in float64."""

    def run(*args, **kwargs):
        with jax.enable_x64(True):
            test(*args, **kwargs)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    run.__wrapped__ = test
    return run


def inputs(zero=None):
    """A batch of sequences; the steps and examples of `zero` (T, B) are padding."""
    x = np.random.default_rng(0).normal(size=(T, B, D))
    return jnp.asarray(x if zero is None else np.where(zero[..., None], 0, x))


SOME = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]], bool)  # padding before, in the middle, and nothing else
MASKS = {"none": np.zeros((T, B), bool), "some": SOME, "all": np.ones((T, B), bool)}


def made(module):
    return jax.tree.map(lambda leaf: leaf.astype(jnp.float64), module.init(jax.random.key(3)))


@partial(jax.jit, static_argnums=(0, 1))
def value_and_gradients(run, module, buffers, params, x):
    """A weighted sum of the outputs, and its gradients with respect to parameters and input.

    Tests share the programs: one for each way to run a module.
    """
    weights = jnp.arange(1.0, T * B * H + 1).reshape(T, B, H)
    return jax.value_and_grad(lambda *given: (weights * run(module, buffers, *given)).sum(), (0, 1))(params, x)


def alone(layer, buffers, params, x):
    return layer.apply(params, buffers, x)[0]


def in_a_sequencer(cell, buffers, params, x):
    return f7.Sequencer(cell).apply([params], [buffers], x)[0]


def in_two_parts(cell, buffers, params, x):
    net = f7.Sequencer(cell).remember()
    first, after = net.apply([params], [buffers], x[:2])
    return jnp.concatenate([first, net.apply([params], after, x[2:])[0]])


def step_by_step(cell, buffers, params, x):
    outputs = []
    for each in x:
        output, buffers = cell.apply(params, buffers, each)
        outputs.append(output)
    return jnp.stack(outputs)


def assert_same(found, expected):
    jax.tree.map(partial(np.testing.assert_allclose, **CLOSE), found, expected)


def recurrence():
    """A plain recurrence: tanh(W x + U h)."""
    return f7.Recurrence(f7.Sequential(f7.ParallelTable(f7.Linear(D, H), f7.Linear(H, H)), f7.CAddTable(), f7.Tanh()),
                         H, 1)  # fmt: skip


CELLS = {
    "FastLSTM": lambda: f7.FastLSTM(D, H), "GRU": lambda: f7.GRU(D, H), "LSTM": lambda: f7.LSTM(D, H),
    "Recurrence": recurrence, "MuFuRu": lambda: f7.MuFuRu(D, H),
}  # fmt: skip
WHOLE = {"SeqLSTM": (f7.SeqLSTM, "to_fast_lstm"), "SeqGRU": (f7.SeqGRU, "to_gru")}
every_cell = pytest.mark.parametrize("name", CELLS)


@pytest.mark.one_in(2)
@every_cell
@pytest.mark.parametrize("way", ["", "mask_zero", "trim_zero"])
@in_float64
def test_a_sequence_equals_its_steps(name, way):
    cell = CELLS[name]()
    params, buffers = made(cell)
    masked = getattr(cell, way)(1) if way else cell
    expected = value_and_gradients(step_by_step, cell.mask_zero(1) if way else cell, buffers, params, inputs(SOME))
    assert_same(value_and_gradients(in_a_sequencer, masked, buffers, params, inputs(SOME)), expected)


@every_cell
@in_float64
def test_a_remembered_state_carries_the_gradient_of_what_follows(name):
    """A sequence in two parts, the second from the state that the first left, equals its steps."""
    cell = CELLS[name]()
    given = cell, *reversed(made(cell)), inputs()
    assert_same(value_and_gradients(in_two_parts, *given), value_and_gradients(step_by_step, *given))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("masks", ["none", "some"])
@in_float64
def test_a_whole_layer_equals_the_sequencer_of_its_cell(name, masks):
    kind, convert = WHOLE[name]
    layer = kind(D, H, maskzero=masks == "some")
    params, buffers = made(layer)
    x = inputs(MASKS[masks])

    def by_cell(layer, _, params, x):
        cell, own = getattr(layer, convert)(params)
        return in_a_sequencer(cell.mask_zero(1) if layer.maskzero else cell, made(cell).buffers, own, x)

    found, expected = (value_and_gradients(way, layer, buffers, params, x) for way in (alone, by_cell))
    assert_same(found, expected)


@pytest.mark.parametrize("name", ["FastLSTM", "GRU"])
@pytest.mark.parametrize("masks", MASKS)
@in_float64
def test_trimming_equals_masking(name, masks):
    cell = CELLS[name]()
    params, buffers = made(cell)
    found, expected = (
        value_and_gradients(in_a_sequencer, one, buffers, params, inputs(MASKS[masks]))
        for one in (cell.trim_zero(1), cell.mask_zero(1))
    )
    assert_same(found, expected)
    assert (found[0] == 0) == (masks == "all")


DIFFERENTIABLE = {"GRU": lambda: f7.Sequencer(f7.GRU(D, H)), "SeqLSTMP": lambda: f7.SeqLSTMP(D, 3, H)}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@in_float64
def test_derivatives_of_both_modes_and_orders_agree_with_differences(name):
    module = DIFFERENTIABLE[name]()
    params, buffers = made(module)
    run = jax.jit(lambda params, x: module.apply(params, buffers, x)[0])
    check_grads(run, (params, inputs()[:3]), order=2, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@in_float64
def test_gradients_of_several_parameters_at_once_are_those_of_each(name):
    module = DIFFERENTIABLE[name]()
    params, buffers = made(module)
    gradient = jax.jit(jax.grad(lambda params: (module.apply(params, buffers, inputs())[0] ** 2).sum()))
    several = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf]), params)
    both = jax.jit(jax.vmap(gradient))(several)
    for i in range(2):
        assert_same(jax.tree.map(lambda leaf, i=i: leaf[i], both), gradient(jax.tree.map(lambda p, i=i: p[i], several)))


def equations(jaxpr):
    """How many operations a program has, with those of its inner programs."""
    inner = [each for equation in jaxpr.eqns for each in jaxprs_in_params(equation.params)]
    return len(jaxpr.eqns) + sum(map(equations, inner))


@pytest.mark.parametrize("make", [
    lambda: f7.Sequencer(f7.FastLSTM(D, H)), lambda: f7.Sequencer(f7.GRU(D, H).mask_zero(1)),
    lambda: f7.Sequencer(f7.GRU(D, H).trim_zero(1)), lambda: f7.Sequencer(recurrence()), lambda: f7.SeqLSTM(D, H),
    lambda: f7.Sequencer(f7.Sequential(f7.FastLSTM(D, H), f7.Linear(H, D), f7.LSTM(D, H))),
], ids=["FastLSTM", "GRU masked", "GRU trimmed", "Recurrence", "SeqLSTM", "a chain"])  # fmt: skip
def test_the_program_does_not_grow_with_the_sequence(make, key):
    module = make()
    params, buffers = module.init(key)

    def size(steps):
        def loss(params, x):
            return module.apply(params, buffers, x)[0].sum()

        return equations(jax.make_jaxpr(jax.grad(loss))(params, jnp.zeros((steps, B, D))).jaxpr)

    assert size(1000) == size(3)


def test_the_gradient_of_a_weight_is_not_summed_step_by_step(key):
    """No loop of the differentiated program carries or stacks what has the shape of the recurrent weight's gradient."""
    module = f7.SeqLSTM(D, H)
    params, buffers = module.init(key)
    gradient = jax.grad(lambda params, x: module.apply(params, buffers, x)[0].sum())
    program = jax.make_jaxpr(gradient)(params, jnp.zeros((T, B, D))).jaxpr
    loops = [equation for equation in program.eqns if equation.primitive.name == "scan"]
    assert loops
    for loop in loops:
        assert not {(H, 4 * H), (4 * H, H)} & {out.aval.shape for out in loop.outvars}
