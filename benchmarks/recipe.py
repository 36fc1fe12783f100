"""The recipe python-lstm, without dropout so that losses agree: steps on the next 20 x 20 words of Python's text."""

from itertools import cycle
from typing import Any

import jax
import numpy as np

from functorch7 import Variables, recipes
from functorch7.network import named_parameters
from functorch7.training import init_state, make_train_step

from .measure import Way
from .recurrent import load_lstm

RECIPE: Any = recipes.load("python-lstm", {"dropout": 0})
WORDS = RECIPE.sequence_length * RECIPE.columns
"""That a step reads."""


def functional(task: recipes.Task, variables: Variables, batches: list) -> Way:
    """The recipe's own training step."""
    step = make_train_step(task.module, task.criterion, task.optimizer)
    held, following = [init_state(task.module, task.optimizer, variables)], cycle(jax.device_put(batches))

    def run() -> float:
        held[0], metrics = step(held[0], next(following), None)
        return float(metrics["loss"])

    return Way(run, lambda: jax.block_until_ready(held[0].params))


def by_pytorch(arrays: list, batches: list) -> Way:
    """The same network, clipping and momentum in PyTorch."""
    import torch

    vectors, weight, bias, last_weight, last_bias = arrays
    words, size = vectors.shape
    table, lstm, linear = torch.nn.Embedding(words, size), torch.nn.LSTM(size, size), torch.nn.Linear(size, words)
    load_lstm(lstm, 0, (weight[:size], bias, weight[size:]))
    with torch.no_grad():
        for given, own in ((vectors, table.weight), (last_weight, linear.weight), (last_bias, linear.bias)):
            own.copy_(torch.tensor(given))
    weights = [w for part in (table, lstm, linear) for w in part.parameters() if w.requires_grad]
    velocities: list = []
    state: Any = None
    following = cycle([tuple(torch.tensor(part.astype(np.int64) - 1) for part in batch) for batch in batches])

    def run() -> float:
        nonlocal state
        inputs, targets = next(following)
        hidden, state = lstm(table(inputs), state)
        state = tuple(part.detach() for part in state)
        loss = torch.nn.functional.cross_entropy(linear(hidden).flatten(0, 1), targets.flatten(), reduction="sum")
        loss = loss / RECIPE.columns
        for weight in weights:
            weight.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, RECIPE.cutoff)
        with torch.no_grad():
            if not velocities:  # dpnn's momentum starts with the first gradient
                velocities.extend(weight.grad.clone() for weight in weights if weight.grad is not None)
            for weight, velocity in zip(weights, velocities, strict=True):
                velocity.mul_(RECIPE.momentum).add_(weight.grad, alpha=1 - RECIPE.momentum)
                weight -= RECIPE.learning_rate * velocity
        return loss.item()

    return Way(run)


def ways() -> dict[str, Way]:
    task = RECIPE.task()
    variables = task.init(jax.random.key(0))
    loader = iter(task.train.batches(task.batch_size))
    batches = [jax.tree.map(np.asarray, next(loader)) for _ in range(16)]
    arrays = [np.asarray(array) for _, array in named_parameters(task.module, variables.params)]
    found = {"functorch7 functional": functional(task, variables, batches)}
    try:
        return {**found, "PyTorch eager": by_pytorch(arrays, batches)}
    except ImportError:
        return found


TARGETS = [("functorch7 functional", "PyTorch eager", 1.0)]
