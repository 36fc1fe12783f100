"""Numbers that are assigned again and again make no new programs, and compute what constants compute."""

import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, optim, torch
from functorch7.programs import cache_info

from .helpers import values

# module with its number, the number's name, values
CASES = {
    "Dropout": (lambda v: nn.Dropout(v), "p", (0.31, 0.37, 0.0, 0.62)),
    "Dropout v1": (lambda v: nn.Dropout(v, True), "p", (0.31, 0.37, 0.62)),
    "TotalDropout": (lambda v: nn.TotalDropout(v), "p", (0.31, 0.37)),
    "WhiteNoise": (lambda v: nn.WhiteNoise(0.1, v), "std", (0.3, 0.21)),
    "MulConstant": (lambda v: nn.MulConstant(v), "constant_scalar", (0.3, 2, 0.7)),
    "AddConstant": (lambda v: nn.AddConstant(v), "constant_scalar", (0.3, 2, 0.7)),
    "Threshold": (lambda v: nn.Threshold(v, 0.1), "threshold", (0.3, 0.7)),
    "LeakyReLU": (lambda v: nn.LeakyReLU(v), "negval", (0.01, 0.7)),
    "RReLU": (lambda v: nn.RReLU(v, 0.9), "lower", (0.1, 0.7)),
    "ELU": (lambda v: nn.ELU(v), "alpha", (1, 0.7)),
    "HardShrink": (lambda v: nn.HardShrink(v), "lambda_", (0.3, 0.7)),
    "SoftShrink": (lambda v: nn.SoftShrink(v), "lambda_", (0.3, 0.7)),
    "HardTanh": (lambda v: nn.HardTanh(-1, v), "max_val", (0.3, 1)),
    "SoftPlus": (lambda v: nn.SoftPlus(v), "beta", (1, 0.7)),
    "Clip": (lambda v: nn.Clip(-0.5, v), "maxval", (0.3, 1)),
    "Padding": (lambda v: nn.Padding(2, 2, None, v), "value", (0.3, 1)),
    "GradientReversal": (lambda v: nn.GradientReversal(v), "lambda_", (0.3, 0.7)),
    "L1Penalty": (lambda v: nn.L1Penalty(v), "l1weight", (0.3, 0.7)),
    "Normalize": (lambda v: nn.Normalize(2, v), "eps", (1e-5, 0.1)),
    "NormStabilizer": (lambda v: nn.NormStabilizer(v), "beta", (1, 0.7)),
    "SpatialCrossMapLRN": (lambda v: nn.SpatialCrossMapLRN(3, v), "alpha", (0.1, 0.7)),
    "FastLSTM": (lambda v: nn.FastLSTM(5, 3, 9, None, None, True, v), "p", (0.31, 0.62)),
    "BatchNormalization, momentum": (lambda v: nn.BatchNormalization(5, 1e-3, v, False), "momentum", (0.1, 0.37)),
    "BatchNormalization, eps": (lambda v: nn.BatchNormalization(5, v, 0.1, False), "eps", (1e-5, 1e-3)),
}
SHAPES = {"SpatialCrossMapLRN": (3, 2, 5)}


def outcome(module, input, train, type):
    torch.manualSeed(3)
    net = nn.Sequential(module).type(type)
    net.forget()
    net.training() if train else net.evaluate()
    output = net.forward(input)
    grad_input = net.backward(input, np.ones(output.shape, output.dtype))
    return [each.numpy() for each in (output, grad_input, *module.own_tensors())]


@pytest.fixture(autouse=True)
def running_statistics(monkeypatch):
    def own_tensors(module):
        return [tensor for name, tensor in sorted(vars(module).items()) if name.startswith("running")]

    monkeypatch.setattr(nn.Module, "own_tensors", own_tensors, raising=False)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("train", "type"),
    [(True, "torch.FloatTensor"), (True, "torch.DoubleTensor"), (False, "torch.FloatTensor")],
    ids=["training", "training in float64", "evaluation"],
)
@pytest.mark.parametrize("name", CASES)
def test_a_number_that_was_assigned_computes_what_a_constant_computes_to_the_last_digit(name, train, type, monkeypatch):
    monkeypatch.setattr("functorch7.network.numbers.compared", lambda module: module)  # those made anew have constants
    make, field, numbers = CASES[name]
    module, input = make(numbers[0]), 2 * values(*SHAPES.get(name, (6, 5)))
    for number in (*numbers[1:], numbers[0]):
        setattr(module, field, number)
        fresh = make(number).type(type)
        for key, tensor in vars(module).items():
            if key.startswith("running"):
                vars(fresh)[key].copy(tensor)
        for mine, theirs in zip(fresh.parameters()[0], module.parameters()[0], strict=True):
            mine.copy(theirs)
        expected = outcome(fresh, input, train, type)
        for got, wanted in zip(outcome(module, input, train, type), expected, strict=True):
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)


