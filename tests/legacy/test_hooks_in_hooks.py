"""Hooks that register hooks, or take some away: when those count is PyTorch's rule, written out."""

import pytest

from functorch7.legacy import nn

from .helpers import values


def chain():
    """Modules "0", "1" and "2", in which are "2.0" and "2.1"."""
    return nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Sequential(nn.Linear(3, 3), nn.Tanh()))


@pytest.mark.parametrize(
    ("first", "registered", "is_called"),
    [
        # a hook of a kind at a module, what its first call registers, and whether that is called in the same call
        ("forward 0", "forward 2.1", True),  # comes later
        ("forward 0", "full_backward 2.1", True),
        ("forward 2.0", "forward 0", False),  # is over
        ("forward 2.0", "forward_pre 2", False),
        ("forward 2.0", "forward 2", False),  # had no hooks when it began
        ("forward_pre 2", "forward 2", True),  # had one
        ("forward_pre 2", "full_backward 2", False),  # looked for those of the way back when it began
        ("forward 0", "forward 0", False),  # those that are called together are found together
        ("full_backward 2.1", "full_backward 0", False),
    ],
)
def test_hooks_that_hooks_register_are_called_where_their_modules_come_later(first, registered, is_called):
    net, log, x = chain(), [], values(2, 3)
    modules = dict(net.named_modules())

    def register(what, then=None):
        kind, name = what.split()

        def hook(*given):
            log.append(what)
            if then is not None and log.count(what) == 1:
                register(then)

        getattr(modules[name], f"register_{kind}_hook")(hook)

    register(first, registered)
    net.backward(x, net.forward(x))
    assert log == ([first, registered] if is_called else [first])
    net.backward(x, net.forward(x))
    assert log.count(first) == (2 if first != registered else 3)
    assert registered in log[1:]


def test_hooks_that_are_taken_away_are_called_with_those_beside_them():
    net, log, handles = chain(), [], []

    def register(module, name, *taken):
        def hook(*given):
            log.append(name)
            for other in taken:
                handles[other].remove()

        handles.append(module.register_forward_hook(hook))

    register(net.get(1), "first", 1, 2)
    register(net.get(1), "beside")
    register(net.get(3), "after")
    register(net, "around")
    net.forward(values(2, 3))
    assert log == ["first", "beside", "around"]
