"""One of two processes; one is signalled, one fails: python -m tests.devices.interrupted COORDINATOR FOLDER NUMBER."""

import json
import os
import signal
import sys
from pathlib import Path

import jax
import numpy as np
import optax
from jax.experimental.multihost_utils import sync_global_devices

import functorch7 as f7
from functorch7.training import Trainer, data_parallel, distributed


class Signalling:
    """Batches; this process gets the signal `coming`, if any, before the last five of them, once."""

    def __init__(self, batches):
        self.batches, self.coming = batches, None

    def __iter__(self):
        yield from self.batches[:-5]
        if self.coming is not None:
            os.kill(os.getpid(), self.coming)
            self.coming = None
        yield from self.batches[-5:]


def main(coordinator: str, folder: Path, number: int) -> None:
    distributed.initialize(coordinator, 2, number)
    inputs = np.random.default_rng(0).normal(size=(8, 8, 3)).astype(np.float32)
    batches, half = [(x, x.sum(1, keepdims=True)) for x in inputs], slice(4 * number, 4 * number + 4)
    data, validation = Signalling([(x[half], y[half]) for x, y in batches]), Signalling(batches)
    module = f7.Sequential(f7.Dropout(0.2), f7.Linear(3, 1))
    sharding = data_parallel()
    trainer = Trainer(
        module, f7.MSECriterion(), optax.adam(0.1), folder / "run", sharding=sharding, log_every=1, verbose=False
    )

    def fit() -> list:
        result = trainer.fit(data, 2, validation=validation)
        weights = [array.tolist() for array in jax.tree.leaves(jax.device_get(result.state.params))]
        kept = sorted(int(path.name) for path in (folder / "run" / "checkpoints").iterdir())
        return [result.ended, int(result.state.step), kept, weights]

    data.coming = signal.SIGINT if number == 1 else None
    found = [fit()]
    validation.coming = signal.SIGTERM if number == 0 else None
    found += [fit(), fit()]
    sync_global_devices("the interrupted run is over")
    if distributed.is_first():
        (folder / "run").rename(folder / "interrupted")
    sync_global_devices("its folder has another name")
    found.append(fit())
    (folder / f"{number}.json").write_text(json.dumps(found))
    if number == 1:
        raise ValueError("the end of this test")
    sync_global_devices("nobody else comes here")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
