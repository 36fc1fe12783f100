"""What a `forward` makes of its modules computes what their calls, one by one, compute, and leaves what these leave."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same
from .pytorch_modules import X, custom

FACTOR = 2.0


class Around(nn.Module):
    """A user's module around others."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x * FACTOR + self.inner(x)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        return self.inner(x)


def net_of(forward):
    torch.manualSeed(3)
    net = custom(forward)
    net.a, net.b, net.norm, net.cell = nn.Linear(3, 3), Inner(), nn.BatchNormalization(3), nn.FastLSTM(3, 3)
    net.chain = nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4), nn.ReLU(), nn.Linear(4, 3))
    net.penalty = nn.L1Penalty(0.3)
    for norm in (net.norm, net.chain.get(2)):
        norm.momentum, norm.momentum = 0.3, 0.1  # which is an argument of programs from then on
    return net


def branches(self, x):
    x = nn.CAddTable()(nn.ConcatTable().add(self.a).add(self.b).add(nn.Tanh())(x))
    return nn.Concat(2).add(self.chain).add(self.b)(x)


def branches_by_hand(self, x):
    x = self.a(x) + self.b(x) + torch.tanh(x)
    return torch.cat([self.chain(x), self.b(x)], 2)


def chains(self, x):
    x = self.chain[2:](nn.Sequential(self.chain[:2], nn.Sequential(nn.Tanh(), nn.Identity()))(x))
    return nn.Sequential(self.a, *self.chain.children()).forward(x)


def chains_by_hand(self, x):
    one, two, three, four = self.chain
    x = four(three(torch.tanh(two(one(x)))))
    return self.chain(self.a(x))


def wrapped(self, x):
    tables = nn.ModuleDict({"a": self.a, "rest": nn.ModuleList([self.b, self.chain])})
    x = Around(nn.Sequential(Around(tables["a"]), *tables["rest"]))(x)
    return x @ self.a.weight


def wrapped_by_hand(self, x):
    h = x * FACTOR + self.a(x)
    return (x * FACTOR + self.chain(self.b(h))) @ self.a.weight


def repeated(self, x):
    x = nn.Sequential(self.norm, self.penalty, Around(self.norm), self.a, self.penalty)(x)
    return nn.Sequential(self.cell, self.a, self.cell)(x)


def repeated_by_hand(self, x):
    x = self.penalty(self.norm(x))
    x = self.penalty(self.a(x * FACTOR + self.norm(x)))
    return self.cell(self.a(self.cell(x)))


def graph(self, x):
    node = nn.Identity()()
    return nn.gModule([node], [nn.CMulTable()([self.a(node), self.b(self.chain(node))])])(x)


def sequence(self, x):
    return nn.Sequencer(nn.Sequential(self.norm, self.a, nn.Recursor(self.b)))(torch.cat([x, x], 1).view(2, 4, 3))


def sequence_by_hand(self, x):
    return torch.cat([self.b(self.a(self.norm(x))), self.b(self.a(self.norm(x)))], 1).view(2, 4, 3)


@pytest.mark.parametrize(
    ("made", "by_hand"),
    [
        (branches, branches_by_hand),
        (chains, chains_by_hand),
        (wrapped, wrapped_by_hand),
        (repeated, repeated_by_hand),
        (graph, lambda self, x: self.a(x) * self.b(self.chain(x))),
        (sequence, sequence_by_hand),
    ],
)
def test_what_forward_makes_of_its_modules_is_their_calls(made, by_hand):
    seen, looks = [], made in (branches, repeated)
    for forward in (made, by_hand):
        net, calls = net_of(forward), []
        net.a.register_forward_hook(lambda module, input, output, calls=calls: calls.append(output.numpy().copy()))
        found = []
        for step in range(2):
            if step == 1 and made is repeated:
                net.norm.evaluate()
            net.cell.forget()
            net.zero_grad()
            output = net(X)
            found += [output.clone(), net.backward(X, output).clone()]
            found += [net.a.output, net.a.gradInput.clone()] if looks else []
            found += [parameter.grad.clone() for _, parameter in net.named_parameters()]
            found += [buffer.clone() for buffer in net.buffers()]
            net.updateParameters(0.1)
        seen.append([*found, *(calls if made is not sequence else [])])  # hooks see the last step of a sequence
    for one, other in zip(*seen, strict=True):
        same(one, other, 1e-4, 1e-5)


def test_a_drawing_module_draws_anew_wherever_it_is():
    net = custom(lambda self, x: nn.ConcatTable().add(self.drop).add(nn.Sequential(self.drop))(x))
    net.drop = nn.Dropout(0.5)
    one, other = (np.asarray(each) for each in net(np.ones((30, 30), "f")))
    again = np.asarray(net(np.ones((30, 30), "f"))[0])
    assert set(np.unique(one)) == {0, 2} and (one != other).any() and (one != again).any()
    net.eval()
    same(net(X)[1], X)


KEPT = []


def keep(self, x):
    KEPT.append(nn.Sequential(self.inner))
    KEPT.append(self.inner)
    return x


def with_hook(self, x):
    made = nn.Sequential(self.inner)
    made.register_forward_hook(lambda *given: None)
    return made(x)


@pytest.mark.parametrize(
    ("forward", "match"),
    [
        (lambda self, x: nn.Sequential(self.inner, nn.Dropout(0.1))(x), "Dropout.* which is none of its modules: what"),
        (lambda self, x: nn.Dropout(0.1)(x), "Dropout.* which is none of its modules"),
        (lambda self, x: Around(OUTSIDE)(x), "calls nn.Linear.* which is none of its modules"),
        (with_hook, "calls nn.Sequential.* whose hooks would not be called"),
    ],
)
def test_what_would_be_a_constant_or_not_be_called_is_refused(forward, match):
    with pytest.raises(TypeError, match=match):
        custom(forward, inner=Inner)(X)


OUTSIDE = nn.Linear(3, 3)


def test_a_forwards_modules_are_not_called_after_it():
    custom(keep, inner=Inner)(X)
    for each in KEPT:
        with pytest.raises(TypeError, match="can be called in that forward alone; make it in __init__"):
            each(X)
    KEPT.clear()


LEAKY, CRITERION = nn.LeakyReLU(0.5), nn.MSECriterion()


def test_what_is_outside_counts_as_it_is_set_now():
    global FACTOR
    net = custom(lambda self, x: Around(LEAKY)(x) * CRITERION.forward(x, 0 * x))
    squares = (X**2).sum()
    same(net(X), (2 * X + np.where(X > 0, X, X / 2)) * squares / X.size, 1e-5)
    try:
        FACTOR, LEAKY.negval, CRITERION.sizeAverage = 0.0, 0.25, False
        same(net(X), np.where(X > 0, X, X / 4) * squares, 1e-5)
    finally:
        FACTOR, LEAKY.negval, CRITERION.sizeAverage = 2.0, 0.5, True
