"""PyTorch's layers and losses, and how to write them here."""

import difflib
import re
from collections.abc import Iterable
from typing import NamedTuple

from .flax_names import OF_FLAX


class Name(NamedTuple):
    """How PyTorch writes something, how it is written here, and what differs, if anything."""

    theirs: str
    ours: str
    differs: str = ""

    @property
    def name(self) -> str:
        """PyTorch's name alone: Conv2d."""
        return _called(self.theirs)

    @property
    def here(self) -> str:
        """The name here: SpatialConvolution."""
        return _called(self.ours)

    @property
    def in_legacy(self) -> str:
        """How it is written with `functorch7.legacy`: nn.SpatialConvolution(...), cudnn.LSTM(...)."""
        return self.ours.replace("f7.Cudnn", "cudnn.").replace("f7.", "nn.")


def _called(code: str) -> str:
    return re.findall(r"\w+\.(\w+)", code)[0]


FROM_1 = "classes count from 1"
OF_LOGS = "takes log-probabilities, as from LogSoftMax; " + FROM_1
STATE = "returns only the output; the state is in the buffers"
UNIFORM = "weights start as numbers from 0 to 1, as in Torch"

LAYERS = [
    Name("nn.Linear(3, 4, bias=False)", "f7.Linear(3, 4, bias=False)"),
    Name("nn.Bilinear(2, 3, 4)", "f7.Bilinear(2, 3, 4)", "takes a table of two inputs"),
    Name("nn.Conv1d(3, 4, 5)", "f7.TemporalConvolution(3, 4, 5)", "takes B x T x C instead of B x C x T"),
    Name("nn.Conv2d(3, 16, (5, 7), stride=2, padding=1)", "f7.SpatialConvolution(3, 16, 7, 5, 2, 2, 1, 1)",
         "sizes one by one, width first"),
    Name("nn.Conv3d(3, 16, 5)", "f7.VolumetricConvolution(3, 16, 5, 5, 5)", "sizes in the order time, width, height"),
    Name("nn.ConvTranspose2d(3, 16, 4, 2, 1)", "f7.SpatialFullConvolution(3, 16, 4, 4, 2, 2, 1, 1)"),
    Name("nn.ConvTranspose3d(3, 16, 4, 2, 1)", "f7.VolumetricFullConvolution(3, 16, 4, 4, 4, 2, 2, 2, 1, 1, 1)"),
    Name("nn.MaxPool1d(2)", "f7.TemporalMaxPooling(2)", "takes B x T x C"),
    Name("nn.MaxPool2d(2)", "f7.SpatialMaxPooling(2, 2, 2, 2)", "the default step is 1"),
    Name("nn.MaxPool3d(2)", "f7.VolumetricMaxPooling(2, 2, 2, 2, 2, 2)"),
    Name("nn.AvgPool2d(2)", "f7.SpatialAveragePooling(2, 2, 2, 2)", "the default step is 1"),
    Name("nn.AvgPool3d(2)", "f7.VolumetricAveragePooling(2, 2, 2, 2, 2, 2)"),
    Name("nn.LPPool2d(2, 3)", "f7.SpatialLPPooling(4, 2, 3, 3)", "the number of planes comes first"),
    Name("nn.AdaptiveMaxPool2d((3, 4))", "f7.SpatialAdaptiveMaxPooling(4, 3)", "width first"),
    Name("nn.AdaptiveAvgPool2d(1)", "f7.SpatialAdaptiveAveragePooling(1, 1)", "width first"),
    Name("nn.FractionalMaxPool2d(2, (3, 4))", "f7.SpatialFractionalMaxPooling(2, 2, 4, 3)", "width first"),
    Name("nn.MaxUnpool2d(2)", "f7.SpatialMaxUnpooling(f7.SpatialMaxPooling(2, 2, 2, 2))"),
    Name("nn.ZeroPad2d((1, 2, 3, 4))", "f7.SpatialZeroPadding(1, 2, 3, 4)"),
    Name("nn.ReflectionPad2d((1, 2, 3, 4))", "f7.SpatialReflectionPadding(1, 2, 3, 4)"),
    Name("nn.ReplicationPad2d((1, 2, 3, 4))", "f7.SpatialReplicationPadding(1, 2, 3, 4)"),
    Name("nn.UpsamplingNearest2d(scale_factor=2)", "f7.SpatialUpSamplingNearest(2)"),
    Name("nn.UpsamplingBilinear2d(scale_factor=2)", "f7.SpatialUpSamplingBilinear(2)"),
    Name("nn.Upsample(scale_factor=2)", 'f7.UpSampling(2, "nearest")'),
    Name("nn.PixelShuffle(2)", "f7.PixelShuffle(2)"),
    Name("nn.BatchNorm1d(8)", "f7.BatchNormalization(8)", UNIFORM),
    Name("nn.BatchNorm2d(8)", "f7.SpatialBatchNormalization(8)", UNIFORM),
    Name("nn.BatchNorm3d(8)", "f7.VolumetricBatchNormalization(8)", UNIFORM),
    Name("nn.LayerNorm(8)", "f7.LayerNorm(8)"),
    Name("nn.RMSNorm(8)", "f7.RMSNorm(8)", "eps is 1e-6"),
    Name("nn.GroupNorm(2, 8)", "f7.GroupNorm(2, 8)"),
    Name("nn.InstanceNorm2d(8)", "f7.GroupNorm(8, 8, affine=False)"),
    Name("nn.LocalResponseNorm(5)", "f7.SpatialCrossMapLRN(5)"),
    Name("nn.Dropout(0.5)", "f7.Dropout(0.5)"),
    Name("nn.Dropout2d(0.5)", "f7.SpatialDropout(0.5)"),
    Name("nn.Dropout3d(0.5)", "f7.VolumetricDropout(0.5)"),
    Name("nn.Embedding(1000, 64)", "f7.Embedding(1000, 64)", "indices count from 1"),
    Name("nn.EmbeddingBag(1000, 64)", "f7.Sequential(f7.LookupTable(1000, 64), f7.Mean(2))", "indices count from 1"),
    Name("nn.RNN(8, 16)", "f7.CudnnRNNTanh(8, 16, 1)", STATE),
    Name("nn.LSTM(8, 16)", "f7.SeqLSTM(8, 16)", STATE),
    Name("nn.LSTM(8, 16, num_layers=2)", "f7.CudnnLSTM(8, 16, 2)", STATE),
    Name("nn.LSTM(8, 16, bidirectional=True)", "f7.CudnnBLSTM(8, 16, 1)", STATE),
    Name("nn.GRU(8, 16)", "f7.CudnnGRU(8, 16, 1)", STATE),
    Name("nn.LSTMCell(8, 16)", "f7.StepLSTM(8, 16)", "takes a table [input, previous output, previous cell]"),
    Name("nn.GRUCell(8, 16)", "f7.StepGRU(8, 16)", "takes a table [input, previous output]"),
    Name("nn.MultiheadAttention(64, 8, batch_first=True)", "f7.MultiHeadAttention(64, 8)", "True in masks: visible"),
    Name("nn.Flatten()", "f7.Flatten()"),
    Name("nn.Unflatten(1, (3, 4))", "f7.View(3, 4)"),
    Name("nn.Identity()", "f7.Identity()"),
    Name("nn.Sequential(nn.Linear(3, 4), nn.Tanh())", "f7.Sequential(f7.Linear(3, 4), f7.Tanh())"),
    Name("nn.ModuleList([nn.Tanh()])", "f7.Sequential(f7.Tanh())", "or a list as a field of an `f7.Composite`"),
    Name("nn.CosineSimilarity()", "f7.CosineDistance()", "takes a table of two inputs"),
    Name("nn.PairwiseDistance(2)", "f7.PairwiseDistance(2)", "takes a table of two inputs"),
]  # fmt: skip

