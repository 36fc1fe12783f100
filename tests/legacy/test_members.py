"""Criterions inside criterions: each does what it does alone, and shows what it did."""

import pickle

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, sigmoid, slopes, values

X, Y = values(4, 3, seed=1), values(4, 3, seed=2)
CLASSES = np.float64([1, 3, 2, 1])


class Squares(nn.Criterion):
    """A user's own, in NumPy, in both directions."""

    def updateOutput(self, input, target):
        self.output = float(np.square(np.asarray(input) - np.asarray(target)).sum())
        return self.output

    def updateGradInput(self, input, target):
        self.gradInput = torch.DoubleTensor(2 * (np.asarray(input) - np.asarray(target)))
        return self.gradInput


class Halved(nn.MSECriterion):
    """A criterion of the package whose gradient a user changes."""

    def updateGradInput(self, input, target):
        return super().updateGradInput(input, target).mul(0.5)


def between(loss):
    """A member as (its loss, its gradient) in NumPy, the latter by differences."""
    return loss, lambda x, y: slopes(lambda at: loss(at, y), x.copy())


MEMBERS = {
    "MSECriterion": (nn.MSECriterion, *between(lambda x, y: np.square(x - y).mean())),
    "ModuleCriterion": (
        lambda: nn.ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Sigmoid()),
        *between(lambda x, y: np.square(np.tanh(x) - sigmoid(y)).mean()),
    ),
    "a user's": (Squares, *between(lambda x, y: np.square(x - y).sum())),
    "a user's gradient": (Halved, lambda x, y: np.square(x - y).mean(), lambda x, y: (x - y) / x.size),
}
AROUND = {
    "MultiCriterion": (
        lambda c: nn.MultiCriterion().add(nn.AbsCriterion()).add(c, 0.5),
        lambda f, x, y: np.abs(x - y).mean() + 0.5 * f(x, y),
        lambda g, x, y: np.sign(x - y) / x.size + 0.5 * g(x, y),
    ),
    "nested": (
        lambda c: nn.MultiCriterion().add(nn.MultiCriterion().add(c, 2), 3),
        lambda f, x, y: 6 * f(x, y),
        lambda g, x, y: 6 * g(x, y),
    ),
    "SequencerCriterion": (
        lambda c: nn.SequencerCriterion(c),
        lambda f, x, y: sum(map(f, x, y)),
        lambda g, x, y: np.stack(list(map(g, x, y))),
    ),
    "RepeaterCriterion": (
        lambda c: nn.RepeaterCriterion(c),
        lambda f, x, y: sum(f(each, y[0]) for each in x),
        lambda g, x, y: np.stack([g(each, y[0]) for each in x]),
    ),
    "MaskZeroCriterion": (lambda c: nn.MaskZeroCriterion(c, 1), lambda f, x, y: f(x, y), lambda g, x, y: g(x, y)),
}
PAIRS = [
    (member, around)
    for member in MEMBERS
    for around in AROUND
    if not (member == "ModuleCriterion" and around in ("SequencerCriterion", "RepeaterCriterion"))  # refused, as in rnn
]


def saved(criterion, folder):
    torch.save(f"{folder}/criterion.t7", criterion)
    return torch.load(f"{folder}/criterion.t7")


@pytest.mark.parametrize("member, around", PAIRS)
def test_a_member_computes_what_it_does_alone(member, around):
    make, loss, gradient = MEMBERS[member]
    wrap, total, slope = AROUND[around]
    inside = make().double()
    criterion = wrap(inside).double()
    target = Y[0] if around == "RepeaterCriterion" else Y
    for x in (X, -X):
        same(criterion.forward(x, target), total(loss, x, Y), 1e-6)
        same(criterion.backward(x, target), slope(gradient, x, Y), 1e-5, 1e-8)
    if around not in ("SequencerCriterion", "RepeaterCriterion"):  # whose member in Torch is never run: its clones are
        same(inside.output, loss(x, Y), 1e-6)
        same(np.reshape(inside.gradInput, x.shape), gradient(x, Y), 1e-5, 1e-8)


