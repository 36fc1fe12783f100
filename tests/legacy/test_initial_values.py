"""Layers' initial values, against real Torch7's (tests/golden), and when they are drawn."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from test_golden import built, cases, decoded

from functorch7 import legacy
from functorch7.legacy import nn, torch

from .helpers import go_to, same, uniform

DRAWS = json.loads((Path(__file__).parent.parent / "golden" / "draws.json").read_text())


@pytest.fixture(scope="module")
def recorded():
    return {case["id"]: case for case in cases()}


@pytest.mark.filterwarnings("ignore:nn.Inception")
@pytest.mark.parametrize("name", DRAWS)
def test_modules_start_where_torchs_start(name, recorded):
    case = recorded[name]
    for kind, tolerance in (("Float", 1e-7), ("Double", 1e-15)):
        torch.setdefaulttensortype(f"torch.{kind}Tensor")
        go_to(*DRAWS[name])
        module = built(case["spec"])
        assert module.type() == f"torch.{kind}Tensor"
        for parameter, expected in zip(module.parameters()[0], decoded(case["params"]), strict=True):
            assert parameter.type() == module.type()
            same(parameter, expected, rtol=tolerance * 10, atol=tolerance)


def test_most_recorded_modules_with_parameters_are_constructed(recorded):
    """All but those that draw nothing, or one number, and SeqLSTMP and NCEModule, whose biases differ."""
    others = {
        case["spec"]["class"]
        for name, case in recorded.items()
        if case.get("kind") == "module" and decoded(case.get("params", {})) and name not in DRAWS
    }
    assert others == {"Add", "Mul", "PReLU", "IndexLinear", "SeqLSTMP", "NCEModule"}


def test_reset_draws_torchs_values():
    torch.manualSeed(11)
    linear = nn.Linear(3, 4)
    torch.manualSeed(12)
    linear.reset(0.1)
    numbers, bound = uniform(12, 16), 0.1 * math.sqrt(3)
    same(linear.weight, ((2 * numbers - 1) * bound)[:12].reshape(4, 3), atol=1e-7)
    same(linear.bias, ((2 * numbers - 1) * bound)[12:], atol=1e-7)


@pytest.mark.parametrize("kind", ["BiSequencer", "BiSequencerLM"])
def test_second_direction_is_a_copy_that_is_reset(kind):
    """Its numbers are in the order of reset, which goes through an LSTM's gates otherwise than its constructor."""
    torch.manualSeed(4)
    forward = nn.LSTM(3, 2)
    backward = forward.clone()
    backward.reset()
    expected, last = [*forward.parameters()[0], *backward.parameters()[0]], torch.uniform()
    torch.manualSeed(4)
    both = getattr(nn, kind)(nn.LSTM(3, 2))
    for parameter, other in zip(both.parameters()[0], expected, strict=True):
        assert np.array_equal(parameter, other)
    assert torch.uniform() == last


def test_files_wrapped_networks_and_copies_draw_nothing(tmp_path):
    network = nn.Sequential().add(nn.LookupTable(5, 3)).add(nn.WeightNorm(nn.Linear(3, 2))).add(nn.LSTM(2, 2))
    network.add(nn.SpatialContrastiveNormalization(1))
    torch.save(str(tmp_path / "network.t7"), network)
    description, variables = network.functional()
    state = np.array(torch.getRNGState())
    loaded = torch.load(str(tmp_path / "network.t7"))
    wrapped = legacy.wrap(description, *variables)
    for each in (loaded, wrapped, network.clone()):
        same(list(map(np.array, each.parameters()[0])), list(map(np.array, network.parameters()[0])))
    assert np.array_equal(np.array(torch.getRNGState()), state)


@pytest.mark.parametrize("kind, convolutions", [("Subtractive", 1), ("Divisive", 2), ("Contrastive", 3)])
@pytest.mark.parametrize("kernel, numbers", [((5,), 3 * 5 + 3 + 3 * 5 + 1), ((5, 3), 3 * 5 * 3 + 1)])
def test_normalisations_draw_what_torchs_convolutions_do(kind, convolutions, kernel, numbers):
    """Which are made with initial values before they get the kernel."""
    drawn = convolutions * numbers
    torch.manualSeed(5)
    getattr(nn, f"Spatial{kind}Normalization")(3, torch.ones(*kernel))
    assert torch.uniform() == pytest.approx(uniform(5, drawn + 1)[-1])


def test_connection_tables_are_torchs():
    """Random planes in chunks of two, of one order after the other."""
    torch.manualSeed(3)
    first, second = (np.asarray(torch.randperm(4)) for _ in range(2))
    torch.manualSeed(3)
    table = np.asarray(nn.tables.random(4, 3, 2))
    same(table, np.stack([np.concatenate([first, second[:2]]), [1, 1, 2, 2, 3, 3]], 1))


def test_a_normalized_fast_lstm_draws_and_orders_its_parameters_as_torch_does(monkeypatch):
    torch.setdefaulttensortype("torch.DoubleTensor")
    monkeypatch.setattr(nn.FastLSTM, "bn", True)
    torch.manualSeed(7)
    found, _ = nn.FastLSTM(3, 4).parameters()
    squares = [5.22693950438, 1.3021968681659, 0.16, 0, 3.9813657006346, 0.16, 0, 0.25958425515331, 0.04, 0]
    same([(np.array(each) ** 2).sum() for each in found], squares)
    assert abs(torch.uniform() - 0.80047904839739) < 1e-13


def test_known_numbers_have_the_digits_of_the_layers_type():
    torch.setdefaulttensortype("torch.DoubleTensor")
    assert set(nn.NCEModule(3, 10, 2, np.ones(10)).bias) == {-math.log(10)}
    nn.FastLSTM.bn = True
    try:
        scales = [each.weight for each in nn.FastLSTM(2, 3).findModules("nn.BatchNormalization")[0]]
    finally:
        nn.FastLSTM.bn = False
    assert scales and all(set(weight) == {0.1} for weight in scales)
