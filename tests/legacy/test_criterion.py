"""Criterions: their values and gradients, fields that change, and checks of the target."""

import copy
import pickle

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, slopes, values

SCORES, CLASSES = values(4, 3, seed=1), np.array([2, 3, 1, 2])
WEIGHTS = np.array([0.5, 2.0, 1.5])


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def nll(log_p, classes, weights=None, average=True):
    """Loss and gradient of ClassNLLCriterion, written out."""
    w = np.ones(len(classes)) if weights is None else weights[classes - 1]
    total = w.sum() if average else 1
    rows = np.arange(len(classes))
    gradient = np.zeros_like(log_p)
    gradient[rows, classes - 1] = -w / total
    return -(w * log_p[rows, classes - 1]).sum() / total, gradient


def test_mse_is_the_mean_or_the_sum_of_squares():
    x, y = values(4, 3, seed=2), values(4, 3, seed=3)
    criterion = nn.MSECriterion().double()
    same(criterion.forward(x, y), ((x - y) ** 2).mean())
    same(criterion.backward(x, y), 2 * (x - y) / 12)
    criterion.sizeAverage = False
    same(criterion.forward(x, y), ((x - y) ** 2).sum())
    same(criterion.backward(x, y), 2 * (x - y))
    same(nn.MSECriterion(False).double().forward(x, y), ((x - y) ** 2).sum())


def test_what_is_written_to_weights_stays_when_another_field_changes():
    criterion = nn.ClassNLLCriterion(torch.Tensor([1, 0.5, 2]))
    weights = criterion.weights
    weights.mul(2)
    criterion.sizeAverage = False
    same(criterion.forward(np.full((2, 3), -1.0, np.float32), np.array([1, 3])), 2 + 4)
    weights.mul(2)
    same(criterion.forward(np.full((2, 3), -1.0, np.float32), np.array([1, 3])), 4 + 8)


def test_a_loss_is_a_python_number_and_stays_in_output():
    criterion = nn.MSECriterion()
    loss = criterion.forward(torch.ones(3), torch.zeros(3))
    assert type(loss) is float and loss == criterion.output == 1
    gradient = criterion.backward(torch.ones(3), torch.zeros(3))
    assert torch.isTensor(gradient)
    same(criterion.gradInput, gradient)
    same(gradient, np.full(3, 2 / 3), 1e-6)


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
def test_nll(weights, average):
    log_p = log_softmax(SCORES)
    criterion = nn.ClassNLLCriterion(weights, average).double()
    loss, gradient = nll(log_p, CLASSES, weights, average)
    same(criterion.forward(log_p, CLASSES), loss)
    same(criterion.backward(log_p, CLASSES), gradient)


def test_nll_of_one_example():
    log_p = log_softmax(SCORES[0])
    criterion = nn.ClassNLLCriterion().double()
    same(criterion.forward(log_p, 2), -log_p[1])
    same(criterion.forward(log_p, [2]), -log_p[1])
    same(criterion.backward(log_p, [2]), [0, -1, 0])


@pytest.mark.parametrize("average", [True, False])
def test_cross_entropy_agrees_with_pytorch(average):
    reference = pytest.importorskip("torch")
    x = reference.tensor(SCORES, requires_grad=True)
    weight = reference.tensor(WEIGHTS)
    loss = reference.nn.functional.cross_entropy(
        x, reference.tensor(CLASSES - 1), weight, reduction="mean" if average else "sum"
    )
    loss.backward()
    criterion = nn.CrossEntropyCriterion(WEIGHTS, average).double()
    same(criterion.forward(SCORES, CLASSES), loss.item())
    same(criterion.backward(SCORES, CLASSES), x.grad.numpy())


def test_cross_entropys_gradient_agrees_with_differences():
    x = SCORES.copy()
    criterion = nn.CrossEntropyCriterion().double()
    criterion.forward(x, CLASSES)
    gradient = np.array(criterion.backward(x, CLASSES))
    same(gradient, slopes(lambda at: criterion.forward(at, CLASSES), x), 1e-6, 1e-8)


def test_ignored_targets_count_for_nothing():
    log_p = log_softmax(SCORES)
    criterion = nn.ClassNLLCriterion(None, True, 3).double()
    kept = CLASSES != 3
    loss, gradient = nll(log_p[kept], CLASSES[kept])
    same(criterion.forward(log_p, CLASSES), loss)
    got = np.asarray(criterion.backward(log_p, CLASSES))
    same(got[kept], gradient)
    same(got[~kept], np.zeros((1, 3)))


