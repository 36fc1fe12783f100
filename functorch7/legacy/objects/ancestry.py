"""The classes above a module's or criterion's class in Torch; Python's bases follow the implementation instead."""

from __future__ import annotations

from ..engine.user_classes import is_ours
from .described import Described
from .generated import class_of

_MODULE = ("nn.Module",)
_CONTAINER = ("nn.Container", *_MODULE)
_LINEAR = ("nn.Linear", *_MODULE)
_RECURRENT = ("nn.AbstractRecurrent", *_CONTAINER)
_SEQUENCER = ("nn.AbstractSequencer", *_CONTAINER)
_BIDIRECTIONAL = ("nn.BiSequencer", *_SEQUENCER)
_CRITERION = ("nn.Criterion",)
_SQUARES = ("nn.MSECriterion", *_CRITERION)

ABOVE: dict[str, tuple[str, ...]] = {
    "nn.Module": (), "nn.Criterion": (),
    "nn.CReLU": ("nn.Sequential", *_CONTAINER), "nn.Convert": _CONTAINER, "nn.CopyGrad": ("nn.Identity", *_MODULE),
    "nn.GPU": _CONTAINER, "nn.LinearWeightNorm": _LINEAR, "nn.NCEModule": _LINEAR, "nn.SoftMaxForest": _CONTAINER,
    **dict.fromkeys(
        ("nn.SeqGRU", "nn.SeqLSTM", "nn.SpatialContrastiveNormalization", "nn.SpatialConvolutionMM",
         "nn.SpatialFullConvolutionMap", "nn.SpatialLogSoftMax", "nn.SpatialSoftMax", "nn.VolumetricDropout",
         "nn.WeightedEuclidean"), _MODULE,
    ),
    "nn.BiSequencer": _SEQUENCER, "nn.BiSequencerLM": _SEQUENCER, "nn.FastLSTM": ("nn.LSTM", *_RECURRENT),
    "nn.MuFuRu": ("nn.GRU", *_RECURRENT), "nn.SeqBGRU": _BIDIRECTIONAL, "nn.SeqBLSTM": _BIDIRECTIONAL,
    "nn.ClassSimplexCriterion": _SQUARES, "nn.ParallelCriterion": _CRITERION,
    "cudnn.RNN": _MODULE, "nn.SpatialAutoCropMSECriterion": _SQUARES, "nn.WeightedMSECriterion": _SQUARES,
}  # fmt: skip
"""By a class's name, all of Torch's classes above it, where Python's bases are not the same."""

_WITHOUT_DESCRIPTION = {
    "nn.AbstractRecurrent", "nn.AbstractSequencer", "nn.AbstractSequencerCriterion", "nn.Criterion", "nn.Module",
    "nn.Reinforce",
}  # fmt: skip


def names_above(kind: type) -> list[str]:
    """Torch's names of the classes above a module's or criterion's class, the nearest first."""
    found: list[str] = []
    for each in kind.__mro__:
        if not _is_known(each):
            continue
        name = each._class_name()
        if each is not kind:
            found.append(name)
        if name in ABOVE and is_ours(each):
            return [*found, *ABOVE[name]]
    return found


def _is_known(kind: type) -> bool:
    """Whether a class is Torch's or a user's, and not one of the implementation."""
    if not issubclass(kind, Described) or kind is Described:
        return False
    if not is_ours(kind):
        return True
    described = kind.spec_class is not None and class_of(kind.spec_class) is kind
    return described or kind._class_name() in _WITHOUT_DESCRIPTION
