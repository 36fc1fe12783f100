"""The stateful interface costs at most one compiled call per method, compiled once."""

import jax
import numpy as np
import pytest

from functorch7.legacy import nn
from functorch7.legacy.engine import compiled as compiled_functions
from functorch7.legacy.modules import evaluations

from .helpers import values

NETWORKS = {
    "xor": (lambda: nn.Sequential().add(nn.Linear(2, 20)).add(nn.Tanh()).add(nn.Linear(20, 1)), nn.MSECriterion,
            values(2), np.ones(1)),
    "convolutional, with dropout": (
        lambda: nn.Sequential().add(nn.SpatialConvolution(1, 3, 3, 3)).add(nn.ReLU()).add(nn.SpatialMaxPooling(2, 2))
        .add(nn.Reshape(12)).add(nn.BatchNormalization(12)).add(nn.Dropout(0.5)).add(nn.Linear(12, 4)),
        nn.CrossEntropyCriterion, values(5, 1, 6, 6), np.array([1, 2, 3, 4, 1])),
    "sequencer": (lambda: nn.Sequencer(nn.Sequential().add(nn.FastLSTM(3, 4)).add(nn.Linear(4, 1))), nn.MSECriterion,
                  values(5, 2, 3), values(5, 2, 1)),
}  # fmt: skip


COMPILED = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: COMPILED.append(event) if event.endswith("backend_compile_duration") else None
)


@pytest.fixture
def calls(monkeypatch):
    """A list of the compiled functions that ran, and one of what XLA has compiled; both may be cleared."""
    ran, original = [], jax.jit

    def counting(function, *args, **kwargs):
        jitted = original(function, *args, **kwargs)

        def run(*arguments, **keywords):
            ran.append(function)
            return jitted(*arguments, **keywords)

        run._cache_size, run.clear_cache = jitted._cache_size, jitted.clear_cache
        return run

    def forget_functions():
        for function in vars(compiled_functions).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()
        evaluations._value_and_gradient.cache_clear()

    monkeypatch.setattr(jax, "jit", counting)
    forget_functions()
    yield ran, COMPILED
    forget_functions()


def test_making_a_network_compiles_nothing():
    COMPILED.clear()
    nn.Sequential().add(nn.Linear(7, 13)).add(nn.BatchNormalization(13)).add(nn.Dropout()).add(nn.FastLSTM(13, 3))
    nn.SpatialConvolution(3, 11, 3, 3).reset(0.1)
    nn.Sequential().add(nn.CMul(9)).add(nn.PReLU(5)).add(nn.SpatialBatchNormalization(17)).float().double()
    nn.LookupTable(23, 7).clone().getParameters()
    assert not COMPILED


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("flat", [False, True], ids=["separate", "flat"])
def test_one_compiled_call_per_method(name, flat, calls):
    ran, compiled = calls
    make, make_criterion, input, target = NETWORKS[name]
    net, criterion = make(), make_criterion()
    if flat:
        net.getParameters()

    def step():
        counts = []
        for act in (
            lambda: net.forward(input),
            lambda: criterion.forward(net.output, target),
            lambda: criterion.backward(net.output, target),
            net.zeroGradParameters,
            lambda: net.backward(input, criterion.gradInput),
            lambda: net.updateParameters(0.01),
        ):
            before = len(ran)
            act()
            counts.append(len(ran) - before)
        return counts

    step()  # draws the initial values, and compiles
    compiled.clear()
    for _ in range(3):
        assert step() == [1, 1, 0, 0, 1, 1]
    assert compiled == []


def test_equal_networks_share_their_compiled_functions(calls):
    _, compiled = calls
    make, _, input, target = NETWORKS["xor"]
    first, second = make(), make()
    for net in (first, second):
        compiled.clear()
        net.forward(input)
        net.backward(input, target)
        net.updateParameters(0.1)
    assert compiled == []


def test_another_learning_rate_compiles_nothing(calls):
    _, compiled = calls
    net = NETWORKS["xor"][0]()
    net.forward(values(2))
    net.backward(values(2), np.ones(1))
    net.updateParameters(0.1)
    compiled.clear()
    for rate in (0.05, 0.01, 1, np.float32(0.3)):
        net.updateParameters(rate)
    assert len(compiled) <= 2  # whole numbers and NumPy's have types of their own


def test_one_compiled_call_per_step_and_direction(calls):
    """However long the sequence is, a step costs one call forward and one backward, and later ones compile nothing."""
    ran, compiled = calls
    cell, x, gradient = nn.FastLSTM(3, 4), values(2, 3), values(2, 4)

    def sequence(steps):
        cell.forget()
        for _ in range(steps):
            cell.forward(x)
        for _ in range(steps):
            cell.backward(x, gradient)

    for _ in range(2):  # the first gradient replaces zeros, later ones are added: two programs
        sequence(3)
    ran.clear(), compiled.clear()
    sequence(6)
    assert len(ran) == 12 and not compiled
