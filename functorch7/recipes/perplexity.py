"""How surprised a language model is by a text."""

import math
import sys
from dataclasses import dataclass

import jax.numpy as jnp

from ..core.types import Output, Value
from ..training.measures import LossResult, ValidationMethod

LARGEST = math.log(sys.float_info.max)
"""Beyond it, exp overflows, which Python raises as an error; a bad model should not end the run."""


@dataclass(frozen=True)
class PerplexityResult(LossResult):
    """exp of the average loss of a word."""

    def result(self) -> tuple[float, int]:
        average, count = super().result()
        return math.exp(average) if average < LARGEST else math.inf, count

    def __str__(self) -> str:
        return f"Perplexity: {self.result()[0]:.2f} ({self.count} words)"


@dataclass(frozen=True)
class Perplexity(ValidationMethod):
    """exp(-sum of the words' log-probabilities / number of words).

    Shape: log-probabilities (T, B, n), or a table of T, and words (T, B), from 1; words 0 are padding and do not count.
    Source: rnn, examples/recurrent-language-model.lua.
    """

    kind = PerplexityResult

    def measure(self, output: Value, target: Value) -> tuple[Output, Output]:
        output, words = jnp.asarray(output), jnp.asarray(target, jnp.int32)
        found = jnp.take_along_axis(output, jnp.maximum(words, 1)[..., None] - 1, -1)[..., 0]
        return -jnp.where(words > 0, found, 0).sum(), (words > 0).sum()
