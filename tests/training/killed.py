"""A run that is killed again and again: `python killed.py FOLDER`, for test_killed.py.

Every life is a fork of this process, which has imported everything and computed nothing. A life says by a pipe when it
reads a batch; it is killed some moments after a random one. It prints the step at which each life began.
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
from functorch7.training import Top1Accuracy, Trainer

assert orbax.checkpoint
EPOCHS, KILLS, MOST_BATCHES = 20, 10, 15  # 8 batches an epoch: ten lives cannot reach the end
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


def life(folder: Path, pipe: int) -> None:
    jax.config.update("jax_compilation_cache_dir", str(folder.parent / "programs"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    network = f7.Sequential(
        f7.Linear(4, 8), f7.BatchNormalization(8), f7.Tanh(), f7.Dropout(0.3), f7.Linear(8, 2), f7.LogSoftMax()
    )
    trainer = Trainer(
        network, f7.ClassNLLCriterion(), optax.adam(0.01), folder, methods=[Top1Accuracy()], average=0.9,
        log_every=1, save_every=3, verbose=False,
    )  # fmt: skip
    loader = Told(INPUTS, CLASSES)
    loader.pipe = pipe
    print((trainer.last_step() or 0), flush=True)
    trainer.fit(loader, EPOCHS, batch_size=8, validation=(INPUTS, CLASSES))


def run(folder: Path, chance: random.Random | None) -> None:
    """One life; it is killed if there is a `chance`."""
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
    if chance is not None:
        for _ in range(chance.randint(1, MOST_BATCHES)):
            assert os.read(reading, 1), "the run was over before it was killed"
        time.sleep(chance.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
    while os.read(reading, 4096):
        pass
    os.close(reading)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended == (0 if chance is None else -signal.SIGKILL), ended


if __name__ == "__main__":
    top = Path(sys.argv[1])
    chance = random.Random(os.urandom(8))
    run(top / "undisturbed", None)
    for _ in range(KILLS):
        run(top / "killed", chance)
    run(top / "killed", None)
