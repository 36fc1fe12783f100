"""One of two processes, started by `test_sharding.py`: python -m tests.devices.process COORDINATOR FOLDER NUMBER."""

import json
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np

import functorch7 as f7
from functorch7.data import TensorLoader
from functorch7.interop import orbax
from functorch7.training import Trainer, data_parallel, distributed, fully_sharded, make_train_step


def main(coordinator: str, folder: Path, number: int) -> None:
    distributed.initialize(coordinator, 2, number)
    from .networks import MLP, OPTIMIZER, STEPS, TASKS, first_state, losses

    assert len(jax.devices()) == 4 and distributed.is_first() == (number == 0)
    distributed.check_agreement("the key", jax.random.key(0))
    try:
        distributed.check_agreement("the key", jax.random.key(number))
    except ValueError as error:
        assert "the key differs between process 0 and 1" in str(error)
    else:
        raise AssertionError("keys that differ were not found")

    found: dict[str, Any] = {}
    for name in ("mlp sharded", "convolutions", "language sharded"):
        task = TASKS[name.split()[0]]
        make = fully_sharded if name.endswith("sharded") else data_parallel
        sharding = make(batch_dim=task.batch_dim, smallest=task.smallest)
        step = make_train_step(task.module, task.criterion, OPTIMIZER, sharding=sharding)
        state = sharding.place(task.module, first_state(task))
        examples = task.batch(0)[0].shape[task.batch_dim - 1]
        half = slice(number * examples // 2, (number + 1) * examples // 2)
        batches = [sharding.place_batch(task.batch(i, half)) for i in range(STEPS)]
        assert all(array.shape[task.batch_dim - 1] == examples for array in batches[0])
        found[name], state = losses(step, state, batches)
        if name == "mlp sharded":
            check_checkpoint(folder / "checkpoint", state, sharding)

    large = f7.Linear(256, 256)
    state = fully_sharded().init(large, OPTIMIZER, jax.random.key(0))
    orbax.save(folder / "large", large, state.params, state.buffers)
    found["bytes"] = sum(array.nbytes for array in jax.tree.leaves(state.params))

    half = slice(number * 16, (number + 1) * 16)
    for epochs in (1, 2):  # the second goes on from the first's checkpoint
        sharding = fully_sharded(smallest=MLP.smallest)
        trainer = Trainer(MLP.module, MLP.criterion, OPTIMIZER, folder / "run", sharding=sharding, verbose=False)
        result = trainer.fit([MLP.batch(i, half) for i in range(STEPS)], epochs, validation=[MLP.batch(0)])
    found["run"] = [float(result.epochs[-1][name]) for name in ("loss", "Loss")] if number == 0 else None

    inputs, _ = next(TensorLoader(*MLP.data).batches(16, sharding=data_parallel().of_batch))
    parts = np.concatenate([shard.data for shard in inputs.addressable_shards])
    np.testing.assert_array_equal(parts, MLP.data[0][number::2][:16])
    assert inputs.shape == (32, 16)
    (folder / f"{number}.json").write_text(json.dumps(found))


def check_checkpoint(path: Path, state, sharding) -> None:
    """Both processes write one checkpoint, and each reads its part, or all of it."""
    from .networks import MLP, OPTIMIZER

    orbax.save(path, MLP.module, state.params, state.buffers, state.optimizer_state)
    parts = orbax.load(path, MLP.module, OPTIMIZER, placed=sharding.of_array)
    for kept, read in zip(jax.tree.leaves(state.params), jax.tree.leaves(parts.params), strict=True):
        assert read.sharding.is_equivalent_to(kept.sharding, read.ndim)
        for one, other in zip(kept.addressable_shards, read.addressable_shards, strict=True):
            np.testing.assert_array_equal(one.data, other.data)
    whole = orbax.load(path, MLP.module, OPTIMIZER)
    for shard in state.params[0]["weight"].addressable_shards:
        np.testing.assert_array_equal(shard.data, whole.params[0]["weight"][shard.index])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