TRANSFERS = [
    Name("nn.ReLU()", "f7.ReLU()"),
    Name("nn.LeakyReLU(0.1)", "f7.LeakyReLU(0.1)"),
    Name("nn.PReLU()", "f7.PReLU()"),
    Name("nn.RReLU()", "f7.RReLU()"),
    Name("nn.ReLU6()", "f7.ReLU6()"),
    Name("nn.ELU()", "f7.ELU()"),
    Name("nn.GELU()", "f7.GELU()"),
    Name("nn.SiLU()", "f7.SiLU()"),
    Name("nn.Mish()", "f7.Mish()"),
    Name("nn.GLU()", "f7.GatedLinearUnit()"),
    Name("nn.Tanh()", "f7.Tanh()"),
    Name("nn.Sigmoid()", "f7.Sigmoid()"),
    Name("nn.LogSigmoid()", "f7.LogSigmoid()"),
    Name("nn.Softplus()", "f7.SoftPlus()"),
    Name("nn.Softsign()", "f7.SoftSign()"),
    Name("nn.Softmin()", "f7.SoftMin()"),
    Name("nn.Softmax(dim=1)", "f7.SoftMax()", "over the features, or the planes of images"),
    Name("nn.Softmax2d()", "f7.SpatialSoftMax()"),
    Name("nn.LogSoftmax(dim=1)", "f7.LogSoftMax()", "over the features, or the planes of images"),
    Name("nn.Hardtanh()", "f7.HardTanh()"),
    Name("nn.Hardshrink()", "f7.HardShrink()"),
    Name("nn.Softshrink()", "f7.SoftShrink()"),
    Name("nn.Tanhshrink()", "f7.TanhShrink()"),
    Name("nn.Threshold(0.1, 0)", "f7.Threshold(0.1, 0)"),
]

