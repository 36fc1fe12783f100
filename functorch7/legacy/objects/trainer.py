"""Torch's trainer: stochastic gradient descent, one example at a time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..tensors.lua_values import text
from ..tensors.random import generator
from .described import Described
from .torch_object import InFiles


class StochasticGradient(InFiles):
    """Trains a module by plain stochastic gradient descent, one update per example.

    Fields: learningRate (0.01), learningRateDecay (0), maxIteration (25 passes; 0 or less never stops),
    shuffleIndices (True), verbose (True), hookExample(self, example), hookIteration(self, iteration, currentError),
    module, criterion.
    Source: nn/doc/training.md#nn.StochasticGradient.
    """

    _package = "nn"

    def __init__(self, module: Described, criterion: Described):
        self.learningRate: float = 0.01
        self.learningRateDecay: float = 0
        self.maxIteration = 25
        self.shuffleIndices = True
        self.verbose = True
        self.module, self.criterion = module, criterion
        self.hookExample: Callable | None = None
        self.hookIteration: Callable | None = None

    def train(self, dataset: Sequence) -> None:
        """Passes over the dataset, in one random order for all passes; pass k uses rate / (1 + k * decay), k > 1.

        The dataset is a list of [input, target]; or has `size()` and is indexed from 1, as in Torch; or is a dict
        with keys 1, 2, ...
        """
        examples, order = _examples(dataset)
        if self.shuffleIndices:
            order = order[generator().permutation(len(order))]
        rate, iteration = self.learningRate, 1
        print("# StochasticGradient: training")
        while True:
            error = self._pass(examples, order, rate)
            if self.hookIteration:
                self.hookIteration(self, iteration, error)
            if self.verbose:
                print(f"# current error = {text(error)}")
            iteration += 1
            rate = self.learningRate / (1 + iteration * self.learningRateDecay)
            if 0 < self.maxIteration < iteration:
                print("# StochasticGradient: you have reached the maximum number of iterations")
                print(f"# training error = {text(error)}")
                return

    def _pass(self, examples: Callable, order: Any, rate: float) -> float:
        module, criterion, total = self.module, self.criterion, 0.0
        for index in order:
            input, target = _parts(examples(int(index)))
            total += criterion.forward(module.forward(input), target)
            module.updateGradInput(input, criterion.updateGradInput(module.output, target))
            module.accUpdateGradParameters(input, criterion.gradInput, rate)
            if self.hookExample:
                self.hookExample(self, [input, target])
        return total / len(order)


def _examples(dataset: Any) -> tuple[Callable, np.ndarray]:
    """How to get an example, and the indices of all."""
    size = getattr(dataset, "size", None)
    if callable(size):
        is_table = isinstance(dataset, dict) and not inspect.ismethod(size)  # of Lua's, whose functions are no methods
        count: Any = size(dataset) if is_table else size()
        return dataset.__getitem__, np.arange(1, count + 1)
    if isinstance(dataset, dict):
        return dataset.__getitem__, np.array([key for key in dataset if isinstance(key, int)])
    return dataset.__getitem__, np.arange(len(dataset))


def _parts(example: Any) -> tuple[Any, Any]:
    return (example[1], example[2]) if isinstance(example, dict) else (example[0], example[1])
