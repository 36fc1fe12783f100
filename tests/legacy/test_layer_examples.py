"""The worked examples of the documentation about layers and criterions, as written there."""

from functools import partial

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import gradUpdate, same, values

SIXTEEN = torch.range(1, 16).view(4, 4)
ROWS = np.arange(1, 17)


# Simple layers -------------------------------------------------------------------------------------------------------


def test_linear():
    module = nn.Linear(10, 5)
    mlp = nn.Sequential()
    mlp.add(module)
    sizes = [t.size() for t in (module.weight, module.bias, module.gradWeight, module.gradBias)]
    assert sizes == [[5, 10], [5], [5, 10], [5]]
    x = torch.randn(10)
    same(mlp.forward(x), np.asarray(module.weight) @ np.asarray(x) + np.asarray(module.bias), rtol=1e-5)


X = torch.Tensor([[1, 2, 3, 4], [5, 6, 7, 8]])


def is_dropped(y):
    return bool(np.all((np.asarray(y) == 0) | (np.asarray(y) == 2 * np.asarray(X))))


def test_dropout():
    module = nn.Dropout()
    y = np.array(module.forward(X))
    assert is_dropped(y)
    same(module.backward(X, X.clone().fill(1)), 2.0 * (y != 0))
    drawn = {np.array(module.forward(X)).tobytes() for _ in range(8)}
    assert len(drawn) > 1
    module.evaluate()
    same(module.forward(X), X)
    module.training()
    assert len({np.array(module.forward(X)).tobytes() for _ in range(8)}) > 1


def test_dropout_with_stochastic_evaluation():
    m = nn.Dropout(None, None, None, True)
    m.evaluate()
    drawn = [np.array(m.forward(X)) for _ in range(8)]
    assert all(map(is_dropped, drawn))
    assert len({y.tobytes() for y in drawn}) > 1


def test_linear_of_a_sparse_tensor():
    module = nn.SparseLinear(10000, 2)
    x = torch.Tensor([[1, 0.1], [2, 0.3], [10, 0.3], [31, 0.2]])
    weight, dense = np.asarray(module.weight), np.zeros(10000)
    dense[[0, 1, 9, 30]] = [0.1, 0.3, 0.3, 0.2]
    same(module.forward(x), weight @ dense + np.asarray(module.bias), rtol=1e-5)


def test_bilinear():
    assert nn.Bilinear(10, 5, 3).forward([torch.randn(128, 10), torch.randn(128, 5)]).size() == [128, 3]
    m = nn.Bilinear(2, 2, 2)
    m.weight.copy([[[1, 2], [3, 4]], [[0, 1], [1, 0]]])
    m.bias.copy([0.5, -0.5])
    same(m.forward([[[1, 2]], [[3, 4]]]), [[61.5, 9.5]])


def test_partial_linear():
    module, x = nn.PartialLinear(5, 3), torch.randn(128, 5)
    full = np.array(module.forward(x))
    assert full.shape == (128, 3)
    module.setPartition(torch.Tensor([1, 3]))
    same(module.forward(x), full[:, [0, 2]], rtol=1e-5)
    module.resetPartition()
    same(module.forward(x), full, rtol=1e-5)


def learnt(module, target, x):
    """The module's parameter after learning x -> target(x), in 1,000 steps (the documentation: 10,000 at 0.01)."""
    mlp, criterion = nn.Sequential().add(module), nn.MSECriterion()
    for _ in range(1000):
        given = x()
        gradUpdate(mlp, given, target(given), criterion, 0.1)
    return np.asarray(mlp.parameters()[0][0])


COUNT = np.arange(1, 6)
ROW_NUMBERS = np.repeat(COUNT[:, None], 4, 1)


@pytest.mark.parametrize(
    "module, target, sizes, expected",
    [
        (nn.Add(5), lambda x: x + COUNT, [5], COUNT),
        (nn.CAdd(5, 1), lambda x: x + ROW_NUMBERS, [5, 4], COUNT[:, None]),
        (nn.Mul(), lambda x: np.pi * x, [5], [np.pi]),
        (nn.CMul(5, 1), lambda x: x * ROW_NUMBERS, [5, 4], COUNT[:, None]),
    ],
    ids=["Add", "CAdd", "Mul", "CMul"],
)
def test_layers_learn_their_numbers(module, target, sizes, expected):
    found = learnt(module.clone().double(), target, partial(np.random.default_rng(0).uniform, size=sizes))
    same(found, expected, atol=1e-3)


def test_add_to_a_batch():
    m = nn.Add(3)
    m.bias.copy([1, 2, 3])
    same(m.forward([[0, 0, 0], [1, 1, 1]]), [[1, 2, 3], [2, 3, 4]])


