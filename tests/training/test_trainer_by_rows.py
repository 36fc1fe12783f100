"""Trainer(by_rows=True): tables change in the rows that batches read, and as they would by dense gradients."""

import json
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import Trainer, data_parallel, labels

WORDS = 17
TABLE = f7.LookupTable(WORDS, 3)
ESTIMATE = f7.NCEModule(3, WORDS, 2, np.arange(WORDS) + 1.0, 1)
NET = f7.Sequential(
    f7.ParallelTable(f7.Sequential(TABLE, f7.Sequencer(f7.Linear(3, 3)), f7.SplitTable(1)), f7.SplitTable(1)),
    f7.ZipTable(), f7.Sequencer(ESTIMATE),
)  # fmt: skip
CRITERION = f7.SequencerCriterion(f7.NCECriterion())
TABLES = {"nn.LookupTable": "table", "nn.NCEModule": "table"}


def batch(*steps):
    """Words of time-steps, and the words that follow them: the same ones in the other order."""
    words = np.array(steps, np.int32)
    return [words, words[::-1]], words[::-1]


BATCHES = [batch([1, 3], [3, 3], [5, 1]), batch([2, 3], [5, 5], [2, 7])]
SCHEDULE = optax.linear_schedule(0.5, 0.1, 4)
CLIP = 0.5
BY_ROWS = optax.inject_hyperparams(optax.sgd, static_args=("nesterov",))(learning_rate=SCHEDULE, momentum=0.9)


def quiet(optimizer=BY_ROWS, folder=None, **options):
    options = {"by_rows": True, "clip": CLIP, **options}
    return Trainer(NET, CRITERION, optimizer, folder, verbose=False, **options)


def close(one, other, tolerance=1e-6):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance), one, other)


@pytest.fixture(scope="module")
def variables():
    return NET.init(jax.random.key(0))


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    return quiet(folder=tmp_path_factory.mktemp("run"), log_every=1)


@pytest.fixture(scope="module")
def trained(trainer, variables):
    return trainer.fit(BATCHES, 2, variables=variables)


def test_it_equals_dense_gradients_with_plain_descent_for_tables(variables, trained):
    """Words are read twice in a batch, the norm of all gradients is cut, and the rate falls from step to step."""
    rules = {"table": optax.sgd(SCHEDULE), "trained": optax.sgd(SCHEDULE, momentum=0.9)}
    dense = optax.multi_transform(rules, labels(NET, variables.params, TABLES))
    expected = quiet(dense, by_rows=False).fit(BATCHES, 2, variables=variables)
    close(trained.state.params, expected.state.params)
    close([epoch["loss"] for epoch in trained.epochs], [epoch["loss"] for epoch in expected.epochs])


def test_rows_that_no_batch_reads_stay_to_the_last_bit(variables, trained):
    before, after = (np.asarray(params[0][0][0]["weight"]) for params in (variables.params, trained.state.params))
    read = np.isin(np.arange(WORDS) + 1, [1, 2, 3, 5, 7])
    np.testing.assert_array_equal(after[~read], before[~read])
    assert (after[read] != before[read]).any(1).all()


def test_the_optimizer_keeps_nothing_for_tables(trained):
    assert all(WORDS not in leaf.shape for leaf in jax.tree.leaves(trained.state.optimizer_state))


def test_a_run_goes_on_as_if_nothing_had_happened(trainer, trained):
    shutil.rmtree(trainer.folder / "checkpoints" / "4")  # as if it had been killed before
    resumed = trainer.fit(BATCHES, 2)
    jax.tree.map(np.testing.assert_array_equal, resumed.state, trained.state)
    assert resumed.epochs == trained.epochs
    with pytest.raises(ValueError, match="state of the optimizer does not fit"):
        quiet(folder=trainer.folder, by_rows=False).fit(BATCHES, 3)


def test_what_is_recorded(trainer, trained):
    records = map(json.loads, (trainer.folder / "metrics.jsonl").read_text().splitlines())
    steps = [record for record in records if record["kind"] == "train"][:4]
    assert all(step["gradient_norm"] > 2 * CLIP for step in steps)  # so there was something to cut
    np.testing.assert_allclose([step["learning_rate"] for step in steps], [0.5, 0.4, 0.3, 0.2], rtol=1e-6)


def test_mixed_precision_rounds_the_rows_that_are_read(variables, trained):
    rounded = quiet(compute_dtype=jnp.bfloat16).fit(BATCHES, 2, variables=variables).state.params
    assert {leaf.dtype for leaf in jax.tree.leaves(rounded)} == {np.dtype("float32")}
    close(rounded, trained.state.params, 0.03)


def test_what_is_not_finite_is_named(trainer, trained):
    with pytest.raises(
        FloatingPointError,
        match=r"loss is nan in step 6: nn.LookupTable: expected indices from 1 to \d+, got .* at position 4",
    ):
        trainer.fit([BATCHES[0], batch([1, 3], [3, WORDS + 1], [5, 1])], 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"accumulate": 2}, r"expected accumulate=1 with by_rows=True.* got accumulate=2"),
        ({"average": 0.9}, r"expected average=None with by_rows=True.* got average=0.9"),
        ({"sharding": data_parallel()}, r"expected sharding=None with by_rows=True.* on one device; got"),
    ],
)
def test_what_by_rows_goes_without(options, message):
    with pytest.raises(ValueError, match=message):
        quiet(**options)


def test_an_optimizer_that_shows_no_rate():
    with pytest.raises(ValueError, match=r"by_rows=True needs an optimizer .* optax.inject_hyperparams\(optax.sgd\)"):
        quiet(optax.sgd(0.1)).fit(BATCHES, 1)
