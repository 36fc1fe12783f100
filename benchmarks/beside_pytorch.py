"""A language recipe's network, text and way of learning in PyTorch, for perplexities side by side.

Run `python -m benchmarks.beside_pytorch RECIPE [--set NAME=VALUE]...` with a Python that has PyTorch, and functorch7's
needs. It takes `language` recipes of cell seqlstm that learn by gradient descent without momentum or by RMSprop, and
prints the perplexity of the validation set after each epoch, and of the test set by the best one's network.
"""

import argparse
import copy
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from functorch7 import recipes
from functorch7.data.datasets import WordSequence
from functorch7.recipes.rates import by_epoch


class Model(torch.nn.Module):
    """Stacked LSTM layers, with dropout before, between and after them, as the recipe has it."""

    def __init__(self, recipe: Any, words: int):
        super().__init__()
        sizes = recipe.sizes
        self.table = torch.nn.Embedding(words, sizes[0])
        self.layers = torch.nn.ModuleList(map(torch.nn.LSTM, sizes, sizes[1:]))
        self.last = torch.nn.Linear(sizes[-1], words)
        self.drop = torch.nn.Dropout(recipe.dropout)
        if recipe.uniform is not None:
            for name, parameter in self.named_parameters():
                # nn.LSTM adds two biases, of which SeqLSTM has the sum: one of them stays zero, and is not trained.
                second = "bias_hh" in name
                torch.nn.init.uniform_(parameter, -recipe.uniform, recipe.uniform)
                parameter.requires_grad_(not second)
                if second:
                    torch.nn.init.zeros_(parameter)

    def forward(self, words: Any, states: list) -> tuple[Any, list]:
        x, after = self.drop(self.table(words)), []
        for layer, state in zip(self.layers, states, strict=True):
            x, new = layer(x, state)
            x = self.drop(x)
            after.append(tuple(each.detach() for each in new))
        return self.last(x).log_softmax(-1), after


def batches(loader: WordSequence, steps: int) -> Iterator[tuple[Any, Any]]:
    """(words, next words), each (T, B), from 0, in the order in which the recipe reads them."""
    for inputs, targets in loader.batches(steps):
        yield tuple(torch.from_numpy(np.asarray(each).astype(np.int64) - 1) for each in (inputs, targets))


def perplexity(model: Model, loader: WordSequence, steps: int) -> float:
    model.eval()
    states, total, count = [None] * len(model.layers), 0.0, 0
    with torch.no_grad():
        for words, targets in batches(loader, steps):
            output, states = model(words, states)
            total += float(torch.nn.functional.nll_loss(output.flatten(0, 1), targets.flatten(), reduction="sum"))
            count += targets.numel()
    return math.exp(total / count)


def optimizer(recipe: Any, parameters: list) -> torch.optim.Optimizer:
    if recipe.squares:
        return torch.optim.RMSprop(parameters, recipe.learning_rate, alpha=recipe.squares)
    return torch.optim.SGD(parameters, recipe.learning_rate)


def train(recipe: Any) -> None:
    torch.manual_seed(recipe.seed)
    texts, steps = recipe.texts(), recipe.sequence_length
    model = Model(recipe, len(texts[0].ivocab))
    parameters = [each for each in model.parameters() if each.requires_grad]
    rule, rate = optimizer(recipe, parameters), by_epoch(recipe.learning_rate, recipe.schedule, 1)
    best: tuple = (math.inf, {})
    for epoch in range(recipe.epochs):
        began, states = time.process_time(), [None] * len(model.layers)
        rule.param_groups[0]["lr"] = np.asarray(rate(epoch)).item()
        model.train()
        for words, targets in batches(texts[0], steps):
            output, states = model(words, states)
            loss = torch.nn.functional.nll_loss(output.flatten(0, 1), targets.flatten()) * len(targets)
            rule.zero_grad()
            loss.backward()
            if recipe.cutoff > 0:
                torch.nn.utils.clip_grad_norm_(parameters, recipe.cutoff)
            rule.step()
        found = perplexity(model, texts[1], steps)
        print(f"epoch {epoch + 1}: {found:.3f}, {time.process_time() - began:.1f} s of CPU time", flush=True)
        best = min(best, (found, copy.deepcopy(model.state_dict())), key=lambda each: each[0])
    model.load_state_dict(best[1])
    print(f"test: {perplexity(model, texts[2], steps):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    torch.set_num_threads(1)
    train(recipes.load(options.recipe, dict(map(recipes.change, options.set))))