def test_weights_can_be_changed_after_construction():
    log_p = log_softmax(SCORES)
    criterion = nn.ClassNLLCriterion(WEIGHTS).double()
    criterion.forward(log_p, CLASSES)
    criterion.weights[2] = 10
    changed = np.array([0.5, 10, 1.5])
    same(criterion.forward(log_p, CLASSES), nll(log_p, CLASSES, changed)[0])
    criterion.weights = torch.DoubleTensor([1, 1, 4])
    same(criterion.forward(log_p, CLASSES), nll(log_p, CLASSES, np.array([1.0, 1, 4]))[0])
    same(criterion.backward(log_p, CLASSES), nll(log_p, CLASSES, np.array([1.0, 1, 4]))[1])


@pytest.mark.parametrize("field", [lambda c: c, lambda c: c.nll], ids=["own", "nll"])
def test_cross_entropys_fields_count_wherever_they_are_set(field):
    criterion = nn.CrossEntropyCriterion().double()
    criterion.forward(SCORES, CLASSES)
    field(criterion).sizeAverage = False
    loss, _ = nll(log_softmax(SCORES), CLASSES, None, False)
    same(criterion.forward(SCORES, CLASSES), loss)
    p, rows = np.exp(log_softmax(SCORES)), np.arange(4)
    p[rows, CLASSES - 1] -= 1
    same(criterion.backward(SCORES, CLASSES), p)
    field(criterion).weights = torch.DoubleTensor(WEIGHTS)
    same(criterion.forward(SCORES, CLASSES), nll(log_softmax(SCORES), CLASSES, WEIGHTS, False)[0])


def test_total_weight_is_that_of_the_last_targets():
    criterion = nn.ClassNLLCriterion(WEIGHTS).double()
    criterion.forward(log_softmax(SCORES), CLASSES)
    same(criterion.total_weight_tensor, [WEIGHTS[CLASSES - 1].sum()])
    assert len(criterion) == 3
    assert len(nn.ClassNLLCriterion()) == 0
    assert nn.ClassNLLCriterion()  # no weights, yet not false


@pytest.mark.parametrize("make", [nn.ClassNLLCriterion, nn.CrossEntropyCriterion, nn.SpatialClassNLLCriterion])
def test_class_weights_are_shown_as_a_tensor(make):
    assert torch.isTensor(make(WEIGHTS).weights) and make().weights is None
    np.testing.assert_allclose(make(WEIGHTS).weights.numpy(), WEIGHTS, rtol=1e-6)


@pytest.mark.parametrize("make", [nn.ClassNLLCriterion, nn.CrossEntropyCriterion])
@pytest.mark.parametrize(
    "targets, named", [([1, 0, 2, 3], "target 0 at position 2"), ([1, 2, 3, 4], "target 4 at position 4")]
)
def test_classes_that_do_not_exist_are_refused_at_once(make, targets, named):
    criterion = make()
    with pytest.raises(ValueError, match=named + "; classes count from 1 to 3") as caught:
        criterion.forward(SCORES, targets)
    assert str(caught.value).startswith("nn." + make.__name__)


def test_other_wrong_targets_are_refused():
    with pytest.raises(ValueError, match=r"nn.MSECriterion: expected a target of 12 elements.*\(4, 2\)"):
        nn.MSECriterion().forward(SCORES, values(4, 2))
    with pytest.raises(ValueError, match=r"nn.ClassNLLCriterion: expected 4 classes"):
        nn.ClassNLLCriterion().forward(SCORES, [1, 2, 3])
    with pytest.raises(ValueError, match=r"target 1.5 at position 1"):
        nn.ClassNLLCriterion().forward(SCORES, [1.5, 2, 3, 1])
    with pytest.raises(ValueError, match="weight for each of the 3 classes"):
        nn.ClassNLLCriterion([1, 2]).forward(SCORES, CLASSES)


@pytest.mark.parametrize("kind", ["IntTensor", "LongTensor", "FloatTensor", "ByteTensor"])
def test_targets_of_any_type_are_accepted(kind):
    log_p = log_softmax(SCORES)
    target = getattr(torch, kind)(CLASSES)
    same(nn.ClassNLLCriterion().double().forward(log_p, target), nll(log_p, CLASSES)[0])


def test_calling_a_criterion_gives_loss_and_gradient():
    loss, gradient = nn.ClassNLLCriterion().double()(log_softmax(SCORES), CLASSES)
    expected = nll(log_softmax(SCORES), CLASSES)
    same(loss, expected[0])
    same(gradient, expected[1])


def test_backward_without_forward_and_with_other_values():
    criterion, y = nn.MSECriterion().double(), values(4, 3, seed=3)
    same(criterion.backward(SCORES, y), (SCORES - y) / 6)
    criterion.forward(SCORES, y)
    same(criterion.backward(2 * SCORES, y), (2 * SCORES - y) / 6)


