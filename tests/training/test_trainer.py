"""Trainer: the loop around the step, its records, and what decides when it ends."""

import csv
import json

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.legacy import torch
from functorch7.training import EarlyStop, Loss, Trainer, average_of, averaged, init_state, make_train_step

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(24, 3)).astype(np.float32)
Y = (X @ np.float32([[1], [-2], [0.5]])).astype(np.float32)
BATCHES = [(X[i : i + 8], Y[i : i + 8]) for i in (0, 8, 16)]
NET = f7.Sequential(f7.Linear(3, 1))
MSE = f7.MSECriterion()


def quiet(optimizer=None, folder=None, module=NET, **options):
    """A trainer that prints nothing."""
    return Trainer(module, MSE, optimizer or optax.sgd(0.1), folder, verbose=False, **options)


def records(folder, kind):
    return [r for r in map(json.loads, (folder / "metrics.jsonl").read_text().splitlines()) if r["kind"] == kind]


def weights(result):
    return np.asarray(result.state.params[0]["weight"])


def test_its_steps_are_those_of_make_train_step(tmp_path, key):
    variables = NET.init(key)
    schedule = optax.linear_schedule(0.1, 0.02, 6)
    optimizer = optax.inject_hyperparams(optax.sgd)(learning_rate=schedule)
    trainer = quiet(optimizer, tmp_path, log_every=2)
    result = trainer.fit(BATCHES, 2, variables=variables, validation=[(X, Y)])

    step = make_train_step(NET, MSE, optimizer)
    state, losses = init_state(NET, optimizer, variables), []
    for batch in BATCHES * 2:
        state, metrics = step(state, batch, None)
        losses.append(float(metrics["loss"]))
    np.testing.assert_allclose(weights(result), state.params[0]["weight"], rtol=1e-6)
    train = records(tmp_path, "train")
    assert [(r["step"], r["epoch"]) for r in train] == [(2, 1), (4, 2), (6, 2)]
    np.testing.assert_allclose([r["loss"] for r in train], np.reshape(losses, (3, 2)).mean(1), rtol=1e-6)
    np.testing.assert_allclose([r["learning_rate"] for r in train], [schedule(n) for n in (1, 3, 5)], rtol=1e-6)
    assert all(r["examples_per_second"] > 0 for r in train)

    output = X @ weights(result).T + np.asarray(result.state.params[0]["bias"])
    epochs = records(tmp_path, "epoch")
    np.testing.assert_allclose(epochs[-1]["Loss"], ((output - Y) ** 2).mean(), rtol=1e-5)
    np.testing.assert_allclose([r["loss"] for r in epochs], np.reshape(losses, (2, 3)).mean(1), rtol=1e-6)
    assert result.ended == "all epochs" and result.epochs == epochs
    with open(tmp_path / "epochs.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["1", "2"] and float(rows[1]["Loss"]) == epochs[1]["Loss"]


def test_accumulated_and_clipped_gradients_are_those_of_the_whole_batch(key):
    """Two batches of four make one step of the gradient of all eight, cut to a norm of 0.5; the average follows it."""
    variables = NET.init(key)
    x, y = X[:8], Y[:8]
    weight, bias = (np.asarray(variables.params[0][name], np.float64) for name in ("weight", "bias"))
    expected = []
    for _ in range(2):
        error = x @ weight.T + bias - y
        gradients = 2 * error.T @ x / 8, 2 * error.mean(0)
        size = np.sqrt(sum((g**2).sum() for g in gradients))
        assert size > 0.5
        weight, bias = (p - 0.1 * 0.5 * g / size for p, g in zip((weight, bias), gradients, strict=True))
        expected.append(weight)
    trainer = quiet(accumulate=2, clip=0.5, average=0.9, validate_average=True)
    halves, seen = [(x[:4], y[:4]), (x[4:], y[4:])], []
    with jax.numpy_dtype_promotion("standard"):  # MultiSteps divides by an integer
        result = trainer.fit(
            halves, 2, variables=variables,
            validation=lambda params, buffers: seen.append(params[0]["weight"]) or {"none": 0},
        )  # fmt: skip
    np.testing.assert_allclose(weights(result), expected[1], rtol=1e-5)
    mean = (0.1 * expected[1] + 0.1 * 0.9 * expected[0]) / (1 - 0.9**2)
    np.testing.assert_allclose(trainer.averaged(result.state)[0]["weight"], mean, rtol=1e-5)
    np.testing.assert_allclose(seen, [expected[0], mean], rtol=1e-5)
    assert result.state.step == 4


def test_an_average_that_was_not_kept_is_an_error():
    with pytest.raises(ValueError, match="no average was kept"):
        average_of(optax.sgd(0.1).init({}), 0.9)
    with pytest.raises(ValueError, match="decay from 0 to below 1, got 1"):
        averaged(optax.sgd(0.1), 1.0)


def test_it_stops_without_improvement_and_keeps_the_best(tmp_path):
    scores = iter([3.0, 5.0, 4.0, float("nan"), 9.0])
    given = {"validation": lambda params, buffers: {"score": next(scores)}}
    trainer = quiet(folder=tmp_path, patience=2, keep_last=1)
    result = trainer.fit(BATCHES, 9, **given)
    assert result.ended == "no improvement"
    assert [epoch["epoch"] for epoch in result.epochs] == [1, 2, 3, 4]
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["12", "6"]
    assert (trainer.load().step, trainer.load(best=True).step) == (12, 6)
    assert records(tmp_path, "epoch")[-1]["score"] is None  # JSON has no NaN
    again = trainer.fit(BATCHES, 9, **given)  # which is what it knew, too
    assert again.ended == "no improvement" and again.state.step == 12
    params, _, _ = f7.interop.orbax.load(tmp_path / "checkpoints" / "12", NET)
    np.testing.assert_array_equal(params[0]["weight"], weights(result))


def test_a_first_score_that_is_not_a_number_is_not_the_best():
    scores = iter([float("nan"), 1.0, 2.0, 3.0])
    result = quiet(patience=2).fit(BATCHES, 4, validation=lambda params, buffers: {"score": next(scores)})
    assert result.ended == "all epochs"


def test_what_is_monitored_decides_what_is_better():
    class Other(Loss):
        kind = f7.training.AccuracyResult

    results = {"loss": 1.0, "Loss": 2.0, "Other": 3.0}
    trainer = quiet(methods=[Loss(MSE), Other(MSE)])
    assert trainer.score(results) == -2 and trainer.score({"loss": 1.0}) == -1
    assert quiet(methods=[]).score({"loss": 1.0}) == -1  # with nothing else to measure, the loss of training
    assert quiet(methods=[Other(MSE)], monitor="Other").score(results) == 3
    assert quiet(monitor="Loss", larger_is_better=True).score(results) == 2
    with pytest.raises(ValueError, match=r"no result Top1 to monitor; there are loss, Loss, Other"):
        quiet(monitor="Top1").score(results)


def test_loaders_and_arrays_are_shuffled_by_the_seed_and_functions_know_the_epoch(tmp_path):
    orders = []

    class Watched(f7.data.TensorLoader):
        def index(self, indices):
            orders.append(list(indices))
            return super().index(indices)

    trainer = quiet()
    first = trainer.fit(Watched(X, Y), 2, batch_size=8, seed=3)
    by_epoch = np.concatenate(orders[:6]).reshape(2, 24)  # more is made ahead
    assert [sorted(order) for order in by_epoch.tolist()] == [list(range(1, 25))] * 2
    assert by_epoch[0].tolist() != by_epoch[1].tolist()
    np.testing.assert_array_equal(weights(first), weights(trainer.fit((X, Y), 2, batch_size=8, seed=3)))
    batches = f7.data.TensorLoader(X, Y).batches(8, seed=3, workers=1)
    np.testing.assert_array_equal(weights(first), weights(trainer.fit(batches, 2, seed=3)))
    asked = []
    trainer.fit(lambda epoch: asked.append(epoch) or BATCHES, 2)
    assert asked == [1, 2]


def test_mixed_precision_and_progress_are_shown(capsys):
    trainer = Trainer(NET, MSE, optax.sgd(0.1), compute_dtype=jnp.bfloat16, log_every=1)
    result = trainer.fit(BATCHES, 1)
    assert weights(result).dtype == np.float32
    assert capsys.readouterr().out == f"epoch 1: loss {result.epochs[0]['loss']:.4g} (best)\n"


def test_tensorboards_files_have_all_numbers(tmp_path):
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto.event_pb2 import Event

    quiet(folder=tmp_path, tensorboard=True, log_every=1).fit(BATCHES[:1], 2)
    (file,) = (tmp_path / "tensorboard").iterdir()
    content, found = file.read_bytes(), []
    while content:  # records: a length, its checksum, the record, its checksum
        size = int.from_bytes(content[:8], "little")
        event = Event.FromString(content[12 : 12 + size])
        found += [(value.tag, event.step, value.simple_value) for value in event.summary.value]
        content = content[16 + size :]
    losses = [(step, value) for tag, step, value in found if tag == "train/loss"]
    assert losses == [(r["step"], np.float32(r["loss"])) for r in records(tmp_path, "train")] and len(losses) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"log_every": 0}, "log_every of at least 1, got 0"),
        ({"keep_best": -1}, "keep_best of at least 0, got -1"),
        ({"clip": -1.0}, r"clip above 0, got -1\.0"),
        ({"clip": "1"}, "a number as clip, got '1'"),
        ({"accumulate": 1.5}, "a whole number as accumulate, got 1.5"),
        ({"average": 1.0}, "average from 0 to below 1, such as 0.999, got 1.0"),
        ({"validate_average": True}, "validate_average needs average"),
        ({"save_every": 2}, "save_every=2 needs a folder"),
        ({"tensorboard": True}, "tensorboard=True needs a folder"),
        ({"compute_dtype": "int32"}, "a floating-point type as compute_dtype, such as jnp.bfloat16, got 'int32'"),
        ({"sharding": "data"}, r"a sharding, such as data_parallel\(\), got 'data'"),
        ({"callbacks": EarlyStop()}, "a list of callbacks"),
        ({"callbacks": [EarlyStop]}, "a list of callbacks"),
        ({"module": f7.Linear}, "the description of a module"),
        ({"module": (NET, {})}, "the description of a module"),
        ({"optimizer": optax.sgd}, "an optimizer of optax, such as"),
        ({"methods": [Loss(MSE), Loss(f7.AbsCriterion())]}, "different names, got Loss, Loss"),
    ],
)
def test_settings_that_make_no_sense(options, message):
    with pytest.raises((ValueError, TypeError), match=f"Trainer: .*{message}"):
        quiet(**options)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (BATCHES, {"epochs": 1.5}, "a whole number as epochs, got 1.5"),
        (BATCHES, {"seed": None}, "a whole number as seed, got None"),
        (BATCHES, {"variables": f7.Linear(2, 1).init(jax.random.key(0))}, "expected 1 entries in params, as init"),
        (BATCHES, {"variables": [{}]}, r"expected variables, \(params, buffers\), got a table of 1"),
        ([X, Y], {}, r"expected batches \(input, target\), got shape \(24, 3\) as one; all inputs and all targets are"),
        ([(X, Y, Y)], {}, r"expected batches \(input, target\), got a table of 3"),
        ([(X, ["a", "b"])], {}, "Trainer.fit: expected arrays of numbers, got 'a'"),
        ([(torch.ones(4, 3), Y)], {}, "expected arrays of numbers, got a functorch7.Tensor; numpy.asarray"),
        ([(X, Y.astype(np.int64) + 2**32)], {}, r"Trainer.fit: \d+ is beyond int32, which JAX makes of int64"),
        (BATCHES, {"validation": [(X, Y.astype(np.int64) + 2**32)]}, r"evaluate: \d+ is beyond int32"),
        (X, {}, r"expected a loader, .* got shape \(24, 3\)"),
        (lambda epoch: None, {}, r"expected batches \(input, target\) from the function of the epoch, .* got None"),
        (BATCHES, {"validation": lambda params, buffers: 3.0}, "expected numbers by name .* got 3.0"),
        (BATCHES, {"validation": 3}, "expected a loader, .* got 3"),
        ((X, Y), {"batch_size": "8"}, "a whole number as batch_size, got '8'"),
    ],
)  # fmt: skip
def test_data_that_make_no_sense(data, options, message):
    given = {"epochs": 1, **options}
    with pytest.raises((ValueError, TypeError), match=message):
        quiet(larger_is_better=True).fit(data, **given)


