"""What a Trainer tells its callbacks, in order; those that are ready; runs that go on."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import Callback, EarlyStop, LearningRates, MLflow, Trainer, WeightsAndBiases

X = np.float32([[1, 0], [0, 1], [1, 1], [-1, 1]])
BATCH = X, X @ np.float32([[2], [-1]])
NETWORK, CRITERION = f7.Linear(2, 1), f7.MSECriterion()
OPTIMIZER = optax.inject_hyperparams(optax.sgd)(learning_rate=optax.linear_schedule(0.1, 0.0, 10))


class Noting(Callback):
    """What it is told, in order."""

    def __init__(self):
        self.heard = []

    def on_start(self, step, epochs):
        self.heard.append(("start", step, len(epochs)))

    def on_step(self, step, numbers):
        self.heard.append(("step", step, sorted(numbers)))

    def on_record(self, record):
        self.heard.append(("record", record))

    def on_epoch(self, epoch, results):
        self.heard.append(("epoch", epoch, sorted(results)))

    def on_checkpoint(self, step, folder):
        self.heard.append(("checkpoint", step, folder.name))

    def on_end(self, ended):
        self.heard.append(("end", ended))


def trainer(*callbacks, **options):
    return Trainer(NETWORK, CRITERION, OPTIMIZER, verbose=False, callbacks=callbacks, **options)


def test_a_callback_is_told_of_everything_in_order_and_records_are_those_of_the_file(tmp_path):
    noting = Noting()
    trainer(noting, folder=tmp_path, log_every=2).fit([BATCH] * 2, 2)
    assert [told[0] for told in noting.heard] == (
        ["start"] + ["step", "step", "record", "record", "checkpoint", "epoch"] * 2 + ["end"]
    )
    assert noting.heard[1] == ("step", 1, ["gradient_norm", "learning_rate", "loss"])
    assert noting.heard[5:7] == [("checkpoint", 2, "2"), ("epoch", 1, ["loss"])] and noting.heard[-1] == (
        "end",
        "all epochs",
    )
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [told[1] for told in noting.heard if told[0] == "record"] == lines
    again = Noting()
    trainer(again, folder=tmp_path).fit([BATCH] * 2, 2)
    assert again.heard == [("start", 4, 2), ("end", "all epochs")]


def test_what_begins_is_told_of_its_end_when_something_fails():
    noting = Noting()
    bad = np.float32([[np.nan, 0]]), np.float32([[0]])
    with pytest.raises(FloatingPointError):
        trainer(noting).fit([bad], 1)
    assert noting.heard == [("start", 0, 0), ("end", "error")]


def test_the_learning_rates_are_those_of_the_schedule():
    rates = LearningRates()
    trainer(rates).fit([BATCH] * 3, 1)
    assert rates.steps == [1, 2, 3]
    np.testing.assert_allclose(rates.rates, [0.1, 0.09, 0.08], rtol=1e-6)


@pytest.mark.parametrize("folder", [True, False])
def test_early_stop_ends_a_run_that_gets_no_better_and_one_that_goes_on(tmp_path, folder):
    losses = iter([3.0, 2.0, 1.95, 1.9, 1.0])
    stop = EarlyStop("error", patience=2, at_least=0.2)
    options = {"folder": tmp_path} if folder else {}

    def validation(params, buffers):
        return {"error": next(losses)}

    result = trainer(stop, **options).fit([BATCH], 9, validation=validation)
    assert (len(result.epochs), result.ended) == (4, "no better error")
    if folder:  # whether it should end does not depend on how often it was begun
        again = trainer(EarlyStop("error", patience=2, at_least=0.2), **options).fit([BATCH], 9, validation=validation)
        assert (len(again.epochs), again.ended) == (4, "no better error")
    with pytest.raises(ValueError, match="no result error to monitor; there are loss"):
        trainer(EarlyStop("error")).fit([BATCH], 1)


def test_trackers_get_all_records(monkeypatch):
    seen = []
    run = SimpleNamespace(
        log=lambda numbers, step: seen.append((numbers, step)),
        summary={},
        finish=lambda exit_code: seen.append(exit_code),
    )
    mlflow = SimpleNamespace(
        start_run=seen.append, log_metrics=lambda numbers, step: seen.append((numbers, step)),
        set_tag=lambda *tag: seen.append(tag), end_run=seen.append,
    )  # fmt: skip
    mlflow.start_run = lambda **options: seen.append(options)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=lambda **options: seen.append(options) or run))
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    trainer(WeightsAndBiases(project="digits"), log_every=1).fit([BATCH], 1)
    trainer(MLflow(run_name="digits"), log_every=1).fit([BATCH], 1)
    one, other = seen[:4], seen[4:]
    assert one[0] == {"project": "digits"} and one[3] == 0 and run.summary == {"ended": "all epochs"}
    assert other[0] == {"run_name": "digits"} and other[3:] == [("ended", "all epochs"), "FINISHED"]
    for records in (one[1:3], other[1:3]):
        assert [step for _, step in records] == [1, 1]
        assert {"train/loss", "train/learning_rate"} < set(records[0][0]) and "epoch/loss" in records[1][0]
