"""BigDL's AbstractModule: measures and predictions over data sets. Values from formulas, NumPy and scikit-learn."""

import jax
import numpy as np
import pytest
from sklearn import metrics

from functorch7.data import TensorLoader
from functorch7.legacy import nn, optim, torch

from .helpers import same, values

X = values(5, 3, seed=1)


def classifier():
    return nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.5), nn.LogSoftMax())


CLASSES = np.random.default_rng(0).integers(1, 7, 5)


def test_evaluate_and_training_set_the_mode():
    model = classifier()
    assert model.isTraining() and model.evaluate() is model and not model.isTraining()
    assert not model.get(2).isTraining() and model.training() is model and model.get(2).isTraining()
    assert not model.training(False).get(2).isTraining()


def test_a_loss_of_a_criterion_measures_tensors_too():
    result = optim.Loss(nn.MSECriterion())(torch.Tensor([[1, 1], [1, 1]]), torch.Tensor([[3, 1], [1, 1]]))
    assert str(result) == "(Loss: 2.0, count: 2, Average Loss: 1.0)"  # a mean of 4 / 4, for two samples


def test_evaluate_measures_a_data_set_and_restores_the_modes():
    model = classifier()
    model.get(1).evaluate()
    scores = X @ np.array(model.get(1).weight).T + np.array(model.get(1).bias)
    methods = [optim.Top1Accuracy(), optim.Loss(nn.ClassNLLCriterion()), optim.Top5Accuracy(), optim.MAE()]
    (top1, first), (loss, second), (top5, _), (mae, _) = model.evaluate(
        [(X[:3], CLASSES[:3]), (X[3:], CLASSES[3:])], methods
    )
    assert first is methods[0] and second is methods[1]
    assert top1.result() == (pytest.approx(metrics.accuracy_score(CLASSES - 1, scores.argmax(1))), 5)
    expected = np.log(np.exp(scores).sum(1)) - scores[np.arange(5), CLASSES - 1]
    assert loss.result() == (pytest.approx(expected.mean(), rel=1e-5), 5)
    expected = metrics.top_k_accuracy_score(CLASSES - 1, scores, k=5, labels=range(6))
    assert top5.result()[0] == pytest.approx(expected)
    assert mae.result()[0] == pytest.approx(abs(scores.argmax(1) + 1 - CLASSES).mean())
    assert [m.isTraining() for m in model.modules] == [False, True, True] and model.isTraining()
    given = torch.Tensor(X), torch.Tensor(CLASSES)
    assert str(model.evaluate(given, methods[:1], 2)[0][0]) == str(top1)
    assert str(model.evaluate(TensorLoader(X.astype("f"), CLASSES), methods[:1], 2)[0][0]) == str(top1)
    with pytest.raises(TypeError, match="a data set and a list of methods"):
        model.evaluate([(X, CLASSES)])
    with pytest.raises(ValueError, match="target 0 at position 2; classes count from 1 to 6"):
        model.evaluate([(X[:2], [1, 0])], [optim.Loss(nn.ClassNLLCriterion())])
    with pytest.raises(ValueError, match="expected input of size 3"):
        model.evaluate([(X[:, :2], CLASSES)], methods)
    assert model.isTraining()  # after an error, too
    with pytest.raises(ValueError, match="one class for each sample"):
        model.evaluate([(X, CLASSES[:2])], methods[:1])
    assert model.isTraining() and not jax.config.read("jax_enable_x64")


def test_predict_gives_the_probability_distributions_in_order():
    model = nn.Sequential(nn.Linear(3, 6), nn.SoftMax())
    scores = X @ np.array(model.get(1).weight).T + np.array(model.get(1).bias)
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    for dataset, size in [(X, 2), (X, -1), (torch.Tensor(X), None), ([X[:3], X[3:]], None), ([(X, CLASSES)], None)]:
        found = model.predict(dataset, size)
        assert isinstance(found, torch.Tensor)
        same(found, expected, rtol=1e-4, atol=1e-6)
    same(model.predictClass(X, 2), scores.argmax(1) + 1)
    assert model.isTraining()
    flat = nn.Sequential(nn.View(3), nn.Linear(3, 6))  # of a batch of one, View makes none, as in Torch
    same(flat.predict(X.reshape(5, 1, 3), 2), flat.forward(X), rtol=1e-4, atol=1e-6)
    images = flat.predictImage([{"image": row.reshape(1, 1, 3)} for row in X], None, 4)
    same(np.stack([image["predict"].numpy() for image in images]), flat.forward(X), rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="one row of scores for each sample"):
        nn.Identity().predictClass(np.zeros((2, 3, 4)))


def test_local_predictions_are_numpy_arrays():
    model = nn.Sequential(nn.ParallelTable(nn.Linear(3, 6), nn.Identity()), nn.CAddTable(), nn.Dropout(0.5))
    other = values(5, 6, seed=3)
    first = model.get(1).get(1)
    scores = X @ np.array(first.weight).T + np.array(first.bias) + other
    for size in (-1, 2):
        found = model.predictLocal([X, other], size)
        assert type(found) is np.ndarray
        same(found, scores, rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(model.predictClassLocal([X, other], size), scores.argmax(1) + 1)
    for empty in ([], [X[:0], other[:0]], X[:0]):
        with pytest.raises(ValueError, match="Error when checking: empty input"):
            model.predictLocal(empty)


def test_predictions_are_added_to_images():
    model = nn.Sequential(
        nn.View(-1).setNumInputDims(3), nn.Linear(12, 2).setName("scores"), nn.Sigmoid(), nn.Dropout()
    )
    images = [{"image": np.random.default_rng(i).normal(size=(3, 2, 2)), "label": i} for i in range(5)]
    flat = np.stack([image["image"].reshape(-1) for image in images])
    scores = flat @ np.array(model["scores"].weight).T + np.array(model["scores"].bias)
    assert model.predictImage(images, batchPerPartition=2) is images
    model.predictImage(images, outputLayer="scores", predictKey="raw")
    same(np.stack([image["predict"] for image in images]), 1 / (1 + np.exp(-scores)), rtol=1e-4, atol=1e-6)
    same(np.stack([image["raw"] for image in images]), scores, rtol=1e-4, atol=1e-6)
    assert images[3]["label"] == 3 and model.isTraining()
    for wrong in ([], [{"image": X}], [{}], [images[0], {"image": np.ones((3, 2, 1))}]):
        with pytest.raises(ValueError, match='expected an "image", C x H x W'):
            model.predictImage(wrong)
    with pytest.raises(KeyError):
        model.predictImage(images, "other")
    with pytest.raises(ValueError, match="expected batchPerPartition above 0, got 0"):
        model.predictImage(images, batchPerPartition=0)
