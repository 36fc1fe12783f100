"""Hooks at modules with a `forward` of several arguments: the same program beside PyTorch, and what it refuses."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

torch_itself = pytest.importorskip("torch")
INPUT = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


def scaled_of(nn):
    """The class of a module with arguments of several kinds, in either library."""

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 3)

        def forward(self, x, factor=None, times=1, act="none"):
            y = self.linear(x) if factor is None else self.linear(x) * factor
            return (torch if nn is globals()["nn"] else torch_itself).tanh(y * times) if act == "tanh" else y * times

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.scaled = Scaled()

        def forward(self, x, factor):
            return self.scaled(x, factor=factor, times=2)

    return Outer


@pytest.fixture(scope="module")
def nets():
    mine, theirs = scaled_of(nn)().double(), scaled_of(torch_itself.nn)().double()
    for name, parameter in theirs.named_parameters():
        parameter.data = torch_itself.tensor(np.array(mine.get_parameter(name)))
    return mine, theirs


def numbers(value):
    return value.detach().numpy() if hasattr(value, "detach") else np.array(value)


def compared(nets, register):
    """What a program of hooks gives and sees in either library: register(net, net's log) -> handles."""
    seen, outputs = ([], []), []
    for net, log, tensor in zip(nets, seen, (torch.Tensor.of, torch_itself.tensor), strict=True):
        handles = register(net, log)
        outputs.append(numbers(net(tensor(INPUT), factor=tensor(np.array(3.0)))))
        for handle in handles:
            handle.remove()
    np.testing.assert_allclose(*outputs, rtol=1e-12)
    assert len(seen[0]) == len(seen[1])
    for mine, theirs in zip(*seen, strict=True):
        assert [type(each) for each in mine] == [type(each) for each in theirs]
        for one, other in zip(mine, theirs, strict=True):
            assert one == other if isinstance(one, (str, int, list)) else np.allclose(one, other)
    return seen[0]


def test_hooks_see_and_replace_all_arguments_as_in_pytorch(nets):
    def register(net, log):
        def look(module, args, kwargs):
            log.append(["args", len(args), *sorted(kwargs)])
            log.append([numbers(kwargs["factor"])])

        def double(module, args, kwargs):
            return args, {**kwargs, "factor": kwargs["factor"] * 2}

        def tanh(module, args, kwargs):
            return args, {**kwargs, "act": "tanh", "times": kwargs["times"] + 1}

        def after(module, args, kwargs, output):
            log.append(["after", kwargs["times"], kwargs["act"]])
            log.append([numbers(kwargs["factor"]), numbers(output)])

        def halved(module, args, kwargs, output):
            return output * args[0] / kwargs["times"]

        inner = net.scaled
        return [
            inner.register_forward_pre_hook(look, with_kwargs=True),
            inner.register_forward_pre_hook(double, with_kwargs=True),
            inner.register_forward_pre_hook(tanh, with_kwargs=True),
            inner.register_forward_pre_hook(look, with_kwargs=True, prepend=True),
            inner.register_forward_hook(after, with_kwargs=True),
            inner.register_forward_hook(halved, with_kwargs=True),
        ]

    log = compared(nets, register)
    assert log[-2] == ["after", 3, "tanh"]


@pytest.mark.parametrize("scaled_evaluates", [False, True])
def test_global_hooks_and_those_of_the_outermost_module_see_keyword_arguments(nets, scaled_evaluates):
    def register(net, log):
        everywhere = nn if net is nets[0] else torch_itself.nn.modules.module
        net.scaled.eval() if scaled_evaluates else net.eval().training() if net is nets[0] else net.train()
        note = lambda m, args, kwargs, output: log.append([len(args), *sorted(kwargs), type(m).__name__])  # noqa: E731
        replace = lambda m, args, kwargs: ((args[0] * 2,), {"factor": kwargs["factor"] + 1})  # noqa: E731
        return [
            everywhere.register_module_forward_hook(note, with_kwargs=True),
            net.register_forward_pre_hook(replace, with_kwargs=True),
        ]

    assert compared(nets, register) == [[1, "Linear"], [1, "factor", "times", "Scaled"], [1, "factor", "Outer"]]


def test_what_does_not_fit_is_refused(nets):
    net, x = nets[0], torch.Tensor.of(INPUT)
    with (
        net.register_forward_pre_hook(lambda m, args, kwargs: args[0], with_kwargs=True),
        pytest.raises(RuntimeError, match=r"pre-hook must return None or a tuple of \(new_args, new_kwargs\), but got"),
    ):
        net(x, factor=x)
    linear = nn.Linear(3, 2)
    with (
        linear.register_forward_pre_hook(lambda m, args, kwargs: (args, {"factor": 2}), with_kwargs=True),
        pytest.raises(TypeError, match="expected one input"),
    ):
        linear.forward(INPUT)


class Doubled(nn.Module):
    """A module whose gradient a user wrote."""

    def updateOutput(self, input):
        return input * 2

    def updateGradInput(self, input, gradOutput):
        return gradOutput * 2


@pytest.mark.parametrize("made", [nn.Identity, Doubled])
def test_modules_of_one_input_have_it_as_their_only_argument(made):
    net = made()
    plain = np.array(net.forward(INPUT))
    with net.register_forward_pre_hook(lambda m, args, kwargs: ((args[0] * 3,), kwargs), with_kwargs=True):
        np.testing.assert_allclose(net.forward(INPUT), 3 * plain)


def test_failures_inside_forward_show_the_arguments_to_hooks_that_are_always_called(nets):
    log = []

    def note(module, args, kwargs, output):
        log.append((sorted(kwargs), output))

    with nets[0].register_forward_hook(note, with_kwargs=True, always_call=True), pytest.raises(ValueError):
        nets[0](torch.Tensor.of(INPUT[:, :2]), factor=torch.Tensor.of(INPUT))
    assert log == [(["factor"], None)]