def test_a_member_shows_the_newest_of_what_it_computed_alone_and_as_a_part():
    inside, ones = nn.MSECriterion(), np.ones(2)
    both = nn.MultiCriterion().add(nn.ParallelCriterion().add(inside, 3), 2)
    assert both.forward([ones], [0 * ones]) == 6 and inside.output == 1
    both.forward([2 * ones], [0 * ones])
    assert inside.forward(3 * ones, 0 * ones) == 9 and inside.output == 9
    both.backward([2 * ones], [0 * ones])
    assert inside.output == 4
    same(inside.gradInput, [2, 2])
    inside.backward(3 * ones, 0 * ones)
    same(inside.gradInput, [3, 3])


def test_what_a_members_gradient_leaves_out_is_zero():
    class First(nn.Criterion):
        """The first tensor of a table, summed; its gradient has no entry for the others."""

        def updateOutput(self, input, target):
            return input[0].sum()

        def updateGradInput(self, input, target):
            return [torch.ones(*input[0].shape)]

    criterion = nn.ParallelCriterion().add(First(), 2).add(nn.MSECriterion())
    x, y = [[torch.Tensor([1, 2]), torch.Tensor([3])], torch.Tensor([5])], [torch.Tensor([0]), torch.Tensor([4])]
    assert criterion.forward(x, y) == 7
    (first, second), third = criterion.backward(x, y)
    assert (first.totable(), second.totable(), third.totable()) == ([2, 2], [0], [2])


@pytest.mark.parametrize("how", ["pickled", "cloned", "a file"])
@pytest.mark.parametrize("member", ["ModuleCriterion", "MSECriterion"])
def test_copies_and_files_keep_members(member, how, tmp_path):
    criterion = nn.MultiCriterion().add(MEMBERS[member][0](), 2).double()
    criterion.forward(X, Y)
    copy = {
        "pickled": lambda: pickle.loads(pickle.dumps(criterion)),
        "cloned": criterion.clone,
        "a file": lambda: saved(criterion, tmp_path),
    }[how]()
    same(copy.forward(X, Y), 2 * MEMBERS[member][1](X, Y), 1e-6)
    same(copy.backward(X, Y), criterion.backward(X, Y), 1e-6)


def test_descriptions_have_the_modules_of_a_ModuleCriterion():
    criterion = nn.MultiCriterion().add(nn.ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Sigmoid()))
    same(criterion.description()(X, Y), MEMBERS["ModuleCriterion"][1](X, Y), 1e-5)


def test_parameters_of_a_members_module_get_their_gradients():
    with pytest.warns(UserWarning, match="parameter updates"):
        linear = nn.Linear(3, 2).double()
        member = nn.ModuleCriterion(nn.MSECriterion(), linear).double()
    criterion = nn.MultiCriterion().add(member, 3).double()
    y = values(4, 2, seed=3)
    criterion.forward(X, y)
    criterion.backward(X, y)
    error = (X @ np.asarray(linear.weight).T + np.asarray(linear.bias) - y) * 2 / y.size
    same(linear.gradBias, error.sum(0), 1e-6)  # Torch weighs the input's gradient, not those inside


REWARDS = {
    "VRClassReward": (lambda agent: nn.VRClassReward(agent, 2), lambda y: y),
    "BinaryClassReward": (lambda agent: nn.BinaryClassReward(agent, 2), lambda y: (y > 1) * 1.0),
}


