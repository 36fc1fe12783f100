"""Torch's random numbers, against real Torch7's (tests/golden), its documentation, and NumPy's MT19937."""

import math

import numpy as np
import pytest
from test_golden import cases, decoded

from functorch7 import legacy
from functorch7.legacy import nn, torch

from .helpers import go_to, same, uniform

FLOATING, WHOLE = ["Float", "Double", "Half"], ["Byte", "Char", "Short", "Int", "Long"]


@pytest.fixture(scope="module")
def recorded():
    return {case["id"]: case for case in cases()}


# Real Torch7 ----------------------------------------------------------------------------------------------------------


def test_a_session_of_torch7_bit_for_bit(recorded):
    """Layers that draw: for each, an input, the layer's numbers, a gradient; in one sequence of draws."""
    double = torch.DoubleTensor

    def normal_as(values):
        assert np.array_equal(np.asarray(torch.randn(double(), *np.shape(values))), values)

    def noise(*sizes):
        return np.asarray(double(*sizes).bernoulli(0.5))

    def case(name):
        found = recorded[f"reinforce/more_{name}"]
        x = decoded(found["input"])
        normal_as(x)
        return x, decoded(found["output"]), decoded(found["gradOutput"])

    torch.manualSeed(301001)
    torch.uniform()
    for name, scale in (("Dropout_train/5", 2), ("Dropout_train/6", 1), ("Dropout_train/7", 2)):
        x, y, gradient = case(name)
        same(x * noise(*x.shape) * scale, y, rtol=1e-15)
        normal_as(gradient)
    for name, maps in (
        ("SpatialDropout_train/8", (3, 4, 1, 1)), ("SpatialDropout_train/9", (6, 1, 1)),
        ("VolumetricDropout_train/10", (2, 4, 1, 1, 1)), ("TotalDropout_train/11", (1,)),
    ):  # fmt: skip
        x, y, gradient = case(name)
        same(x * noise(*maps), y, rtol=1e-15)
        normal_as(gradient)
    for name in ("SpatialRegionDropout_train/12", "SpatialRegionDropout_train/13"):
        x, y, gradient = case(name)
        side = torch.random(4)  # top, bottom, left, right
        assert not np.take(y, 0 if side % 2 else -1, -2 if side < 3 else -1).any() and y.any()
        normal_as(gradient)
    for name, bounds in (("RReLU_train/14", (0.1, 0.4)), ("RReLU_train/15", (1 / 8, 1 / 3))):
        x, y, gradient = case(name)
        slopes = np.asarray(double(int((x <= 0).sum())).uniform(*bounds))
        assert np.array_equal(x[x <= 0] * slopes, y[x <= 0])
        normal_as(gradient)
    x, y, gradient = case("WhiteNoise_train/16")
    assert np.array_equal(np.asarray(double(40, 50).normal(0.3, 0.2)) + x, y)
    normal_as(gradient)


def test_classes_that_torch7_drew(recorded):
    case = recorded["reinforce/ReinforceCategorical/7"]
    go_to(1001, None, 1138)
    drawn = torch.multinomial(torch.DoubleTensor(decoded(case["input"])), 1)
    same(np.eye(3)[np.asarray(drawn)[:, 0] - 1], decoded(case["output"]))
    reward = np.asarray(torch.randn(torch.DoubleTensor(), 2))
    assert np.array_equal(reward, decoded(case["reward"]))


# Torch's documentation ------------------------------------------------------------------------------------------------


def test_documented_sequences_of_generators():
    torch.manualSeed(0)
    assert torch.random() == 2357136044
    other = torch.Generator()
    torch.manualSeed(other, 0)
    assert (torch.random(other), torch.random(other), torch.random()) == (2357136044, 2546248239, 2546248239)


def test_documented_seeds_and_states():
    documented = [0.69646918727085, 0.71295532141812, 0.28613933874294]
    torch.manualSeed(123)
    assert [torch.uniform() for _ in range(3)] == pytest.approx(documented, abs=1e-14)
    torch.manualSeed(torch.initialSeed())
    assert torch.uniform() == pytest.approx(documented[0], abs=1e-14)
    state = torch.getRNGState()
    for _ in range(2):
        assert [torch.uniform() for _ in range(2)] == pytest.approx(documented[1:], abs=1e-14)
        assert torch.setRNGState(state) is state


def test_seeds_are_numbers_of_luas():
    torch.manualSeed(-1)
    assert torch.initialSeed() == -1
    torch.manualSeed(float(torch.seed()))
    drawn = torch.random()
    torch.manualSeed(float(torch.initialSeed()))
    assert torch.random() == drawn