def test_narrow():
    x = values(4, 5)
    same(nn.Narrow(1, 2, 3).forward(x), x[1:4])
    same(nn.Narrow(1, 2, -1).forward(x), x[1:4])
    same(nn.Narrow(1, 2, 2).forward(x), x[1:3])
    same(nn.Narrow(1, 2, -2).forward(x), x[1:3])
    same(nn.Narrow(2, 2, 3).forward(x), x[:, 1:4])
    same(nn.Narrow(2, 2, -2).forward(x), x[:, 1:4])


def test_replicate():
    x, m = torch.linspace(1, 5, 5), nn.Replicate(3)
    same(m.forward(x), [[1, 2, 3, 4, 5]] * 3)
    x.fill(13)
    same(m.forward(x), np.full((3, 5), 13))


def test_select():
    x = torch.randn(10, 5)
    same(nn.Sequential().add(nn.Select(1, 3)).forward(x), np.asarray(x)[2])


def test_parallel_out_of_concat_and_select():
    c = nn.Concat(2)
    for i in range(1, 11):
        c.add(nn.Sequential().add(nn.Select(1, i)).add(nn.Linear(3, 2)).add(nn.Reshape(2, 1)))
    mlp = nn.Sequential().add(c)
    assert mlp.forward(torch.randn(10, 3)).size() == [2, 10]
    criterion, y = nn.MSECriterion(), torch.ones(2, 10)
    errors = [gradUpdate(mlp, torch.randn(10, 3), y, criterion, 0.05) for _ in range(300)]
    assert np.mean(errors[-20:]) < 0.5 * np.mean(errors[:20])


def test_index():
    t = values(4, 2)
    same(nn.Index(1).forward([t, torch.LongTensor([3, 1])]), t[[2, 0]])


def test_squeeze_and_unsqueeze():
    t = values(2, 1, 2, 1, 2)
    same(nn.Squeeze().forward(t), t.squeeze())
    sizes = {1: [1, 2, 4, 3], 4: [2, 4, 3, 1], 2: [2, 1, 4, 3]}
    for pos, size in sizes.items():
        assert nn.Unsqueeze(pos).forward(torch.Tensor(2, 4, 3)).size() == size
    assert nn.Unsqueeze(2).forward(torch.Tensor(3, 5, 7)).size() == [3, 1, 5, 7]
    assert nn.Unsqueeze(4, 3).forward(torch.Tensor(5, 2, 4, 3)).size() == [5, 2, 4, 3, 1]
    assert nn.Unsqueeze(2).setNumInputDims(3).forward(torch.Tensor(5, 2, 4, 3)).size() == [5, 2, 1, 4, 3]


def test_transpose():
    t = values(2, 3, 4)
    same(nn.Transpose([1, 2], [1, 3]).forward(t), t.swapaxes(0, 1).swapaxes(0, 2))


def test_normalize():
    A = values(3, 5)
    same(np.linalg.norm(nn.Normalize(2).forward(A), axis=1), np.ones(3))
    same(nn.Normalize(np.inf).forward(A), A / np.abs(A).max(1, keepdims=True))
    same(nn.Normalize(2).forward([3, 4]), [0.6, 0.8])
    same(nn.Normalize(1).forward([3, -1]), [0.75, -0.25])
    same(nn.Normalize(np.inf).forward([2, -4]), [0.5, -1])


def test_mm():
    assert nn.MM().forward([torch.randn(2, 3, 4), torch.randn(2, 4, 5)]).size() == [2, 3, 5]
    assert nn.MM(True, False).forward([torch.randn(2, 4, 3), torch.randn(2, 4, 5)]).size() == [2, 3, 5]


def test_padding():
    row = [0.2008, 0.4848, -1.0783]
    same(nn.Padding(1, 2, 1, -1).forward(row), [*row, -1, -1])
    rows = np.array([[1.0203, 0.2704, -1.6164], [-0.2219, -0.6529, -1.9218]])
    same(nn.Padding(1, -2, 1, -1).forward(rows), [[-1, -1, *rows[0]], [-1, -1, *rows[1]]])
    inside = [[row[0], -1, -1, *row[1:]] for row in rows]
    same(nn.Padding(1, -2, 1, -1, 2).forward(rows), inside)


def test_pixel_shuffle():
    convolutions = [(1, 8, 5, 5, 1, 1, 2, 2), (8, 4, 3, 3, 1, 1, 1, 1), (4, 9, 3, 3, 1, 1, 1, 1)]
    model = nn.Sequential()
    for sizes in convolutions[:2]:
        model.add(nn.SpatialConvolution(*sizes)).add(nn.ReLU())
    model.add(nn.SpatialConvolution(*convolutions[2])).add(nn.PixelShuffle(3))
    assert model.forward(torch.Tensor(1, 19, 25)).size() == [1, 57, 75]
    expected = [[[1, 3, 2, 4], [5, 7, 6, 8]]]
    same(nn.PixelShuffle(2).forward([[[1, 2]], [[3, 4]], [[5, 6]], [[7, 8]]]), expected)


