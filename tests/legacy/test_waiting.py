"""Forward calls that wait for the criterion: programs give what they give where none waits, whatever comes between."""

import copy
import pickle

import jax
import numpy as np
import pytest

from functorch7 import legacy
from functorch7.legacy import nn, optim, torch
from functorch7.legacy.engine.calls import Call

from .any_calls import NETWORKS, WAITING_ON_THE_HOST, Program
from .helpers import same, values


def in_any_order(name, is_flat, seed):
    """A program whose usual steps are interrupted by other calls."""
    random, program = np.random.default_rng(seed), Program(name, is_flat, lambda each: each)
    torch.manualSeed(5)
    for _ in range(12):
        for call in (*Program.STEP, *random.choice(Program.CALLS, random.integers(4))):
            getattr(program, call)()
    return program


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("is_flat", [False, True])
@pytest.mark.parametrize("name", NETWORKS)
def test_any_calls_give_what_they_give_where_none_waits(request, name, is_flat, seed):
    if seed:
        request.getfixturevalue("as_if_large")
    usual = in_any_order(name, is_flat, seed)
    together = request.getfixturevalue("together")
    other = in_any_order(name, is_flat, seed)
    assert bool(together) == (name in WAITING_ON_THE_HOST)
    np.testing.assert_allclose(np.array(other.seen, float), np.array(usual.seen, float), 1e-4, 1e-5)
    for mine, theirs in zip(other.net.parameters()[0], usual.net.parameters()[0], strict=True):
        np.testing.assert_allclose(np.asarray(mine), np.asarray(theirs), 1e-4, 1e-5)


class Step:
    """A step as XOR's, parts of which those below do otherwise in every other step, after some that are as usual."""

    def __init__(self, move=lambda each: each.double(), given=np.array, is_flat=False):
        torch.manualSeed(3)
        self.net = move(nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 3)))
        self.flat = self.net.getParameters() if is_flat else None
        self.criterion, self.move, self.given, self.seen = move(nn.MSECriterion()), move, given, []

    def __call__(self, number):
        kind = type(self) if number > 3 and number % 2 else Step
        self.x, self.y = (self.given(values(2, 3, seed=10 * number + each)) for each in (0, 1))
        self.net.zeroGradParameters()
        output = self.net.forward(self.x)
        kind.between(self, output)
        loss = self.criterion.forward(output, self.y)
        kind.after(self, loss)
        gradient = self.criterion.backward(output, self.y)
        found = kind.backward(self, gradient)
        self.seen += [loss, output.numpy(), gradient.numpy(), found.numpy()]
        self.seen += [each.numpy() for each in self.net.parameters()[1]]
        kind.update(self)

    def between(self, output):
        """Before the criterion's call."""

    def after(self, loss):
        """After the criterion's call."""

    def backward(self, gradient):
        return self.net.backward(self.x, gradient)

    def update(self):
        rate = float("0.1")  # another object each time, as numbers from Lua are
        if self.flat is None:
            self.net.updateParameters(rate)
        else:
            optim.sgd(lambda x: (0, self.flat[1]), self.flat[0], {"learningRate": rate})


class LooksAtTheOutput(Step):
    def between(self, output):
        self.seen.append(output.max())


class LooksInside(Step):
    def between(self, output):
        self.seen.append(self.net.get(2).output.numpy())


class ChangesTheOutput(Step):
    def between(self, output):
        output.mul(2)


class ViewsTheOutput(Step):
    def between(self, output):
        output.resize(3, 2)
        self.y = self.y.reshape(3, 2)

    def backward(self, gradient):
        return self.net.backward(self.x, gradient.resize(2, 3))


class ChangesWeights(Step):
    def between(self, output):
        self.net.get(1).weight.mul(0.5)


class ChangesWeightsAfterwards(Step):
    def after(self, loss):
        self.net.get(3).weight.mul(0.5)


class ChangesTheInput(Step):
    def between(self, output):
        self.x *= 0.5  # in place


class ChangesTheStructure(Step):
    def between(self, output):
        self.net.add(nn.Identity()) if self.net.size() == 3 else self.net.remove()


class RunsAgain(Step):
    def between(self, output):
        self.seen.append(self.net.forward(2 * self.x).numpy())
        self.net.forward(self.x)