def test_networks_that_differ_in_numbers_are_one_program_from_the_second_on():
    for i, p in enumerate((0.1, 0.3, 0.5, 0.7)):
        layers = nn.Linear(5, 4), nn.Dropout(p), nn.LeakyReLU(p / 2), nn.BatchNormalization(4, 1e-5, p / 3)
        net, input = nn.Sequential(*layers), values(6, 5)
        criterion = nn.MarginCriterion(p)
        target = np.sign(net.forward(input).numpy())
        criterion.forward(net.output, target)
        net.backward(input, criterion.backward(net.output, target))
        if i == 1:
            programs = cache_info().programs
    assert cache_info().programs == programs


def test_many_values_of_one_number_make_no_more_programs_than_two():
    dropout = nn.Dropout(0.3)
    net, input = nn.Sequential(nn.Linear(5, 4), dropout), values(6, 5)
    for i, p in enumerate(np.linspace(0.1, 0.8, 40)):
        dropout.p = float(p)
        net.backward(input, net.forward(input))
        if i == 1:  # then the gradients are no longer zeros that were never made
            programs = cache_info().programs
    assert cache_info().programs == programs


def test_a_number_that_was_assigned_changes_no_plan():
    net = nn.Sequential(nn.MulConstant(2), nn.Linear(5, 4))
    net.get(1).constant_scalar = 3
    net.forward(values(6, 5))
    plan = net._planned()
    net.get(1).constant_scalar = 4
    assert net._planned() is plan


def test_numbers_of_criterions_make_no_programs():
    criterion, input, target = nn.MarginCriterion(1), np.array([0.5, -0.5]), np.array([1, -1])
    for i, margin in enumerate((0.7, 0.8, 0.9, 2.0)):
        criterion.margin = margin
        assert criterion.forward(input, target) == pytest.approx(margin - 0.5 if margin > 0.5 else 0, abs=1e-6)
        np.testing.assert_allclose(criterion.backward(input, target), [-0.5, 0.5])
        if i == 0:
            programs = cache_info().programs
    assert cache_info().programs == programs


def test_weights_of_criterions_make_no_programs():
    both, input, target = nn.MultiCriterion(), np.array([0.5, -0.5]), np.array([1.0, 1.0])
    both.add(nn.MSECriterion(), 0.5).add(nn.AbsCriterion(), 2)
    for i, weight in enumerate((0.5, 0.7, 0.9, 2.0)):
        both.weights[0] = weight
        assert both.forward(input, target) == pytest.approx(weight * 1.25 + 2 * 1)
        np.testing.assert_allclose(both.backward(input, target), [weight * -0.5 - 1, weight * -1.5 - 1], rtol=1e-6)
        if i == 1:
            programs = cache_info().programs
    assert cache_info().programs == programs