def test_one_hot():
    same(nn.OneHot(4).forward(torch.LongTensor([1, 2, 3, 4])), np.eye(4))


def test_zero_grad():
    module = nn.ZeroGrad()
    same(module.forward([1, 2]), [1, 2])
    same(module.backward([1, 2], [3, 4]), [0, 0])


def test_sum_and_max():
    x = [[1, 2, 3], [4, 5, 6]]
    arguments = {(1,): [5, 7, 9], (2,): [6, 15], (-1,): [6, 15], (1, 1): [6, 15], (1, 1, True): [2, 5]}
    for given, expected in arguments.items():
        same(nn.Sum(*given).forward(x), expected)
    assert nn.Max(2).forward(torch.randn(2, 3, 4)).size() == [2, 4]
    assert nn.Max(2, 3).forward(torch.randn(5, 2, 3, 4)).size() == [5, 2, 4]


def test_distances():
    m = nn.Cosine(2, 2)
    m.weight.copy([[1, 0], [1, 1]])
    same(m.forward([3, 4]), [0.6, 0.9899494937])
    m = nn.Euclidean(2, 3)
    m.weight.copy([[0, 3, 1], [0, 4, 1]])
    same(m.forward([[0, 0], [1, 1]])[2], [2**0.5, 13**0.5, 0])
    same(m.forward([0, 0]), [0, 5, 2**0.5])
    m.backward([0, 0], [1, 1, 1])
    assert np.isfinite(m.gradInput).all() and np.isfinite(m.gradWeight).all()
    m = nn.WeightedEuclidean(2, 1)
    m.weight.copy([[3], [4]])
    m.diagCov.copy([[2], [0.5]])
    same(m.forward([0, 0]), [6.32455532])


def test_temporal_dynamic_k_max_pooling():
    m = nn.TemporalDynamicKMaxPooling(2)
    x = [[1, 9], [5, 2], [3, 4]]
    same(m.forward(x), [[5, 9], [3, 4]])
    same(m.backward(x, [[10, 20], [30, 40]]), [[0, 20], [10, 0], [30, 40]])
    assert nn.TemporalDynamicKMaxPooling(1, 0.5).forward(torch.randn(5, 2)).size(1) == 3


def test_clamp():
    A = [[-1.1321, 0.0227, -0.4672, 0.6519, -0.5380], [0.9061, -1.0858, 0.3697, -0.8120, -1.6759]]
    same(nn.Clamp(-0.1, 0.5).forward(A), [[-0.1, 0.0227, -0.1, 0.5, -0.1], [0.5, -0.1, 0.3697, -0.1, -0.1]])


def test_bottle():
    mlp, x = nn.Bottle(nn.Linear(10, 2)), torch.randn(4, 5, 3, 10)
    y = np.asarray(mlp.forward(x))
    assert y.shape == (4, 5, 3, 2)
    same(y[1, 2, 0], mlp.get(1).forward(np.asarray(x)[1, 2, 0]), rtol=1e-5)


def test_depth_concat():
    mlp = nn.DepthConcat(1)
    for size in (1, 3, 4):
        mlp.add(nn.SpatialConvolution(3, 2, size, size))
    y = np.asarray(mlp.forward(torch.randn(3, 7, 7)))
    assert y.shape == (6, 7, 7)
    filled = [(y[planes] != 0).any(0) for planes in (slice(0, 2), slice(2, 4), slice(4, 6))]
    for full, (first, last) in zip(filled, [(0, 7), (1, 6), (1, 5)], strict=True):
        expected = np.zeros((7, 7), bool)
        expected[first:last, first:last] = True
        assert (full == expected).all()


def test_identity():
    y = nn.Identity().forward(torch.ones(5, 2))
    assert y.size() == [5, 2]
    same(y, np.ones((5, 2)))


def test_reshape():
    same(nn.Reshape(2, 8).forward(SIXTEEN), ROWS.reshape(2, 8))
    same(nn.Reshape(8, 2).forward(SIXTEEN), ROWS.reshape(8, 2))
    same(nn.Reshape(16).forward(SIXTEEN), ROWS)
    y = torch.Tensor(1, 4).fill(0)
    assert nn.Reshape(4).forward(y).size() == [1, 4]
    assert nn.Reshape(4, False).forward(y).size() == [4]