def test_what_is_beyond_a_numbers_range_is_infinite():
    assert torch.Tensor(3).logNormal(1e4, 1).totable() == [math.inf] * 3


# States ---------------------------------------------------------------------------------------------------------------

DRAWN = {
    "numbers": lambda: torch.rand(700),
    "half a pair": lambda: torch.randn(3),
    "initial values": lambda: nn.Linear(3, 4).weight,
    "classes": lambda: torch.multinomial(torch.ones(9), 4),
    "order": lambda: torch.randperm(20),
    "dropout": lambda: nn.Dropout(0.5).forward(torch.ones(64)),
    "samples": lambda: nn.ReinforceBernoulli().forward(torch.ones(64) * 0.5),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_state_brings_back_all_that_followed(name):
    torch.normal()
    state = torch.getRNGState()
    first = [np.array(DRAWN[name]()) for _ in range(2)]
    torch.seed()
    torch.setRNGState(state)
    same([np.array(DRAWN[name]()) for _ in range(2)], first)
    assert not np.array_equal(*first)


def test_a_state_is_torch7s_bytes():
    """The seed, how many numbers are left, the 624 words, and what a pair of normal numbers is made of."""
    torch.manualSeed(5)
    torch.normal()
    state = torch.getRNGState()
    assert state.type() == "torch.ByteTensor" and state.size() == [5048]
    kept = np.asarray(state)
    reference = np.random.RandomState(5)
    x, y = reference.randint(0, 2**32, 2, np.uint64) / 2**32
    _, words, position, *_ = reference.get_state()
    assert kept[:8].view("u8") == 5 and list(kept[8:16].view("i4")) == [625 - position, 1]
    assert kept[16:24].view("u8") == position and np.array_equal(kept[24:5016].view("u8"), words)
    same(kept[5016:5040].view("f8"), [x, y, math.sqrt(-2 * math.log(1 - y))])
    assert kept[5040:5044].view("i4") == 1


def test_generators_do_not_touch_each_other():
    torch.manualSeed(3)
    expected = np.array(torch.rand(4))
    torch.manualSeed(3)
    other = torch.Generator()
    torch.manualSeed(other, 3)
    same(torch.rand(torch.Tensor(), other, 4), expected)
    same(torch.Tensor(4).uniform(other), np.array(torch.Tensor(4).uniform(_seeded(3, skipped=4))))
    same(torch.rand(4), expected)
    torch.setRNGState(other, torch.getRNGState())
    assert torch.random() == torch.random(other)
    assert torch.initialSeed(other) == 3 and torch.seed(other) == torch.initialSeed(other) != 3
    legacy.manualSeed(other, 3)
    assert torch.initialSeed(other) == 3


def _seeded(seed, skipped=0):
    made = torch.Generator()
    torch.manualSeed(made, seed)
    torch.rand(made, max(skipped, 1)) if skipped else None
    return made


@pytest.mark.parametrize(
    ("state", "message"), [(np.zeros(12), "5048 bytes"), (np.zeros(5048), "what getRNGState gave")]
)
def test_other_bytes_are_no_state(state, message):
    with pytest.raises(ValueError, match=message):
        torch.setRNGState(torch.ByteTensor(state))


# Distributions --------------------------------------------------------------------------------------------------------


def normal(seed, count):
    x, y = uniform(seed, count + count % 2).reshape(-1, 2).T
    rho = np.sqrt(-2 * np.log(1 - y))
    return np.stack([rho * np.cos(2 * np.pi * x), rho * np.sin(2 * np.pi * x)], 1).reshape(-1)[:count]


CONTINUOUS = {  # by name: arguments, and the formula of torch's sources
    "uniform": ([-2, 3], lambda s, n: uniform(s, n) * 5 - 2),
    "normal": ([1, 0.5], lambda s, n: normal(s, n) * 0.5 + 1),
    "logNormal": ([1, 0.5], lambda s, n: np.exp(normal(s, n) * 0.5 + 1)),
    "exponential": ([2], lambda s, n: -np.log(1 - uniform(s, n)) / 2),
    "cauchy": ([1, 2], lambda s, n: 1 + 2 * np.tan(np.pi * (uniform(s, n) - 0.5))),
}
DISCRETE = {
    "bernoulli": ([0.25], lambda s, n: uniform(s, n) <= 0.25),
    "geometric": ([0.5], lambda s, n: np.floor(np.log(1 - uniform(s, n)) / np.log(0.5)) + 1),
    "random": ([3, 9], lambda s, n: uniform(s, n) * 2**32 % 7 + 3),
}
DISTRIBUTIONS = CONTINUOUS | DISCRETE
DEFAULTS = {"uniform": [0, 1], "normal": [0, 1], "logNormal": [1, 2], "cauchy": [0, 1], "bernoulli": [0.5]}


def place(kind, layout):
    """A tensor of 3 x 4 and where its elements lie: whole, transposed, or every other column of a larger one."""
    make = getattr(torch, f"{kind}Tensor")
    match layout:
        case "whole":
            return make(3, 4)
        case "transposed":
            return make(4, 3).t()
    return make(3, 8).view(3, 4, 2).select(3, 2)


@pytest.mark.parametrize("layout", ["whole", "transposed", "every other"])
@pytest.mark.parametrize("kind", FLOATING + WHOLE)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_tensors_are_filled_row_by_row(name, kind, layout):
    arguments, formula = DISTRIBUTIONS[name]
    if name in CONTINUOUS and kind in WHOLE:
        with pytest.raises(TypeError, match=f"torch.{name}: expected a tensor of a floating-point type"):
            getattr(place(kind, layout), name)(*arguments)
        return
    expected = formula(4, 12).reshape(3, 4)
    tolerance = {"Half": 2e-3, "Float": 1e-6}.get(kind, 1e-14)
    tensor, generator = place(kind, layout), _seeded(4)
    for filled in (
        getattr(tensor, name)(generator, *arguments),
        getattr(torch, name)(tensor, _seeded(4), *arguments),
    ):
        assert filled is tensor
        same(tensor, expected, rtol=tolerance, atol=tolerance)
    torch.manualSeed(4)
    same(getattr(tensor, name)(*arguments), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_without_a_tensor_it_is_a_number(name):
    arguments, formula = DISTRIBUTIONS[name]
    expected = formula(6, 5)
    generator = _seeded(6)
    same([getattr(torch, name)(generator, *arguments) for _ in range(5)], list(expected.astype(float)), rtol=1e-14)
    torch.manualSeed(6)
    assert getattr(torch, name)(*arguments) == pytest.approx(float(expected[0]), rel=1e-14)


@pytest.mark.parametrize("name", DEFAULTS)
def test_documented_defaults(name):
    same(getattr(torch, name)(_seeded(2)), getattr(torch, name)(_seeded(2), *DEFAULTS[name]))


@pytest.mark.parametrize(
    ("kind", "values"),
    [("Byte", 2**8), ("Char", 2**7), ("Short", 2**15), ("Int", 2**31), ("Long", 2**32), ("Float", 2**24 + 1),
     ("Double", 2**32), ("Half", 2**11 + 1)],
)  # fmt: skip
def test_random_without_bounds_has_the_range_of_the_type(kind, values):
    bits = np.random.RandomState(3).randint(0, 2**32, 50, np.uint64)
    same(getattr(torch, f"{kind}Tensor")(50).random(_seeded(3)), bits % values)


def test_bounds_of_random():
    bits = np.random.RandomState(3).randint(0, 2**32, 50, np.uint64).astype(float)
    same(torch.LongTensor(50).random(_seeded(3), 6), bits % 6 + 1)
    same(torch.Tensor(50).random(_seeded(3), -2, 2), bits % 5 - 2)
    assert torch.random(7, 7) == 7


def test_a_probability_for_each_element():
    chances = torch.rand(_seeded(1), 5, 6)
    for kind in WHOLE + FLOATING:
        drawn = getattr(torch, f"{kind}Tensor")(5, 6).bernoulli(_seeded(2), chances)
        same(drawn, uniform(2, 30).reshape(5, 6) <= np.asarray(chances))


def test_many_numbers_at_once_are_those_drawn_one_by_one():
    for name in ("uniform", "normal"):
        torch.manualSeed(9)
        at_once = np.asarray(getattr(torch.DoubleTensor(70001), name)())
        generator = _seeded(9)
        parts = [np.asarray(getattr(torch.DoubleTensor(n), name)(generator)) for n in (1, 2, 65000, 3, 4995)]
        assert np.array_equal(np.concatenate(parts), at_once)


def test_parameters_are_of_the_tensors_type():
    """Torch7 rounds the bounds of a FloatTensor's numbers to floats."""
    low, high = (float(np.float32(bound)) for bound in (-0.1, 0.7))
    expected = (uniform(8, 1000) * (high - low) + low).astype(np.float32)
    assert np.array_equal(np.asarray(torch.FloatTensor(1000).uniform(_seeded(8), -0.1, 0.7)), expected)


@pytest.mark.parametrize(("name", "numbers"), [("rand", uniform), ("randn", normal)])
def test_sizes_results_and_generators(name, numbers):
    function, expected = getattr(torch, name), numbers(5, 6).reshape(2, 3)
    result = torch.DoubleTensor()
    for made in (
        function(_seeded(5), 2, 3), function(_seeded(5), torch.LongStorage([2, 3])), function(result, _seeded(5), 2, 3),
        getattr(torch.DoubleTensor(7), name)(_seeded(5), 2, 3),
    ):  # fmt: skip
        same(made, expected, rtol=1e-6)
    assert result.size() == [2, 3] and function(result, 4) is result and result.size() == [4]


def test_permutations_exchange_each_place_with_a_later_one():
    bits = np.random.RandomState(7).randint(0, 2**32, 29, np.uint64)
    order = list(range(1, 31))
    for place_, drawn in enumerate(bits):
        other = place_ + int(drawn) % (30 - place_)
        order[place_], order[other] = order[other], order[place_]
    result = torch.LongTensor()
    for made in (torch.randperm(_seeded(7), 30), torch.randperm(result, _seeded(7), 30), result):
        same(made, order)
    same(torch.randperm(1), [1])
    with pytest.raises(ValueError, match="torch.randperm: expected a positive number, got 0"):
        torch.randperm(0)


@pytest.mark.parametrize("kind", FLOATING)
def test_classes_with_replacement(kind):
    weights = getattr(torch, f"{kind}Tensor")([[1, 0, 3], [2, 2, 0]])
    result = torch.LongTensor()
    drawn = torch.multinomial(result, _seeded(5), weights, 40000, True)
    assert drawn is result and drawn.size() == [2, 40000]
    counts = np.stack([np.bincount(row, minlength=4)[1:] for row in np.asarray(drawn)]) / 40000
    np.testing.assert_allclose(counts, [[0.25, 0, 0.75], [0.5, 0.5, 0]], atol=0.01)
    points = uniform(5, 3)
    same(torch.multinomial(_seeded(5), weights.select(1, 1), 3, True), np.where(points <= 0.25, 1, 3))


def test_classes_without_replacement():
    """Each is drawn at most once; what has been drawn no longer counts for those that follow."""
    weights = np.array([0.5, 0.25, 0.125, 0.125])
    for seed in range(20):
        expected, left = [], weights.copy()
        for point in uniform(seed, 4):
            expected.append(int(np.searchsorted(left.cumsum() / left.sum(), point)) + 1)
            left[expected[-1] - 1] = 0
        drawn = torch.multinomial(_seeded(seed), torch.DoubleTensor(weights), 4)
        assert list(drawn) == expected and sorted(expected) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.normal(0, 0), "torch.normal: expected a positive standard deviation, got 0"),
        (lambda: torch.Tensor(2).normal(0, -1), "torch.normal: expected a positive standard deviation"),
        (lambda: torch.logNormal(1, 0), "torch.logNormal: expected a positive standard deviation"),
        (lambda: torch.geometric(1), "torch.geometric: expected a probability between 0 and 1, got 1"),
        (lambda: torch.bernoulli(1.5), "torch.bernoulli: expected probabilities from 0 to 1"),
        (lambda: torch.random(3, 2), "torch.random: expected an upper bound"),
        (lambda: torch.random(0), "torch.random: expected an upper bound"),
        (lambda: torch.multinomial(torch.zeros(3), 1), "torch.multinomial: expected weights with a positive sum"),
        (lambda: torch.multinomial(torch.ones(3), 4), "torch.multinomial: expected a vector or matrix of weights"),
        (lambda: torch.multinomial(torch.ones(3), 0), "torch.multinomial: expected a vector or matrix of weights"),
    ],
)
def test_parameters_outside_their_range(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.uniform(1, 2, 3), lambda: torch.exponential(), lambda: torch.Tensor(2).uniform("a"),
        lambda: torch.Tensor(2).normal(torch.ones(2)), lambda: torch.Tensor(3).bernoulli(torch.ones(2)),
        lambda: torch.randperm(), lambda: torch.randperm("a"), lambda: torch.Tensor(2).randperm(1, 2),
        lambda: torch.manualSeed(), lambda: torch.manualSeed(torch.Generator()),
    ],
)  # fmt: skip
def test_other_arguments(call):
    with pytest.raises(TypeError, match=r"torch.\w+: expected \(\[generator\]"):
        call()