# rule of optim, its numbers
RULES = {
    "sgd": {"learningRate": 0.1, "learningRateDecay": 0.2, "weightDecay": 0.3, "momentum": 0.9, "dampening": 0.4},
    "nag": {"learningRate": 0.1, "learningRateDecay": 0.2, "weightDecay": 0.3, "momentum": 0.9},
    "adam": {
        "learningRate": 0.1, "learningRateDecay": 0.2, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.1, "weightDecay": 0.3
    },
    "adamax": {"learningRate": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.1, "weightDecay": 0.3},
    "adagrad": {"learningRate": 0.1, "learningRateDecay": 0.2, "weightDecay": 0.3},
    "adadelta": {"rho": 0.9, "eps": 0.1, "weightDecay": 0.3},
    "rmsprop": {"learningRate": 0.1, "alpha": 0.9, "epsilon": 0.1, "weightDecay": 0.3, "initialMean": 0.2},
    "rprop": {"stepsize": 0.1, "etaplus": 1.2, "etaminus": 0.5, "stepsizemax": 0.14, "stepsizemin": 0.01},
    "asgd": {"eta0": 0.1, "lambda": 0.2, "alpha": 0.75, "t0": 0.5},
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_numbers_of_rules_make_no_programs_and_compute_what_the_pure_rule_computes(rule):
    gradient, made = np.array([0.5, -1, 2], np.float32), getattr(f7.optim, rule)
    for changed in (None, *RULES[rule]):
        config, state, x = dict(RULES[rule]), {}, torch.Tensor([1, -2, 3])
        if changed is not None:
            config[changed] *= 0.8
        for _ in range(3):
            getattr(optim, rule)(lambda x: (0.0, gradient), x, config, state)
        if changed is None:
            programs = cache_info().programs
        settings = {ARGUMENTS.get(name, name): config[name] for name in RULES[rule]}
        pure = made(**settings)
        params = jnp.array([1.0, -2, 3])
        pure_state = pure.init(params)
        for _ in range(3):
            updates, pure_state = pure.update(gradient, pure_state, params)
            params = params + updates
        if rule == "nag":
            params = f7.optim.nag_position(params, pure_state, config["momentum"])
        np.testing.assert_allclose(x, params, rtol=1e-5)
    assert cache_info().programs == programs


ARGUMENTS = {
    "learningRate": "learning_rate", "learningRateDecay": "learning_rate_decay", "weightDecay": "weight_decay",
    "initialMean": "initial_mean", "lambda": "lambda_",
}  # fmt: skip


def test_scales_and_regularizers_make_no_programs():
    net, input = nn.Sequential(nn.Linear(3, 2)), values(4, 3)
    linear = net.get(1)
    for scale, l1, l2 in ((2.0, 0.1, 0.2), (3.0, 0.1, 0.2), (3.0, 0.3, 0.2), (3.0, 0.3, 0.4), (0.5, 0.6, 0.7)):
        linear.setScaleW(scale)
        linear.wRegularizer, linear.bRegularizer = optim.L1L2Regularizer(l1, l2), optim.L2Regularizer(l2)
        net.zeroGradParameters()
        net.backward(input, np.ones_like(net.forward(input)))
        if scale == 2:
            programs = cache_info().programs
        weight, bias = np.array(linear.weight), np.array(linear.bias)
        plain = np.tile(input.sum(0), (2, 1))
        np.testing.assert_allclose(linear.gradWeight, scale * (plain + l1 * np.sign(weight) + l2 * weight), rtol=1e-5)
        np.testing.assert_allclose(linear.gradBias, 4 + l2 * bias, rtol=1e-5)
    assert cache_info().programs == programs


def test_errors_name_a_module_whose_number_is_an_argument():
    net = nn.Sequential(nn.LeakyReLU(0.3), nn.SpatialDropout(0.3))
    net.get(2).p = 0.25
    with pytest.raises(ValueError, match=r"nn.SpatialDropout\(0.250000\): expected a 3D tensor"):
        net.forward(values(6, 5))


def test_an_impossible_number_is_refused_when_the_module_is_used_and_may_be_changed_until_then():
    dropout = nn.Dropout(0.3)
    dropout.p = 0.4
    dropout.p = 1.5
    with pytest.raises(ValueError, match=r"nn.Dropout: expected 0 <= p < 1, got 1.5"):
        dropout.forward(values(3))
    with pytest.raises(TypeError, match="nn.Dropout: expected a number as p"):
        dropout.p = "half"
    assert dropout.p == 1.5
    dropout.p = 0.5
    assert set(dropout.forward(torch.ones(20)).totable()) == {0, 2}


def test_fields_that_only_fit_together_are_assigned_one_after_the_other():
    pool = nn.SpatialMaxPooling(3, 3)
    net = nn.Sequential(pool)
    net.forward(values(1, 8, 8))
    pool.padW = 2
    for use in (net.forward, pool.forward):
        with pytest.raises(ValueError, match=r"nn.SpatialMaxPooling\(3x3, 3,3, 2,0\): pad should be smaller"):
            use(values(1, 8, 8))
    with pytest.raises(ValueError, match="padW = 2, padH = 0, kW = 3"):
        print(net)
    copy = pool.clone()
    assert (copy.padW, copy.kW, hasattr(copy, "nothing")) == (2, 3, False)
    pool.kW = 5
    assert str(pool) == "nn.SpatialMaxPooling(5x3, 3,3, 2,0)"
    assert (
        net.forward(values(1, 8, 8)).totable()
        == nn.SpatialMaxPooling(5, 3, 3, 3, 2, 0).forward(values(1, 8, 8)).totable()
    )


def test_copies_and_hooks_go_with_numbers_that_are_arguments():
    net = nn.Sequential(nn.MulConstant(2))
    net.get(1).constant_scalar = 3.0
    copy = net.clone()
    copy.get(1).constant_scalar = 4.0
    copy.get(1).register_forward_hook(lambda module, input, output: output + 1)
    np.testing.assert_array_equal(net.forward([1.0]), [3])
    np.testing.assert_array_equal(copy.forward([1.0]), [5])


def test_numbers_in_another_order_of_bytes_are_converted_or_refused_by_name():
    """JAX reads their bytes as they are in a function that has been called before."""
    net, criterion, given = nn.Sequential(nn.MulConstant(2)), nn.MSECriterion(), np.float32([[1, 2]])
    foreign = given.astype(">f4")
    for each in (given, foreign):
        assert net.forward(each).totable() == [[2, 4]]
        assert net.backward(each, each).totable() == [[2, 4]]
        assert criterion.forward(each, given) == 0
    for refused in (lambda: f7.ReLU().apply({}, {}, foreign), lambda: f7.MSECriterion()(given, foreign)):
        with pytest.raises(
            TypeError, match=r"this machine's order of bytes, got >f4; array.astype\(.float32.\) has it"
        ):
            refused()