def test_what_is_monitored_is_there_before_the_first_epoch(tmp_path):
    for validation, known in (([(X, Y)], "loss, Loss"), (None, "loss")):
        with pytest.raises(ValueError, match=f"no result accuracy to monitor; there are {known}$"):
            quiet(folder=tmp_path, monitor="accuracy").fit(BATCHES, 1, validation=validation)
    assert not list(tmp_path.iterdir())


def test_what_was_computed_before_data_or_validation_failed_is_kept(tmp_path):
    """The run goes on from the step before the batch, and from before the validation, that failed."""

    def failing(epoch):
        yield from BATCHES[:2]
        raise OSError("the third batch is not there")

    def no_numbers(params, buffers):
        raise ArithmeticError("no numbers")

    trainer, plain = quiet(folder=tmp_path, larger_is_better=True), quiet(larger_is_better=True)
    with pytest.raises(OSError, match="the third batch") as caught:
        trainer.fit(failing, 2, validation=[(X, Y)])
    assert "the checkpoint of step 2 is whole" in caught.value.__notes__[0]
    with pytest.raises(ArithmeticError):
        trainer.fit(BATCHES, 2, validation=no_numbers)
    assert trainer.last_step() == 3
    result, alone = (each.fit(BATCHES, 2, validation=[(X, Y)]) for each in (trainer, plain))
    np.testing.assert_array_equal(weights(result), weights(alone))
    assert result.epochs == alone.epochs


