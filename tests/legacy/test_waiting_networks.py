"""Which networks wait for the criterion: those that check values, recurrent ones, and large ones."""

import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.engine import ahead, looks, waiting

from .helpers import same, values


def test_what_a_check_of_values_finds_is_said_by_the_criterions_call(together):
    net, criterion = nn.Sequential().add(nn.LookupTable(5, 3)).add(nn.Linear(3, 2)), nn.MSECriterion()
    words, target = torch.LongTensor([1, 5]), torch.zeros(2, 2)
    for _ in range(4):
        criterion.forward(net.forward(words), target)
        net.backward(words, criterion.backward(net.output, target))
    assert together
    output = net.forward(torch.LongTensor([1, 6]))
    for _ in range(2):  # it is not forgotten
        with pytest.raises(ValueError, match=r"nn.LookupTable.*6"):
            criterion.forward(output, target)


def remembers(net, _):
    net.remember("both")


def is_given_a_state(net, step):
    step.userPrevOutput = torch.ones(2, 3)


def is_given_its_gradient(net, step):
    step.userNextGradCell = torch.ones(2, 3)


@pytest.mark.parametrize("change", [remembers, is_given_a_state, is_given_its_gradient])
def test_sequences_go_on_as_where_none_waits(request, change):
    def run():
        torch.manualSeed(3)
        step = nn.FastLSTM(3, 3)
        net, criterion, seen = nn.Sequencer(step), nn.SequencerCriterion(nn.MSECriterion()), []
        for number in range(8):
            x, y = (torch.Tensor(values(4, 2, 3, seed=10 * number + each)) for each in (0, 1))
            if number > 3:
                change(net, step)
            net.zeroGradParameters()
            seen.append(criterion.forward(net.forward(x), y))
            seen.append(net.backward(x, criterion.backward(net.output, y)).numpy())
            net.updateParameters(0.1)
        return seen

    usual = run()
    together = request.getfixturevalue("together")
    same(run(), usual, 1e-4, 1e-6)
    assert together


def test_the_gradient_at_a_large_input_is_there_for_who_looks(request, monkeypatch):
    def run():
        torch.manualSeed(3)
        net, criterion = nn.Sequential().add(nn.Linear(512, 2)).add(nn.Tanh()), nn.MSECriterion()
        x, y, seen = torch.Tensor(values(8, 512)), torch.Tensor(values(8, 2, seed=1)), []
        for number in range(9):
            net.zeroGradParameters()
            criterion.forward(net.forward(x), y)
            found = net.backward(x, criterion.backward(net.output, y))
            net.updateParameters(0.1)
            if number > 5:
                seen += [found.numpy(), net.parameters()[1][0].numpy()]
        return seen

    usual = run()
    together = request.getfixturevalue("together")
    monkeypatch.setattr(looks, "OFTEN", 3)
    same(run(), usual, 1e-5, 1e-7)
    assert len(together) > 5


def test_inputs_of_each_size_wait_once_they_have_come_often(together):
    net, criterion = nn.Sequential().add(nn.Linear(3, 2)), nn.MSECriterion()
    for size in (2, 2, 2, 4, 4, 4):
        x = torch.Tensor(values(size, 3))
        criterion.forward(net.forward(x), torch.zeros(size, 2))
        net.zeroGradParameters()
        net.backward(x, criterion.backward(net.output, torch.zeros(size, 2)))
    assert [call.result.size(1) for call in together] == [2, 4]


@pytest.mark.parametrize("when", ["before backward", "after the update", "in the next step"])
def test_a_large_output_is_there_for_who_looks(request, monkeypatch, when):
    def run():
        torch.manualSeed(3)
        net, criterion = nn.Sequential().add(nn.Linear(3, 5)).add(nn.Dropout(0.5)), nn.SmoothL1Criterion()
        x, y, seen, last = torch.Tensor(values(8, 3)), torch.Tensor(values(8, 5, seed=1)), [], None
        for number in range(9):
            net.zeroGradParameters()
            seen.append(criterion.forward(net.forward(x), y))
            if when == "in the next step" and number > 6:
                seen.append(last.numpy())
            if when == "before backward" and number > 6:
                seen.append(net.output.numpy())
            net.backward(x, criterion.backward(net.output, y))
            net.updateParameters(0.1)
            last = net.output
            if when == "after the update" and number > 6:
                seen.append(last.numpy())
        return [*seen, net.get(1).weight.numpy()]

    usual = run()
    together = request.getfixturevalue("together")
    monkeypatch.setattr(looks, "OFTEN", 3)
    monkeypatch.setattr(ahead, "LARGE", 8)
    same(run(), usual, 1e-5, 1e-7)
    assert len(together) > 5


def test_an_output_is_computed_again_only_until_somebody_looks(together, monkeypatch):
    monkeypatch.setattr(looks, "OFTEN", 3)
    monkeypatch.setattr(ahead, "LARGE", 8)
    again, compute = [], waiting._computed_again
    monkeypatch.setattr(waiting, "_computed_again", lambda *given: again.append(given) or compute(*given))
    net, criterion = nn.Sequential().add(nn.Linear(3, 5)), nn.MSECriterion()
    x, y = torch.Tensor(values(8, 3)), torch.zeros(8, 5)
    for number in range(12):
        criterion.forward(net.forward(x), y)
        if number > 7:
            same(net.output, x.numpy() @ net.get(1).weight.numpy().T + net.get(1).bias.numpy(), 1e-5, 1e-6)
        net.zeroGradParameters()
        net.backward(x, criterion.backward(net.output, y))
        net.updateParameters(0.1)
    assert len(again) == 1 and len(together) > 8


def test_a_criterion_that_checks_its_input_is_given_a_large_one(together, monkeypatch):
    monkeypatch.setattr(looks, "OFTEN", 3)
    monkeypatch.setattr(ahead, "LARGE", 8)
    again, compute = [], waiting._computed_again
    monkeypatch.setattr(waiting, "_computed_again", lambda *given: again.append(given) or compute(*given))
    net, criterion, target = nn.Sequential().add(nn.Linear(3, 5)), nn.BCECriterion(), torch.zeros(8, 5)
    net.get(1).weight.zero()
    net.get(1).bias.fill(0.5)
    for number in range(9):
        net.zeroGradParameters()
        if number == 8:
            net.get(1).bias.fill(2)
            with pytest.raises(ValueError, match="between 0~1, but got 2"):
                criterion.forward(net.forward(torch.zeros(8, 3)), target)
        else:
            criterion.forward(net.forward(torch.zeros(8, 3)), target)
            net.backward(torch.zeros(8, 3), criterion.backward(net.output, target))
    assert len(again) == 1 and len(together) > 5
