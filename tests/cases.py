"""One row for every module and criterion: what the generic checks run."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import functorch7 as f7

_random = np.random.default_rng(0)  # one for all rows: a new row belongs at the end, lest others get other numbers


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


def _recurrence():
    step = f7.Sequential(f7.ParallelTable(f7.Linear(3, 4), f7.Linear(4, 4)), f7.CAddTable(), f7.Tanh())
    return f7.Recurrence(step, 4, 1)


def _attention():
    step = f7.Sequential(f7.ParallelTable(f7.Linear(3, 4), f7.Linear(2, 4)), f7.CAddTable(), f7.Tanh())
    return f7.RecurrentAttention(f7.Recurrent(4, step, f7.Linear(4, 4)), f7.Linear(4, 2), 2, 4)


def _graph():
    first, second = f7.Node(f7.Linear(3, 4)), f7.Node(f7.Identity())
    left, right = second.split(2)
    return f7.Graph([first, second], [f7.Node(f7.CAddTable(), first - f7.Tanh(), left), right - f7.Linear(4, 2)])


def _last_steps():
    return f7.VariableLength(f7.Sequencer(f7.RecGRU(3, 2).mask_zero()), last_only=True)


PADDED = x(3, 4, 3) * np.float32([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1]])[:, :, None]
PAIRS = np.array([[2, 0.5], [4, -2], [2, 1]], np.float32)  # (index, value)
KEYS = [np.array([1, 5, 1]), x(3), np.array([2, 1])]  # two examples, of 2 keys and 1
TREE = {1: np.array([2, 3, 4]), 3: np.array([5, 6]), 4: np.array([7, 8, 9, 10])}
BIGRAMS = {
    1: {"index": np.array([2, 3]), "prob": np.array([0.25, 0.75])},
    3: {"index": np.array([1]), "prob": np.array([2.0])},
}
HALVES = np.float32([[0.5, -0.25, 1], [1.5, 0.75, -0.5], [0.25, 0.5, -1]])
UNIGRAMS = np.array([5, 1, 0, 2, 4])
NCE = [x(3, 4), np.array([2, 5, 2])]
SIGNS = np.float32([[1, -1, 1], [-1, -1, 1]])

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
    Case(lambda: f7.Parallel(1, 1, f7.Linear(3, 4), f7.Tanh()), x(1, 3), name="Parallel, fewer slices"),
    Case(lambda: f7.ConcatTable(f7.Linear(3, 4), f7.Identity()), x(2, 3), x(2, 5)),
    Case(lambda: f7.ParallelTable(f7.Linear(3, 4), f7.Tanh()), [x(2, 3), x(2)], x(3, 2)),
    Case(lambda: f7.Add(6), x(4, 2, 3), x(4, 5)),
    Case(lambda: f7.Add(1, scalar=True), x(2, 3), name="Add of one number"),
    Case(lambda: f7.Mul(), x(2, 3)),
    Case(lambda: f7.CAdd(2, 1), x(4, 2, 3), x(4, 5)),
    Case(lambda: f7.CMul(2, 3), x(2, 3), x(4, 5)),
    Case(lambda: f7.CMul(1, 3), x(4, 2, 3), x(4, 5), "CMul of a batch, repeated"),
    Case(lambda: f7.LayerNormalization(4), x(3, 4), x(2, 2, 2, 2)),
    Case(lambda: f7.Maxout(3, 2, 4), x(5, 3), x(5, 4)),
    Case(lambda: f7.Bottle(f7.Linear(3, 4)), x(2, 5, 3), x(2, 5, 4)),
    Case(lambda: f7.DepthConcat(1, f7.Narrow(2, 1, 2), f7.Identity()), x(2, 5), x(2, 1)),
    Case(lambda: f7.MapTable(f7.Linear(3, 4)), [x(2, 3), x(3)], x(2, 3)),
    Case(lambda: f7.WeightNorm(f7.Linear(3, 4)), x(2, 3), x(2, 5)),
    Case(lambda: f7.WeightNorm(f7.SpatialConvolution(2, 3, 2, 2), 2), x(2, 4, 4), x(3, 4, 4), "WeightNorm, 2nd dim"),
    Case(lambda: f7.NaN(f7.Linear(3, 4), 1), x(2, 3), x(2, 5)),
    Case(lambda: f7.Profile(f7.Linear(3, 4), 1000, "linear", 1), x(2, 3), x(2, 5)),
    Case(lambda: f7.GPU(f7.Linear(3, 4), 1), x(2, 3), x(2, 5)),
    Case(lambda: f7.DontCast(f7.Linear(3, 4), True), x(2, 3), x(2, 5)),
    Case(lambda: f7.Convert("chw", "hwc"), x(2, 3, 2, 4), x(2, 3)),
    Case(lambda: f7.Convert("bchw", "bf"), x(2, 3, 2, 4), x(2, 3), "Convert to features"),
    Case(lambda: f7.Kmeans(3, 2), x(6, 2), x(6, 3), gradient=False),
    Case(lambda: f7.Euclidean(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.WeightedEuclidean(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.Cosine(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.CosineDistance(), [x(2, 3), x(2, 3)], [x(2, 3), x(3, 3)]),
    Case(lambda: f7.DotProduct(), [x(2, 3), x(2, 3)], [x(2, 3), x(3, 3)]),
    Case(lambda: f7.PairwiseDistance(2), [x(2, 3), x(2, 3)], [x(2, 3), x(3, 3)]),
    Case(lambda: f7.PairwiseDistance(1.5), [x(3), x(3)], x(3), "PairwiseDistance, p = 1.5, one example"),
    Case(lambda: f7.SpatialDropout(0.4), x(2, 3, 2, 2), x(2, 3)),
    Case(lambda: f7.SpatialDropout(0.4), x(3, 2, 2), name="SpatialDropout in evaluation", train=False),
    Case(lambda: f7.VolumetricDropout(0.4), x(3, 2, 2, 2), x(2, 3)),
    Case(lambda: f7.WhiteNoise(0.5, 0.2), x(2, 3)),
    Case(lambda: f7.Bilinear(2, 3, 4), [x(5, 2), x(5, 3)], [x(5, 2), x(5, 2)]),
    Case(lambda: f7.LinearWeightNorm(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.PartialLinear(3, 4).set_partition([4, 2]), x(2, 3), x(3)),
    Case(lambda: f7.LookupTable(5, 3), np.array([[1, 5], [2, 2]]), np.array([0, 1])),
    Case(lambda: f7.LookupTable(5, 3, 1, 1.0), np.array([1, 5]), np.array([6]), "LookupTable, normed", gradient=False),
    Case(lambda: f7.SparseLinear(5, 3), PAIRS, x(3, 3), gradient=False),
    Case(lambda: f7.IndexLinear(5, 3), [np.array([1, 5]), x(2)], [np.array([1, 6]), x(2)]),
    Case(lambda: f7.IndexLinear(5, 3), KEYS, [np.array([1, 6]), x(3)], "IndexLinear of a batch"),
    Case(lambda: f7.IndexLinear(5, 3, normalize=True), KEYS, name="IndexLinear, normalized", gradient=False),
    Case(lambda: f7.SpatialBatchNormalization(3), x(2, 3, 2, 2), x(2, 4, 2, 2)),
    Case(lambda: f7.VolumetricBatchNormalization(3), x(2, 3, 2, 1, 2), x(2, 3, 2, 2)),
    Case(lambda: f7.Abs(), x(2, 3)),
    Case(lambda: f7.AddConstant(1.5), x(2, 3)),
    Case(lambda: f7.AddConstant(np.array([1.0, 2.0, 3.0])), x(2, 3), x(2, 4), "AddConstant of a tensor"),
    Case(lambda: f7.Constant([1.0, 2.0], 1), x(2, 3)),
    Case(lambda: f7.Contiguous(), x(2, 3)),
    Case(lambda: f7.Copy(), x(2, 3)),
    Case(lambda: f7.Exp(), x(2, 3)),
    Case(lambda: f7.Log(), p(2, 3)),
    Case(lambda: f7.MulConstant(-2), x(2, 3)),
    Case(lambda: f7.OneHot(4), np.float32([[2, 4], [2, 2]]), np.array([5]), gradient=False),
    Case(lambda: f7.Power(1.7), p(2, 3)),
    Case(lambda: f7.PrintSize("size"), x(2, 3)),
    Case(lambda: f7.Sqrt(), p(2, 3)),
    Case(lambda: f7.Square(), x(2, 3)),
    Case(lambda: f7.FeatureLPPooling(2, 2, 2, True), x(3, 6), x(2, 2, 2, 2, 2)),
    Case(lambda: f7.MM(), [x(2, 3), x(3, 4)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.MM(True, True), [x(5, 3, 2), x(5, 4, 3)], [x(2, 3), x(3)], "MM of batches, transposed"),
    Case(lambda: f7.MV(), [x(2, 3), x(3)], [x(2, 3), x(2)]),
    Case(lambda: f7.MV(True), [x(5, 3, 2), x(5, 3)], [x(2, 3), x(2, 3)], "MV of batches, transposed"),
    Case(lambda: f7.ELU(0.7), x(2, 3)),
    Case(lambda: f7.CReLU(1), x(2, 3), x(2, 2, 2)),
    Case(lambda: f7.LeakyReLU(0.2), x(2, 3)),
    Case(lambda: f7.PReLU(), x(2, 3)),
    Case(lambda: f7.PReLU(3), x(2, 3, 2), x(2, 4), "PReLU of planes"),
    Case(lambda: f7.ReLU6(), 3 * x(2, 3)),
    Case(lambda: f7.RReLU(), x(2, 3)),
    Case(lambda: f7.RReLU(), x(2, 3), name="RReLU in evaluation", train=False),
    Case(lambda: f7.Max(2), x(2, 3), x(3)),
    Case(lambda: f7.Min(-1), x(2, 3)),
    Case(lambda: f7.Mean(1, 1), x(2, 3)),
    Case(lambda: f7.Sum(2, 1, True, False), x(2, 3, 2), x(2)),
    Case(lambda: f7.Normalize(2), x(2, 3), x(2, 2, 2)),
    Case(lambda: f7.Normalize(1.5), x(4), x(2, 2, 2), "Normalize, p = 1.5, one example"),
    Case(lambda: f7.Normalize(float("inf")), x(2, 3), x(2, 2, 2), "Normalize, p = inf"),
    Case(lambda: f7.TemporalDynamicKMaxPooling(2, 0.5), x(6, 3), x(1, 3)),
    Case(lambda: f7.CAddTensorTable(), [x(2), [x(2), x(2)]], [x(2), [x(3)]]),
    Case(lambda: f7.FlattenTable(), [x(2), [x(2), [x(3)]]], x(2)),
    Case(lambda: f7.MixtureTable(), [p(4, 2), [x(4, 3), x(4, 3)]], [p(4, 2), [x(4, 3)]]),
    Case(lambda: f7.MixtureTable(), [p(2), x(2, 3)], [p(2), x(3, 3)], "MixtureTable of a tensor, one example"),
    Case(lambda: f7.NarrowTable(2, 2), [x(2), x(3), x(4)], x(2)),
    Case(lambda: f7.SelectTable(-1), [x(2), [x(3), x(4)]], x(2)),
    Case(lambda: f7.SelectTable("b"), {"a": x(2), "b": x(3)}, {"a": x(2)}, "SelectTable by name"),
    Case(lambda: f7.ZipTable(), [[x(2), x(3)], [x(4), x(5)]], [x(2), [x(4), x(5)]]),
    Case(lambda: f7.ZipTableOneToMany(), [x(2), [x(3), x(4)]], [x(2), x(3)]),
    Case(lambda: f7.Collapse(2), x(2, 3, 2)),
    Case(lambda: f7.Index(2), [x(2, 3), np.array([3, 1, 3])], [x(2, 3), np.array([[1]])]),
    Case(lambda: f7.Narrow(2, 2, 2), x(2, 4), x(2, 2)),
    Case(lambda: f7.Narrow(-1, 2, -1), x(2, 4), name="Narrow up to the end"),
    Case(lambda: f7.Padding(1, -2, 1, 7.0), x(2, 3)),
    Case(lambda: f7.Padding(2, 1, 2, 0, 2), x(2, 3), name="Padding inside"),
    Case(lambda: f7.PixelShuffle(2), x(2, 8, 2, 3), x(3, 2, 2)),
    Case(lambda: f7.Replicate(3, 2), x(2, 3), np.float32(1)),
    Case(lambda: f7.Select(2, -1), x(2, 3), x(3)),
    Case(lambda: f7.SplitTable(2), x(2, 3), x(3)),
    Case(lambda: f7.Squeeze(), x(2, 1, 3)),
    Case(lambda: f7.Transpose((1, 2), (2, 3)), x(2, 3, 4), x(2, 3)),
    Case(lambda: f7.Unsqueeze(2), x(2, 3), np.float32(1)),
    Case(lambda: f7.CDivTable(), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.CMaxTable(), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.CMinTable(), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.CMulTable(), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.CSubTable(), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.CriterionTable(f7.MSECriterion()), [x(2, 3), x(2, 3)], x(2, 3), gradient=False),
    Case(lambda: f7.Clamp(-0.5, 0.5), x(2, 3)),
    Case(lambda: f7.GatedLinearUnit(), x(2, 4), x(2, 3)),
    Case(lambda: f7.HardShrink(0.4), x(2, 3)),
    Case(lambda: f7.HardTanh(), x(2, 3)),
    Case(lambda: f7.LogSigmoid(), x(2, 3)),
    Case(lambda: f7.SoftMin(), x(2, 3), x(1, 1, 1, 1, 1)),
    Case(lambda: f7.SoftPlus(2), x(2, 3)),
    Case(lambda: f7.SoftShrink(0.4), x(2, 3)),
    Case(lambda: f7.SoftSign(), x(2, 3)),
    Case(lambda: f7.SpatialLogSoftMax(), x(2, 3, 2, 2), x(1, 1, 1, 1, 1)),
    Case(lambda: f7.SpatialSoftMax(), x(3, 2, 2), x(1, 1, 1, 1, 1)),
    Case(lambda: f7.TanhShrink(), x(2, 3)),
    Case(lambda: f7.SpatialConvolutionMM(2, 3, 3, 2, 1, 1, 1), x(2, 4, 5), x(3, 4, 5)),
    Case(lambda: f7.SpatialDilatedConvolution(2, 3, 2, 2, 1, 1, 1, 0, 2, 1), x(2, 2, 4, 5), x(2, 2, 1, 1)),
    Case(lambda: f7.VolumetricConvolution(2, 3, 2, 2, 1, 1, 2, 1, 1), x(2, 3, 4, 3), x(2, 4, 3)),
    Case(lambda: f7.VolumetricDilatedConvolution(2, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0, 2), x(2, 2, 3, 3, 3), x(2, 1, 3, 3)),
    Case(lambda: f7.SpatialFullConvolution(2, 3, 3, 2, 2, 2, 1, 0, 1, 1), x(2, 3, 2), x(3, 3, 2)),
    Case(lambda: f7.SpatialFullConvolution(2, 1, 3, 3, 2, 2, 1, 1), [x(2, 3, 2), x(2, 6, 3)], [x(2, 2)], "sized"),
    Case(lambda: f7.VolumetricFullConvolution(2, 3, 2, 2, 2, 2, 1, 1, 1), x(2, 2, 2, 3, 2), x(2, 2, 2)),
    Case(lambda: f7.SpatialConvolutionMap([[1, 1], [2, 1], [1, 3]], 2, 2), x(2, 2, 3, 4), x(3, 3, 4)[:1]),
    Case(lambda: f7.SpatialFullConvolutionMap([[1, 1], [2, 1]], 2, 2, 2, 2), x(2, 2, 3), x(3, 2, 3)[:1]),
    Case(lambda: f7.SpatialConvolutionLocal(2, 3, 4, 3, 2, 2, 1, 1, 1), x(2, 2, 3, 4), x(2, 4, 4)),
    Case(lambda: f7.SpatialDepthWiseConvolution(2, 3, 2, 2, 1, 1, 1), x(2, 2, 3, 4), x(3, 3, 4)),
    Case(lambda: f7.SpatialSubSampling(2, 2, 2), x(2, 2, 3, 4), x(3, 3, 4)),
    Case(lambda: f7.SpatialBinaryConvolution(2, 3, 2, 2), x(2, 2, 3, 4), x(3, 3, 4), gradient=False),
    Case(lambda: f7.TemporalConvolution(3, 4, 2, 2), x(2, 5, 3), x(2, 1, 3)),
    Case(lambda: f7.TemporalRowConvolution(3, 2), x(5, 3), x(5, 4)),
    Case(lambda: f7.TemporalRowConvolution(3, 2, 1, True), x(2, 3, 5), x(2, 5, 4), "TemporalRowConvolution, F x T"),
    Case(lambda: f7.TemporalSubSampling(3, 2), x(5, 3), x(2, 5, 3)),
    Case(lambda: f7.TemporalMaxPooling(2), x(2, 5, 3), x(1, 3)),
    Case(lambda: f7.SpatialDilatedMaxPooling(2, 2, 1, 1, 1, 0, 2, 1), x(2, 4, 5), x(5)),
    Case(lambda: f7.VolumetricMaxPooling(2, 2, 2, 1, 2, 2, 1, 0, 1), x(2, 3, 4, 3), x(2, 3)),
    Case(lambda: f7.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 1, 2, 1), x(1, 2, 3, 4, 3), x(2, 3)),
    Case(lambda: f7.SpatialAveragePooling(3, 2, 2, 1, 1, 1), x(2, 2, 4, 5), x(5)),
    Case(lambda: f7.SpatialAveragePooling(3, 2, 2, 1, 1, 1).ceil().set_count_exclude_pad(), x(2, 4, 4), name="means"),
    Case(lambda: f7.VolumetricAveragePooling(2, 2, 1), x(2, 3, 4, 3), x(2, 3)),
    Case(lambda: f7.SpatialLPPooling(2, 3, 2, 2), p(2, 4, 5), x(2, 1, 1)),
    Case(lambda: f7.SpatialAdaptiveMaxPooling(3, 2), x(2, 2, 5, 4), x(2, 3)),
    Case(lambda: f7.SpatialAdaptiveAveragePooling(3, 2), x(2, 5, 4), x(2, 3)),
    Case(lambda: f7.SpatialFractionalMaxPooling(2, 2, 3, 0.6), x(2, 2, 5, 6), x(2, 2, 2, 2)),
    Case(lambda: f7.SpatialFractionalMaxPooling(2, 2, 3, 3).fix_pooling_regions(), x(2, 6, 6), name="fixed regions"),
    Case(lambda: f7.VolumetricFractionalMaxPooling(2, 2, 2, 2, 2, 2), x(1, 4, 4, 4), x(2, 3)),
    Case(lambda: f7.SpatialMaxUnpooling(f7.SpatialMaxPooling(2, 2)), [x(1, 1, 2), np.array([[[1, 7]]])], x(1, 1, 2)),
    Case(
        lambda: f7.VolumetricMaxUnpooling(f7.VolumetricMaxPooling(1, 2, 2)), [x(1, 1, 1, 1), np.ones((1, 1, 1, 1), int)]
    ),
    Case(lambda: f7.SpatialZeroPadding(1, -1, 2, 0), x(2, 3, 3), x(3)),
    Case(lambda: f7.SpatialReflectionPadding(2, 1, 0, -1), x(2, 3, 3), x(1, 2, 2)),
    Case(lambda: f7.SpatialReplicationPadding(2, -1, 0, 1), x(2, 2, 3, 3), x(3)),
    Case(lambda: f7.VolumetricReplicationPadding(1, 0, 1, 2, -1), x(1, 3, 2, 2), x(3)),
    Case(lambda: f7.SpatialUpSamplingNearest(2), x(2, 2, 3), x(3)),
    Case(lambda: f7.SpatialUpSamplingBilinear({"oheight": 5, "owidth": 4}), x(2, 2, 3), x(3)),
    Case(lambda: f7.SpatialReSampling(None, 0.5, 4), x(2, 4, 3), x(3)),
    Case(lambda: f7.SpatialReSamplingEx(0.5, None, 2, 3, "average"), x(2, 6, 4), x(3)),
    Case(lambda: f7.UpSampling(2, "linear"), x(1, 2, 2, 3, 2), x(3)),
    Case(lambda: f7.UpSampling(3), x(1, 2, 2, 3), x(3), "UpSampling by repetition"),
    Case(lambda: f7.SpatialCrossMapLRN(3, 0.5), x(2, 4, 2, 2), x(3)),
    Case(lambda: f7.SpatialSubtractiveNormalization(2, np.ones(3)), x(2, 2, 4, 5), x(3, 4, 5)),
    Case(lambda: f7.SpatialDivisiveNormalization(2, np.ones((3, 3))), x(2, 4, 5), x(3, 4, 5)),
    Case(lambda: f7.SpatialContrastiveNormalization(2, np.ones((3, 1))), x(2, 4, 5), x(3, 4, 5)),
    Case(lambda: f7.Clip(-0.5, 0.5), x(2, 3), gradient=False),
    Case(lambda: f7.SpatialGlimpse((4, 2), 2), [x(2, 3, 6, 5), p(2, 2)], [x(2, 3, 6, 5), p(3, 2)]),
    Case(lambda: f7.SpatialGlimpse(4, 2, 1.5), [x(3, 6, 5), p(2)], [x(6, 5), p(2)], "SpatialGlimpse of one image"),
    Case(lambda: f7.SpatialGlimpse(3, 2, 2, True), [x(2, 6, 5), p(2)], [x(6, 5), p(2)], "SpatialGlimpse, resampled"),
    Case(lambda: f7.SpatialUniformCrop(3, 2), x(2, 1, 5, 4), x(1, 2, 4)),
    Case(lambda: f7.SpatialUniformCrop(3, 2, (1.0, 1.5)), x(2, 1, 6, 5), x(1, 4, 5), "SpatialUniformCrop, scaled"),
    Case(lambda: f7.SpatialUniformCrop(3), x(1, 5, 4), x(1, 2, 4), "SpatialUniformCrop in evaluation", train=False),
    Case(lambda: f7.SpatialRegionDropout(0.4), x(2, 3, 5, 5), x(3)),
    Case(lambda: f7.SpatialFeatNormalization([1.0, 2.0], [2.0, 4.0]), x(3, 2, 2, 2), x(3, 2, 2)),
    Case(lambda: f7.SimpleColorTransform(2, [0.1, 0.2]), x(3, 2, 2, 2), x(3, 2, 2)),
    Case(lambda: f7.PCAColorTransform(2, np.eye(2), [1.0, 2.0]), x(2, 2, 2), x(3, 2, 2)),
    Case(
        lambda: f7.Inception({"inputSize": 2, "outputSize": [2, 1], "reduceSize": [2, 1, 2, 1]}), x(2, 5, 5), x(3, 5, 5)
    ),
    Case(lambda: f7.FireModule(2, 1, 2, 3, "Tanh"), x(2, 2, 3, 4), x(2, 3, 3, 4)),
    Case(_ties, x(2, 3), x(2, 5)),
    Case(lambda: f7.FastLSTM(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.FastLSTM(3, 4, p=0.3), x(2, 3), x(2, 5), "FastLSTM with dropout"),
    Case(lambda: f7.FastLSTM(3, 4, bn=True), x(4, 3), x(3), "FastLSTM with batch normalisation"),
    Case(lambda: f7.FastLSTM(3, 4).mask_zero(1), PADDED[0], x(2, 2, 3), "FastLSTM, masked", gradient=False),
    Case(lambda: f7.LSTM(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.LSTM(3, cell2gate=False, p=0.3), x(2, 3), x(2, 5), "LSTM with dropout"),
    Case(lambda: f7.GRU(3, 4), x(3), x(2, 5)),
    Case(lambda: f7.GRU(3, 4, p=0.3, mono=True), x(2, 3), x(2, 5), "GRU with dropout"),
    Case(lambda: f7.MuFuRu(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.Recurrent(4, f7.Linear(3, 4), f7.Linear(4, 4)), x(2, 3), x(2, 5)),
    Case(_recurrence, x(2, 3), x(2, 2, 3)),
    Case(lambda: f7.Recursor(f7.Linear(3, 4)), x(2, 3), x(2, 5)),
    Case(lambda: f7.Sequencer(f7.FastLSTM(3, 4)), x(5, 2, 3), x(5, 2, 4)),
    Case(lambda: f7.Sequencer(_recurrence()), x(3, 2, 3), x(5, 2, 2, 4), "Sequencer of a Recurrence"),
    Case(lambda: f7.Sequencer(f7.GRU(3, 4).trim_zero(1)), PADDED, x(5, 2, 4), "Sequencer, trimmed", gradient=False),
    Case(lambda: f7.SeqLSTM(3, 4), x(5, 2, 3), x(5, 3)),
    Case(lambda: f7.SeqLSTM(3, 4, batchfirst=True, maskzero=True), x(2, 5, 3), x(5, 2, 4), "SeqLSTM, batch first"),
    Case(lambda: f7.SeqLSTM(3, 4), [x(2, 4), x(2, 4), x(5, 2, 3)], [x(3, 4), x(5, 2, 3)], "SeqLSTM from a state"),
    Case(lambda: f7.SeqLSTMP(3, 5, 4), x(5, 2, 3), x(5, 2, 4)),
    Case(lambda: f7.SeqGRU(3, 4), x(5, 2, 3), x(5, 2, 4)),
    Case(lambda: f7.SeqBRNN(3, 4, True), x(2, 5, 3), x(2, 3)),
    Case(lambda: f7.SeqReverseSequence(2), x(2, 5, 3), x(3)),
    Case(lambda: f7.BiSequencer(f7.GRU(3, 2)), [x(2, 3), x(2, 3)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.BiSequencerLM(f7.FastLSTM(3, 2)), x(3, 2, 3), x(1, 2, 3)),
    Case(lambda: f7.Repeater(f7.GRU(3, 2), 3), x(2, 3), x(2, 4)),
    Case(_attention, x(2, 3), x(2, 4), gradient=False),
    Case(lambda: f7.MaskZero(f7.Linear(3, 4), 1), x(2, 3), x(2, 2, 3)),
    Case(lambda: f7.TrimZero(f7.Linear(3, 4), 1), PADDED[0], x(2, 2, 3), gradient=False),
    Case(lambda: f7.LookupTableMaskZero(4, 3), np.array([[1, 0, 4]]), np.array([5]), gradient=False),
    Case(lambda: f7.NormStabilizer(0.5), x(2, 3), x(3), gradient=False),
    Case(lambda: f7.LinearNoBias(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.CopyGrad(), x(2, 3)),
    Case(lambda: f7.ZeroGrad(), x(2, 3), gradient=False),
    Case(lambda: f7.SAdd(-1, True), x(2, 3)),
    Case(lambda: f7.ExpandAs(), [x(2, 3), x(1, 3)], [x(2, 3), x(2, 2)]),
    Case(lambda: f7.ReverseTable(), [x(2), x(3)], x(2)),
    Case(lambda: f7.Dropout(0.4, lazy=True, mono=True), x(4, 5), name="Dropout, lazy"),
    Case(lambda: f7.Sequencer(f7.Linear(3, 4)), [x(2, 3), x(2, 3)], [x(2, 3), x(3, 3)[:2, :2]], "Sequencer of a table"),
    Case(lambda: f7.LinearRNN(3, 4), x(2, 3), x(2, 5)),
    Case(lambda: f7.LookupRNN(5, 4), np.array([5, 2, 1]), np.array([[[1]]])),
    Case(lambda: f7.StepLSTM(3, 4), [x(2, 3), x(2, 4), x(2, 4)], [x(2, 3), x(2, 4)]),
    Case(lambda: f7.StepLSTM(3, 4, 2), [x(2, 3), x(2, 2), x(2, 4)], [x(2, 3), x(2, 4), x(2, 4)], "StepLSTM, projected"),
    Case(lambda: f7.StepGRU(3, 4), [x(2, 3), x(2, 4)], [x(2, 3), x(3, 4)]),
    Case(lambda: f7.RecLSTM(3, 4, 2), x(2, 3), x(3)),
    Case(lambda: f7.RecGRU(3, 4), x(2, 3), x(2, 4)),
    Case(lambda: f7.ReverseSequence(), x(3, 2), x()),
    Case(lambda: f7.ReverseUnreverse(f7.SeqGRU(3, 2)), x(3, 2, 3), x(3, 2, 4)),
    Case(lambda: f7.SeqBLSTM(3, 4, 2), x(3, 2, 3), x(3, 2, 4)),
    Case(lambda: f7.SeqBGRU(3, 4, f7.JoinTable(3)), x(3, 2, 3), x(3, 3)),
    Case(lambda: f7.VariableLength(f7.SeqGRU(3, 2, maskzero=True)), [x(2, 3), x(4, 3), x(1, 3)], [x(2, 3), x(4, 2)]),
    Case(_last_steps, [x(2, 3), x(1, 3)], [], "VariableLength, the last steps"),
    Case(lambda: f7.NCEModule(4, 5, 3, UNIGRAMS, 2), NCE, [x(3, 4), np.array([2, 5])]),
    Case(lambda: f7.NCEModule(4, 5, 3, UNIGRAMS, 2, False), NCE, [x(3, 4), np.array([2, 6, 1])], "NCEModule by rows"),
    Case(lambda: f7.NCEModule(4, 5, 3, UNIGRAMS), NCE, [x(3, 3), NCE[1]], "NCEModule, Z unknown", gradient=False),
    Case(lambda: f7.NCEModule(4, 5, 3, UNIGRAMS, normalized=True), NCE, x(3, 4), "NCE in evaluation", train=False),
    Case(lambda: f7.ReinforceBernoulli(), p(4, 2), gradient=False),
    Case(lambda: f7.ArgMax(2), HALVES, HALVES[0]),
    Case(lambda: f7.TotalDropout(0.4), HALVES),
    Case(lambda: f7.CategoricalEntropy(0.5), np.abs(HALVES), HALVES[0]),
    Case(lambda: f7.Bigrams(BIGRAMS, 5), np.array([1, 3, 1]), np.array([2]), gradient=False),
    Case(lambda: f7.SoftMaxTree(3, TREE), [HALVES, np.array([2, 6, 9])], [HALVES, np.array([2, 11, 1])]),
    Case(lambda: f7.SoftMaxForest(3, [TREE, TREE], [1, 1], [2]), [HALVES, np.array([2, 6, 9])], [HALVES[:2], HALVES]),
    Case(lambda: f7.ReinforceBernoulli(), p(4, 2), 2 + p(4, 2), gradient=False),
    Case(lambda: f7.ReinforceBernoulli(), p(4, 2), name="ReinforceBernoulli in evaluation", train=False),
    Case(lambda: f7.ReinforceCategorical(), p(4, 3), p(4, 3, 2), gradient=False),
    Case(lambda: f7.ReinforceNormal(0.3), x(4, 2), [x(4, 2), x(4, 3)], gradient=False),
    Case(lambda: f7.ReinforceNormal([0.3, 0.5]), x(4, 2), x(4, 3), "ReinforceNormal, two stdevs", gradient=False),
    Case(lambda: f7.ReinforceNormal(), [x(4, 2), p(4, 2)], x(4, 2), "ReinforceNormal of a table", gradient=False),
    Case(lambda: f7.ReinforceGamma(0.7), p(4, 2), -p(4, 2), gradient=False),
    Case(lambda: f7.ReinforceGamma(), [p(2), p(2)], [p(2), p(3)], "ReinforceGamma of a table", train=False),
    Case(_graph, [x(2, 3), [x(2, 4), x(2, 4)]], [x(2, 3)]),
    Case(f7.JustTable, x(2, 3)),
    Case(f7.JustElement, [x(2, 3)], [x(2, 3), x(2, 3)]),
    Case(lambda: f7.ModuleFromCriterion(f7.MSECriterion()), [x(2, 3), x(2, 3)], x(2, 3), gradient=False),
    Case(lambda: f7.Quantized(f7.SpatialConvolution(2, 3, 2, 2)), x(2, 2, 3, 3), x(2, 3, 3, 3)),
    Case(lambda: f7.Quantized(f7.Linear(3, 4), "dynamic"), x(2, 3), x(2, 4), "Quantized, dynamic", gradient=False),
    Case(lambda: f7.FakeQuantized(f7.Linear(3, 4), "dynamic"), x(2, 3), x(2, 4), gradient=False),
    Case(lambda: f7.Observed(f7.Linear(3, 4)), x(2, 3), x(2, 4)),
    Case(lambda: f7.Quantized(f7.SeqLSTMP(3, 5, 4)), x(5, 2, 3), x(5, 2, 4), "Quantized, a layer of sequences"),
    Case(lambda: f7.Quantized(f7.GRU(3, 4)), x(2, 3), x(2, 5), "Quantized, a step"),
    Case(lambda: f7.Remat(f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.Dropout(0.3))), x(2, 3), x(2, 5)),
    Case(lambda: f7.LayerNorm(3), x(2, 3), x(2, 4)),
    Case(lambda: f7.RMSNorm([2, 3]), x(4, 2, 3), x(2, 3, 4)),
    Case(lambda: f7.GroupNorm(2, 4), x(2, 4, 3), x(2, 3, 3)),
    *(Case(kind, x(2, 3)) for kind in (f7.GELU, f7.SiLU, f7.Mish)),
    Case(lambda: f7.Flatten(), x(2, 3, 2), x(3)),
    Case(lambda: f7.Embedding(5, 3), np.array([[[1, 5]], [[2, 2]]]), np.array([[0]])),
    Case(lambda: f7.SpatialConvolution(4, 6, 2, 2, groups=2), x(2, 4, 3, 3), x(2, 2, 3, 3), "in groups"),
    Case(lambda: f7.MultiHeadAttention(4, 2), x(2, 3, 4), x(2, 3, 5)),
    Case(lambda: f7.MultiHeadAttention(4, 2, p=0.3, causal=True), [x(2, 4)] * 3, x(4), "MultiHeadAttention, causal"),
    Case(lambda: f7.Lambda(operator.neg), x(2, 3)),
    Case(lambda: f7.DataParallelTable(1, f7.Linear(3, 4)), x(2, 3), x(2, 5)),
    Case(lambda: f7.SpatialNormalization(2, np.ones((3, 1)), 0.01), x(2, 4, 5), x(3, 4, 5)),
    Case(lambda: f7.AffineTransformMatrixGenerator(True, True, True), x(3, 4), x(3)),
    Case(lambda: f7.AffineTransformMatrixGenerator(), x(3, 6), x(5), "affine maps of six numbers"),
    Case(lambda: f7.AffineGridGeneratorBHWD(3, 4), x(2, 2, 3), x(2, 2)),
    Case(lambda: f7.BilinearSamplerBHWD(), [x(2, 4, 3, 2), x(2, 2, 3, 2)], [x(4, 3, 2), x(3, 2, 3)]),
    Case(lambda: f7.Minus(), x(2, 3)),
    *(Case(lambda kind=kind: kind(3, 2, 2), x(3, 2, 3), x(3, 3)) for kind in f7.recurrent.cudnn.LAYERS),
]
