"""A run that is killed again and again: `python killed.py FOLDER`, for test_killed.py.

Every life is a fork of this process, which has imported everything and computed nothing. A life says by a pipe when it
reads a batch, and is killed at a random moment after one of them. It prints the step at which each life began, and
whether it ended while a checkpoint was being written.
"""

import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path

import jax
import numpy as np
import optax
import orbax.checkpoint  # imported here once, and not in every life

import functorch7 as f7
from functorch7.training import Trainer

assert orbax.checkpoint
EPOCHS = 12  # of 8 batches
BATCHES = [1, 2, 3, 5, 7, 9, 11, 12, 13, 14]  # that a life reads at least; together fewer than the run's 96
warnings.simplefilter("ignore")  # JAX's about forks: nothing of it runs before

random_numbers = np.random.default_rng(0)
INPUTS = random_numbers.normal(size=(64, 4)).astype(np.float32)
CLASSES = (INPUTS[:, 0] > INPUTS[:, 1]).astype(np.int32) + 1


class Told(f7.data.TensorLoader):
    """Writes a byte to `pipe` for every batch that is read."""

    pipe = -1

    def index(self, indices):
        os.write(self.pipe, b".")
        return super().index(indices)


def weight(params, buffers):
    return {"weight": np.abs(params[1]["weight"]).sum()}


def life(folder: Path, pipe: int) -> None:
    jax.config.update("jax_compilation_cache_dir", str(folder.parent / "programs"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    network = f7.Sequential(f7.Dropout(0.3), f7.Linear(4, 2), f7.BatchNormalization(2), f7.LogSoftMax())
    trainer = Trainer(
        network, f7.ClassNLLCriterion(), optax.sgd(0.1, momentum=0.9), folder, log_every=1, save_every=3, verbose=False
    )  # fmt: skip
    loader = Told(INPUTS, CLASSES)
    loader.pipe = pipe
    print((trainer.last_step() or 0), flush=True)
    trainer.fit(loader, EPOCHS, batch_size=8, validation=weight)


def run(folder: Path, batches: int | None) -> None:
    """One life; it is killed some moments after it has read so many batches, if a number is given."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            life(folder, writing)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    os.close(writing)
    if batches is not None:
        for _ in range(batches):
            assert os.read(reading, 1), "the run was over before it was killed"
        time.sleep(random.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
    while os.read(reading, 4096):
        pass
    os.close(reading)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended == (0 if batches is None else -signal.SIGKILL), ended


if __name__ == "__main__":
    top = Path(sys.argv[1])
    run(top / "undisturbed", None)
    for batches in random.sample(BATCHES, len(BATCHES)):
        run(top / "killed", batches)
        unfinished = list((top / "killed").glob("checkpoints/*.unfinished*"))
        print("while writing" if unfinished else "between checkpoints", flush=True)
    run(top / "killed", None)
