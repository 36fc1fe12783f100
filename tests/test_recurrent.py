"""FastLSTM and Sequencer as pure functions."""

from functools import partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7

CELL = f7.FastLSTM(3, 4)
XS = jnp.asarray(np.random.default_rng(0).normal(size=(6, 2, 3)), jnp.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def by_formula(params, xs):
    """The outputs of an LSTM, step by step, gates in the order input, candidate, forget, output."""
    weight, bias, recurrent = (
        np.asarray(params[a][b]) for a, b in (("i2g", "weight"), ("i2g", "bias"), ("o2g", "weight"))
    )
    h = c = np.zeros((xs.shape[1], 4))
    found = []
    for x in np.asarray(xs):
        i, g, f, o = np.split(x @ weight.T + bias + h @ recurrent.T, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found.append(h)
    return np.stack(found), c


def test_the_cell_step_by_step(key):
    params, buffers = CELL.init(key)
    expected, cell = by_formula(params, XS)
    for x, y in zip(XS, expected, strict=True):
        output, buffers = CELL.apply(params, buffers, x)
        np.testing.assert_allclose(output, y, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(buffers["cell"], cell, rtol=1e-4, atol=1e-6)
    assert f7.forget(CELL, buffers) == CELL.init(key).buffers


def test_the_cell_in_a_users_scan_equals_the_sequencer(key):
    params, buffers = CELL.init(key)
    first, buffers = CELL.apply(params, buffers, XS[0])

    @jax.jit
    def rest(buffers):
        def step(buffers, x):
            output, buffers = CELL.apply(params, buffers, x)
            return buffers, output

        return jax.lax.scan(step, buffers, XS[1:])[1]

    whole, _ = f7.Sequencer(CELL).apply([params], [CELL.init(key).buffers], XS)
    np.testing.assert_allclose(jnp.concatenate([first[None], rest(buffers)]), whole, rtol=1e-5, atol=1e-6)


def test_the_sequencers_gradient_is_that_of_the_unrolled_steps(key):
    params, buffers = CELL.init(key)

    def unrolled(params, xs):
        state, total = buffers, 0.0
        for t, x in enumerate(xs):
            output, state = CELL.apply(params, state, x)
            total += ((t + 1.0) * output).sum()
        return total

    def scanned(params, xs):
        outputs, _ = f7.Sequencer(CELL).apply([params], [buffers], xs)
        return (jnp.arange(1.0, 7.0)[:, None, None] * outputs).sum()

    expected, found = (jax.jit(jax.grad(f, argnums=(0, 1)))(params, XS) for f in (unrolled, scanned))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)


@pytest.mark.parametrize("mode, train, remembers", [
    ("neither", True, False), ("both", True, True), ("both", False, True), ("train", True, True),
    ("train", False, False), ("eval", False, True), ("eval", True, False),
])  # fmt: skip
def test_remembered_state_continues_the_sequence(mode, train, remembers, key):
    net = f7.Sequencer(CELL).remember(mode)
    params, buffers = net.init(key)
    whole, _ = f7.Sequencer(CELL).apply(params, buffers, XS)
    _, after = net.apply(params, buffers, XS[:3], train=train)
    rest, _ = net.apply(params, after, XS[3:], train=train)
    fresh, _ = net.apply(params, buffers, XS[3:], train=train)
    np.testing.assert_allclose(rest, whole[3:] if remembers else fresh, rtol=1e-5, atol=1e-6)
    assert not np.allclose(whole[3:], fresh)


def test_a_table_gives_a_table(key):
    net = f7.Sequencer(CELL)
    variables = net.init(key)
    whole, _ = net.apply(*variables, XS)
    table, _ = net.apply(*variables, list(XS))
    assert isinstance(table, list)
    np.testing.assert_allclose(jnp.stack(table), whole, rtol=1e-6)


def test_dropout_masks_stay_for_a_whole_sequence(key):
    """With an input of ones and no recurrent weights, only the masks could make steps differ; a sequence that goes on
    from the last has masks of its own.
    """
    net = f7.Sequencer(f7.FastLSTM(3, 4, p=0.5)).remember("both")
    params, buffers = net.init(key)
    params[0]["o2g"] = jax.tree.map(jnp.zeros_like, params[0]["o2g"])
    params[0]["i2g"][2] = jax.tree.map(lambda w: w * 0 - 50, params[0]["i2g"][2])  # forget everything
    outputs, buffers = net.apply(params, buffers, jnp.ones((5, 2, 3)), key=key, train=True)
    others, _ = net.apply(params, buffers, jnp.ones((5, 2, 3)), key=jax.random.key(5), train=True)
    for one, other in zip(outputs[1:], others[1:], strict=True):
        np.testing.assert_allclose(one, outputs[0], rtol=1e-5)
        np.testing.assert_allclose(other, others[0], rtol=1e-5)
    assert not np.allclose(others, outputs)


def test_keys_of_steps_are_taken_as_they_are_and_there_are_as_many(key):
    net, ones = f7.Sequencer(f7.Dropout(0.5)), jnp.ones((5, 2, 3))
    variables, keys = net.init(key), jax.random.split(key, 5)
    outputs, _ = net.apply(*variables, ones, key=keys, train=True)
    for step in (0, 4):  # each is what the step alone draws
        alone, _ = net.apply(*variables, ones[:1], key=keys[step : step + 1], train=True)
        np.testing.assert_array_equal(outputs[step], alone[0])
    with pytest.raises(ValueError, match=r"^nn.Sequencer .*: expected one random key, or one for each of 5 steps, got"):
        net.apply(*variables, ones, key=keys[:4], train=True)


def test_penalties_are_summed_and_log_probabilities_stacked_over_time(key):
    net = f7.Sequencer(f7.Sequential(f7.L1Penalty(0.1), f7.Linear(3, 2), f7.Sigmoid(), f7.ReinforceBernoulli()))
    _, buffers = net.apply(*net.init(key), XS, key=key, train=True)
    np.testing.assert_allclose(f7.penalty(buffers), 0.1 * np.abs(XS).sum(), rtol=1e-5)
    (log_prob,) = f7.emitted(buffers, "log_prob")
    assert log_prob.value.shape == (6, 2, 2) and log_prob.time_axes == 1
    per_step = f7.reinforce_loss(buffers, jnp.arange(12.0).reshape(6, 2))
    expected = -(np.arange(12.0).reshape(6, 2, 1) * np.asarray(log_prob.value)).sum()
    np.testing.assert_allclose(per_step, expected, rtol=1e-5)


@pytest.mark.parametrize("bad, message", [
    (jnp.zeros((0, 2, 3)), "expected a sequence"), ([], "expected a sequence"),
    ([jnp.zeros((2, 3)), jnp.zeros((1, 3))], r"forget\(\) starts anew"),
    (jnp.zeros((4, 2, 5)), r"nn.FastLSTM\(3 -> 4\): expected input of size 3"),
])  # fmt: skip
def test_what_is_no_sequence_is_refused(bad, message, key):
    net = f7.Sequencer(CELL)
    with pytest.raises(ValueError, match=message):
        net.apply(*net.init(key), bad)


@pytest.mark.parametrize("make", [lambda: f7.Linear(3, 2), lambda: f7.Sequential(f7.Tanh(), f7.L1Penalty(0.1))])
def test_the_steps_of_a_table_may_differ_in_shape_where_no_state_says_otherwise(make, key):
    module, table = make(), [XS[0], XS[1, :1], XS[2:4].reshape(4, 3)]
    net = f7.Sequencer(module)
    params, buffers = net.init(key)
    outputs, new = jax.jit(net.apply)(params, buffers, table)
    alone = [module.apply(params[0]["recurrent_module"], buffers[0]["recurrent_module"], x) for x in table]
    for found, (wanted, _) in zip(outputs, alone, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_allclose(f7.penalty(new), sum(f7.penalty(each) for _, each in alone), rtol=1e-6)


def test_another_batch_size_needs_a_forgotten_state(key):
    net = f7.Sequencer(CELL).remember()
    params, buffers = net.init(key)
    _, after = net.apply(params, buffers, XS)
    with pytest.raises(ValueError, match=r"forget\(\) starts anew"):
        net.apply(params, after, XS[:, :1])
    net.apply(params, f7.forget(net, after), XS[:, :1])


@pytest.mark.parametrize("both", [f7.BiSequencer, f7.BiSequencerLM])
def test_both_ways_a_tensor_is_the_table_of_its_steps(both):
    """Its program has loops, whatever its length; the table's has a part for each step. They draw the same."""
    branches = f7.ConcatTable(f7.GRU(3, 2), f7.Sequential(f7.Dropout(0.5), f7.L1Penalty(0.1)))
    network = both(branches, f7.LSTM(3, 5), f7.Sequential(f7.FlattenTable(), f7.JoinTable(1, 1), f7.Dropout(0.5)))
    params, buffers = network.init(jax.random.key(0))
    steps = np.random.default_rng(0).normal(size=(4, 2, 3)).astype(np.float32)

    def loss(params, steps, table=False):
        given = list(steps) if table else steps
        output, new = network.apply(params, buffers, given, key=jax.random.key(1), train=True)
        return jnp.square(jnp.stack(output) if table else output).sum() + f7.penalty(new)

    gradient = jax.value_and_grad(loss, (0, 1))
    chex.assert_trees_all_close(
        jax.jit(gradient)(params, steps), jax.jit(partial(gradient, table=True))(params, steps), rtol=1e-4, atol=1e-5
    )
    texts = [str(jax.make_jaxpr(loss)(params, np.ones((n, 2, 3), np.float32))) for n in (5, 9)]
    assert texts[0].count("\n") == texts[1].count("\n")