@pytest.mark.parametrize("name", REWARDS)
def test_rewards_inside_a_ParallelCriterion_reach_the_agent(name):
    make, target_of = REWARDS[name]
    agent = nn.Sequential().add(nn.SoftMax()).add(nn.ReinforceCategorical()).double()
    agent.forward(values(4, 5, seed=5))
    scores, baseline = np.log(np.abs(values(4, 3, seed=4)) + 0.1), np.full((4, 1), 0.25)
    given = scores if name == "VRClassReward" else sigmoid(scores[:, 0])
    target = target_of(CLASSES)
    reward = make(agent)
    criterion = nn.ParallelCriterion(True).add(nn.MSECriterion()).add(reward).double()
    plain = values(4, seed=6)
    loss = criterion.forward([plain, [given, baseline]], target)
    right = given.argmax(1) + 1 == target if name == "VRClassReward" else (given > 0.5) == (target == 1)
    same(reward.output, -2 * right.mean())
    same(loss, np.square(plain - target).mean() - 2 * right.mean())
    gradients = criterion.backward([plain, [given, baseline]], target)
    same(agent.get(2).reward, (2 * right - 0.25) / 4)
    same(np.asarray(gradients[1][1]).reshape(-1), 2 * (0.25 - 2 * right) / 4)
    agent.backward(values(4, 5, seed=5), values(4, 5, seed=7))


@pytest.mark.parametrize("table", [nn.CriterionTable, nn.ModuleFromCriterion])
@pytest.mark.parametrize("member", MEMBERS)
def test_modules_that_compute_criterions_run_the_objects(member, table):
    make, loss, gradient = MEMBERS[member]
    module = table(make().double()).double()
    same(np.reshape(module.forward([X, Y]), ()), loss(X, Y), 1e-6)
    one = 1.0 if table is nn.CriterionTable else [1.0]
    same(module.backward([X, Y], one)[0], gradient(X, Y), 1e-5, 1e-8)


def test_masks_reach_members_that_take_them():
    criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(Squares())).double()
    x, y = values(2, 4, 3, seed=8), values(2, 4, 3, seed=9)
    mask = np.array([[0, 1, 0, 0], [1, 0, 0, 1]], np.uint8)
    criterion.setZeroMask(mask)
    same(criterion.forward(x, y), np.square(x - y)[mask == 0].sum())
    same(criterion.backward(x, y), 2 * (x - y) * (mask == 0)[..., None])


OTHERS = {
    "SequencerCriterion": (nn.SequencerCriterion, "criterion", lambda c: c),
    "MaskZeroCriterion": (lambda c: nn.MaskZeroCriterion(c, 1), "criterion", lambda c: c),
    "MultiCriterion": (lambda c: nn.MultiCriterion().add(c), "criterions", lambda c: [c]),
    "ModuleCriterion": (lambda c: nn.ModuleCriterion(c, nn.Tanh()), "criterion", lambda c: c),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_member_that_is_assigned_counts(name):
    make, field, held = OTHERS[name]
    criterion, expected = (make(member).double() for member in (nn.MSECriterion(), nn.AbsCriterion()))
    criterion.forward(X, Y)
    setattr(criterion, field, held(nn.AbsCriterion().double()))
    same(criterion.forward(X, Y), expected.forward(X, Y))
    same(criterion.backward(X, Y), expected.backward(X, Y))


def test_weights_and_modules_that_are_assigned_count():
    criterion = nn.MultiCriterion().add(nn.MSECriterion()).double()
    criterion.weights = [3]
    same(criterion.forward(X, Y), 3 * np.square(X - Y).mean())
    member = nn.ModuleCriterion(nn.MSECriterion(), nn.Tanh()).double()
    member.inputModule, member.targetModule = None, nn.Sigmoid().double()
    same(member.forward(X, Y), np.square(X - sigmoid(Y)).mean())
    table = nn.CriterionTable(nn.MSECriterion()).double()
    table.forward([X, Y])
    table.criterion = nn.AbsCriterion().double()
    same(table.forward([X, Y]), np.abs(X - Y).mean())


def test_a_weight_that_is_written_to_counts():
    criterion = nn.MultiCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5)
    x, y = np.array([1.0, 3.0]), np.zeros(2)
    assert criterion.forward(x, y) == pytest.approx(5 + 0.5 * 2)
    criterion.weights[1] = 3
    assert criterion.forward(x, y) == pytest.approx(5 + 3 * 2)


