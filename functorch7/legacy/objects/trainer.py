"""Torch's trainer: stochastic gradient descent, one example at a time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...checks.errors import describe
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
        Raises: TypeError, ValueError for anything else, and without examples.
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
    """A function that returns an example, and the indices of all. Raises: TypeError, ValueError as `train`."""
    get, size = getattr(type(dataset), "__getitem__", None), getattr(dataset, "size", None)
    if get is None:
        raise _unfit("a list, or an object with size() and dataset[i]", describe(dataset), TypeError)
    if get in (list.__getitem__, tuple.__getitem__):
        indices = np.arange(len(dataset))
    elif callable(size):
        is_table = isinstance(dataset, dict) and not inspect.ismethod(size)  # of Lua's, whose functions are no methods
        indices = np.arange(1, _count(size(dataset) if is_table else size()) + 1)
    elif isinstance(dataset, dict):
        indices = np.array([key for key in dataset if isinstance(key, int)])
    elif hasattr(dataset, "__len__"):
        indices = np.arange(len(dataset))
    else:
        raise _unfit("size(), or len(dataset), to be the number of examples", f"size = {describe(size)}", TypeError)
    if not len(indices):
        raise _unfit("at least one example", "a dataset of 0", ValueError)
    return dataset.__getitem__, indices


def _count(size: Any) -> int:
    """The number of examples, in a number or a tensor of one."""
    number = np.asarray(size)
    if number.size != 1 or number.dtype.kind not in "iuf":
        raise _unfit("size() to be the number of examples", describe(size), TypeError)
    return int(number.item())


def _unfit(wanted: str, given: str, kind: type[Exception]) -> Exception:
    return kind(f"nn.StochasticGradient: expected {wanted}, got {given}")


def _parts(example: Any) -> tuple[Any, Any]:
    try:
        return (example[1], example[2]) if isinstance(example, dict) else (example[0], example[1])
    except (LookupError, TypeError):
        raise _unfit("an example to be [input, target]", describe(example), TypeError) from None