def test_an_iterator_validates_one_epoch_and_is_refused_for_two_before_any_step(tmp_path):
    trainer = quiet(folder=tmp_path)
    with pytest.raises(ValueError, match="after each of 2 epochs, a list, .*, got an iterator, list_iterator"):
        trainer.fit(BATCHES, 2, validation=iter([(X, Y)]))
    assert trainer.last_step() is None
    once, whole = trainer.fit(BATCHES, 1, validation=iter([(X, Y)])), quiet().fit(BATCHES, 1, validation=[(X, Y)])
    assert once.epochs == whole.epochs


def test_data_without_a_batch_and_runs_that_do_not_fit(tmp_path):
    trainer = quiet(folder=tmp_path)
    with pytest.raises(ValueError, match="a pair of arrays, needs a batch_size"):
        trainer.fit((X, Y), 1)
    with pytest.raises(FileNotFoundError, match="no checkpoint in"):
        trainer.load()
    with pytest.raises(ValueError, match="no batches in epoch 2; pass something that can be iterated again") as caught:
        trainer.fit(iter(BATCHES), 2)
    assert "Trainer.fit: ended at step 3; the checkpoint of step 3 is whole in " in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="has seed 0, got 1"):
        trainer.fit(BATCHES, 2, seed=1)
    with pytest.raises(FileExistsError, match="resume=True goes on with it"):
        trainer.fit(BATCHES, 2, resume=False)
    with pytest.raises(ValueError, match=r"0.weight: expected shape \(2, 3\), got \(1, 3\)") as caught:
        quiet(folder=tmp_path, module=f7.Sequential(f7.Linear(3, 2))).fit(BATCHES, 2)
    assert f"the run in {tmp_path} would go on" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="this trainer has no folder"):
        quiet().load()
    assert jax.tree.leaves(trainer.fit(BATCHES, 2).state.step) == [6]
