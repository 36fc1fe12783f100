"""Hooks of the stateful interface: PyTorch's names and order, one compiled call, values that can be looked at."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.legacy import Tensor, nn, torch
from functorch7.legacy.engine.registered import everywhere

from .helpers import same, two_layers, values

KINDS = ("forward_pre", "forward", "full_backward_pre", "full_backward")


@pytest.fixture(autouse=True)
def no_hook_is_left():
    yield
    assert not everywhere


def noting(log, *what):
    """A hook that keeps what it sees, as NumPy arrays: that fails for what is not there yet."""

    def hook(module, *seen):
        log.append((*what, module.typename(), *(np.array(value) for value in seen)))

    return hook


def there_and_back(net, input, gradient=None):
    """(output, gradInput, gradients of the parameters) of one forward and backward."""
    net.zeroGradParameters()
    output = np.array(net.forward(input))
    gradient = np.ones(output.shape) if gradient is None else gradient
    return output, np.array(net.backward(input, gradient)), [np.array(g) for g in net.parameters()[1]]


def test_all_hooks_see_what_pytorchs_see_in_its_order():
    theirs_of = pytest.importorskip("torch")
    from torch.nn.modules import module as globally

    net, input = two_layers(), values(2, 3)
    theirs = theirs_of.nn.Sequential(theirs_of.nn.Linear(3, 4), theirs_of.nn.Tanh(), theirs_of.nn.Linear(4, 2)).double()
    for mine, other in zip(net.parameters()[0], theirs.parameters(), strict=True):
        other.data = theirs_of.tensor(np.array(mine))
    log, other_log, handles = [], [], []

    def note(*what):
        def hook(module, *seen):
            arrays = (value[0] if isinstance(value, tuple) else value for value in seen)
            other_log.append((*what, f"nn.{type(module).__name__}", *(array.detach().numpy() for array in arrays)))

        return hook

    for kind in KINDS:
        for which, first in (("second", False), ("first", True)):
            handles.append(getattr(net.get(2), f"register_{kind}_hook")(noting(log, kind, which), prepend=first))
            handles.append(getattr(theirs[1], f"register_{kind}_hook")(note(kind, which), prepend=first))
        name = f"register_module_{kind}_hook"
        handles.append(getattr(nn, name)(noting(log, kind, "everywhere")))
        handles.append(getattr(globally, name)(note(kind, "everywhere")))
    there_and_back(net, input)
    theirs(theirs_of.tensor(input, requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    assert [entry[:3] for entry in log] == [entry[:3] for entry in other_log] and len(log) == 24
    for mine, other in zip(log, other_log, strict=True):
        same(list(mine[3:]), list(other[3:]), rtol=1e-5)
    there_and_back(net, input)
    assert len(log) == 24


def test_hooks_that_look_leave_one_compiled_call():
    net, log = two_layers(), []
    for module in net.modules:
        module.register_forward_hook(lambda m, i, o: log.append(o))
    output = net.forward(values(2, 3))
    program = net._planned().differentiate
    compiled = program._cache_size()  # equal networks of other tests share it
    for _ in range(2):
        output = net.forward(values(2, 3))
    assert len(log) == 9 and net._planned().differentiate is program and program._cache_size() == compiled
    assert all(isinstance(each, Tensor) and isinstance(each.array, jax.Array) for each in log)
    same(log[-1], output)
    same(log[-2], net.get(2).output)


def test_networks_without_hooks_run_the_program_that_they_ran_before():
    net = two_layers()
    net.forward(values(2, 3))
    before = net._planned().differentiate
    compiled = before._cache_size()  # equal networks of other tests share it
    with net.register_forward_hook(lambda m, i, o: o * 2):
        net.forward(values(2, 3))
        assert net._planned().differentiate is not before
    net.forward(values(2, 3))
    assert net._planned().differentiate is before and before._cache_size() == compiled


class Scaled(nn.Module):
    """A module whose forward and backward a user wrote."""

    def updateOutput(self, input):
        return input * 2

    def updateGradInput(self, input, gradOutput):
        return gradOutput * 2


def composed(kind):
    """A network with its second module hooked, and one that does without hooks what the hook does."""
    hooks = {
        "forward_pre": (lambda m, i: i * 3, [nn.MulConstant(3), nn.Tanh()]),
        "forward": (lambda m, i, o: o * 3, [nn.Tanh(), nn.MulConstant(3)]),
        "full_backward_pre": (lambda m, go: go * -3, [nn.Tanh(), nn.GradientReversal(3)]),
        "full_backward": (lambda m, gi, go: gi * -3, [nn.GradientReversal(3), nn.Tanh()]),
    }
    hook, modules = hooks[kind]
    hooked = two_layers()
    plain = nn.Sequential().add(hooked.get(1).clone())
    for module in modules:
        plain.add(module)
    plain.add(hooked.get(3).clone())
    return hooked, plain.double(), hook


@pytest.mark.parametrize("kind", KINDS)
def test_replaced_values_count_from_the_first_call(kind):
    hooked, plain, hook = composed(kind)
    calls = []

    def counted(*seen):
        calls.append(seen)
        return hook(*seen)

    before = there_and_back(hooked, values(2, 3))
    handle = getattr(hooked.get(2), f"register_{kind}_hook")(counted)
    for seed in range(3):
        input = values(2, 3, seed=seed)
        for mine, expected in zip(there_and_back(hooked, input), there_and_back(plain, input), strict=True):
            same(mine, expected)
        same(hooked.get(1).gradInput, plain.get(1).gradInput)
    assert len(calls) < 5  # with values once, and where it is traced
    handle.remove()
    handle.remove()
    same(there_and_back(hooked, values(2, 3)), before)


def test_hooks_after_one_that_replaces_see_its_values_once():
    net, log = two_layers(), []
    net.get(1).register_forward_hook(noting(log, "before"))
    net.get(1).register_forward_hook(lambda m, i, o: o * 0)
    net.get(2).register_forward_pre_hook(noting(log, "after"))
    net.forward(values(2, 3))
    assert [entry[0] for entry in log] == ["before", "after"]
    same(log[1][2], np.zeros((2, 4)))


def test_repeated_calls_change_state_once():
    def network():
        torch.manualSeed(3)
        return nn.Sequential().add(nn.BatchNormalization(3)).add(nn.Dropout(0.5)).double()

    hooked, plain = network(), network()
    hooked.register_forward_hook(lambda m, i, o: o * 2)
    for net, factor in ((hooked, 2), (plain, 1)):
        torch.manualSeed(5)
        net.result = [np.array(net.forward(values(4, 3))) / factor for _ in range(2)]
    same(hooked.result, plain.result)
    same(hooked.get(1).running_mean, plain.get(1).running_mean)


def test_error_in_a_hook_leaves_the_network_as_it_was():
    net = nn.Sequential().add(nn.BatchNormalization(3))
    mean = np.array(net.get(1).running_mean)

    def fail(module, input, output):
        raise RuntimeError("looked too closely")

    with net.register_forward_hook(fail), pytest.raises(RuntimeError, match="too closely"):
        net.forward(values(4, 3))
    same(net.get(1).running_mean, mean)


@pytest.mark.parametrize("look", [np.asarray, lambda o: o.array[o.array > 0], lambda o: (8 * [o])[o.array.argmin()]])
def test_hook_that_replaces_and_looks_is_told_what_to_do(look):
    net = two_layers()
    net.get(2).register_forward_hook(lambda m, i, o: look(o) * 2)
    with pytest.raises(TypeError, match="nn.Tanh: a forward hook that returns something is compiled with the network"):
        net.forward(values(2, 3))


def test_hook_that_returns_something_else_is_told_what_to_do():
    net = two_layers()
    net.get(2).register_forward_hook(lambda m, i, o: "other")
    with pytest.raises(TypeError, match="nn.Tanh: expected a forward hook to return None, or tensors, got 'other'"):
        net.forward(values(2, 3))


def test_object_at_two_places_and_hooks_of_some_modules():
    linear, log = nn.Linear(3, 3), []
    net = nn.Sequential().add(linear).add(linear).add(nn.Tanh()).double()
    linear.register_forward_hook(noting(log))

    def halve(module, input, output):
        return output / 2 if module is linear else None

    with nn.register_module_forward_hook(halve):
        output = net.forward(values(2, 3))
        same(output, np.tanh(log[1][2]))
        same(log[1][2], (log[0][2] @ np.array(linear.weight).T + np.array(linear.bias)) / 2)
    assert len(log) == 2


def test_wrong_gradient_is_refused():
    net = two_layers()
    net.get(2).register_full_backward_hook(lambda m, gi, go: gi.array[:1])
    net.forward(values(2, 3))
    with pytest.raises(ValueError, match=r"nn.Tanh: expected a backward hook to return a gradient of shape \(2, 4\)"):
        net.backward(values(2, 3), values(2, 2))
    with pytest.raises(TypeError, match="register_forward_hook: expected a function, got 3"):
        net.register_forward_hook(3)


def test_always_called_hooks_see_failures():
    net, log = two_layers(), []
    for module in (net, *net.modules):
        module.register_forward_hook(lambda m, i, o: log.append((m.typename(), o)), always_call=True)
    with pytest.raises(ValueError, match="expected input of size 3"):
        net.forward(values(2, 5))
    assert log == [("nn.Linear", None), ("nn.Sequential", None)]


def test_copies_have_hooks_of_their_own_and_files_none():
    net, log = two_layers(), []
    handle = net.get(2).register_forward_hook(noting(log))
    for copied in (net.clone(), copy.deepcopy(net)):
        copied.forward(values(2, 3))
    handle.remove()
    assert len(log) == 2
    torch.deserialize(torch.serialize(copied)).forward(values(2, 3))
    assert len(log) == 2


def test_functional_has_the_hooks_that_replace():
    net, log = two_layers(), []
    net.get(1).register_forward_hook(lambda m, i, o: o * 2)
    net.register_forward_hook(lambda m, i, o: log.append(o))
    expected = np.array(net.forward(values(2, 3)))
    module, (params, buffers) = net.functional()
    with jax.enable_x64():
        same(jax.jit(lambda x: module.apply(params, buffers, x)[0])(jnp.asarray(values(2, 3))), expected)
    assert len(log) == 1


def test_a_sequencer_shows_the_last_step_and_the_gradients_of_the_first():
    net = nn.Sequencer(nn.Sequential().add(nn.FastLSTM(3, 4)).add(nn.Linear(4, 2))).double()
    other, log, input = net.clone(), [], values(5, 2, 3)
    linear = net.get(1).get(1).get(2) if net.get(1).typename() == "nn.Recursor" else net.get(1).get(2)
    linear.register_forward_hook(noting(log))
    linear.register_full_backward_hook(noting(log))
    same(there_and_back(net, input), there_and_back(other, input), rtol=1e-5)
    (_, _, output), (_, grad_input, grad_output) = log
    same(output, net.output[5])
    same(grad_output, np.ones((2, 2)))
    same(grad_input, np.ones((2, 2)) @ np.array(linear.weight))


def test_steps_of_a_recurrence_are_calls():
    net, log = nn.Recursor(nn.Linear(3, 2)).double(), []
    linear = net.get(1)
    linear.register_forward_hook(noting(log))
    linear.register_full_backward_hook(lambda m, gi, go: gi * 2)
    steps = [values(1, 3, seed=seed) for seed in range(2)]
    outputs = [np.array(net.forward(step)) for step in steps]
    same([entry[2] for entry in log], outputs)
    for step in reversed(steps):
        same(net.backward(step, np.ones((1, 2))), 2 * np.ones((1, 2)) @ np.array(linear.weight))


class Composed(nn.Container):
    """A module whose forward a user wrote, with a module inside."""

    def updateOutput(self, input):
        return self.modules[0].forward(input) * 2


@pytest.mark.parametrize("inner", [Scaled, lambda: Composed().add(nn.Identity())], ids=["both ways", "forward"])
@pytest.mark.parametrize("around", [lambda m: m, lambda m: nn.Sequential().add(m)], ids=["alone", "inside"])
def test_modules_that_users_wrote(inner, around):
    user, log = inner(), []
    net = around(user).double()
    user.register_forward_hook(noting(log))
    user.register_full_backward_hook(noting(log))
    if user.children():
        user.get(1).register_forward_hook(noting(log))
    same(there_and_back(net, values(2, 3))[1], np.full((2, 3), 2.0))
    assert sorted(entry[0] for entry in log) == sorted([user.typename()] * 2 + ["nn.Identity"] * bool(user.children()))
    user.register_forward_hook(lambda m, i, o: o * 5)
    user.register_full_backward_hook(lambda m, gi, go: gi * 7)
    output, grad_input, _ = there_and_back(net, values(2, 3))
    same(output, 10 * values(2, 3))
    same(grad_input, np.full((2, 3), 70.0 if net is not user or user.children() else 14.0))


def test_tables_integers_and_repeated_modules():
    net = nn.Sequential().add(nn.MapTable(nn.LookupTable(4, 2))).add(nn.JoinTable(1))
    seen = []
    net.get(1).get(1).register_full_backward_hook(lambda m, gi, go: seen.append((gi, np.array(go))))
    net.get(1).get(1).register_forward_hook(lambda m, i, o: seen.append(i.shape))
    net.forward([np.array([1, 2]), np.array([3])])
    net.backward([np.array([1, 2]), np.array([3])], np.arange(6.0).reshape(3, 2))
    assert seen[:2] == [(2,), (1,)] and all(gi is None for gi, _ in seen[2:])
    same([go for _, go in seen[2:]], [[[4, 5]], [[0, 1], [2, 3]]])


def test_evaluation_and_frozen_parts():
    net = nn.Sequential().add(nn.BatchNormalization(3)).add(nn.Dropout(0.5)).double()
    net.get(1).evaluate()
    net.get(2).evaluate()
    log = []
    for module in net.modules:
        module.register_forward_hook(noting(log))
    net.forward(values(4, 3))
    net.evaluate()
    net.forward(values(4, 3))
    assert [entry[0] for entry in log] == ["nn.BatchNormalization", "nn.Dropout"] * 2
    same(log[0][2], log[3][2])


# What hooks are for ------------------------------------------------------------------------------------------------


def test_gradients_clipped_in_a_hook():
    net, input = two_layers(), values(2, 3)
    net.get(2).register_full_backward_hook(lambda m, gi, go: jnp.clip(gi.array, -0.1, 0.1))
    net.forward(input)
    net.backward(input, 10 * np.ones((2, 2)))
    passed = np.clip(
        10 * np.ones((2, 2)) @ np.array(net.get(3).weight) * (1 - np.array(net.get(2).output) ** 2), -0.1, 0.1
    )
    same(net.get(1).gradBias, passed.sum(0))


def test_first_module_that_gives_no_number_is_found():
    net = nn.Sequential().add(nn.Linear(3, 2)).add(nn.Log()).add(nn.Tanh())
    net.get(1).weight.fill(1)

    def check(module, input, output):
        if not np.isfinite(output).all():
            raise FloatingPointError(f"{module.title()} gives {np.array(output)}")

    with nn.register_module_forward_hook(check), pytest.raises(FloatingPointError, match=r"^nn.Log gives"):
        net.forward(-(values(2, 3) ** 2) * 1e3 - np.array([[1e4, 0, 0]]))


def test_inner_gradients_can_be_read_beside_backward_hooks_around_them():
    network, x = nn.Sequential(nn.Linear(3, 3), nn.Tanh()), np.ones((2, 3), np.float32)
    network.forward(x)
    network.backward(x, x)
    expected = np.array(network.get(2).gradInput)
    for module in (network, network.get(2)):
        module.register_full_backward_hook(lambda *_: None)
    network.forward(x)
    network.backward(x, x)
    np.testing.assert_allclose(network.get(2).gradInput, expected, 1e-6)
    assert abs(expected).min() > 0


def test_a_users_forward_runs_once_beside_backward_hooks():
    runs = []

    class Counted(Scaled):
        def updateOutput(self, input):
            runs.append(input.shape)
            return super().updateOutput(input)

    def seen_of(middle):
        recurrent = nn.Sequencer(nn.Sequential(nn.Linear(3, 2), nn.GRU(2, 2), nn.Tanh()))
        net, log = nn.Sequential(nn.Linear(3, 3), middle, recurrent).double(), []
        for tensor in net.parameters()[0]:
            tensor.copy(np.linspace(-1, 1, tensor.nElement()).reshape(tensor.shape))
        for module in net.listModules():
            for kind in KINDS:
                getattr(module, f"register_{kind}_hook")(noting(log, kind))
        there_and_back(net, values(4, 5, 3))
        return [(kind, *seen) for kind, _, *seen in log]

    mine, plain = seen_of(Counted()), seen_of(nn.MulConstant(2))
    assert len(runs) == 1 and len(mine) == 4 * 9
    assert [entry[0] for entry in mine] == [entry[0] for entry in plain]
    for one, other in zip(mine, plain, strict=True):
        same(list(one[1:]), list(other[1:]), rtol=1e-6)