def test_backward_sees_an_input_that_was_changed_in_place():
    criterion, y, x = nn.MSECriterion().double(), values(4, 3, seed=3), torch.DoubleTensor(SCORES)
    criterion.forward(x, y)
    x.mul(2)
    same(criterion.backward(x, y), (2 * SCORES - y) / 6)


@pytest.mark.parametrize("change", ["input", "target", "tensor", "field"])
def test_backward_after_a_change_uses_the_new_values(change):
    """Arrays of NumPy can be written to, and fields changed, between forward and backward."""
    criterion, y, x = nn.MSECriterion().double(), values(4, 3, seed=3), SCORES.copy()
    target = torch.DoubleTensor(y) if change == "tensor" else y
    criterion.forward(x, target)
    if change == "input":
        x *= 2
    elif change == "target":
        y *= 3
    elif change == "tensor":
        y = 3 * y
        target.mul(3)
    else:
        criterion.sizeAverage = False
    same(criterion.backward(x, target), 2 * (x - y) / (1 if change == "field" else 12))


@pytest.mark.parametrize(
    "copied",
    [lambda c: c.clone(), copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))],
    ids=["clone", "deepcopy", "pickle"],
)
def test_copies_are_independent(copied):
    log_p = log_softmax(SCORES)
    criterion = nn.ClassNLLCriterion(WEIGHTS).double()
    criterion.forward(log_p, CLASSES)
    made = copied(criterion)
    criterion.weights.fill(1)
    same(made.forward(log_p, CLASSES), nll(log_p, CLASSES, WEIGHTS)[0])
    same(criterion.forward(log_p, CLASSES), nll(log_p, CLASSES)[0])


def test_types():
    criterion = nn.ClassNLLCriterion(WEIGHTS)
    assert criterion.weights.type() == "torch.FloatTensor"
    assert criterion.double() is criterion and criterion.weights.type() == "torch.DoubleTensor"
    with pytest.raises(ValueError, match="must provide a type"):
        criterion.type()
    with pytest.raises(ValueError, match="unknown type"):
        criterion.type("torch.NoTensor")
    with pytest.raises(RuntimeError, match=r"nn.ClassNLLCriterion: cuda\(\) needs a GPU"):
        criterion.cuda()
    assert nn.MSECriterion().forward(torch.FloatTensor([1.0]), [0.0]) == 1


def test_the_gradient_has_the_inputs_type():
    criterion = nn.MSECriterion()
    assert criterion.forward(torch.DoubleTensor([3]), torch.DoubleTensor([1])) == 4
    assert criterion.double().backward(torch.DoubleTensor([3]), torch.DoubleTensor([1])).type() == "torch.DoubleTensor"


def test_criterions_print_their_names():
    assert str(nn.MSECriterion()) == "nn.MSECriterion"
    assert str(nn.CrossEntropyCriterion()) == "nn.CrossEntropyCriterion"


@pytest.mark.parametrize("targets", [[2, 3], torch.Tensor([2, 3]), torch.LongTensor([2, 3]), [torch.Tensor([2]), 3]])
def test_parallel_criterions_take_a_tensor_for_a_table_as_torch_does(targets):
    """`target[i]` is the i-th entry of a table, and the i-th row of a tensor."""
    scores = torch.Tensor([[-1, -2, -3], [-4, -5, -6]])
    both = nn.ParallelCriterion().add(nn.ClassNLLCriterion()).add(nn.ClassNLLCriterion(), 0.5)
    for input in (scores, [scores[1], scores[2]]):
        assert both.forward(input, targets) == 2 + 0.5 * 6
        gradient = np.stack([np.asarray(each) for each in both.backward(input, targets)])
        np.testing.assert_array_equal(gradient, [[0, -1, 0], [0, 0, -0.5]])
    with pytest.raises(ValueError, match=r"expected a table of at least 2 targets, got shape \(3,\)"):
        both.forward(scores, torch.Tensor([1, 2, 3]))


def test_a_criterion_without_an_entry_in_the_table_of_targets_gets_none():
    distances, x, y = [torch.ones(3), torch.Tensor([1, 2, 3])], torch.Tensor([[1, 2]]), torch.Tensor([[0, 0]])
    alone = nn.DistanceRatioCriterion().forward(distances)
    last = nn.ParallelCriterion().add(nn.AbsCriterion()).add(nn.DistanceRatioCriterion(), 0.5)
    assert last.forward([x, distances], [y]) == pytest.approx(1.5 + 0.5 * alone)
    first = nn.ParallelCriterion().add(nn.DistanceRatioCriterion()).add(nn.AbsCriterion())
    assert first.forward([distances, x], [None, y]) == pytest.approx(alone + 1.5)
    with pytest.raises(ValueError, match="nn.MSECriterion: expected .* None"):
        nn.ParallelCriterion().add(nn.AbsCriterion()).add(nn.MSECriterion()).forward([x, x], [y])
