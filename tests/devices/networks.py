"""Small networks of three kinds, what they learn, and their losses on one device."""

from functools import cache
from typing import Any, NamedTuple

import jax
import numpy as np

import functorch7 as f7
from functorch7.training import TrainState, init_state, make_train_step

RANDOM = np.random.default_rng(0)
OPTIMIZER = f7.optim.adam(1e-2)
STEPS = 3


class Task(NamedTuple):
    """A network, a criterion, and (inputs, targets) of `STEPS` batches one after the other in dimension 1."""

    module: f7.Module
    criterion: f7.Module
    data: tuple[np.ndarray, np.ndarray]
    batch_dim: int = 1
    smallest: int = 64

    def batch(self, number: int, part: slice = slice(None)) -> tuple:
        """A batch, or a part of its examples."""
        size = len(self.data[0]) // STEPS
        index = (slice(None),) * (self.batch_dim - 1) + (part,)
        return tuple(array[number * size : (number + 1) * size][index] for array in self.data)


def _classes(*shape: int) -> np.ndarray:
    return RANDOM.integers(1, 9, shape).astype(np.int32)


def _normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


MLP = Task(
    f7.Sequential(
        f7.Linear(16, 32), f7.Tanh(), f7.Dropout(0.2), f7.Linear(32, 32), f7.Tanh(), f7.Linear(32, 8), f7.LogSoftMax()
    ),
    f7.ClassNLLCriterion(), (_normal(STEPS * 32, 16), _classes(STEPS * 32)),
)  # fmt: skip
CONVOLUTIONS = Task(
    f7.Sequential(
        f7.SpatialConvolution(1, 8, 5, 5), f7.SpatialBatchNormalization(8), f7.ReLU(), f7.SpatialMaxPooling(2, 2, 2, 2),
        f7.SpatialConvolution(8, 16, 3, 3), f7.SpatialBatchNormalization(16), f7.ReLU(), f7.View(64), f7.Linear(64, 8),
        f7.LogSoftMax(),
    ),
    f7.ClassNLLCriterion(), (_normal(STEPS * 16, 1, 12, 12), _classes(STEPS * 16)),
)  # fmt: skip
_TEXT = _classes(STEPS * 4 + 1, 16)
LANGUAGE = Task(
    f7.Sequential(
        f7.Sequencer(
            f7.Sequential(f7.LookupTable(24, 16), f7.FastLSTM(16, 16), f7.Linear(16, 24), f7.LogSoftMax())
        ).remember("both")
    ),
    f7.SequencerCriterion(f7.ClassNLLCriterion(), True), (_TEXT[:-1], _TEXT[1:]), batch_dim=2,
)  # fmt: skip
TASKS = {"mlp": MLP, "convolutions": CONVOLUTIONS, "language": LANGUAGE}


def key(number: int) -> jax.Array:
    """The random key of a step."""
    return jax.random.fold_in(jax.random.key(1), number)


def first_state(task: Task) -> TrainState:
    """The state before training; recurrent state is zeros instead of None, so that there is one program."""
    params, buffers = task.module.init(jax.random.key(0))
    examples = task.data[0].shape[task.batch_dim - 1] if task.batch_dim == 2 else None
    carry = f7.init_carry(task.module, examples)
    return init_state(task.module, OPTIMIZER, f7.Variables(params, f7.with_carry(task.module, buffers, carry)))


def losses(step: Any, state: Any, batches: Any) -> tuple[list[float], Any]:
    """The losses of steps from a state on, and the state after them."""
    found = []
    for number, batch in enumerate(batches):
        state, metrics = step(state, batch, key(number))
        found.append(float(metrics["loss"]))
    return found, state


@cache
def losses_of_one_device(name: str) -> list[float]:
    """The losses that many devices have to have, too."""
    task = TASKS[name]
    step = make_train_step(task.module, task.criterion, OPTIMIZER)
    return losses(step, first_state(task), [task.batch(i) for i in range(STEPS)])[0]
