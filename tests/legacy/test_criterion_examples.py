"""The worked examples of the documentation about criterions, and what criterions refuse."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import gradUpdate, same, values

FIVE = [0.5, -1, 2], [1, 1, -1]
PAIR = [[1, 2, 3], [4, 5, 6]]

# criterion, input, target, loss, gradInput (None: the documentation has none)
VALUES = {
    "AbsCriterion": (nn.AbsCriterion(), *FIVE, 1.833333333, [-1 / 3, -1 / 3, 1 / 3]),
    "SmoothL1Criterion": (nn.SmoothL1Criterion(), *FIVE, 1.375, [-1 / 6, -1 / 3, 1 / 3]),
    "MarginCriterion": (nn.MarginCriterion(), *FIVE, 1.833333333, [-1 / 3, -1 / 3, 1 / 3]),
    "SoftMarginCriterion": (nn.SoftMarginCriterion(), *FIVE, 1.304755561, [-0.1258468896, -0.2436861929, 0.293599026]),
    "SoftMarginCriterion(1)": (nn.SoftMarginCriterion(1), [0.7471], [1], np.log1p(np.exp(-0.7471)), None),
    "BCECriterion": (
        nn.BCECriterion(), [0.2, 0.7, 0.9], [0, 1, 1], 0.2283930036, [0.4166666667, -0.4761904762, -0.3703703704],
    ),
    "BCECriterion, weighted": (nn.BCECriterion([1, 2, 3]), [0.2, 0.7, 0.9], [0, 1, 1], 0.4175249954, None),
    "BCECriterion of a column": (nn.BCECriterion([1, 2, 3]), [[0.2], [0.7], [0.9]], [0, 1, 1], 0.41752499, None),
    "DistKLDivCriterion": (
        nn.DistKLDivCriterion(), np.log([0.2, 0.3, 0.5]), [0.1, 0, 0.9], 0.1532310935, [-0.1 / 3, 0, -0.3],
    ),
    "MultiLabelSoftMarginCriterion": (
        nn.MultiLabelSoftMarginCriterion(), [0.5, -1, 2], [1, 0, 1], 0.3047555609,
        [-0.1258468896, 0.08964714046, -0.03973430734],
    ),
    "MultiMarginCriterion": (nn.MultiMarginCriterion(), [0.1, 0.2, 0.4, 0.8], 4, 0.325, [0.25, 0.25, 0.25, -0.75]),
    "MultiMarginCriterion(2)": (nn.MultiMarginCriterion(2), [0.1, 0.2, 0.4, 0.8], 4, 0.1525, [0.15, 0.2, 0.3, -0.65]),
    "MultiMarginCriterion, weighted": (
        nn.MultiMarginCriterion(2, [1, 1, 1, 3]), [0.1, 0.2, 0.4, 0.8], 4, 0.4575, None,
    ),
    "MultiLabelMarginCriterion": (
        nn.MultiLabelMarginCriterion(), [[0.1, 0.2, 0.4, 0.8]] * 2, [[1, 3, 0, 0], [4, 0, 0, 0]], 0.7875, None,
    ),
    "HingeEmbeddingCriterion": (
        nn.HingeEmbeddingCriterion(1), [0.3, 1.5, 0.2, 2], [1, 1, -1, -1], 0.65, [0.25, 0.25, -0.25, 0],
    ),
    "L1HingeEmbeddingCriterion": (
        nn.L1HingeEmbeddingCriterion(2), [[1, 2, 3], [1.5, 1.5, 2.8]], 1, 1.2, [[-1, 1, 1], [1, -1, -1]],
    ),
    "L1HingeEmbeddingCriterion, -1": (
        nn.L1HingeEmbeddingCriterion(2), [[1, 2, 3], [1.5, 1.5, 2.8]], -1, 0.8, [[1, -1, -1], [-1, 1, 1]],
    ),
    "CosineEmbeddingCriterion": (nn.CosineEmbeddingCriterion(0.5), PAIR, 1, 0.0253681538, None),
    "CosineEmbeddingCriterion, -1": (nn.CosineEmbeddingCriterion(0.5), PAIR, -1, 0.4746318462, None),
    "MarginRankingCriterion": (nn.MarginRankingCriterion(0.1), [[0.4], [0.7]], 1, 0.4, [[-1], [1]]),
    "MarginRankingCriterion of a batch": (
        nn.MarginRankingCriterion(0.1), [[0.4, 0.9], [0.7, 0.1]], [1, 1], 0.2, [[-0.5, 0], [0.5, 0]],
    ),
    "DistanceRatioCriterion": (
        nn.DistanceRatioCriterion(True), [[0.5, 1], [1.5, 0.2]], None, 0.7421811767,
        [[0.1344707107, 0.3449872406], [-0.1344707107, -0.3449872406]],
    ),
    "ClassSimplexCriterion": (nn.ClassSimplexCriterion(3), [1, 0, 0], 1, 0, [0, 0, 0]),
    "ClassSimplexCriterion, class 2": (nn.ClassSimplexCriterion(3), [1, 0, 0], 2, 1, None),
    "L1Cost": (nn.L1Cost(), [1, -2, 0], None, 3, [1, -1, 0]),
    "WeightedMSECriterion": (nn.WeightedMSECriterion([1, 2]), [1, 1], [1, 1], 0.5, [0, -1]),
}  # fmt: skip


@pytest.mark.parametrize("criterion, input, target, loss, gradient", VALUES.values(), ids=VALUES)
def test_loss_and_gradient(criterion, input, target, loss, gradient):
    criterion = criterion.clone().double()
    assert criterion.forward(input, target) == pytest.approx(loss, rel=1e-5, abs=1e-9)
    if gradient is not None:
        same(criterion.backward(input, target), gradient, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("make, total", [(nn.AbsCriterion, 5.5), (nn.SmoothL1Criterion, 4.125)])
def test_sums_instead_of_means(make, total):
    criterion = make()
    criterion.forward(*FIVE)
    criterion.sizeAverage = False
    assert criterion.forward(*FIVE) == pytest.approx(total)


def test_auto_crop():
    target, input = np.arange(1.0, 26).reshape(1, 5, 5), [[[1, 2], [3, 4]]]
    c = nn.SpatialAutoCropMSECriterion()
    assert c.forward(input, target) == pytest.approx(58.5)
    same(c.backward(input, target), [[[-3, -3], [-4.5, -4.5]]])
    same(c.backward(input, target[:, 1:3, 1:3]), [[[-3, -3], [-4.5, -4.5]]])
    c.sizeAverage = False
    assert c.forward(input, target) == pytest.approx(234)


def test_class_simplex():
    c = nn.ClassSimplexCriterion(3)
    same(c.simplex, [[1, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]])
    same(c.getTopPrediction([0.1, 0.9, 0]), [2])
    same(c.getPredictions([[1, 0, 0], [0, 1, 0]]), np.asarray(c.simplex)[:, :2].T, rtol=1e-6)
    many = np.asarray(nn.ClassSimplexCriterion(7).simplex)
    same(many @ many.T, np.eye(7) * 7 / 6 - 1 / 6, atol=1e-6)


def test_learning_a_simplex():
    mlp = nn.Sequential().add(nn.Linear(10, 20)).add(nn.ReLU()).add(nn.Linear(20, 5)).add(nn.Normalize(2))
    criterion, x, y = nn.ClassSimplexCriterion(5), torch.randn(8, 10), [1, 2, 3, 4, 5, 1, 2, 3]
    losses = [gradUpdate(mlp, x, y, criterion, 1.0) for _ in range(200)]
    assert losses[-1] < 0.2 * losses[0]
    same(criterion.getTopPrediction(mlp.forward(x)), y)


@pytest.mark.parametrize("criterion, margin", [(nn.MarginCriterion(1), 0.99), (nn.SoftMarginCriterion(1), 0)])
def test_learning_a_margin(criterion, margin):
    mlp = nn.Sequential().add(nn.Linear(5, 1))
    x1, x2 = torch.rand(5), torch.rand(5)
    for _ in range(500):
        gradUpdate(mlp, x1, [1], criterion, 0.05)
        gradUpdate(mlp, x2, [-1], criterion, 0.05)
    assert mlp.forward(x1)[1] > margin and mlp.forward(x2)[1] < -margin


def test_similarities_for_a_margin():
    mlp = nn.Sequential().add(nn.Euclidean(4, 3)).add(nn.MulConstant(-1))
    for x, y in [(torch.randn(4), 2), (torch.randn(5, 4), [1, 2, 3, 1, 2])]:
        assert gradUpdate(mlp, x, y, nn.MultiMarginCriterion(), 0.1) > 0


@pytest.mark.parametrize("integers", [torch.IntTensor, torch.LongTensor, torch.ByteTensor])
def test_multi_criterion(integers):
    input, target = torch.rand(2, 10), integers([1, 8])
    nll, nll2 = nn.ClassNLLCriterion(), nn.CrossEntropyCriterion()
    mc = nn.MultiCriterion().add(nll, 0.5).add(nll2)
    assert mc.forward(input, target) == pytest.approx(0.5 * nll.forward(input, target) + nll2.forward(input, target))
    expected = 0.5 * np.asarray(nll.backward(input, target)) + np.asarray(nll2.backward(input, target))
    same(mc.backward(input, target), expected, rtol=1e-5)
    nll.sizeAverage = False
    assert mc.forward(input, target) == pytest.approx(0.5 * nll.forward(input, target) + nll2.forward(input, target))
    assert nn.MultiCriterion().forward(input, target) == 0


def test_parallel_criterion():
    input = [torch.rand(2, 10), torch.randn(2, 10), torch.randn(3)]
    target = [torch.IntTensor([1, 8]), torch.randn(2, 10)]
    nll, mse = nn.ClassNLLCriterion(), nn.MSECriterion()
    pc = nn.ParallelCriterion().add(nll, 0.5).add(mse)
    parts = [nll.forward(input[0], target[0]), mse.forward(input[1], target[1])]
    assert pc.forward(input, target) == pytest.approx(0.5 * parts[0] + parts[1])
    gradients = pc.backward(input, target)
    same(gradients[0], 0.5 * np.asarray(nll.backward(input[0], target[0])), rtol=1e-5)
    same(gradients[1], mse.backward(input[1], target[1]), rtol=1e-5)
    same(gradients[2], np.zeros(3))
    repeated = nn.ParallelCriterion(True).add(nn.MSECriterion()).add(nn.AbsCriterion())
    assert repeated.forward([[1, 2], [3, 4]], [1, 1]) == pytest.approx(0.5 + 2.5)


def test_module_criterion():
    inputModule = nn.Linear(3, 2).double()
    with pytest.warns(UserWarning, match="doesn't support parameter updates"):
        c = nn.ModuleCriterion(nn.MSECriterion(), inputModule, nn.Square()).double()
    x, y = values(4, 3), values(4, 2)
    plain = nn.MSECriterion().double()
    assert c.forward(x, y) == pytest.approx(plain.forward(inputModule.forward(x), y**2))
    inputModule.zeroGradParameters()
    slope = np.asarray(plain.backward(inputModule.forward(x), y**2))
    same(c.backward(x, y), slope @ np.asarray(inputModule.weight))
    same(inputModule.gradWeight, slope.T @ x)


def test_hinge_embedding_of_siamese_networks():
    p1, p2 = (nn.Sequential().add(nn.Linear(5, 2)) for _ in range(2))
    p2.get(1).weight.set(p1.get(1).weight.fill(0.1))
    p2.get(1).bias.set(p1.get(1).bias)
    mlp = nn.Sequential().add(nn.ParallelTable().add(p1).add(p2)).add(nn.PairwiseDistance(1))
    crit, given = nn.HingeEmbeddingCriterion(1), [torch.ones(5), torch.ones(5) * 0.5]  # at a distance of 0.5

    def distances(target):
        found = []
        for _ in range(10):
            gradUpdate(mlp, given, target, crit, 0.01)
            found.append(mlp.forward(given)[1])
        return np.diff(found)

    assert (distances(1) < 0).all()
    assert (distances(-1) > 0).all()


def test_distance_ratio_of_an_embedding():
    embedding = nn.Sequential().add(nn.Linear(12, 6)).add(nn.ReLU())
    triple = nn.ParallelTable().add(embedding)
    for _ in range(2):
        triple.add(embedding.clone("weight", "bias", "gradWeight", "gradBias"))
    pair = nn.ConcatTable()
    for offset in (1, 2):
        pair.add(nn.Sequential().add(nn.NarrowTable(offset, 2)).add(nn.PairwiseDistance()))
    model, criterion = nn.Sequential().add(triple).add(pair), nn.DistanceRatioCriterion(True)
    sample = [torch.rand(8, 12) for _ in range(3)]
    out = model.forward(sample)
    assert [t.size() for t in out] == [[8], [8]]
    assert criterion.forward(out) == pytest.approx(np.log(2), abs=0.3)
    model.zeroGradParameters()
    model.backward(sample, criterion.backward(out))
    assert np.abs(embedding.get(1).gradWeight).max() > 0


# Errors and extremes -------------------------------------------------------------------------------------------------

REFUSED = {
    "counts": (nn.AbsCriterion(), [1, 2, 3], [1, 2], "expected a target of 3 elements, as the input"),
    "shapes": (nn.DistKLDivCriterion(), values(2, 3), values(3, 2), r"a target of the input's shape \(2, 3\)"),
    "no probabilities": (nn.BCECriterion(), [0.5, 1.5], [1, 0], "input value should be between 0~1, but got 1.5"),
    "weights": (nn.BCECriterion([1, 2]), [0.5, 0.5, 0.5], [1, 0, 1], "weights for 2 elements or columns"),
    "class 0": (nn.MultiMarginCriterion(), [1, 2, 3], 0, "classes count from 1 to 3"),
    "class too large": (nn.ClassSimplexCriterion(3), [1, 2, 3], 4, "classes count from 1 to 3"),
    "class weights": (nn.MultiMarginCriterion(1, [1, 2]), [1, 2, 3], 1, "a weight for each of the 3 classes"),
    "negative label": (nn.MultiLabelMarginCriterion(), [1, 2, 3], [-1, 0, 0], "target out of range, expected 0 to 3"),
    "labels' shape": (nn.MultiLabelMarginCriterion(), [1, 2, 3], [1, 0], "scores and targets of one shape"),
    "pixels": (nn.SpatialClassNLLCriterion(), values(2, 3), [1, 2], "expected a batch of images"),
    "pixels' target": (nn.SpatialClassNLLCriterion(), values(1, 2, 2, 2), [1, 2], r"target of shape \(1, 2, 2\)"),
    "smaller target": (nn.SpatialAutoCropMSECriterion(), values(1, 3, 3), values(1, 2, 4), "no smaller than 3 x 3"),
    "no pair": (nn.CosineEmbeddingCriterion(), values(3), 1, "a table of two tensors of one shape"),
    "two targets": (nn.L1HingeEmbeddingCriterion(), PAIR, [1, -1], "one number as target"),
    "few inputs": (nn.ParallelCriterion().add(nn.MSECriterion()), [], [], "a table of at least 1 inputs"),
}  # fmt: skip


@pytest.mark.parametrize("criterion, input, target, message", REFUSED.values(), ids=REFUSED)
def test_refused(criterion, input, target, message):
    with pytest.raises(ValueError, match=rf"^{criterion.typename()}.*{message}"):
        criterion.forward(input, target)


def test_impossible_criterions():
    for make, error, message in [
        (lambda: nn.ClassSimplexCriterion(1), ValueError, "nClasses > 1, got 1"),
        (lambda: nn.MultiMarginCriterion(3), ValueError, "only p=1 and p=2 supported, got 3"),
        (lambda: nn.BCECriterion([[1, 2]]), ValueError, "weights with 1 dimension"),
        (lambda: nn.CrossEntropyCriterion([[1, 2]]), ValueError, "nn.CrossEntropyCriterion: expected weights with 1"),
        (lambda: nn.SpatialClassNLLCriterion([[1, 2]]), ValueError, "nn.SpatialClassNLLCriterion: expected weights"),
        (lambda: nn.MultiCriterion().add(nn.Linear(1, 1)), TypeError, "no criterion provided"),
    ]:
        with pytest.raises(error, match=message):
            make()


@pytest.mark.parametrize("criterion, input, target", [
    (nn.BCECriterion(), [0, 1, 0, 1], [0, 1, 1, 0]),
    (nn.SoftMarginCriterion(), [-1e4, 1e4], [1, -1]),
    (nn.MultiLabelSoftMarginCriterion(), [-1e4, 1e4], [1, 0]),
    (nn.BinaryLogisticRegression(), [-1e4, 1e4], [1, -1]),
    (nn.DistanceRatioCriterion(), [[1e4, 0], [0, 1e4]], None),
    (nn.CosineEmbeddingCriterion(), [[0, 0], [0, 0]], 1),
    (nn.L1HingeEmbeddingCriterion(), [[1, 2], [1, 2]], -1),
])  # fmt: skip
def test_extremes_are_finite(criterion, input, target):
    assert np.isfinite(criterion.forward(input, target))
    for gradient in np.asarray(criterion.backward(input, target)):
        assert np.isfinite(gradient).all()


def test_a_target_of_0_has_no_sign_and_no_gradient():
    """log(1 + exp(-y x)) is log 2 for y = 0."""
    scores, target = [0.5, -2.0], [0, 1]
    criterion, images = nn.BinaryLogisticRegression(), nn.SpatialBinaryLogisticRegression()
    wanted = (np.log(2) + np.log1p(np.exp(2))) / 2
    assert abs(criterion.forward(torch.Tensor(scores), torch.Tensor(target)) - wanted) < 1e-6
    same(criterion.backward(torch.Tensor(scores), torch.Tensor(target)), [0, -1 / (1 + np.exp(-2)) / 2], rtol=1e-6)
    image, classes = torch.Tensor([[scores]]), torch.Tensor([[target]])
    assert abs(images.forward(image, classes) - wanted / 2) < 1e-6


@pytest.mark.parametrize("kind", [nn.ClassNLLCriterion, nn.MultiMarginCriterion])
def test_of_several_classes_one_example_has_the_first(kind):
    of = (1, [1, 3, 2]) if kind is nn.MultiMarginCriterion else ([1, 3, 2],)
    criterion, scores, several = kind(*of), torch.Tensor([-1, -2, -3]), torch.LongTensor([2, 9])
    loss, gradient = criterion.forward(scores, 2), criterion.backward(scores, 2).clone()
    assert criterion.forward(scores, several) == loss == 2  # 3 * 2 / 3, and 3 * max(0, 1 + 2 - 1) / 3
    same(criterion.backward(scores, several), gradient)
    with pytest.raises(ValueError, match="1 classes in one dimension"):
        criterion.forward(scores, torch.LongTensor(0))


def test_the_total_weight_is_that_of_the_classes_that_count():
    criterion = nn.ClassNLLCriterion([1, 3, 2])
    criterion.forward(torch.Tensor([-1, -2, -3]), torch.LongTensor([2, 1]))
    same(criterion.total_weight_tensor, [3])
