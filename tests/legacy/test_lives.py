"""What networks are after programs have done things to them in unforeseen orders."""

import gc
import pickle
import weakref

import numpy as np
import pytest

from functorch7.legacy import clear_cache, nn, torch
from functorch7.legacy.objects.described import overridden_in

from .helpers import same, two_layers, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def step(net):
    """gradInput and the parameters' gradients of one step from zero gradients, which changes the weights."""
    net.zeroGradParameters()
    net.forward(X)
    found = [np.array(net.backward(X, G)), *map(np.array, net.parameters()[1])]
    net.updateParameters(0.1)
    return found


class ScaledAndKept(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor, self.kept = 0.5, nn.Identity()

    def updateOutput(self, input):
        return torch.mul(input, self.factor)


def test_reset_forgets_running_means_and_variances():
    """Source: nn/BatchNormalization.lua, reset."""
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.BatchNormalization(4)).add(nn.Linear(4, 2)).double()
    mean = net.get(2).running_mean
    step(net)
    assert np.any(np.asarray(mean))
    net.reset()
    assert net.get(2).running_mean is mean
    same([mean, net.get(2).running_var], [np.zeros(4), np.ones(4)])


def test_a_network_of_a_file_is_copied_after_it_has_run():
    net = torch.deserialize(torch.serialize(two_layers().add(nn.Decorator(ScaledAndKept()))))
    step(net)
    copy = pickle.loads(pickle.dumps(net))
    assert copy.get(4).get(1).factor == 0.5
    same(step(copy), step(net))


def test_what_is_in_a_loaded_users_module_goes_with_it(little_to_collect):
    net = torch.deserialize(torch.serialize(two_layers().add(ScaledAndKept())))
    step(net)
    kept = weakref.ref(net.get(4).kept)
    assert kept() is not None
    del net
    gc.collect()
    assert kept() is None


def in_a_graph(user):
    x = nn.Identity()()
    return nn.gModule([x], [nn.CAddTable()([user(nn.Linear(3, 3)(x)), x])]).double()


@pytest.mark.parametrize("passed", [lambda net: net, lambda net: torch.deserialize(torch.serialize(net))])
@pytest.mark.parametrize("make", [in_a_graph, lambda user: nn.Sequential(user).double()])
def test_a_users_module_goes_with_the_network_that_it_was_in(little_to_collect, make, passed):
    net = passed(make(ScaledAndKept()))
    net.forward(X)
    net.backward(X, X)
    kept = [weakref.ref(each) for each in net.listModules() if isinstance(each, ScaledAndKept)]
    assert len(kept) == 1 and kept[0]() is not None
    del net
    gc.collect()
    assert kept[0]() is None


def test_a_users_class_goes_with_its_objects_and_programs(little_to_collect):
    def used():
        class ScaledOnce(ScaledAndKept):
            pass

        nn.Sequential(ScaledOnce()).forward(X)
        return weakref.ref(ScaledOnce)

    kept = used()
    clear_cache()
    overridden_in.cache_clear()  # as it is wherever Lua changes a class
    gc.collect()
    assert kept() is None


def test_a_network_is_pickled_with_its_classes_code_when_it_has_been_used():
    cloudpickle = pytest.importorskip("cloudpickle")

    class ScaledInNotebook(ScaledAndKept):
        pass

    network = nn.Sequential(ScaledInNotebook())
    output = network.forward(X)
    same(pickle.loads(cloudpickle.dumps(network)).forward(X), output)


def test_tables_in_fields_may_hold_themselves_and_each_other():
    net, one, other = two_layers(), {"bias": nn.Add(2)}, [1]
    one["one"], one["other"] = one, other
    other += [one, other]
    net.get(1).notes = one
    flat, _ = net.double().getParameters()
    assert flat.type() == one["bias"].bias.type() == "torch.DoubleTensor"
    assert flat.nElement() == 3 * 4 + 4 + 4 * 2 + 2 + 2  # with those of the module in the table


