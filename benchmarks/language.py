"""A language model: 10,000 words, two LSTM layers of 250, 32 sequences of 50 steps; a training step."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import functorch7 as f7
from functorch7.legacy import manualSeed, nn

from .measure import Way
from .recurrent import load_lstm, lstm
from .training import Legacy, by_hand, functional, jitted_sgd, pytorch

RATE = 0.5


def sequence(words: int, size: int) -> list:
    step = nn.Sequential().add(nn.LookupTable(words, size)).add(nn.FastLSTM(size, size)).add(nn.FastLSTM(size, size))
    return [nn.Sequencer(step.add(nn.Linear(size, words)).add(nn.LogSoftMax()))]


def loss(params: Any, batch: tuple) -> jax.Array:
    words, target = batch
    table, first, second, weight, bias = params
    x = lstm(second, lstm(first, table[words - 1]))
    scores = jax.nn.log_softmax(x @ weight.T + bias)
    return -jnp.take_along_axis(scores, target[..., None] - 1, -1).mean()


def for_hand(params: list) -> list:
    """Torch's arrays, gates in the order i, g, f, o, as the program by hand takes them."""

    def columns(array: Any) -> Any:
        i, g, f, o = np.split(np.asarray(array), 4)
        return np.concatenate([i, f, o, g]).T

    table, *cells, weight, bias = params
    return [table, tuple(map(columns, cells[:3])), tuple(map(columns, cells[3:])), weight, bias]


def by_pytorch(params: list, batch: tuple, words: int, size: int) -> Way:
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.lstm = torch.nn.Embedding(words, size), torch.nn.LSTM(size, size, 2)
            self.linear = torch.nn.Linear(size, words)

        def forward(self, x):
            return self.linear(self.lstm(self.table(x))[0]).flatten(0, 1)

    model, (table, first, second, weight, bias) = Model(), params
    load_lstm(model.lstm, 0, first)
    load_lstm(model.lstm, 1, second)
    recurrent = [weight.detach().numpy().copy() for weight in model.lstm.parameters() if weight.requires_grad]
    from_zero = tuple(part.astype(np.int64) - 1 for part in (batch[0], batch[1].reshape(-1)))
    return pytorch(model, torch.nn.CrossEntropyLoss(), [table, *recurrent, weight, bias], from_zero, RATE)


def flax(batch: tuple, words: int, size: int) -> Way:
    import flax.linen as linen

    class Model(linen.Module):
        @linen.compact
        def __call__(self, text):
            x: Any = linen.Embed(words, size)(text - 1)
            for _ in range(2):
                x = linen.RNN(linen.OptimizedLSTMCell(size), time_major=True)(x)
            return linen.Dense(words)(x)

    model: Any = Model()
    given = tuple(map(jnp.asarray, batch))
    held = [model.init(jax.random.key(0), given[0])]

    def loss(params: Any, batch: tuple) -> jax.Array:
        scores = jax.nn.log_softmax(model.apply(params, batch[0]))
        return -jnp.take_along_axis(scores, batch[1][..., None] - 1, -1).mean()

    step = jitted_sgd(loss, RATE)

    def run() -> float:
        held[0], value = step(held[0], given)
        return float(value)

    return Way(run, lambda: jax.block_until_ready(held[0]))


class Model:
    """The benchmark at one size."""

    def __init__(self, steps: int, batch: int, size: int, words: int):
        self.steps, self.batch, self.size, self.words = steps, batch, size, words

    def example(self) -> tuple[np.ndarray, np.ndarray]:
        """(words, next words), time first, counted from 1."""
        text = np.random.default_rng(0).integers(1, self.words + 1, (self.steps + 1, self.batch)).astype(np.int32)
        return text[:-1], text[1:]

    def ways(self) -> dict[str, Way]:
        manualSeed(1)
        batch = self.example()
        legacy = Legacy(
            lambda _: sequence(self.words, self.size), nn.SequencerCriterion(nn.ClassNLLCriterion(), True), batch, RATE
        )
        params = for_hand([np.asarray(p) for p in legacy.model.parameters()[0]])
        criterion = f7.SequencerCriterion(f7.ClassNLLCriterion(), True)
        found = {
            "functorch7 legacy": Way(legacy.step, legacy.wait),
            "functorch7 functional": functional(legacy.model, criterion, batch, RATE),
            "JAX by hand": by_hand(loss, params, batch, RATE),
        }
        try:
            return {**found, "PyTorch eager": by_pytorch(params, batch, self.words, self.size)}
        except ImportError:
            return found

    def other_ways(self) -> dict[str, Way]:
        """That with parameters of its own."""
        return {"Flax": flax(self.example(), self.words, self.size)}

    TARGETS = [
        ("functorch7 functional", "JAX by hand", 1.05),
        ("functorch7 functional", "PyTorch eager", 0.75),
        ("functorch7 legacy", "functorch7 functional", 1.15),
    ]


LANGUAGE = Model(50, 32, 250, 10_000)