LOSSES = [
    Name("nn.CrossEntropyLoss()", "f7.CrossEntropyCriterion()", FROM_1),
    Name("nn.NLLLoss()", "f7.ClassNLLCriterion()", OF_LOGS),
    Name("nn.NLLLoss2d()", "f7.SpatialClassNLLCriterion()", OF_LOGS),
    Name("nn.MSELoss()", "f7.MSECriterion()"),
    Name("nn.L1Loss()", "f7.AbsCriterion()"),
    Name("nn.SmoothL1Loss()", "f7.SmoothL1Criterion()"),
    Name("nn.BCELoss()", "f7.BCECriterion()"),
    Name("nn.KLDivLoss()", "f7.DistKLDivCriterion()"),
    Name("nn.SoftMarginLoss()", "f7.SoftMarginCriterion()"),
    Name("nn.MultiMarginLoss()", "f7.MultiMarginCriterion()", FROM_1),
    Name("nn.MultiLabelMarginLoss()", "f7.MultiLabelMarginCriterion()", FROM_1 + ", 0 ends the list"),
    Name("nn.MultiLabelSoftMarginLoss()", "f7.MultiLabelSoftMarginCriterion()"),
    Name("nn.MarginRankingLoss()", "f7.MarginRankingCriterion()"),
    Name("nn.HingeEmbeddingLoss()", "f7.HingeEmbeddingCriterion()"),
    Name("nn.CosineEmbeddingLoss()", "f7.CosineEmbeddingCriterion()"),
]

TABLES = {"Layers": LAYERS, "Transfer functions": TRANSFERS, "Losses": LOSSES}
KNOWN = {row.name: row for rows in TABLES.values() for row in reversed(rows) if row.name != row.here}
"""The rows by PyTorch's name, if the name here is another."""


def unknown(who: str, name: str, known: Iterable[str], package: str = "f7") -> AttributeError:
    """The error "WHO 'NAME'" for an unknown name, with a guess at the one that is meant.

    `known` are the names that exist; `package` is the prefix that they are written with.
    """
    row = KNOWN.get(name)
    if row is not None:
        more = f" ({row.differs})" if row.differs else ""
        ours = row.ours if package == "f7" else row.in_legacy
        return AttributeError(f"{who} {name!r}: PyTorch's {row.theirs} is {ours} here{more}")
    if name in OF_FLAX:
        return AttributeError(f"{who} {name!r}: here it is {OF_FLAX[name].replace('f7.', f'{package}.')}")
    if name.startswith("_"):  # hasattr in programs asks for these, seldom a user
        return AttributeError(f"{who} {name!r}")
    public = [each for each in known if not each.startswith("_")]
    same = [each for each in public if each.lower() == name.lower().replace("_", "")]
    near = same or difflib.get_close_matches(name, public, 1, 0.75)
    return AttributeError(f"{who} {name!r}" + (f"; did you mean {near[0]}?" if near else ""))