class AsksAnotherCriterion(Step):
    def between(self, output):
        self.seen.append(nn.AbsCriterion().double().forward(output, self.y))


class CopiesTheOutput(Step):
    def between(self, output):
        self.seen += [output.clone().numpy(), copy.deepcopy(output).numpy(), pickle.loads(pickle.dumps(output)).numpy()]


class CopiesTheNetwork(Step):
    def between(self, output):
        self.net = self.net.clone()
        self.net.forward(self.x)


class PullsBackTwice(Step):
    def backward(self, gradient):
        self.net.backward(self.x, gradient)
        return self.net.backward(self.x, gradient)


class PullsBackInTwo(Step):
    def backward(self, gradient):
        found = self.net.updateGradInput(self.x, gradient)
        self.net.accGradParameters(self.x, gradient, 0.5)
        return found


class ScalesGradients(Step):
    def backward(self, gradient):
        return self.net.backward(self.x, gradient, 0.5)


class ChangesTheGradient(Step):
    def backward(self, gradient):
        return self.net.backward(self.x, gradient.mul(3))


class AddsUpGradients(Step):
    def after(self, loss):
        self.net.get(1).gradWeight.fill(0.25)


class PullsBackElsewhere(Step):
    def backward(self, gradient):
        return self.net.backward(2 * self.x, gradient)


class Validates(Step):
    def after(self, loss):
        self.seen.append(self.criterion.forward(self.net.forward(self.x), 0 * self.y))
        self.criterion.forward(self.net.forward(self.x), self.y)


class Freezes(Step):
    def after(self, loss):
        self.net.get(1).gradBias = None


class Casts(Step):
    def after(self, loss):
        self.net.float().double()
        self.net.forward(self.x)


class Watches(Step):
    def between(self, output):
        hook = self.net.get(2).register_forward_hook(lambda module, given, output: None)
        self.seen.append(self.net.forward(self.x).numpy())
        hook.remove()
        self.net.forward(self.x)


class ChangesTheRate(Step):
    def update(self):
        self.net.updateParameters(0.2)


class UpdatesTwice(Step):
    def update(self):
        for _ in range(2):
            self.net.updateParameters(0.1)


class ClipsGradients(Step):
    def update(self):
        self.net.get(1).gradWeight.clamp(-0.01, 0.01)
        self.net.updateParameters(0.1)


class ChangesWeightsBeforeTheUpdate(Step):
    def update(self):
        self.net.get(3).bias.add(1)
        self.net.updateParameters(0.1)


class ChangesWeightsAfterTheUpdate(Step):
    def update(self):
        self.net.updateParameters(0.1)
        self.net.get(1).weight.renorm(2, 1, 0.5)


class UpdatesBeforeBackward(Step):
    def after(self, loss):
        self.net.updateParameters(0.1)


INTERRUPTED = [Step, *Step.__subclasses__()]


@pytest.mark.parametrize("is_flat", [False, True])
@pytest.mark.parametrize("kind", INTERRUPTED)
def test_whatever_comes_between(request, kind, is_flat):
    usual, other = kind(is_flat=is_flat), kind(is_flat=is_flat)
    for number in range(9):
        usual(number)
    together = request.getfixturevalue("together")
    for number in range(9):
        other(number)
    same(other.seen, usual.seen, 1e-9, 1e-12)
    assert together


@pytest.mark.parametrize("kind", [kind for kind in INTERRUPTED if kind not in (Casts, Watches)])
def test_whatever_comes_between_on_an_accelerator(request, kind):
    def run():
        step = kind(lambda each: each.cuda(), lambda array: torch.Tensor(array).cuda())
        for number in range(9):
            step(number)
        return [float(each) if each is not None and np.ndim(each) == 0 else each for each in step.seen]

    request.getfixturevalue("accelerator")
    usual = run()
    together = request.getfixturevalue("together")
    same(run(), usual, 1e-4, 1e-6)
    assert together


def memory_of(tensor):
    """The bytes that whoever keeps a tensor keeps with it."""
    array = tensor.numpy()
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.nbytes


