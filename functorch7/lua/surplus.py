"""How many arguments Torch's constructors take, if functorch7's take more: Lua drops the others."""

from __future__ import annotations

TAKEN = {
    "Add": 2, "CategoricalEntropy": 2, "Clamp": 2, "ClassSimplexCriterion": 1, "Concat": 1, "ConcatTable": 0,
    "Container": 0, "Convert": 2, "CosineEmbeddingCriterion": 1, "CrossEntropyCriterion": 2, "DepthConcat": 1,
    "DistKLDivCriterion": 0, "HingeEmbeddingCriterion": 1, "LinearNoBias": 2, "LookupTable": 5, "MarginCriterion": 1,
    "MarginRankingCriterion": 1, "MaskedSelect": 0, "MultiCriterion": 0, "MultiLabelMarginCriterion": 0,
    "MultiMarginCriterion": 3, "NCECriterion": 0, "NCEModule": 5, "Parallel": 2, "ParallelCriterion": 1,
    "ParallelTable": 0, "PartialLinear": 3, "Profile": 3, "RepeaterCriterion": 1, "Sequential": 0,
    "SoftMarginCriterion": 0, "SoftPlus": 1, "SparseLinear": 3, "SpatialAveragePooling": 6,
    "SpatialBinaryConvolution": 8, "SpatialBinaryLogisticRegression": 0, "SpatialFractionalMaxPooling": 4,
    "SpatialFullConvolution": 10, "SpatialGlimpse": 3, "TemporalRowConvolution": 4, "VolumetricFractionalMaxPooling": 6,
    "VolumetricFullConvolution": 14, "WeightedMSECriterion": 1,
}  # fmt: skip
"""By the class's name in nn."""


def taken(kind: object) -> int | None:
    """How many arguments a class's constructor takes in Torch, if fewer than here; for a program's class, that of the
    class above.
    """
    if not isinstance(kind, type) or not hasattr(kind, "spec_class"):
        return None
    ours = next(base for base in kind.__mro__ if base.__module__.startswith("functorch7.legacy"))
    return TAKEN.get(ours.__name__)
