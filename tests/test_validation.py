"""Measuring networks on data sets: values from NumPy and scikit-learn, over batches whose last is smaller."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics

import functorch7 as f7
from functorch7.data import TensorLoader
from functorch7.training import MAE, Loss, Top1Accuracy, Top5Accuracy, evaluate, predict, predict_class

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(11, 4)).astype(np.float32)
Y = RANDOM.integers(1, 8, 11)
NET = f7.Sequential(f7.Linear(4, 7), f7.Dropout(0.5), f7.LogSoftMax())
PARAMS, BUFFERS = NET.init(jax.random.key(0))
SCORES = X @ np.asarray(PARAMS[0]["weight"]).T + np.asarray(PARAMS[0]["bias"])
LOG_PROBABILITIES = SCORES - np.log(np.exp(SCORES).sum(1, keepdims=True))
BATCHES = [(X[:4], Y[:4]), (X[4:8], Y[4:8]), (X[8:], Y[8:])]
METHODS = [Top1Accuracy(), Top5Accuracy(), Loss(f7.ClassNLLCriterion()), MAE()]


@pytest.fixture(scope="module")
def results():
    return evaluate(NET, PARAMS, BUFFERS, BATCHES, METHODS)


def test_results_are_those_of_scikit_learn(results):
    (top1, first), (top5, _), (loss, _), (mae, last) = results
    assert (first, last) == (METHODS[0], METHODS[3]) and str(first) == "Top1Accuracy"
    zero_based = Y - 1
    assert top1.result() == (pytest.approx(metrics.accuracy_score(zero_based, SCORES.argmax(1))), 11)
    expected = metrics.top_k_accuracy_score(zero_based, SCORES, k=5, labels=range(7))
    assert top5.result() == (pytest.approx(expected), 11)
    probabilities = np.exp(LOG_PROBABILITIES.astype(np.float64))
    expected = metrics.log_loss(zero_based, probabilities / probabilities.sum(1, keepdims=True), labels=range(7))
    assert loss.result() == (pytest.approx(expected, rel=1e-5), 11)  # over samples, though the last batch is smaller
    assert mae.result() == (pytest.approx(metrics.mean_absolute_error(Y, SCORES.argmax(1) + 1)), 11)


def test_results_add_and_print_as_bigdl_does(results):
    one, two = Top1Accuracy()(SCORES[:4], Y[:4]), Top1Accuracy()(SCORES[4:], Y[4:])
    assert one + two == results[0][0]
    assert str(Top1Accuracy()(np.eye(3, dtype=np.float32)[[0, 1, 0, 0]], np.array([1, 2, 3, 1]))) == (
        "Accuracy(correct: 3, count: 4, accuracy: 0.75)"
    )
    loss = Loss(f7.MSECriterion())(np.array([[1.0], [2.0]], np.float32), np.zeros((2, 1), np.float32))
    assert str(loss) == "(Loss: 5.0, count: 2, Average Loss: 2.5)" and str(loss + loss).startswith("(Loss: 10.0, count")


def test_a_single_score_is_class_0_or_1():
    scores, classes = np.array([[0.2], [0.5], [0.7], [0.9]], np.float32), np.array([0, 1, 0, 1])
    assert Top1Accuracy()(scores, classes).result() == (0.75, 4)
    assert Top1Accuracy()(np.array([0.1, 0.9], np.float32), np.array([2])).result() == (1.0, 1)  # one sample


def test_a_loss_summed_over_the_batch_counts_as_it_is():
    output, target = X[:, :2], X[:, 2:]
    squares = ((output - target) ** 2).sum()
    for criterion, total in [
        (f7.MSECriterion(size_average=False), squares),
        (f7.MSECriterion(), squares / 2),  # the mean over elements, of which a sample has two
        (f7.MultiCriterion((f7.MSECriterion(size_average=False),)), squares),
    ]:
        assert Loss(criterion)(output, target).result() == (pytest.approx(total / 11, rel=1e-5), 11)


@pytest.mark.parametrize("data", ["arrays", "loader", "generator"])
def test_arrays_loaders_and_iterables_are_the_same(data, results):
    given = {
        "arrays": ((X, Y), 4), "loader": (TensorLoader(X, Y), 4), "generator": ((batch for batch in BATCHES), None),
    }[data]  # fmt: skip
    again = evaluate(NET, PARAMS, BUFFERS, given[0], METHODS[:2], given[1])
    assert [str(result) for result, _ in again] == [str(result) for result, _ in results[:2]]


def test_predictions_are_in_order_and_stack():
    for batches, size in [(X, 4), (TensorLoader(X, Y), 4), (BATCHES, None), ([x for x, _ in BATCHES], None), (X, None)]:
        output = predict(NET, PARAMS, BUFFERS, batches, size)
        np.testing.assert_allclose(output, LOG_PROBABILITIES, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(predict_class(NET, PARAMS, BUFFERS, X, 4), SCORES.argmax(1) + 1)


def test_tables_in_and_out():
    both = f7.ParallelTable(f7.Identity(), f7.MulConstant(2))
    params, buffers = both.init(jax.random.key(0))
    one, two = predict(both, params, buffers, [X, X[:, :1]], 4)
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(two, 2 * X[:, :1])
    with pytest.raises(ValueError, match="one row of scores"):
        predict_class(both, params, buffers, [X, X[:, :1]], 4)


def test_each_shape_is_compiled_once_and_keys_are_folded_by_batch():
    traces = []

    class Counted(f7.Map):
        def f(self, input):
            traces.append(1)
            return input

    noisy = f7.Sequential(Counted(), f7.Dropout(0.5, stochastic_inference=True))
    params, buffers = noisy.init(jax.random.key(0))
    output = predict(noisy, params, buffers, np.ones((10, 4), np.float32), 4, key=jax.random.key(1))
    assert len(traces) == 2 and output.shape == (10, 4) and (output[:4] != output[4:8]).any()
    predict(noisy, params, buffers, np.ones((10, 4), np.float32), 4, key=jax.random.key(2))
    assert len(traces) == 2
    with pytest.raises(ValueError, match="needs a random key"):
        predict(noisy, params, buffers, X, 4)


def test_a_batch_of_one_sample_is_a_batch_though_view_makes_none_of_it():
    flat = f7.Sequential(f7.View(2), f7.MulConstant(3))
    arrays = *flat.init(jax.random.key(0)), np.arange(14, dtype=np.float32).reshape(7, 1, 2)
    for size in (1, 2, 3, 6, 7):
        np.testing.assert_array_equal(predict(flat, *arrays, size), 3 * arrays[-1][:, 0])
    np.testing.assert_array_equal(predict(flat, *arrays[:2], arrays[-1][:1], 4), [[0, 3]])
    np.testing.assert_array_equal(predict(flat, *arrays[:2], [arrays[-1][:6], arrays[-1][6:]]), 3 * arrays[-1][:, 0])
    targets = 3 * arrays[-1][:, 0] + 1
    ((loss, _),) = evaluate(flat, *arrays[:2], (arrays[-1], targets), [Loss(f7.MSECriterion())], 3)
    assert loss.result() == (1, 7)


def test_errors_say_what_is_wrong():
    with pytest.raises(TypeError, match=r"without a batch_size, expected batches \(input, target\), got shape \(11, "):
        evaluate(NET, PARAMS, BUFFERS, (X, Y), METHODS)
    for methods in (Loss(), [Loss], [f7.MSECriterion()], 4):
        with pytest.raises(TypeError, match="expected a list of methods, such as"):
            evaluate(NET, PARAMS, BUFFERS, (X, Y), methods, 4)
    with pytest.raises(TypeError, match="predict: expected inputs, got None"):
        predict(NET, PARAMS, BUFFERS, None)
    with pytest.raises(TypeError, match="expected a whole number as batch_size, got 2.5"):
        predict(NET, PARAMS, BUFFERS, X, 2.5)
    for use in (partial(evaluate, methods=METHODS), predict):
        with pytest.raises(ValueError, match="expected batch_size of at least 1, got 0"):
            use(NET, PARAMS, BUFFERS, TensorLoader(X, Y), batch_size=0)
    with pytest.raises(ValueError, match="target 9 at position 2; classes count from 1 to 7"):
        evaluate(NET, PARAMS, BUFFERS, [(X[:4], np.array([1, 9, 1, 1]))], [Loss()])
    with pytest.raises(ValueError, match="Top1Accuracy: expected scores"):
        Top1Accuracy()(SCORES, Y[:4])
    with pytest.raises(ValueError, match="at least 5 classes"):
        Top5Accuracy()(SCORES[:, :4], Y)
    with pytest.raises(ValueError, match="no batches"):
        evaluate(NET, PARAMS, BUFFERS, [], METHODS)
    with pytest.raises(ValueError, match="equally many samples"):
        evaluate(NET, PARAMS, BUFFERS, (X, Y[:4]), METHODS, 4)
    with pytest.raises(TypeError, match="expected \\(inputs, targets\\)"):
        evaluate(NET, PARAMS, BUFFERS, X, METHODS, 4)
    assert jnp.isnan(jnp.asarray((Top1Accuracy.kind(0, 0)).result()[0]))
