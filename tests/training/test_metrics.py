"""Measures of confusion and ranking are scikit-learn's; plain functions are measures."""

import jax
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import AUC, F1, ConfusionMatrix, Measured, Trainer, evaluate

sklearn = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
RANDOM = np.random.default_rng(0)
SCORES = RANDOM.normal(size=(20, 3)).astype(np.float32).round(1)
CLASSES = RANDOM.integers(1, 4, 20)
FOUND = SCORES.argmax(1) + 1


def measured(method, outputs, targets, size=6):
    """Of a data set in batches, by a network that changes nothing."""
    variables = f7.Identity().init(jax.random.key(0))
    ((result, _),) = evaluate(f7.Identity(), *variables, (outputs, targets), [method], size)
    return result


def test_confusion_precision_recall_and_f1():
    found = measured(ConfusionMatrix(3), SCORES, CLASSES)
    np.testing.assert_array_equal(found.matrix, sklearn.confusion_matrix(CLASSES, FOUND))
    assert found.result() == (sklearn.accuracy_score(CLASSES, FOUND), 20)
    theirs = sklearn.precision_recall_fscore_support(CLASSES, FOUND)[:3]
    np.testing.assert_allclose([found.precision(), found.recall(), found.f1()], theirs)
    np.testing.assert_allclose(
        measured(F1(3), SCORES, CLASSES).result()[0], sklearn.f1_score(CLASSES, FOUND, average="macro")
    )
    np.testing.assert_allclose(measured(F1(3, of_class=2), SCORES, CLASSES).result()[0], theirs[2][1])
    halves = [ConfusionMatrix(3)(SCORES[part], CLASSES[part]) for part in (slice(0, 7), slice(7, 20))]
    np.testing.assert_array_equal((halves[0] + halves[1]).matrix, found.matrix)
    rare = F1(3)(SCORES, np.minimum(CLASSES, 2) * 0 + 1)  # a class that is not there but found counts, as there
    np.testing.assert_allclose(rare.result()[0], sklearn.f1_score(np.ones(20), FOUND, average="macro"))
    for wrong in (0, 4):  # counted from 0, or more than there are
        with pytest.raises(ValueError, match="expected classes from 1 to 3, 1 of 20 are others"):
            measured(F1(3), SCORES, np.append(CLASSES[:-1], wrong))
    with pytest.raises(ValueError, match="ConfusionMatrix: expected scores of 2 classes"):
        ConfusionMatrix(2)(SCORES, CLASSES)
    for kind in (ConfusionMatrix, F1):
        for error, wrong in ((ValueError, 0), (TypeError, 2.0)):
            with pytest.raises(error, match=rf"{kind.__name__}: expected .*classes.* got|expected a whole.* got"):
                kind(wrong)
    for wrong in (0, -1, 4):  # which as an index would be that of another class
        with pytest.raises(ValueError, match=rf"F1: expected of_class .*, got {wrong}"):
            F1(3, of_class=wrong)


@pytest.mark.parametrize("labels", [(1, 2), (0, 1), (-1, 1)])
def test_auc_is_exact_with_ties_and_in_batches(labels):
    positive = CLASSES == 2
    targets = np.where(positive, labels[1], labels[0])
    expected = sklearn.roc_auc_score(positive, SCORES[:, 1])
    np.testing.assert_allclose(measured(AUC(), SCORES[:, 1], targets).result()[0], expected)
    both = measured(AUC(), SCORES[:, :2], targets)
    np.testing.assert_allclose(both.result()[0], sklearn.roc_auc_score(positive, SCORES[:, 1] - SCORES[:, 0]))
    halves = AUC()(SCORES[:9, 1], targets[:9]) + AUC()(SCORES[9:, 1], targets[9:])
    np.testing.assert_allclose(halves.result()[0], expected)
    assert np.isnan(AUC()(SCORES[:3, 1], np.full(3, labels[0])).result()[0])
    apart = AUC()(SCORES[~positive, 1], targets[~positive]) + AUC()(SCORES[positive, 1], targets[positive])
    np.testing.assert_allclose(apart.result()[0], expected)  # of parts that have one class each
    assert np.isnan(AUC()(np.where(CLASSES == 3, np.nan, SCORES[:, 1]), targets).result()[0])


@pytest.mark.parametrize("shape", [(0,), (0, 1), (0, 2)])
def test_of_no_samples_there_is_no_area_but_parts_without_any_add_nothing(shape):
    none, some = AUC()(np.zeros(shape), np.zeros(0)), AUC()(SCORES[:2, 0], np.array([1, 2]))
    assert np.isnan(none.result()[0]) and (none + some).result() == some.result()


def test_more_classes_than_two_have_no_area():
    halves = [AUC()(SCORES[:2, 0], np.array(classes)) for classes in ((1, 2), (2, 3))]
    others = AUC()(SCORES[:2, 0], np.array([0, 5]))  # of which it is not told that 5 is positive
    for wrong, found in ((halves[0] + halves[1], "1, 2, 3"), (others, "0, 5")):
        with pytest.raises(ValueError, match=f"AUC: expected targets of two classes, 1 and 2, .*, got {found}"):
            wrong.result()
    with pytest.raises(ValueError, match=r"AUC: expected scores \(B\).* got a table of 1"):
        AUC()([SCORES[:, 0]], CLASSES)


def absolute_error(output, target):
    return abs(output - target).mean()


def absolute_errors(output, target):
    return abs(output - target)[:, 0]


def test_functions_are_measures():
    outputs, targets = SCORES[:, :1], SCORES[:, 1:2]
    for function in (absolute_error, absolute_errors):
        np.testing.assert_allclose(
            measured(function, outputs, targets).result()[0], abs(outputs - targets).mean(), rtol=1e-6
        )
    tables = Measured(lambda output, target: absolute_errors(output["a"], target[0]))({"a": outputs}, [targets])
    np.testing.assert_allclose(tables.result(), (abs(outputs - targets).mean(), 20), rtol=1e-6)
    with pytest.raises(ValueError, match=r"<lambda>: expected a number, or one for each of 20 samples"):
        Measured(lambda output, target: output)(outputs, targets)
    options = {"methods": [absolute_error], "verbose": False}
    with pytest.raises(ValueError, match="absolute_error is monitored, a function; say larger_is_better"):
        Trainer(f7.Linear(1, 1), f7.MSECriterion(), optax.sgd(0.1), **options)
    trainer = Trainer(f7.Linear(1, 1), f7.MSECriterion(), optax.sgd(0.1), **options, larger_is_better=False)
    (epoch,) = trainer.fit([(outputs, targets)], 1, validation=[(outputs, targets)]).epochs
    assert epoch["absolute_error"] > 0