class TimesItsTable(nn.Module):
    def updateOutput(self, input):
        self.output = input * self.table["inside"][0]["factor"]
        return self.output


class TimesItsTableInForward(nn.Module):
    def forward(self, input):
        return input * self.table["inside"][0]["factor"]


@pytest.mark.parametrize("kind", [TimesItsTable, TimesItsTableInForward])
def test_methods_read_a_table_that_holds_itself(kind):
    module, table = kind(), {"factor": 2.0}
    module.table = table
    table["inside"] = [table]
    net = nn.Sequential(nn.Identity(), module)
    same(net.forward(X), X * 2)
    table["factor"] = 3.0
    same(net.forward(X), X * 3)


class SumOfSquares(nn.Criterion):
    def updateOutput(self, input, target):
        self.output = (input - target).pow(2).sum()
        return self.output

    def updateGradInput(self, input, target):
        self.gradInput = (input - target).mul(2)
        return self.gradInput


@pytest.mark.parametrize("around", [nn.SequencerCriterion, lambda user: nn.MultiCriterion().add(user)])
def test_a_users_criterion_goes_with_the_one_that_it_was_in(little_to_collect, around):
    user, x, y = SumOfSquares(), values(2, 3), values(2, 3, seed=1)
    whole, kept = around(user), weakref.ref(user)
    assert whole.forward(x, y) == pytest.approx(((x - y) ** 2).sum(), 1e-5)
    same(whole.backward(x, y), 2 * (x - y), 1e-5)
    del whole, user
    gc.collect()
    assert kept() is None


def test_a_parameter_that_is_a_part_of_another_gives_its_gradient_to_it():
    net, apart = two_layers(), two_layers()
    bias, gradient = net.get(1).bias, net.get(1).gradBias
    net.get(3).bias.set(bias.narrow(1, 2, 2))
    net.get(3).gradBias.set(gradient.narrow(1, 2, 2))
    for mine, theirs in zip(apart.parameters()[0], net.parameters()[0], strict=True):
        mine.copy(theirs)
    found, expected = step(net), step(apart)
    whole = expected[2].copy()
    whole[1:3] += expected[4]
    same(found, [*expected[:2], whole, expected[3], whole[1:3]])


def test_inner_outputs_are_forwards_after_backward_at_another_input():
    net, other = two_layers(), values(5, 3, seed=3)
    net.forward(X)
    hidden = np.tanh(X @ np.asarray(net.get(1).weight).T + np.asarray(net.get(1).bias))
    net.backward(other, G)
    net.backward(X, G)
    same(net.get(2).output, hidden)


def test_a_step_that_fails_leaves_those_before_it_to_backward():
    net = nn.FastLSTM(3, 2).double()
    expected, steps = net.clone(), [values(5, 3, seed=s) for s in (1, 2)]
    for each in (net, expected):
        for x in steps:
            each.forward(x)
    with pytest.raises(ValueError):
        net.forward(values(5, 4))
    for x in reversed(steps):
        same(net.backward(x, G), expected.backward(x, G).numpy())
    same(net.parameters()[1], expected.parameters()[1])


def test_a_parameters_grad_is_the_modules_after_a_cast():
    linear = nn.Linear(3, 2).requires_grad_(True).double()
    linear.forward(X)
    linear.backward(X, G)
    assert linear.weight.grad is linear.gradWeight
    same(linear.weight.grad, G.T @ X)


def test_a_users_module_computes_with_parts_of_parameters_that_lie_on_an_accelerator(accelerator):
    class Gain(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.gradWeight = torch.ones(3), torch.zeros(3)

        def updateOutput(self, input):
            seen.append(input.size())  # so it is called
            return torch.cmul(input, self.weight.view(1, 3).expandAs(input))

    seen, gain = [], Gain()
    for factor in (1, -1):  # w = 1, and then 1 - 2 * 1, which is noted
        same(gain.forward(torch.ones(2, 3)), np.full((2, 3), factor))
        same(gain.backward(torch.ones(2, 3), torch.ones(2, 3)), np.full((2, 3), factor))
        gain.updateParameters(1)
