"""optim.ConfusionMatrix: counts and rates against scikit-learn, and the text that Torch prints."""

import math
import sys

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics

from functorch7.interop import t7
from functorch7.legacy import optim, torch

NAMES = ["cat", "dog", "person"]


def counted(predictions, targets, *args):
    confusion = optim.ConfusionMatrix(*args)
    confusion.batchAdd(predictions, targets)
    return confusion


def drawn(n, classes, seed=0):
    random = np.random.default_rng(seed)
    return random.integers(1, classes + 1, n), random.integers(1, classes + 1, n)


def test_the_text_is_torchs():
    confusion = optim.ConfusionMatrix(NAMES)
    confusion.mat = torch.LongTensor([[2, 1, 0], [0, 3, 0], [1, 0, 0]])
    # By hand: 2/3 (in single precision 0.66666668653), 1 and 0; 2/4, 3/4 and 0/1; 5/7.
    assert str(confusion) == (
        "ConfusionMatrix:\n"
        "[[       2       1       0]   66.667% \t[class: cat]\n"
        " [       0       3       0]   100.000% \t[class: dog]\n"
        " [       1       0       0]]  0.000% \t[class: person]\n"
        " + average row correct: 55.555556217829% \n"
        " + average rowUcol correct (VOC measure): 41.666666666667% \n"
        " + global correct: 71.428571428571%"
    )


def test_the_text_without_names_and_with_few():
    assert str(counted([1, 1], [1, 1], 2)) == (
        "ConfusionMatrix:\n[[       2       0]   100.000% \n [       0       0]]  nan% \n"
        " + average row correct: 100% \n + average rowUcol correct (VOC measure): 100% \n + global correct: 100%"
    )
    named = str(optim.ConfusionMatrix(2, ["one"]))
    assert "\t[class: one]\n" in named and "\t[class: ]\n" in named
    assert "[class: 0]\n" in str(optim.ConfusionMatrix([0, 1]))


@pytest.mark.parametrize("count, width", [(10**7, 8), (10**7 + 1, 9), (10**9, 10)])
def test_columns_grow_with_the_counts(count, width):
    confusion = optim.ConfusionMatrix(1)
    confusion.mat.fill(count)
    assert str(confusion).splitlines()[1].startswith(f"[[{count:{width}d}]]  ")


def test_counts_and_rates_are_scikit_learns():
    predictions, targets = drawn(300, 5)
    confusion = counted(predictions, targets, 5)
    assert np.array_equal(confusion.mat, metrics.confusion_matrix(targets, predictions))
    assert confusion.mat.type() == "torch.LongTensor"
    confusion.updateValids()
    np.testing.assert_allclose(confusion.valids, metrics.recall_score(targets, predictions, average=None), rtol=1e-6)
    np.testing.assert_allclose(
        confusion.unionvalids, metrics.jaccard_score(targets, predictions, average=None), rtol=1e-6
    )
    assert confusion.totalValid == pytest.approx(metrics.accuracy_score(targets, predictions), rel=1e-12)
    assert confusion.averageValid == pytest.approx(metrics.balanced_accuracy_score(targets, predictions), rel=1e-6)
    jaccard = metrics.jaccard_score(targets, predictions, average="macro")
    assert confusion.averageUnionValid == pytest.approx(jaccard, rel=1e-6)


def test_a_number_of_classes_may_come_out_of_a_division():
    assert optim.ConfusionMatrix(10 / 2).nclasses == 5


def test_averages_leave_out_classes_that_are_no_targets():
    confusion = counted([1, 3, 2], [1, 1, 2], 3)
    confusion.updateValids()
    assert math.isnan(confusion.valids[3]) and confusion.unionvalids[3] == 0
    assert (confusion.averageValid, confusion.averageUnionValid) == (0.75, 0.75)


