"""Tables of networks, with sizes and counts from the formulas; and labels for optimisers."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7 import legacy
from functorch7.training import freeze, labels


def test_a_convolutional_network():
    network = f7.Sequential(
        f7.SpatialConvolution(1, 6, 5, 5), f7.ReLU(), f7.SpatialMaxPooling(2, 2, 2, 2), f7.View(6 * 12 * 12),
        f7.Sequential(f7.Linear(864, 10), f7.LogSoftMax()),
    )  # fmt: skip
    table = f7.summary(network, (4, 1, 28, 28))
    rows = {row.path: row for row in table.rows}
    assert list(rows) == [(), (0,), (1,), (2,), (3,), (4,), (4, 0), (4, 1)]
    assert rows[0,].output.shape == rows[1,].output.shape == (4, 6, 24, 24) and rows[2,].output.shape == (4, 6, 12, 12)
    assert (rows[0,].parameters, rows[4,].parameters, rows[4, 0].parameters) == (6 * 25 + 6, 0, 8650)
    assert table.parameters == 6 * 25 + 6 + 8650
    assert rows[4, 0].flops == 4 * 10 * (2 * 864 + 1)  # a product, and a bias for each output
    assert rows[0,].flops >= 4 * 6 * 24 * 24 * (2 * 25 + 1) > 0.9 * rows[0,].flops
    assert sum(rows[i,].flops for i in range(5)) == table.flops == rows[()].flops
    text = str(table)
    assert "0 nn.SpatialConvolution(1 -> 6, 5x5)" in text and "4x6x24x24" in text and "8,806" in text
    assert text.count("\n") == 11 and "<table>" in table._repr_html_() and "-&gt;" in table._repr_html_()


def test_recurrences_count_every_step():
    inside = f7.summary(f7.SeqLSTM(3, 2), (7, 5, 3)).flops
    assert inside >= 7 * 5 * 2 * (3 + 2) * 8
    assert f7.summary(f7.SeqLSTM(3, 2), (14, 5, 3)).flops == pytest.approx(2 * inside, rel=0.05)
    steps = f7.summary(f7.Sequencer(f7.Recursor(f7.Sequential(f7.Linear(3, 2), f7.GRU(2, 4)))), (7, 5, 3))
    assert any("nn.GRU" in str(row.module) and row.output.shape == (5, 4) for row in steps.rows)


@pytest.mark.parametrize("kind", [f7.BiSequencer, f7.BiSequencerLM])
def test_both_directions_of_a_sequence_in_one_array_are_counted(kind):
    table = f7.summary(kind(f7.Linear(3, 2), f7.Linear(3, 2)), (7, 5, 3))
    assert table.rows[0].output.shape == (7, 5, 4)
    steps = 7 if kind is f7.BiSequencer else 6  # each direction leaves the last step out
    assert table.flops == pytest.approx(2 * steps * 5 * 2 * (2 * 3 + 1), rel=0.1)
    reversals = [row.output.shape for row in table.rows if isinstance(row.module, f7.ReverseTable)]
    assert reversals == [(steps, 5, 3), (steps, 5, 2)]


def test_any_functions_arithmetic_is_counted():
    x, y = jnp.ones((3, 4)), jnp.ones((4, 5))
    assert f7.viz.flops(lambda x, y: jnp.tanh(x @ y).T, x, y) == 2 * 3 * 4 * 5 + 3 * 5
    assert f7.viz.flops(lambda x: jax.lax.fori_loop(0, 6, lambda _, x: x + 1.0, x), x) >= 6 * 3 * 4
    assert f7.viz.flops(lambda x: (jax.debug.print("{}", x), jnp.tanh(x))[1], x) == 3 * 4  # what only looks is free


def test_a_cells_row_has_the_parameters_of_its_gates():
    table = f7.summary(f7.Sequencer(f7.FastLSTM(3, 4)), (7, 5, 3))
    assert table.rows[-1].parameters == sum(row.parameters for row in table.rows) == 4 * 4 * (3 + 4) + 4 * 4


def test_tables_shared_parameters_and_other_inputs():
    both = f7.summary(f7.ParallelTable(f7.Linear(3, 2), f7.Linear(5, 4)), [(6, 3), (6, 5)])
    assert "[6x2, 6x4]" in str(both) and both.parameters == 8 + 24
    tied = f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3)), (((0, "weight"), (2, "weight")),))
    assert f7.summary(tied, (1, 3)).parameters == 9 + 3 + 3
    words = jax.ShapeDtypeStruct((2, 7), jnp.int32)
    assert f7.summary(f7.LookupTable(10, 4), words).rows[0].output.shape == (2, 7, 4)
    with pytest.raises(ValueError, match="expected input of size 3"):
        f7.summary(f7.Linear(3, 2), (6, 4))
    with pytest.raises(ValueError, match=r"expected a shape of whole numbers .*, got \(None, 3\)"):
        f7.summary(f7.Linear(3, 2), (None, 3))
    with pytest.raises(TypeError, match=r"summary: expected the description of a module, .* take its functional\(\)"):
        f7.summary(legacy.nn.Linear(3, 2), (6, 3))


NETWORK = f7.Sequential(f7.Linear(3, 4), f7.BatchNormalization(4), f7.Sequential(f7.Linear(4, 4), f7.Linear(4, 2)))


def test_labels_by_place_and_class(key):
    params, _ = NETWORK.init(key)
    rules = {"0": "slow", "2": "frozen", "2.1.bias": "free", "nn.BatchNormalization": "norm"}
    marked = labels(NETWORK, params, rules)
    assert jax.tree.structure(marked) == jax.tree.structure(params)
    assert marked[0] == {"weight": "slow", "bias": "slow"} and marked[1] == {"weight": "norm", "bias": "norm"}
    assert marked[2] == [{"weight": "frozen", "bias": "frozen"}, {"weight": "frozen", "bias": "free"}]
    assert labels(NETWORK, params, {"nn.Linear": "a", "2.0": "b"})[2][0]["weight"] == "b"
    assert set(jax.tree.leaves(freeze(NETWORK, params))) == {"frozen"}
    with pytest.raises(ValueError, match=r"labels: nn.Sequential has no parameters at 5, nn.LSTM; there are 0.weight"):
        labels(NETWORK, params, {"5": "frozen", "nn.LSTM": "frozen"})


def test_what_is_frozen_stays(key):
    params, buffers = NETWORK.init(key)
    optimizer = optax.multi_transform(
        {"trained": optax.sgd(0.1), "frozen": optax.set_to_zero()}, freeze(NETWORK, params, "0", "2.1")
    )

    def loss(params):
        return (NETWORK.apply(params, buffers, jnp.ones((5, 3)).at[0].set(2), train=True)[0] ** 2).sum()

    updates, _ = optimizer.update(jax.grad(loss)(params), optimizer.init(params), params)
    after = optax.apply_updates(params, updates)
    same = jax.tree.map(lambda a, b: bool(np.array_equal(a, b)), params, after)
    assert all(jax.tree.leaves([same[0], same[2][1]])) and not same[2][0]["weight"] and not same[1]["bias"]
