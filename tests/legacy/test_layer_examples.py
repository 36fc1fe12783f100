"""The worked examples of the documentation about layers and criterions, as written there."""

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


# Table layers --------------------------------------------------------------------------------------------------------


def test_tables_go_through_Sequential():
    t = [torch.randn(3), torch.randn(3), torch.randn(3)]
    pred = nn.Sequential().add(nn.Identity()).add(nn.CAddTable()).forward(t)
    same(pred, sum(np.asarray(v) for v in t), rtol=1e-5)


def test_concat_table():
    mlp = nn.ConcatTable()
    mlp.add(nn.Linear(5, 2))
    mlp.add(nn.Linear(5, 3))
    assert [y.size() for y in mlp.forward(torch.randn(5))] == [[2], [3]]


def test_concat_table_of_a_nested_table():
    mlp = nn.ConcatTable()
    mlp.add(nn.Identity())
    mlp.add(nn.Identity())
    a, b = torch.randn(2), torch.randn(3)
    same(mlp.forward([a, [b]]), [[a, [b]], [a, [b]]])


def test_parallel_table():
    mlp = nn.ParallelTable()
    mlp.add(nn.Linear(10, 2))
    mlp.add(nn.Linear(5, 3))
    assert [y.size() for y in mlp.forward([torch.randn(10), torch.rand(5)])] == [[2], [3]]


def test_join_table():
    x, y, z = values(5, 1, seed=1), values(5, 1, seed=2), values(2, 1, seed=3)
    same(nn.JoinTable(1).forward([x, y]), np.concatenate([x, y]))
    same(nn.JoinTable(2).forward([x, y]), np.concatenate([x, y], 1))
    same(nn.JoinTable(1).forward([x, z]), np.concatenate([x, z]))
    module = nn.JoinTable(2, 2)
    assert module.forward([torch.randn(3, 1), torch.randn(3, 1)]).size() == [3, 2]
    assert module.forward([torch.randn(2, 3, 1), torch.randn(2, 3, 1)]).size() == [2, 3, 2]


def test_training_through_join_table():
    mlp = nn.Sequential()
    c = nn.ConcatTable()
    c.add(nn.Linear(10, 3))
    c.add(nn.Linear(10, 7))
    mlp.add(c)
    p = nn.ParallelTable()
    p.add(nn.Linear(3, 2))
    p.add(nn.Linear(7, 1))
    mlp.add(p)
    mlp.add(nn.JoinTable(1))
    assert mlp.forward(torch.randn(10)).size() == [3]
    errors = [gradUpdate(mlp, torch.ones(10), torch.ones(3), nn.MSECriterion(), 0.05) for _ in range(100)]
    assert errors[-1] < 1e-3 * errors[0]


def test_c_add_table():
    ones = torch.ones(5)
    same(nn.CAddTable().forward([ones, ones * 2, ones * 3]), [6] * 5)


# Transfer functions --------------------------------------------------------------------------------------------------


def test_softmax():
    ii = np.exp(np.abs(values(10)))
    oo = np.asarray(nn.SoftMax().forward(ii))
    assert (oo > 0).all()
    assert oo.sum() == pytest.approx(1, rel=1e-6)
    same(np.argsort(oo), np.argsort(ii))


def derivative(module, ii):
    """(output, gradInput for a gradient of ones) of a double-precision module."""
    module.double()
    return np.array(module.forward(ii)), np.array(module.backward(ii, np.ones_like(ii)))


def test_log_softmax():
    oo, gi = derivative(nn.LogSoftMax(), values(10))
    assert np.exp(oo).sum() == pytest.approx(1)
    same(gi, 1 - 10 * np.exp(oo))


def test_sigmoid():
    ii = np.linspace(-5, 5, 100)
    oo, gi = derivative(nn.Sigmoid(), ii)
    same(oo, 1 / (1 + np.exp(-ii)))
    same(gi, oo * (1 - oo))


def test_tanh():
    ii = np.linspace(-3, 3, 100)
    oo, gi = derivative(nn.Tanh(), ii)
    same(oo, np.tanh(ii))
    same(gi, 1 - oo**2)


@pytest.mark.parametrize("in_place", [None, True])
def test_relu(in_place):
    ii = np.linspace(-3, 3, 100)
    oo, gi = derivative(nn.ReLU(in_place), ii)
    same(oo, np.maximum(ii, 0))
    same(gi, ii > 0)


def test_threshold():
    oo, gi = derivative(nn.Threshold(0.5, -1), np.array([0, 0.5, 1]))
    same(oo, [-1, -1, 1])
    same(gi, [0, 0, 1])


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