@pytest.mark.parametrize("array", [torch.Tensor, np.array, jnp.array, list], ids=["tensor", "numpy", "jax", "list"])
def test_forms_of_predictions_and_targets(array):
    scores, hot = [[0.1, 0.7, 0.2], [0.5, 0.5, 0.0]], [[0.0, 0, 1], [0.0, 1, 0]]
    wanted = np.zeros((3, 3))
    wanted[2, 1] = wanted[1, 0] = 1
    for predictions in ([2, 1], [[2], [1]], scores):  # the first of equal scores counts
        for targets in ([3, 2], [[3], [2]], hot):
            assert np.array_equal(counted(array(predictions), array(targets), 3).mat, wanted)
    numbers = [(2, 3), (np.float32(2), jnp.array(3)), (jnp.bfloat16(2), 3)]
    for pair in [(array(scores[0]), 3), (array(scores[0]), array(hot[0])), *numbers]:
        confusion = optim.ConfusionMatrix(3)
        confusion.add(*pair)
        confusion.add(1, 2)
        assert np.array_equal(confusion.mat, wanted)


def test_missing_targets_are_ignored():
    confusion = counted([1, 2, 99], [0, 2, -1], 2)
    confusion.add([0.2, 0.8], 0)
    assert confusion.mat.totable() == [[0, 0], [0, 1]]
    confusion.updateValids()
    confusion.zero()
    assert confusion.mat.sum() == confusion.valids.sum() == confusion.totalValid == confusion.averageValid == 0


@pytest.mark.parametrize("method, predictions, targets, message", [
    ("add", 4, 1, "add: expected classes from 1 to 3, got 4"),
    ("add", 1, 4, "add: expected classes from 1 to 3, got 4"),
    ("add", 0, 1, "add: expected classes from 1 to 3, got 0"),
    ("add", 1.5, 1, "add: expected classes from 1 to 3, got 1.5"),
    ("add", 1, float("nan"), "add: expected classes from 1 to 3, got nan"),
    ("add", 1, [1.0, 0, 0], r"a class or a vector as target; got shapes \(\) and \(3,\)"),
    ("add", np.ones((1, 3)), 1, r"got shapes \(1, 3\) and \(\)"),
    ("add", np.ones(4), 1, r"add: expected scores of 3 classes, got shape \(4,\)"),
    ("batchAdd", [1, 5], [1, 1], "batchAdd: expected classes from 1 to 3, got 5"),
    ("batchAdd", np.ones((2, 2)), [1, 1], r"batchAdd: expected scores of 3 classes, got shape \(2, 2\)"),
    ("batchAdd", np.ones((1, 1, 1)), [1], "batchAdd: predictions has invalid number of dimensions"),
    ("batchAdd", [1], np.ones((1, 1, 1)), "batchAdd: targets has invalid number of dimensions"),
    ("batchAdd", [1, 2], [1], "got 2 predictions and 1 targets"),
])  # fmt: skip
def test_what_cannot_be_counted(method, predictions, targets, message):
    confusion = optim.ConfusionMatrix(3)
    with pytest.raises(ValueError, match=f"optim.ConfusionMatrix.*{message}"):
        getattr(confusion, method)(predictions, targets)
    assert confusion.mat.sum() == 0


@pytest.mark.parametrize("args", [(0,), (2.5,), ([],), (2, ["a", "b", "c"])])
def test_impossible_classes(args):
    with pytest.raises(ValueError, match=r"optim.ConfusionMatrix: expected"):
        optim.ConfusionMatrix(*args)


def test_false_rejections_and_acceptances():
    confusion = optim.ConfusionMatrix(4)
    confusion.mat = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]])
    class_frrs, class_fars, frrs, fars = confusion.farFrr()
    # By hand: rows are 3/4 1/4 0 0, 1/2 1/2 0 0, and 1/2 0 0 1/2.
    assert class_frrs.totable() == [0.25, 0.5, -1, 0.5] and frrs.totable() == [0.25, 0.5, 0.5]
    assert class_fars.totable() == [0.5, 0.125, -1, 0] and fars.totable() == [0.5, 0.125, 0]


