"""One row for every module and criterion: what the generic checks run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import functorch7 as f7

_random = np.random.default_rng(0)


def x(*shape):
    """Normally distributed numbers, none so near to 0 that a difference quotient meets a bend there."""
    values = _random.normal(size=shape)
    return (values + 0.1 * np.sign(values)).astype(np.float32)


def p(*shape):
    """Probabilities."""
    return _random.uniform(0.2, 0.8, shape).astype(np.float32)


@dataclass(frozen=True)
class Case:
    """A module with an input that it takes and one that it refuses."""

    make: Callable[[], Any]
    input: Any
    bad: Any = None  # None: it takes anything
    name: str = ""
    train: bool = True
    gradient: bool = True  # False: by definition not the derivative of the output
    traceable: bool = True

    @property
    def module(self):
        return self.make()

    @property
    def id(self):
        return self.name or type(self.module).__name__


def _ties():
    return f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3)), (((0, "weight"), (2, "weight")),))


MODULES = [
    Case(lambda: f7.Linear(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.Linear(3, 4, bias=False), x(3), x(5), "Linear without bias, one example"),
    Case(lambda: f7.Identity(), x(2, 3)),
    Case(lambda: f7.Reshape(2, 3), x(4, 6), x(4, 5)),
    Case(lambda: f7.View(-1, 3), x(2, 6), x(2, 5)),
    Case(lambda: f7.Tanh(), x(2, 3)),
    Case(lambda: f7.Sigmoid(), x(2, 3)),
    Case(lambda: f7.Threshold(0.05, -1), x(2, 3)),
    Case(lambda: f7.ReLU(), x(2, 3)),
    Case(lambda: f7.SoftMax(), x(2, 3), x(1, 1, 1, 1, 1)),
    Case(lambda: f7.LogSoftMax(), x(2, 3), x(1, 1, 1, 1, 1)),
    Case(lambda: f7.LogSoftMax(), x(2, 3, 2, 2), x(1, 1, 1, 1, 1), "LogSoftMax of images"),
    Case(lambda: f7.Dropout(0.4), x(4, 5)),
    Case(lambda: f7.Dropout(0.4), x(4, 5), name="Dropout in evaluation", train=False),
    Case(lambda: f7.BatchNormalization(3), x(5, 3), x(5, 4)),
    Case(lambda: f7.BatchNormalization(3), x(5, 3), x(5, 4), "BatchNormalization in evaluation", train=False),
    Case(lambda: f7.SpatialConvolution(2, 3, 3, 2, 2, 1, 1), x(2, 2, 5, 6), x(2, 3, 5, 6)),
    Case(lambda: f7.SpatialConvolution(2, 3, 5, 5), x(2, 2, 7, 7), x(2, 2, 3, 3), "SpatialConvolution 5x5"),
    Case(lambda: f7.SpatialConvolution(2, 3, 1, 1), x(2, 4, 4), x(4, 4), "SpatialConvolution 1x1, one image"),
    Case(lambda: f7.SpatialMaxPooling(2, 2), x(2, 2, 5, 4), x(5)),
    Case(lambda: f7.SpatialMaxPooling(3, 2, 2, 1, 1, 1).ceil(), x(2, 6, 5), x(5), "SpatialMaxPooling, padded, ceil"),
    Case(lambda: f7.CAddTable(), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.JoinTable(2), [x(2, 3), x(2, 1)], [x(2, 3), x(3, 3)]),
    Case(lambda: f7.MaskedSelect(), [x(2, 3), p(2, 3) > 0.5], [x(2, 3), x(2, 2)], traceable=False),
    Case(lambda: f7.MaskedSelect(4), [x(2, 3), p(2, 3) > 0.5], [x(2, 3), x(2, 2)], "MaskedSelect of a given size"),
    Case(lambda: f7.L1Penalty(0.1), x(2, 3)),
    Case(lambda: f7.GradientReversal(0.5), x(2, 3), gradient=False),
    Case(lambda: f7.Decorator(f7.Linear(3, 4)), x(2, 3), x(2, 5)),
    Case(lambda: f7.Serial(f7.Linear(3, 4)), x(2, 3), x(2, 5)),
    Case(lambda: f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.Dropout(0.3)), x(2, 3), x(2, 5)),
    Case(lambda: f7.Concat(2, f7.Linear(3, 4), f7.Tanh()), x(2, 3), x(2, 5)),
    Case(lambda: f7.Parallel(1, 1, f7.Linear(3, 4), f7.Linear(3, 2)), x(2, 3), x(3, 3)),
    Case(lambda: f7.ConcatTable(f7.Linear(3, 4), f7.Identity()), x(2, 3), x(2, 5)),
    Case(lambda: f7.ParallelTable(f7.Linear(3, 4), f7.Tanh()), [x(2, 3), x(2)], x(2, 3)),
    Case(_ties, x(2, 3), x(2, 5)),
    Case(lambda: f7.FastLSTM(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.FastLSTM(3, 4, p=0.3), x(2, 3), x(2, 5), "FastLSTM with dropout"),
    Case(lambda: f7.Sequencer(f7.FastLSTM(3, 4)), x(5, 2, 3), x(5, 2, 4)),
    Case(lambda: f7.Sequencer(f7.Linear(3, 4)), [x(2, 3), x(2, 3)], [x(2, 3), x(3, 3)], "Sequencer of a table"),
    Case(lambda: f7.ReinforceBernoulli(), p(4, 2), gradient=False),
]

CRITERIONS = [
    (f7.MSECriterion(), x(2, 3), x(2, 3)),
    (f7.MSECriterion(size_average=False), x(4), x(4)),
    (f7.ClassNLLCriterion(), np.log(p(3, 4)), np.array([1, 4, 2])),
    (f7.ClassNLLCriterion([1.0, 2.0, 0.5, 1.0], False, 2), np.log(p(3, 4)), np.array([1, 4, 2])),
    (f7.CrossEntropyCriterion(), x(3, 4), np.array([1, 4, 2])),
    (f7.CrossEntropyCriterion([1.0, 2.0, 0.5, 1.0]), x(3, 4), np.array([1, 4, 2])),
    (f7.VRClassReward(0.5), [x(3, 4), x(3)], np.array([1, 4, 2])),
]
