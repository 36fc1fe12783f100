"""What ends a run before its time, and what is left then."""

import json
import os
import shutil
import signal

import jax
import numpy as np
import optax
import pytest
from full_disk import files_of_at_most

import functorch7 as f7
from functorch7.training import Callback, Trainer

from .loaders import Dying, Interrupted

pytestmark = pytest.mark.slow
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(24, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True)
MSE = f7.MSECriterion()
NET = f7.Sequential(f7.Linear(3, 1))


def losses(folder):
    return [
        {k: v for k, v in json.loads(line).items() if k != "examples_per_second"}
        for line in (folder / "metrics.jsonl").read_text().splitlines()
    ]


def test_recurrent_state_and_streams_go_on_where_they_were(tmp_path, capsys):
    """Two columns of a stream whose sequences end at different steps; the network remembers."""
    sequences = [RANDOM.normal(size=(n, 3)).astype(np.float32) for n in (5, 3, 7, 4, 6)]
    loader = f7.data.MultiSequence(sequences, batch_size=2)
    net = f7.Sequencer(f7.GRU(3, 2)).remember("both")

    class Distance(f7.losses.Criterion):
        def loss(self, input, target):
            return ((input - target[..., :2]) ** 2).mean()

    waiting = [5]

    def count(input, target):
        if waiting and waiting[0] == len(seen):
            os.kill(os.getpid(), signal.SIGTERM)
            waiting.clear()
        seen.append(1)
        return 8

    seen = []
    trainer = Trainer(net, Distance(), optax.sgd(0.5), tmp_path / "run", log_every=1, keep_state=True, count=count)
    stopped = trainer.fit(loader, 3, batch_size=4)
    assert (stopped.ended, stopped.state.step) == ("SIGTERM", 6)
    assert "SIGTERM after step 6; the same call goes on from" in capsys.readouterr().out
    part, recorded = trainer.fit(loader, 3, batch_size=4), losses(tmp_path / "run")
    shutil.rmtree(tmp_path / "run")
    whole = trainer.fit(loader, 3, batch_size=4)
    assert part.ended == whole.ended == "all epochs" and whole.state.step > 6
    assert recorded == losses(tmp_path / "run")
    jax.tree.map(np.testing.assert_array_equal, part.variables, whole.variables)
    assert jax.tree.leaves(part.variables.buffers)


def test_control_c_counts_where_there_is_no_batch_left(tmp_path):
    """A run that is complete is loaded, and ends by the signal that came meanwhile, which was lost."""

    class Pressed(Callback):
        def on_start(self, step, epochs):
            os.kill(os.getpid(), signal.SIGINT)

    Trainer(NET, MSE, optax.sgd(0.1), tmp_path, verbose=False).fit([(X, Y)], 1)
    trainer = Trainer(NET, MSE, optax.sgd(0.1), tmp_path, verbose=False, callbacks=[Pressed()])
    result = trainer.fit([(X, Y)], 1)
    assert (result.ended, int(result.state.step)) == ("SIGINT", 1)


def test_control_c_in_validation_leaves_it_to_the_next_call(tmp_path):
    before = signal.getsignal(signal.SIGINT)

    def validation():
        os.kill(os.getpid(), signal.SIGINT)
        yield X, Y

    trainer = Trainer(NET, MSE, optax.sgd(0.1), tmp_path, log_every=1, verbose=False)
    batches = [(X[:8], Y[:8]), (X[8:], Y[8:])]
    result = trainer.fit(batches, 1, validation=validation())
    assert (result.ended, result.epochs, result.state.step) == ("SIGINT", [], 2)
    assert signal.getsignal(signal.SIGINT) is before
    again = trainer.fit(batches, 1, validation=[(X, Y)])
    assert again.ended == "all epochs" and [r["kind"] for r in losses(tmp_path)] == ["train", "train", "epoch"]
    assert trainer.load(best=True).step == 2  # whose checkpoint knows the result now


def test_control_c_reaches_workers_too_and_a_checkpoint_is_written_all_the_same(tmp_path):
    trainer = Trainer(NET, MSE, optax.sgd(0.1), tmp_path, log_every=1, verbose=False)
    with f7.data.AsyncIterator(Interrupted(X, Y), 1) as loader:
        stopped = trainer.fit(loader, 2, batch_size=8)
        assert stopped.ended == "SIGINT" and stopped.state.step < 6
        assert trainer.last_step() == stopped.state.step
        assert trainer.fit(loader, 2, batch_size=8).ended == "all epochs"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what orbax gave up, collected later
def test_a_full_disk_is_said_once_and_leaves_the_last_checkpoint_whole(tmp_path, caplog, capfd):
    net = f7.Sequential(f7.Linear(3, 4000), f7.Linear(4000, 1))
    trainer = Trainer(net, MSE, optax.sgd(1e-4), tmp_path, log_every=1, verbose=False)
    batches = [(X[:8], Y[:8])]
    first = trainer.fit(batches, 1)
    with files_of_at_most(20_000), pytest.raises(OSError, match="could not be written to .*checkpoints") as caught:
        trainer.fit(batches, 4)
    assert "the checkpoint of step 1 is whole" in caught.value.__notes__[-1]
    assert not caplog.records and "Traceback" not in capfd.readouterr().err  # of orbax's own
    jax.tree.map(np.testing.assert_array_equal, trainer.load().params, first.state.params)
    assert trainer.fit(batches, 2).ended == "all epochs"


def test_records_that_cannot_be_written_are_said(tmp_path):
    trainer = Trainer(NET, MSE, optax.sgd(0.1), tmp_path, log_every=1, verbose=False)
    with files_of_at_most(300), pytest.raises(OSError, match=r"metrics.jsonl could not be written: .*too large"):
        trainer.fit([(X[:8], Y[:8])] * 4, 1)
    assert trainer.fit([(X[:8], Y[:8])] * 4, 1).ended == "all epochs"
    assert [record["step"] for record in losses(tmp_path)] == [1, 2, 3, 4, 4]


def test_a_worker_that_dies_is_said_and_leaves_the_last_checkpoint_whole(tmp_path):
    trainer = Trainer(NET, MSE, optax.sgd(0.1), tmp_path, save_every=1, verbose=False)
    with f7.data.AsyncIterator(Dying(X, Y), 1) as loader:
        with pytest.raises(RuntimeError, match=r"batch of the samples .*ended with exit code 1") as caught:
            trainer.fit(loader, 4, batch_size=8)
    last = int(trainer.load().step)
    assert last in (3, 4) and f"the checkpoint of step {last} is whole" in caught.value.__notes__[-1]
    assert trainer.fit((X, Y), 2, batch_size=8).ended == "all epochs"