def test_the_identity_has_no_false_rates():  # the case of torch/optim's own test
    confusion = optim.ConfusionMatrix(10)
    confusion.mat = torch.DoubleTensor(np.eye(10))
    class_frrs, class_fars, *_ = confusion.farFrr()
    assert class_frrs.sum() + class_fars.sum() == 0


@pytest.mark.parametrize("mode, order", [("score", [2, 0, 1]), ("occurrence", [0, 2, 1])])
def test_the_picture_has_a_square_for_each_rate(tmp_path, mode, order):
    confusion = optim.ConfusionMatrix(NAMES)
    mat = np.array([[30, 10, 0], [0, 0, 5], [0, 0, 8]])
    confusion.mat = torch.LongTensor(mat)
    picture = confusion.render(mode, block=40, legendwidth=160, path=tmp_path / "confusion.png")
    assert picture.size() == [3, 120, 280]
    assert (tmp_path / "confusion.png").read_bytes().startswith(b"\x89PNG")
    corners = picture.numpy()[:, 5::40, 5:120:40]  # away from the grid and the numbers
    rates = (mat / mat.sum(1, keepdims=True))[np.ix_(order, order)]
    np.testing.assert_allclose(corners, np.broadcast_to(rates, (3, 3, 3)), atol=1 / 255)
    assert picture.numpy()[:, :, 125:].max() > 0.5  # the legend


def test_pictures_need_a_mode_and_matplotlib(monkeypatch):
    with pytest.raises(ValueError, match=r"sort mode must be one of: score \| occurrence, got 'size'"):
        optim.ConfusionMatrix(2).render("size")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"optim.ConfusionMatrix.render needs matplotlib: pip install"):
        optim.ConfusionMatrix(2).render()


def test_a_window_is_asked_for_only_on_a_screen(monkeypatch):
    from matplotlib import pyplot

    monkeypatch.setattr(pyplot, "show", lambda **_: pytest.fail("opened a window"))
    pyplot.switch_backend("agg")
    assert optim.ConfusionMatrix(2).render(display=True).size() == [3, 50, 250]
    assert not pyplot.get_fignums()


def test_a_matrix_is_in_files_by_its_fields():
    confusion = optim.ConfusionMatrix(["a", "b"])
    confusion.add(1, 2)
    record = t7.deserialize(torch.serialize(confusion))
    assert record.class_name == torch.type(confusion) == "optim.ConfusionMatrix"
    assert np.asarray(record.fields["mat"]).tolist() == [[0, 0], [1, 0]] and record.fields["classes"] == ["a", "b"]
    loaded = torch.deserialize(torch.serialize(confusion))
    loaded.add(2, 2)
    assert (confusion.mat.sum(), loaded.mat.sum()) == (1, 2) and "global correct: 50%" in str(loaded)


@pytest.mark.parametrize("fields, said", [
    ({}, "as mat"), ({"mat": 3}, "got 3 as mat"), ({"mat": np.ones((2, 3))}, r"got shape \(2, 3\) as mat"),
    ({"mat": np.ones((2, 2)), "valids": np.ones(3)}, r"got shape \(3,\) as valids"),
    ({"mat": np.ones((2, 2)), "classes": ["a", "b", "c"]}, "expected 2 names of classes, got 3"),
])  # fmt: skip
def test_a_file_whose_fields_are_no_matrix_is_refused(fields, said):
    with pytest.raises(t7.T7FormatError, match=f"optim.ConfusionMatrix: .*{said}"):
        torch.deserialize(t7.serialize(t7.T7Object("optim.ConfusionMatrix", 1, fields)))
    old = t7.T7Object("optim.ConfusionMatrix", 1, {"mat": np.eye(2)})  # without rates, which are computed
    assert "global correct: 100%" in str(torch.deserialize(t7.serialize(old)))
