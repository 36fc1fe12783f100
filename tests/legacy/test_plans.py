"""A change of structure concerns the networks that hold what has changed, and nothing that is stale is ever used."""

import gc
import weakref

import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.engine import plans

from .helpers import same, values

WIDTH = 3


def network():
    return nn.Sequential(
        nn.Linear(WIDTH, WIDTH),
        nn.Sequential(nn.Tanh(), nn.Dropout(0.4), nn.Linear(WIDTH, WIDTH)),
        nn.BatchNormalization(WIDTH),
        nn.MulConstant(1.5),
    )


def part(draw):
    kinds = [
        lambda: nn.Linear(WIDTH, WIDTH), lambda: nn.Tanh(), lambda: nn.Dropout(0.3), lambda: nn.MulConstant(0.7),
        lambda: nn.BatchNormalization(WIDTH), lambda: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU()),
        lambda: nn.CMul(WIDTH),
    ]  # fmt: skip
    return kinds[draw.integers(len(kinds))]()


def containers(net):
    return [module for module in net.listModules() if isinstance(module, nn.Sequential)]


def linears(net):
    return [module for module in net.listModules() if isinstance(module, nn.Linear)]


def any_of(draw, found):
    return found[draw.integers(len(found))] if found else None


def add(net, draw):
    any_of(draw, containers(net)).add(part(draw))


def insert(net, draw):
    chain = any_of(draw, containers(net))
    chain.insert(part(draw), int(draw.integers(len(chain) + 1)) + 1)


def remove(net, draw):
    chain = any_of(draw, [each for each in containers(net) if len(each) > 1])
    if chain is not None:
        chain.remove(int(draw.integers(len(chain))) + 1)


def put(net, draw):
    chain = any_of(draw, [each for each in containers(net) if len(each)])
    chain.modules[draw.integers(len(chain))] = part(draw)


def other_list(net, draw):
    chain = any_of(draw, containers(net))
    chain.modules = [*chain.modules[::-1]]


def mode(net, draw):
    module = any_of(draw, net.listModules())
    module.training() if draw.integers(2) else module.evaluate()


def other_weight(net, draw):
    if (linear := any_of(draw, linears(net))) is not None:
        linear.weight = torch.Tensor(draw.normal(size=(WIDTH, WIDTH)).tolist())
        linear.gradWeight = torch.Tensor(WIDTH, WIDTH)


def moved_weight(net, draw):
    if (linear := any_of(draw, linears(net))) is not None:
        linear.weight.set(torch.Tensor(draw.normal(size=(WIDTH, WIDTH)).tolist()).t())


def grown_storage(net, draw):
    if (linear := any_of(draw, linears(net))) is not None:
        linear.weight.storage().resize(int(linear.weight.storage().size() + draw.integers(4)))


def resized(net, draw):
    if (linear := any_of(draw, linears(net))) is not None:
        view = torch.Tensor(linear.weight.storage())
        view.resize(view.nElement() + 5)


def shared(net, draw):
    one, other = any_of(draw, linears(net)), any_of(draw, linears(net))
    if one is not None and one is not other:
        one.share(other, "weight", "gradWeight")


def without_bias(net, draw):
    if (linear := any_of(draw, linears(net))) is not None:
        linear.bias = None


def flat(net, draw):
    net.getParameters()


def number(net, draw):
    for module in net.listModules():
        if isinstance(module, nn.Dropout):
            module.p = float(draw.choice([0, 0.2, 0.6]))
        if isinstance(module, nn.MulConstant):
            module.constant_scalar = float(draw.uniform(0.5, 2))


def scaled(net, draw):
    any_of(draw, net.listModules()).setScaleW(float(draw.choice([0, 0.5, 1])))


def frozen(net, draw):
    any_of(draw, net.listModules()).requires_grad_(bool(draw.integers(2)))


def hooked(net, draw):
    handle = any_of(draw, net.listModules()).register_forward_hook(lambda module, input, output: output * 0.5)
    if draw.integers(2):
        handle.remove()


def hooked_everywhere(net, draw):
    handle = nn.register_module_forward_hook(lambda module, input, output: None)
    net.forward(torch.Tensor(5, WIDTH))
    handle.remove()


def named(net, draw):
    any_of(draw, net.listModules()).setName(f"name{draw.integers(1000)}")


def of_another_type(net, draw):
    net.double() if draw.integers(2) else net.float()


def unrelated(net, draw):
    torch.Tensor(3).resize(int(draw.integers(1, 9)))
    network().evaluate()


CHANGES = (
    add, insert, remove, put, other_list, mode, mode, other_weight, moved_weight, grown_storage, resized, shared,
    without_bias, flat, number, number, scaled, frozen, hooked, hooked_everywhere, named, of_another_type, unrelated,
)  # fmt: skip