@pytest.mark.parametrize("is_flat", [False, True])
def test_of_a_small_step_all_comes_as_one_array_and_outputs_keep_no_parameters(together, is_flat):
    step = Step(is_flat=is_flat)
    for number in range(5):
        step(number)
    assert step.net._planned().packing is not None
    results = step.net.output, step.net.gradInput, step.criterion.gradInput
    assert all(memory_of(each) == 8 * (1 + sum(result.nElement() for result in results)) for each in results)
    for tensor in step.net.parameters()[0]:
        tensor.fill(2)  # and each is written to on its own
    assert [each.numpy().sum() for each in step.net.parameters()[0]] == [24, 8, 24, 6]


@pytest.mark.parametrize("kind", [ClipsGradients, ChangesWeightsAfterTheUpdate])
def test_none_is_packed_where_updates_always_are_others(together, kind):
    step = kind()
    for number in range(5, 31, 2):
        step(number)
    assert together and (step.net._planned().packing is None) == (kind is ClipsGradients)


def test_losses_are_numbers_and_fields_are_as_ever(together):
    step = Step()
    for number in range(4):
        step(number)
    assert len(together) > 1
    output = step.net.forward(step.x)
    loss = step.criterion.forward(output, step.y)
    assert type(loss) is float and loss == step.criterion.output
    assert step.net.output is output
    hidden = np.tanh(step.x @ step.net.get(1).weight.numpy().T + step.net.get(1).bias.numpy())
    same(step.net.get(2).output, hidden)
    same(output, hidden @ step.net.get(3).weight.numpy().T + step.net.get(3).bias.numpy())


def test_what_is_wrong_is_said_as_ever(together):
    net, criterion = nn.Sequential().add(nn.Linear(3, 4)).add(nn.LogSoftMax()), nn.ClassNLLCriterion()
    x = torch.Tensor(values(2, 3))

    def step(target):
        output = net.forward(x)
        loss = criterion.forward(output, target)
        net.backward(x, criterion.backward(output, target))
        return loss

    for _ in range(4):
        step(torch.Tensor([1, 2]))
    assert together
    for wrong, said in ((torch.Tensor([1, 5]), "target 5 at position 2"), (torch.Tensor([1, 2, 3]), "2 classes")):
        with pytest.raises(ValueError, match=said):
            step(wrong)
    with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 4\)"):
        net.forward(torch.Tensor(2, 5))
    expected = -np.asarray(net.forward(x))[[0, 1], [0, 1]].mean()
    np.testing.assert_allclose(step(torch.Tensor([1, 2])), expected, 1e-5)


def test_what_was_interrupted_is_there_for_who_asks_again(together, monkeypatch):
    step = Step()
    for number in range(4):
        step(number)
    output, run = step.net.forward(step.x), Call._run

    def interrupted(self, keep):
        monkeypatch.setattr(Call, "_run", run)
        raise KeyboardInterrupt

    monkeypatch.setattr(Call, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        output.sum()
    hidden = np.tanh(step.x @ step.net.get(1).weight.numpy().T + step.net.get(1).bias.numpy())
    same(output, hidden @ step.net.get(3).weight.numpy().T + step.net.get(3).bias.numpy())


@pytest.mark.parametrize("kind", [Validates, LooksAtTheOutput])
def test_where_it_always_goes_otherwise_none_waits(together, kind):
    step = kind()
    for number in range(5, 41, 2):
        step(number)
    before = len(together)
    for number in range(41, 51, 2):
        step(number)
    assert len(together) == before


def test_none_waits_where_each_call_is_to_run_at_once(together):
    step = Step()
    try:
        legacy.eager(True)
        for number in range(4):
            step(number)
    finally:
        legacy.eager(False)
    with jax.debug_nans(True):
        step(5)
    assert not together


def test_optimisers_take_the_same_steps(request):
    def trained():
        torch.manualSeed(3)
        net, criterion, state = nn.Sequential().add(nn.Linear(3, 4)).add(nn.ReLU()), nn.SmoothL1Criterion(), {}
        params, grads = net.getParameters()
        x, y = torch.Tensor(values(5, 3)), torch.Tensor(values(5, 4, seed=1))

        def objective(_):
            grads.zero()
            loss = criterion.forward(net.forward(x), y)
            net.backward(x, criterion.backward(net.output, y))
            return loss, grads

        losses = [optim.sgd(objective, params, {"learningRate": 0.1, "momentum": 0.9}, state)[1][0] for _ in range(6)]
        return [*losses, params.numpy()]

    usual = trained()
    together = request.getfixturevalue("together")
    same(trained(), usual, 1e-4, 1e-6)
    assert len(together) > 2
