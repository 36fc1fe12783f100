"""Text from a language model: of a run by a recipe, or of a checkpoint of char-rnn's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from functorch7 import recipes
from functorch7.interop.torch7.node import functional
from functorch7.interop.torch7.reader import Reader
from functorch7.network import carry_of, forget, with_carry
from functorch7.recipes.run import check_words, kept
from functorch7.recipes.texts import Text
from functorch7.training import Trainer

from .files import read_t7


class Speaker(NamedTuple):
    """A language model, one token at a time."""

    step: Callable
    """(state, a token's number) -> (log-probabilities of the next one (n), state)"""
    state: Any
    """Before the first token."""
    tokens: dict[int, str]
    """By their numbers, from 1."""
    words: bool
    """Whether tokens are words, between which there are spaces."""

    def read(self, text: str) -> list[int]:
        """The numbers of a text's tokens. Raises: ValueError for one that the model does not know."""
        numbers = {token: number for number, token in self.tokens.items()}
        found = Text.of(text, "words" if self.words else "characters").tokens
        read = []
        for token in found[: -1 if self.words else None]:  # a line that is begun has no end
            parts = [token] if token in numbers or len(token) > 1 else bytes_of(token)
            if not all(part in numbers for part in parts):
                raise ValueError(f"the model has no {token!r}, which is in the text to begin with")
            read += [numbers[part] for part in parts]
        return read

    def written(self, numbers: list[int]) -> str:
        """The text of tokens; bytes that are no characters show as Unicode's sign for that."""
        tokens = [self.tokens[number] for number in numbers]
        if self.words:
            return " ".join(tokens).replace(" <eos>", "\n").replace("\n ", "\n")
        return "".join(tokens).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def bytes_of(character: str) -> list[str]:
    """A character as Lua has it, for which texts are bytes: each as files with strings of Lua's are read."""
    return [bytes([each]).decode("utf-8", "surrogateescape") for each in character.encode("utf-8", "surrogateescape")]


def sample(file: str, prime: str, length: int, temperature: float, seed: int) -> str:
    """The text to begin with, and `length` tokens after it, each drawn from the model's probabilities.

    These are raised to the power of 1 / temperature, and divided by their sum; at 0 the most probable one is taken.
    Raises: ValueError for files that are no language model.
    """
    speaker = of_run(Path(file)) if Path(file).is_dir() else of_char_rnn(file)
    begun = speaker.read(prime)
    said = spoken(speaker, begun, length, temperature, np.random.default_rng(seed))
    return speaker.written([*begun, *said])


def spoken(
    speaker: Speaker, begun: list[int], length: int, temperature: float, random: np.random.Generator
) -> Iterator[int]:  # fmt: skip
    """The numbers of tokens after those of a text; without a text, all tokens are equally probable at first."""
    state, scores = speaker.state, np.zeros(len(speaker.tokens))
    for number in begun:
        scores, state = speaker.step(state, number)
    for _ in range(length):
        number = chosen(np.asarray(scores, np.float64), temperature, random)
        yield number
        scores, state = speaker.step(state, number)


def chosen(scores: np.ndarray, temperature: float, random: np.random.Generator) -> int:
    """A number from 1, by log-probabilities."""
    if temperature == 0:
        return int(scores.argmax()) + 1
    chances = np.exp((scores - scores.max()) / temperature)
    return int(random.choice(len(scores), p=chances / chances.sum())) + 1


def of_run(folder: Path) -> Speaker:
    """The best epoch's network of a run by a `language` recipe."""
    if not (folder / "recipe.json").is_file():
        raise ValueError(f"{folder}: expected the folder of a run by a recipe, with recipe.json in it")
    recipe = recipes.made(kept(folder))
    if type(recipe) is not recipes.Language:
        raise ValueError(f"{folder}: expected a run by a recipe of the kind language")
    task = recipe.task()
    check_words(folder, task.train)
    params, buffers = Trainer(task.module, task.criterion, task.optimizer, folder, methods=task.methods).load(True)[:2]
    buffers = forget(task.module, buffers)

    @jax.jit
    def step(carry: Any, number: Any) -> tuple[Any, Any]:
        before = with_carry(task.module, buffers, carry)
        output, after = task.module.apply(params, before, jnp.reshape(number, (1, 1)))
        return output[0, 0], carry_of(task.module, after)

    tokens: Any = task.train
    return Speaker(step, carry_of(task.module, buffers), tokens.ivocab, recipe.unit == "words")


def of_char_rnn(file: str) -> Speaker:
    """The network of a checkpoint that char-rnn's train.lua has saved."""
    checkpoint = read_t7(file).value
    if not isinstance(checkpoint, dict) or not {"protos", "vocab", "opt"} <= checkpoint.keys():
        raise ValueError(f"{file}: expected a checkpoint of char-rnn's, with protos, vocab and opt")
    module, (params, buffers) = functional(Reader().read(checkpoint["protos"]["rnn"]))
    options = checkpoint["opt"]
    layers = int(options["num_layers"]) * (2 if options["model"] == "lstm" else 1)
    start = [jnp.zeros((1, int(options["rnn_size"])))] * layers

    @jax.jit
    def step(state: list, number: Any) -> tuple[Any, list]:
        (*after, scores), _ = module.apply(params, buffers, [jnp.reshape(number, 1), *state])
        return scores[0], after

    return Speaker(step, start, {int(number): text for text, number in checkpoint["vocab"].items()}, False)
