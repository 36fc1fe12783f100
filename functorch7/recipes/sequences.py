"""Sequences from sequences: what an encoder remembers at the end is where its decoder starts."""

from typing import Literal

import jax.numpy as jnp
import numpy as np
import optax

from .. import optim
from ..core import Composite, Module
from ..core.composite import Run
from ..core.types import Array, Indices, Output, Value
from ..data import DataLoader, TensorLoader
from ..data.seeds import Seed, generator
from ..layers import Linear, LogSoftMax, Sequential, Transpose
from ..network import forget
from ..recurrent import LookupTableMaskZero, SeqLSTM, Sequencer
from ..training.measures import AccuracyResult, ValidationMethod
from .perplexity import Perplexity
from .rates import by_epoch
from .recipe import NotNegative, Positive, Recipe, Schedule, Task

PLUS, GO, END = 11, 12, 13
"""Words beside the digits, which are 1 to 10; 0 is padding."""
MOST_DIGITS = 18
"""Of numbers to add, which NumPy draws: beyond it would draw others, without a word."""
HELD_OUT = 10
"""One of so many questions is for validation and the test, and never trained on."""


class Coupled(Composite):
    """An encoder and a decoder, each a lookup table and one LSTM layer, and what the decoder says.

    Shape: [words to read (B, S), with zeros before short ones; the words before those to write (B, T)] ->
    log-probabilities of the words to write (T, B, END).
    Source: rnn, examples/encoder-decoder-coupling.lua; Sutskever et al., 2014.
    """

    read: Module
    encoder: SeqLSTM
    written: Module
    decoder: SeqLSTM
    say: Module

    def f(self, run: Run, input: Value) -> Output:
        question, before = input
        run.encoder(run.read(question))
        last = run.buffers["encoder"]
        run.buffers["encoder"] = forget(self.encoder, last)
        return run.say(run.decoder([last["cell"], last["output"], run.written(before)]))


def coupled(size: int, hidden: int) -> Module:
    """The two, with vectors of `size` for words."""

    def words() -> Module:
        return Sequential(Transpose((1, 2)), LookupTableMaskZero(END, size))

    encoder = SeqLSTM(size, hidden, maskzero=True).remember()
    say = Sequencer(Sequential(Linear(hidden, END), LogSoftMax()))
    return Coupled(words(), encoder, words(), SeqLSTM(size, hidden), say)


class Questions(DataLoader):
    """New questions whenever they are read: ([question, the answer's words before], the answer).

    reverse: up to `digits` digits, and the same from the last to the first. add: two numbers of up to so many digits
    with a plus between them, and their sum; all from the ones up. Answers have END after them, and then zeros.
    Questions that are `held` out of training are never among those that are not.
    """

    draws = True

    def __init__(self, kind: Literal["reverse", "add"], digits: int, count: int, held: bool):
        self.kind, self.digits, self.count, self.held = kind, digits, count, held

    def size(self) -> int:
        return self.count

    def index(self, indices: Indices, *, seed: Seed = None) -> tuple[list[np.ndarray], np.ndarray]:
        random, found = generator(seed, "Questions.index"), []
        while len(found) < len(indices):
            pairs = (getattr(self, self.kind)(random) for _ in range(len(indices)))
            found += [pair for pair in pairs if held_out(pair[0]) == self.held]
        longest, wide = (2 * self.digits + 1, self.digits + 2) if self.kind == "add" else (self.digits, self.digits + 1)
        questions, answers = zip(*found[: len(indices)], strict=True)
        asked = np.array([[0] * (longest - len(each)) + each for each in questions])
        said = np.array([[*each, END] + [0] * (wide - 1 - len(each)) for each in answers])
        before = np.concatenate([np.full((len(said), 1), GO), said[:, :-1]], 1)
        return [asked, np.where(before == END, 0, before)], said

    def reverse(self, random: np.random.Generator) -> tuple[list[int], list[int]]:
        words = (random.integers(10, size=random.integers(1, self.digits + 1)) + 1).tolist()
        return words, words[::-1]

    def add(self, random: np.random.Generator) -> tuple[list[int], list[int]]:
        one, other = (int(random.integers(10 ** random.integers(1, self.digits + 1))) for _ in range(2))
        return [*digits(one), PLUS, *digits(other)], digits(one + other)


def held_out(words: list[int]) -> bool:
    """By a hash of the words (Fowler, Noll & Vo), so that no pattern of them is missing in training."""
    value = 2166136261
    for word in words:
        value = (value ^ word) * 16777619 % 2**32
    return value // 2**8 % HELD_OUT == 0


def digits(number: int) -> list[int]:
    """A number's digits as words, from the ones up."""
    return [int(digit) + 1 for digit in reversed(str(number))]


def of_a_word(output: Value, target: Value) -> Array:
    """The average loss of a word."""
    total, words = Perplexity().measure(output, target.T)
    return total / words.astype(total.dtype)


class WholeAnswers(ValidationMethod):
    """How many answers are right, word by word and to their end.

    Each word is found with the right ones before it, which the decoder would have said itself if all are right.
    """

    kind = AccuracyResult

    def measure(self, output: Value, target: Value) -> tuple[Output, Output]:
        right = (jnp.argmax(output, -1) + 1).T == target
        return (right | (target == 0)).all(1).sum(), len(target)


class Translation(Recipe, frozen=True, tag="sequences"):
    """Digits backwards, or sums, by an encoder that is coupled with a decoder.

    Source: rnn/README.md, Examples; Sutskever et al., 2014; Zaremba & Sutskever, 2014 (sums).
    """

    kind: Literal["reverse", "add"] = "reverse"
    digits: Positive = 5
    """The largest number of them: in a sequence to reverse, or in each number to add."""
    input_size: Positive = 32
    hidden_size: Positive = 128
    examples: Positive = 12800
    """Of an epoch."""
    tests: Positive = 1000
    """Of validation, and of the test."""
    batch_size: Positive = 64
    learning_rate: NotNegative = 3e-3
    schedule: Schedule = {}
    """Epoch -> the rate after it."""
    cutoff: NotNegative = 5
    """The largest norm of the gradient; 0 is no limit."""

    def task(self) -> Task:
        if self.kind == "add" and self.digits > MOST_DIGITS:
            raise ValueError(f'digits: expected at most {MOST_DIGITS} with kind = "add", got {self.digits}')
        module = coupled(self.input_size, self.hidden_size)
        train = Questions(self.kind, self.digits, self.examples, held=False)
        valid, test = (TensorLoader(*self.held(number)) for number in (1, 2))
        rate = by_epoch(self.learning_rate, self.schedule, self.steps_in(train, self.batch_size))
        return Task(
            module, module.init, of_a_word, optax.inject_hyperparams(optim.adam)(learning_rate=rate),
            train, valid, test, self.batch_size, [WholeAnswers()], clip=self.cutoff or None,
        )  # fmt: skip

    def held(self, number: int) -> tuple[Value, Value]:
        """Questions and answers of validation (1) or of the test (2)."""
        return Questions(self.kind, self.digits, self.tests, held=True).index(
            range(self.tests), seed=(self.seed, number)
        )