@pytest.mark.parametrize("kind", [nn.MultiCriterion, nn.ParallelCriterion])
@pytest.mark.parametrize("made", [list, tuple, torch.Tensor, torch.DoubleTensor, torch.DoubleStorage])
def test_weights_of_criterions_are_a_list_a_storage_or_a_tensor(kind, made):
    both = kind().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5).double()
    input = [torch.ones(2)] * 2 if kind is nn.ParallelCriterion else torch.ones(2)
    target = [torch.ones(2) * 4] * 2 if kind is nn.ParallelCriterion else torch.ones(2) * 4
    assert both.forward(input, target) == 9 + 0.5 * 3
    both.weights = made([2, 3])
    assert both.forward(input, target) == 2 * 9 + 3 * 3 == both.clone().forward(input, target)
    if made is not tuple:
        both.weights[0 if made is list else 1] = 4
        assert both.forward(input, target) == 4 * 9 + 3 * 3
    both.weights = [1, 1]
    assert both.forward(input, target) == 9 + 3
    both.weights = made([2, 3])
    assert both.add(nn.AbsCriterion()).weights == [2, 3, 1]


class Calls(Squares):
    """Its methods say that they are called."""

    def __init__(self):
        super().__init__()
        self.called = []

    def updateOutput(self, input, target):
        self.called.append("updateOutput")
        return super().updateOutput(input, target)

    def updateGradInput(self, input, target):
        self.called.append("updateGradInput")
        return super().updateGradInput(input, target)

    def forward(self, input, target):
        self.called.append("forward")
        return self.updateOutput(input, target)

    def backward(self, input, target):
        self.called.append("backward")
        return self.updateGradInput(input, target)


@pytest.mark.parametrize(
    ("around", "by_forward"),
    [
        (lambda inside: nn.MultiCriterion().add(inside, 1), False),
        (lambda inside: nn.MultiCriterion().add(nn.MultiCriterion().add(inside)), False),
        (lambda inside: nn.MaskZeroCriterion(inside, 1), False),
        (lambda inside: nn.ModuleCriterion(inside, nn.Identity()), True),
        (lambda inside: nn.SequencerCriterion(inside), True),
    ],
)
def test_criterions_call_of_a_program_s_criterion_what_torch_s_call(around, by_forward):
    inside = Calls()
    criterion = around(inside)
    input, target = torch.Tensor([[1, 2]]), torch.Tensor([[0, 5]])
    assert criterion.forward(input, target) == 10
    assert criterion.backward(input, target).totable() == [[2, -6]]
    methods = ["forward", "updateOutput", "backward", "updateGradInput"]
    assert inside.called == (methods if by_forward else methods[1::2])


@pytest.mark.parametrize("make", [Squares, nn.MSECriterion])
def test_a_criterion_at_several_places_shows_what_the_last_has_left(make):
    inside = make()
    criterion = nn.ParallelCriterion().add(inside, 0.5).add(inside, 2).add(inside)
    inputs, targets = [[1, 2], [3, -1], [1, 2]], [[0, 5], [1, 1], [1, 1]]
    mean = 1 if make is Squares else 0.5
    for _ in range(2):
        loss = criterion.forward(list(map(torch.Tensor, inputs)), list(map(torch.Tensor, targets)))
        gradients = criterion.backward(list(map(torch.Tensor, inputs)), list(map(torch.Tensor, targets)))
        assert loss == mean * (0.5 * 10 + 2 * 8 + 1)
        assert [each.totable() for each in gradients] == [
            [mean, -3 * mean],
            [8 * mean, -8 * mean],
            [0, 2 * mean],
        ]
        assert inside.output == mean and inside.gradInput.totable() == [0, 2 * mean]
