"""Gradients of users' layers that fit no input: they are handed on, and refused by who computes with them."""

import pytest

from functorch7.legacy import nn, torch


class Gives(nn.Module):
    """Ones, as many as `size` says, with any gradient; what it was given itself stays in `saw`."""

    def __init__(self, gradient, is_traced=False):
        super().__init__()
        self.gradient, self.is_traced, self.size = gradient, is_traced, 2

    def updateOutput(self, input):
        if not self.is_traced:
            float(torch.ones(1).sum())
        return torch.ones(self.size)

    def updateGradInput(self, input, gradOutput):
        self.saw = gradOutput
        return self.gradient


def as_lists(gradient):
    return [each.totable() for each in gradient] if isinstance(gradient, list) else gradient.totable()


MISFITS = [
    ([[1, 2], [3, 4]], [7, 8]),
    ([[1, 2], [3, 4]], [[7, 8], [7, 8, 9]]),
    ([1, 2], [7, 8, 9]),
    ([1, 2], [[7, 8], [9, 9]]),
]


def as_tensors(value):
    return [torch.Tensor(each) for each in value] if isinstance(value[0], list) else torch.Tensor(value)


def before(gives, *first):
    net = nn.Sequential()
    for each in (*first, gives, nn.MulConstant(3)):
        net.add(each)
    return net


def run_apart(net, gives, input):
    """A network after outputs of so many shapes that it runs operation by operation from then on."""
    for gives.size in range(12, 1, -1):
        net.forward(input)


@pytest.mark.parametrize(("input", "given"), MISFITS)
@pytest.mark.parametrize("first", [lambda: (), lambda: (nn.Sequential(),), lambda: (nn.Identity(),)])
@pytest.mark.parametrize("is_traced", [False, True])
def test_a_gradient_that_does_not_fit_is_handed_on_where_nobody_looks(input, given, first, is_traced):
    """As in Torch, whose containers hand on whatever it is."""
    net, x = before(Gives(as_tensors(given), is_traced), *first()), as_tensors(input)
    net.forward(x)
    found = net.backward(x, torch.Tensor([1, 10]))
    assert as_lists(found) == as_lists(net.gradInput) == given


@pytest.mark.parametrize(("input", "given"), MISFITS)
def test_it_is_handed_on_by_a_network_that_runs_operation_by_operation(input, given):
    gives, x = Gives(as_tensors(given)), as_tensors(input)
    net = before(gives)
    run_apart(net, gives, x)
    assert as_lists(net.backward(x, torch.Tensor([1, 10]))) == given


@pytest.mark.parametrize(("input", "given"), MISFITS)
def test_a_user_s_layer_gets_the_gradient_that_another_gave(input, given):
    x = as_tensors(input)
    first = Gives(x)
    first.updateOutput = lambda input: input
    net = before(Gives(as_tensors(given)), first)
    net.forward(x)
    assert as_lists(net.backward(x, torch.Tensor([1, 10]))) == input
    assert as_lists(first.saw) == given


@pytest.mark.parametrize("apart", [False, True])
def test_a_gradient_that_does_not_fit_is_refused_by_who_computes_with_it(apart):
    gives = Gives(torch.ones(3))
    net = before(gives, nn.MulConstant(2))
    if apart:
        run_apart(net, gives, torch.ones(2))
    net.forward(torch.ones(2))
    with pytest.raises(ValueError, match=r"nn.Gives: updateGradInput gave \(3,\) for an input of \(2,\)"):
        net.backward(torch.ones(2), torch.ones(2))