def outcome(net, input):
    torch.manualSeed(5)
    output = net.forward(input)
    net.zeroGradParameters()
    grad_input = net.backward(input, np.ones(output.shape, np.float32))
    return [output, grad_input, *net.parameters()[1]]


@pytest.mark.parametrize("seed", range(3))
def test_after_any_change_a_network_computes_what_a_fresh_copy_computes(seed):
    draw, net = np.random.default_rng(seed), network()
    input = torch.Tensor(values(5, WIDTH, seed=seed).tolist())
    outcome(net, input)
    for _ in range(8):
        change = CHANGES[draw.integers(len(CHANGES))]
        change(net, draw)
        copy = net.clone()
        same(outcome(net, input), outcome(copy, input), 1e-5, 1e-6)


@pytest.mark.parametrize("change", list(dict.fromkeys(CHANGES)), ids=lambda change: change.__name__)
def test_every_change_is_noticed_in_both_modes(change):
    draw, net = np.random.default_rng(1), network()
    input = torch.Tensor(values(5, WIDTH).tolist())
    net.evaluate().forward(input)
    outcome(net.training(), input)
    change(net, draw)
    copy = net.clone()
    same(outcome(net, input), outcome(copy, input), 1e-5, 1e-6)
    torch.manualSeed(5)
    shown = net.evaluate().forward(input)
    torch.manualSeed(5)
    same(shown, copy.evaluate().forward(input), 1e-5, 1e-6)


def test_unrelated_objects_leave_a_network_s_plan_alone():
    net, buffer = network(), torch.Tensor(3)
    net.forward(values(5, WIDTH))
    plan = net._planned()
    nn.Identity()
    buffer.resize(7)
    buffer.set(torch.Tensor(2))
    network().add(nn.Tanh()).forward(values(5, WIDTH))
    assert net._planned() is plan


def test_a_plan_of_each_mode_is_kept():
    net = network()
    training = net._planned()
    evaluation = net.evaluate()._planned()
    assert evaluation is not training
    assert net.training()._planned() is training and net.evaluate()._planned() is evaluation
    net.get(2).training()
    mixed = net._planned()
    assert mixed is not evaluation and mixed is not training


def test_a_change_reaches_every_network_that_holds_the_module():
    inner = nn.Sequential(nn.Linear(WIDTH, WIDTH))
    first, second, other = nn.Sequential(inner), nn.Sequential(nn.Tanh(), inner), network()
    plans = [net._planned() for net in (first, second, other)]
    inner.add(nn.Tanh())
    assert first._planned() is not plans[0] and second._planned() is not plans[1] and other._planned() is plans[2]


def test_a_tensor_that_two_networks_share_reaches_both():
    one = network()
    two = one.clone("weight", "bias")
    plans = one._planned(), two._planned()
    one.getParameters()
    assert one._planned() is not plans[0]
    same(two.evaluate().forward(values(5, WIDTH)), one.evaluate().forward(values(5, WIDTH)))


class Mine(nn.Module):
    """A user's module with a chain that it runs by itself."""

    def __init__(self):
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(WIDTH, WIDTH))

    def parameters(self):
        return self.inside.parameters()

    def updateOutput(self, input):
        return self.inside.forward(input)


def test_parameters_that_a_user_s_module_has_got_since_are_learned():
    mine = Mine()
    net = nn.Sequential(mine)
    input = torch.Tensor(values(5, WIDTH).tolist())
    outcome(net, input)
    mine.inside.add(nn.Linear(WIDTH, WIDTH))
    *_, bias = outcome(net, input)
    same(bias, np.full(WIDTH, 5.0), 1e-5)


def test_a_criterion_s_number_counts_inside_a_module():
    margin = nn.MarginCriterion(1)
    net = nn.Sequential(nn.ModuleFromCriterion(margin))
    pair = [torch.Tensor([0.5, 0.5]), torch.Tensor([1, 1])]
    same(net.forward(pair), [0.5])
    margin.margin = 2
    same(net.forward(pair), [1.5])


def test_networks_that_ran_and_were_dropped_are_freed_by_their_memory(monkeypatch, little_to_collect):
    """Without any collection of Python's own, which goes by numbers of objects."""
    network, x = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()), values(2, 3)
    monkeypatch.setattr(plans, "MOST_BYTES", 10 * 2 * 4 * (3 * 4 + 4))
    gc.collect()
    monkeypatch.setattr(plans.Plans, "planned", 0)
    gc.disable()
    try:
        dropped = []
        for _ in range(40):
            clone = network.clone()
            clone.forward(x)
            dropped.append(weakref.ref(clone))
    finally:
        gc.enable()
    assert sum(each() is not None for each in dropped) <= 11