def test_view():
    same(nn.View(2, 8).forward(SIXTEEN), ROWS.reshape(2, 8))
    same(nn.View(torch.LongStorage([8, 2])).forward(SIXTEEN), ROWS.reshape(8, 2))
    same(nn.View(16).forward(SIXTEEN), ROWS)
    m = nn.View(-1).setNumInputDims(2)
    assert m.forward(torch.Tensor(2, 3)).size() == [6]
    assert m.forward(torch.Tensor(5, 2, 3)).size() == [5, 6]


def test_masked_select():
    ms = nn.MaskedSelect()
    mask = torch.ByteTensor([[1, 0], [0, 1]])
    input = torch.DoubleTensor([[10, 20], [30, 40]])
    out = ms.forward([input, mask])
    gradIn = ms.backward([input, mask], out)
    same(out, [10, 40])
    same(gradIn[0], [[10, 0], [0, 40]])


def test_batch_normalization():
    x = torch.randn(8, 5)
    assert nn.BatchNormalization(5).forward(x).size() == [8, 5]
    plain = nn.BatchNormalization(5, None, None, False)
    y = np.asarray(plain.forward(x))
    assert plain.parameters()[0] == []
    same(y.mean(0), np.zeros(5), atol=1e-6)
    same(y.var(0), np.ones(5), rtol=1e-3)


def test_batch_normalization_with_running_statistics():
    m = nn.BatchNormalization(2, None, None, False).double()
    expected = [[-1.224742575, -0.9258200899], [0, -0.4629100449], [1.224742575, 1.388730135]]
    same(m.forward([[1, 10], [3, 20], [5, 60]]), expected, rtol=1e-5, atol=1e-5)
    same(m.running_mean, [0.3, 3])
    same(m.running_var, [1.3, 70.9])
    m.evaluate()
    same(m.forward([[1, 10]]), [[0.6139382522, 0.831332754]], rtol=1e-5)


def test_l1_penalty():
    weight = 0.1
    encoder = nn.Sequential().add(nn.Linear(3, 128)).add(nn.Threshold())
    autoencoder = nn.Sequential().add(encoder).add(nn.L1Penalty(weight)).add(nn.Linear(128, 3))
    criterion, x = nn.MSECriterion(), torch.randn(4, 3)
    y = autoencoder.forward(x)
    assert y.size() == [4, 3]
    code = np.array(encoder.output)
    assert autoencoder.get(2).loss == pytest.approx(weight * np.abs(code).sum(), rel=1e-5)
    autoencoder.backward(x, criterion.backward(y, x))
    penalised, plain = np.array(autoencoder.get(2).gradInput), np.array(autoencoder.get(3).gradInput)
    same(penalised - plain, weight * np.sign(code), atol=1e-5)


# Criterions ----------------------------------------------------------------------------------------------------------


def test_mse_criterion():
    c, x, t = nn.MSECriterion(), [0.5, -1, 2], [1, 1, -1]
    assert c.forward(x, t) == pytest.approx(4.416666667)
    same(c.backward(x, t), [-1 / 3, -4 / 3, 2], rtol=1e-6)
    c.sizeAverage = False
    assert c.forward(x, t) == pytest.approx(13.25)
    same(c.backward(x, t), [-1, -4, 6])


def test_class_nll_criterion():
    x = np.log([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    assert nn.ClassNLLCriterion().forward(x, [2, 1]) == pytest.approx(1.497866137, rel=1e-6)
    c = nn.ClassNLLCriterion([1, 2, 4])
    assert c.forward(x, [2, 1]) == pytest.approx(1.229626485, rel=1e-6)
    same(c.backward(x, [2, 1]), [[0, -2 / 3, 0], [-1 / 3, 0, 0]])
    assert nn.ClassNLLCriterion(None, True, 1).forward(x, [2, 1]) == pytest.approx(0.6931471806, rel=1e-6)


def test_cross_entropy_criterion():
    c, x = nn.CrossEntropyCriterion().double(), [[1, 2, 3], [1, 0, -1]]
    assert c.forward(x, [3, 2]) == pytest.approx(0.9076059644)
    expected = [[0.04501528659, 0.1223642355, -0.1673795221], [0.3326204779, -0.3776357645, 0.04501528659]]
    same(c.backward(x, [3, 2]), expected)
    c.nll.sizeAverage = False
    assert c.forward(x, [3, 2]) == pytest.approx(1.815211929)


# Recurrences ---------------------------------------------------------------------------------------------------------


def test_sequencer_equals_successive_calls():
    rnn = nn.FastLSTM(4, 2)
    seq = nn.Sequencer(rnn.clone())
    steps = [torch.randn(3, 4) for _ in range(3)]
    expected = [np.array(rnn.forward(x)) for x in steps]
    same(seq.forward(steps), expected, rtol=1e-5)
    same(seq.forward(np.stack([np.asarray(x) for x in steps])), np.stack(expected), rtol=1e-5)
