"""One row for every criterion, with an input and a target: what the generic checks run."""

import numpy as np
from cases import SIGNS, p, x

import functorch7 as f7

CRITERIONS = [
    (f7.MSECriterion(), x(2, 3), x(2, 3)),
    (f7.MSECriterion(size_average=False), x(4), x(4)),
    (f7.ClassNLLCriterion(), np.log(p(3, 4)), np.array([1, 4, 2])),
    (f7.ClassNLLCriterion([1.0, 2.0, 0.5, 1.0], False, 2), np.log(p(3, 4)), np.array([1, 4, 2])),
    (f7.CrossEntropyCriterion(), x(3, 4), np.array([1, 4, 2])),
    (f7.CrossEntropyCriterion([1.0, 2.0, 0.5, 1.0]), x(3, 4), np.array([1, 4, 2])),
    (f7.VRClassReward(0.5), [x(3, 4), x(3)], np.array([1, 4, 2])),
    (f7.BinaryClassReward(0.5, size_average=False), [p(3), x(3, 1)], np.array([1, 0, 1])),
    (f7.AbsCriterion(), x(2, 3), x(2, 3)),
    (f7.SmoothL1Criterion(False), 2 * x(2, 3), x(2, 3)),
    (f7.DistKLDivCriterion(), np.log(p(2, 3)), np.float32([[0.2, 0, 0.8], [0.5, 0.5, 0]])),
    (f7.WeightedMSECriterion(p(3)), x(2, 3), x(2, 3)),
    (f7.SpatialAutoCropMSECriterion(), x(2, 2, 2, 3), x(2, 2, 3, 5)),
    (f7.L1Cost(), x(2, 3), None),
    (f7.BCECriterion(p(3)), p(2, 3), np.float32([[1, 0, 0.5], [0, 0, 1]])),
    (f7.MarginCriterion(0.5), x(2, 3), SIGNS),
    (f7.SoftMarginCriterion(), x(2, 3), SIGNS),
    (f7.MultiLabelSoftMarginCriterion(p(3)), x(2, 3), (SIGNS > 0).astype(np.float32)),
    (f7.BinaryLogisticRegression(), x(3), SIGNS[0]),
    (f7.SpatialBinaryLogisticRegression(), x(2, 1, 1, 3), SIGNS.reshape(2, 1, 1, 3)),
    (f7.HingeEmbeddingCriterion(1), x(2, 3), SIGNS),
    (f7.L1HingeEmbeddingCriterion(9), [x(3), x(3)], np.float32(-1)),
    (f7.CosineEmbeddingCriterion(-0.9), [x(3, 4), x(3, 4)], SIGNS[0]),
    (f7.DistanceRatioCriterion(), [x(3), x(3)], None),
    (f7.MarginRankingCriterion(0.3), [x(3), x(3)], SIGNS[0]),
    (f7.SpatialClassNLLCriterion(p(3)), np.log(p(2, 3, 1, 2)), np.array([[[1, 3]], [[2, 2]]])),
    (f7.MultiMarginCriterion(2, p(4), 0.7), x(3, 4), np.array([1, 4, 2])),
    (f7.MultiLabelMarginCriterion(), x(2, 3), np.array([[3, 1, 0], [2, 0, 1]])),
    (f7.ClassSimplexCriterion(4), x(3, 4), np.array([1, 4, 2])),
    (f7.MultiCriterion().add(f7.MSECriterion()).add(f7.AbsCriterion(), 0.5), x(2, 3), x(2, 3)),
    (
        f7.ParallelCriterion().add(f7.MSECriterion()).add(f7.MarginCriterion(), 2),
        [x(2, 3), x(2, 3)],
        [x(2, 3), SIGNS],
    ),
    (f7.ParallelCriterion(True).add(f7.MSECriterion()).add(f7.AbsCriterion()), [x(3), x(3)], x(3)),
    (f7.ModuleCriterion(f7.MSECriterion(), f7.Tanh(), f7.Square()), x(2, 3), x(2, 3)),
    (f7.SequencerCriterion(f7.MSECriterion()), x(4, 2, 3), x(4, 2, 3)),
    (
        f7.SequencerCriterion(f7.ClassNLLCriterion(), True),
        [np.log(p(2, 4)), np.log(p(1, 4))],
        [np.array([1, 2]), np.array([4])],
    ),
    (f7.RepeaterCriterion(f7.AbsCriterion()), [x(2, 3), x(2, 3)], x(2, 3)),
    (f7.TreeNLLCriterion(), np.log(p(3)), None),
    (f7.NCECriterion(), [p(3), p(3, 2), p(3), p(3, 2)], None),
    (f7.NCECriterion(False), [p(3), p(3, 2), p(3), p(3, 2)], np.array([1, 4, 2])),
    (f7.MaskZeroCriterion(f7.ClassNLLCriterion(), 1), np.log(p(3, 4)), np.array([1, 4, 2])),
    (f7.CTCCriterion(True), x(2, 4, 3), [np.array([[2, 2], [1, 0]]), np.array([4, 2])]),
    (f7.MaskZeroCriterion(f7.MSECriterion(), 1), x(3, 4), x(3, 4)),
]
