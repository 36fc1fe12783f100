"""optim's update rules in Torch's calling convention. (Recorded trajectories: tests/test_golden.py.)"""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from functorch7.legacy import nn, optim, torch

from .helpers import same, values

RULES = {
    "sgd": ({"learningRate": 0.1, "momentum": 0.9}, {"evalCounter", "dfdx"}),
    "nag": ({"learningRate": 0.1}, {"evalCounter", "dfdx"}),
    "adam": ({"learningRate": 0.1}, {"t", "m", "v", "denom"}),
    "adamax": ({"learningRate": 0.1}, {"t", "m", "u", "max"}),
    "adagrad": ({"learningRate": 0.1, "learningRateDecay": 0.1}, {"evalCounter", "paramVariance", "paramStd"}),
    "adadelta": ({}, {"evalCounter", "paramVariance", "accDelta", "paramStd", "delta"}),
    "rmsprop": ({"learningRate": 0.1}, {"m", "tmp"}),
    "rprop": ({"stepsize": 0.05}, {"delta", "stepsize", "sign", "psign", "nsign", "zsign", "dminmax"}),
    "asgd": ({"eta0": 0.1, "t0": 2, "lambda": 0.01}, {"eta_t", "mu_t", "t", "ax"}),
}
BYTES = {"psign", "nsign", "zsign", "dminmax"}
ARRAYS = BYTES | {
    "dfdx", "m", "v", "u", "paramVariance", "accDelta", "delta", "stepsize", "ax", "denom", "paramStd", "tmp", "sign",
    "max",
}  # fmt: skip
SIZES = {"u": [1, 2], "max": [2, 2]}  # others have those of x
# Computed where somebody looks, on the host by NumPy:
LOOKED_AT = BYTES | {"denom", "paramStd", "tmp", "delta", "sign", "max"}


def bowl(x):
    """sum(x^2) / 2, in whatever x is."""
    array = np.asarray(x)
    return float((array**2).sum() / 2), array.copy()


def run(name, x, config, state, steps):
    for _ in range(steps):
        x = getattr(optim, name)(bowl, x, config, state)[0]
    return x


def test_xor_of_the_documentation():
    model = nn.Sequential().add(nn.Linear(2, 20)).add(nn.Tanh()).add(nn.Linear(20, 1))
    criterion = nn.MSECriterion()
    params, gradParams = model.getParameters()
    inputs = torch.randn(128, 2)
    labels = torch.Tensor(128)
    for i in range(1, 129):
        labels[i] = -1 if inputs[i, 1] * inputs[i, 2] > 0 else 1
    before, weight, losses = np.array(params), model.get(1).weight, []

    def feval(params):
        gradParams.zero()
        outputs = model.forward(inputs)
        loss = criterion.forward(outputs, labels)
        model.backward(inputs, criterion.backward(outputs, labels))
        return loss, gradParams

    for _ in range(50):
        moved, fs = optim.sgd(feval, params, {"learningRate": 0.01})
        losses.append(float(fs[0]))
    assert moved is params and len(fs) == 1
    assert losses == sorted(losses, reverse=True)
    assert not np.allclose(before[:40].reshape(20, 2), weight)
    same(np.asarray(params)[:40].reshape(20, 2), weight)


@pytest.mark.parametrize("name", RULES)
def test_state_has_torchs_names(name):
    config, names = RULES[name]
    x, state = torch.DoubleTensor([1, -2]), {}
    run(name, x, dict(config), state, 2)
    assert set(state) == names
    for field, value in state.items():
        if field in ARRAYS:
            kind = "torch.ByteTensor" if field in BYTES else "torch.DoubleTensor"
            assert value.type() == kind and value.size() == SIZES.get(field, [2])
        else:
            assert type(value) in (int, float)
    assert state.get("evalCounter", state.get("t", 2)) == 2


BETWEEN = {  # by adam.lua, adagrad.lua, adadelta.lua and rmsprop.lua
    "adam": ({"epsilon": 0.1}, "denom", lambda state, moved: state["v"] ** 0.5 + 0.1),
    "adagrad": ({"learningRate": 0.2}, "paramStd", lambda state, moved: state["paramVariance"] ** 0.5 + 1e-10),
    "adadelta": ({"eps": 0.01}, "paramStd", lambda state, moved: (state["paramVariance"] + 0.01) ** 0.5),
    "adadelta's step": ({}, "delta", lambda state, moved: -moved),
    "rmsprop": ({}, "tmp", lambda state, moved: state["m"] ** 0.5 + 1e-8),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_results_between_are_in_the_state_as_torch_leaves_them(name):
    config, field, formula = BETWEEN[name]
    x, state = torch.DoubleTensor([1, -2]), {}
    run(name.split("'")[0], x, dict(config), state, 2)
    before = np.array(x)
    run(name.split("'")[0], x, dict(config), state, 1)
    arrays = {key: np.array(value) for key, value in state.items()}
    same(state[field], formula(arrays, np.array(x) - before), rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_training_goes_on_from_a_saved_state(name):
    """A state table of tensors, numbers and nothing else, as a file of Torch7 gives it."""
    config, _ = RULES[name]
    whole, part, state = torch.DoubleTensor([1, -2]), torch.DoubleTensor([1, -2]), {}
    run(name, whole, dict(config), {}, 5)
    run(name, part, dict(config), state, 3)
    saved = {k: torch.DoubleTensor(np.array(v)) if k in ARRAYS else float(v) for k, v in copy.deepcopy(state).items()}
    run(name, part, dict(config), saved, 2)
    same(part, whole, rtol=1e-12)


def test_a_state_of_torchs_decides_the_next_step():
    x, g = np.array([1.0, -2.0]), np.array([1.0, -2.0])
    state = {"t": 3, "m": np.array([0.5, 0.1]), "v": np.array([0.2, 0.4])}
    m, v = 0.9 * state["m"] + 0.1 * g, 0.999 * state["v"] + 0.001 * g * g
    expected = x - 0.1 * np.sqrt(1 - 0.999**4) / (1 - 0.9**4) * m / (np.sqrt(v) + 1e-8)
    optim.adam(bowl, x, {"learningRate": 0.1}, state)
    same(x, expected)
    same([state["m"], state["v"]], [m, v])
    assert state["t"] == 4

    x, state = np.array([1.0, -2.0]), {"evalCounter": 7, "dfdx": np.array([0.5, 0.5])}
    optim.sgd(bowl, x, {"learningRate": 0.1, "learningRateDecay": 1, "momentum": 0.9, "dampening": 0.2}, state)
    same(x, [1 - 0.1 / 8 * (0.45 + 0.8), -2 - 0.1 / 8 * (0.45 - 1.6)])


def test_momentum_switched_on_in_the_middle_starts_with_the_gradient():
    x, state, config = np.array([1.0]), {}, {"learningRate": 0.1, "learningRateDecay": 1}
    optim.sgd(bowl, x, config, state)
    same(x, [0.9])
    config["momentum"] = 0.5
    optim.sgd(bowl, x, config, state)
    same(state["dfdx"], [0.9])
    same(x, [0.9 - 0.05 * 0.9])
    optim.sgd(bowl, x, config, state)
    same(state["dfdx"], [0.5 * 0.9 + 0.5 * 0.855])
    assert state["evalCounter"] == 3


def test_new_numbers_are_not_traced_again(monkeypatch):
    traced, apply = [], optax.apply_updates
    monkeypatch.setattr(optax, "apply_updates", lambda *args: traced.append(None) or apply(*args))
    x, config, state = torch.randn(7), {"learningRate": 0.1, "momentum": 0.9}, {}
    for rate in (0.1, 0.05, 0.02, 1):
        before, config["learningRate"] = np.array(x), rate
        run("sgd", x, config, state, 2)
        assert not np.allclose(before, x)
    config["momentum"] = 0.5
    run("sgd", x, config, state, 2)
    assert len(traced) == 1
    config["momentum"] = 0
    run("sgd", x, config, state, 2)
    assert len(traced) == 2


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kinds_of_x(name, dtype):
    """Tensors, views of tensors and NumPy arrays change in place; of a JAX array the new one is returned."""
    config, start = RULES[name][0], np.array([[0.5, -1.0], [2.0, 0.25]], dtype)
    array = start.copy()
    assert run(name, array, dict(config), {}, 3) is array and array.dtype == dtype
    assert not np.allclose(array, start)
    tensor, whole = torch.Tensor.of(start.copy()), torch.Tensor.of(np.concatenate([start, start]))
    assert run(name, tensor, dict(config), {}, 3) is tensor and tensor.dtype == dtype
    view = whole.narrow(1, 3, 2)
    run(name, view, dict(config), {}, 3)
    with jax.enable_x64(dtype == np.float64):
        given = jnp.asarray(start)
        moved = run(name, given, dict(config), state := {}, 3)
        assert isinstance(moved, jax.Array) and moved.dtype == dtype
        same(given, start)
        assert all(isinstance(state[k], jax.Array) for k in state if k in ARRAYS)
    for found in (tensor, view, moved):
        np.testing.assert_allclose(np.asarray(found), array, rtol=1e-6)
    same(np.asarray(whole)[:2], start)


def test_of_a_jax_array_the_state_is_jax_arrays_wherever_it_lies(accelerator):
    state: dict = {}
    moved = run("adam", jnp.array([0.5, -1.0]), {}, state, 2)
    assert isinstance(moved, jax.Array) and all(isinstance(state[name], jax.Array) for name in ("m", "v"))


def test_tensors_on_a_device_stay_there():
    x, g = torch.Tensor.of(jnp.ones(3)), torch.Tensor.of(jnp.ones(3))
    for name, (config, _) in RULES.items():
        state = {}
        getattr(optim, name)(lambda x: (0, g), x, dict(config), state)
        kept = [state[k] for k in state if k in ARRAYS - LOOKED_AT]
        assert all(isinstance(t.storage().array, jax.Array) for t in (x, *kept))


@pytest.mark.parametrize("name", RULES)
def test_config_is_the_state_where_none_is_given(name):
    config, names = RULES[name]
    one, two, both = np.array([1.0, -2.0]), np.array([1.0, -2.0]), dict(config)
    run(name, one, dict(config), {}, 3)
    run(name, two, both, None, 3)
    same(two, one)
    assert names - LOOKED_AT <= set(both)  # which states of tensors have


def test_without_tables(capsys):
    x = np.array([1.0, -2.0])
    same(optim.sgd(bowl, x)[0], [0.999, -1.998])
    for rule in (optim.adagrad, optim.adadelta, optim.rprop):
        rule(bowl, x)
    assert capsys.readouterr().out.splitlines() == [
        "no state table, ADAGRAD initializing",
        "no state table, ADADELTA initializing",
        "no state table RPROP initializing",
    ]


def test_losses_and_further_results():
    x = np.array([1.0, -2.0])
    assert optim.adam(lambda x: ("the loss", x), x)[1] == ["the loss"]
    x = np.array([1.0, -2.0])
    _, losses = optim.rprop(bowl, x, {"niter": 3})
    same(losses, [2.5, (0.9**2 + 1.9**2) / 2, (0.78**2 + 1.78**2) / 2])
    config, x = {}, np.array([1.0, -2.0])
    x, losses, average = optim.asgd(bowl, x, config)
    assert {key: config[key] for key in ("eta0", "lambda", "alpha", "t0")} == {
        "eta0": 1e-4, "lambda": 1e-4, "alpha": 0.75, "t0": 1e6
    }  # fmt: skip
    same(average, x)


def test_asgd_averages_after_t0():
    x, state, points = np.array([1.0, -2.0]), {}, []
    for _ in range(6):
        _, _, average = optim.asgd(bowl, x, {"eta0": 0.1, "t0": 2}, state)
        points.append(x.copy())
    expected = points[0]
    for t, point in enumerate(points):  # mu_t is 1 / max(1, t - t0)
        expected = expected + (point - expected) / max(1, t - 2)
    same(average, expected)
    same([state["eta_t"], state["mu_t"]], [0.1 / (1 + 1e-4 * 0.1 * 6) ** 0.75, 1 / 4])


def test_rates_and_decays_of_elements():
    x, g = torch.DoubleTensor([[1, 2], [3, 4]]), torch.DoubleTensor([[1, 1], [1, 1]])
    rates, decays = torch.Tensor([1, 0, 2, 1]), np.array([0.0, 0.0, 1.0, 0.5])
    config = {"learningRate": 0.1, "learningRates": rates, "weightDecays": decays}
    optim.sgd(lambda x: (0, g), x, config)
    same(x, [[0.9, 2], [3 - 0.2 * 4, 4 - 0.1 * 3]])
    same(g, np.ones((2, 2)))


def test_nag_calls_the_function_at_the_look_ahead_point():
    x, state, seen = np.array([1.0, -2.0]), {}, []

    def closure(x):
        seen.append(x.copy())
        return bowl(x)

    for expected in ([0.9, -1.8], [0.729, -1.458], [0.51759, -1.03518]):
        velocity = np.array(state.get("dfdx", np.zeros(2)))
        before = x.copy()
        optim.nag(closure, x, {"learningRate": 0.1}, state)
        same(x, expected)
        same(seen[-1], before + 0.9 * velocity)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: optim.sgd(bowl, x, {"nesterov": True}), ValueError,
         "Nesterov momentum requires a momentum and zero dampening"),
        (lambda x: optim.nag(bowl, x, {"momentum": 0}), ValueError,
         "Momentum must be positive for Nesterov Accelerated Gradient"),
        (lambda x: optim.sgd(bowl, x, {"learningRate": "0.1"}), TypeError,
         "optim.sgd: expected a number learningRate, got '0.1'"),
        (lambda x: optim.adam(bowl, x, {"beta1": [0.9]}), TypeError, "optim.adam: expected a number beta1"),
        (lambda x: optim.adam(bowl, x, 0.1), TypeError, "optim.adam: expected a dict config, got 0.1"),
        (lambda x: optim.adam(bowl, x, {}, []), TypeError, "optim.adam: expected a dict state, got .*; an empty table"),
        (lambda x: optim.sgd(lambda x: (0, np.ones(3)), x), ValueError,
         r"optim.sgd: expected a gradient of shape \(2,\), as x, got shape \(3,\)"),
        (lambda x: optim.sgd(lambda x: (0, np.ones(2, complex)), x), TypeError,
         "optim.sgd: expected a gradient of real numbers, got complex128"),
        (lambda x: optim.sgd(lambda x: (0, np.ones(2, "m8[s]")), x), TypeError, "expected a gradient, got timedelta64"),
        (lambda x: optim.sgd(lambda x: 0.0, x), TypeError, "expected opfunc to return the loss and the gradient"),
        (lambda x: optim.sgd(bowl, [1.0]), TypeError, r"optim.sgd: expected a tensor or an array x, got \[1.0\]"),
        (lambda x: optim.sgd(bowl, np.arange(3)), TypeError, "expected floating-point numbers in x, got int64"),
        (lambda x: optim.sgd(bowl, x, {"learningRates": np.ones(3)}), ValueError, "expected learningRates of shape"),
        (lambda x: optim.adam(bowl, x, {}, {"m": np.ones(3)}), ValueError, "expected m in the state of shape"),
    ],
)  # fmt: skip
def test_bad_arguments(call, error, message):
    x = np.array([1.0, -2.0])
    with pytest.raises(error, match=message):
        call(x)
    same(x, [1, -2])


def test_rules_remember_half_tensors_in_float32():
    """A gradient of 0.001, of which the square is 0 in float16: each step of Adam is one of the learning rate."""
    x, state = torch.Tensor([1, -2]).half(), {}
    for _ in range(3):
        optim.adam(lambda x: (0, np.float16([1e-4, -1e-3])), x, {"learningRate": 0.01}, state)
    same(x.float(), [0.97, -1.97], rtol=1e-3)
    assert state["v"].type() == "torch.FloatTensor" and state["denom"].type() == x.type()
    same(state["v"], [2.997e-11, 2.997e-9], rtol=0.02)


def test_what_cannot_be_written_to_is_refused_before_anything_changes():
    x, state = np.asarray(jnp.ones(2)), {}
    for method in (optim.sgd, optim.lbfgs, optim.checkgrad):
        with pytest.raises(ValueError, match=r"optim.\w+: expected an array x that can be written to"):
            method(bowl, x, *([] if method is optim.checkgrad else [{}, state]))
    assert not state


def test_unknown_keys_are_ignored_as_in_torch():
    x = np.array([1.0, -2.0])
    same(optim.sgd(bowl, x, {"learningRate": 0.1, "batchSize": 32, "comment": "none"})[0], [0.9, -1.8])


def test_float32_networks_train_with_every_rule():
    inputs = torch.Tensor(values(16, 3))
    for name, (config, _) in RULES.items():
        model, criterion = nn.Linear(3, 1), nn.MSECriterion()
        x, gradients = model.getParameters()
        config, state, losses = dict(config), {}, []

        def closure(x, model=model, criterion=criterion, gradients=gradients):
            model.zeroGradParameters()
            loss = criterion.forward(model.forward(inputs), torch.ones(16))
            model.backward(inputs, criterion.backward(model.output, torch.ones(16)))
            return loss, gradients

        for _ in range(10):
            losses.append(float(getattr(optim, name)(closure, x, config, state)[1][0]))
        assert losses[-1] < losses[0] and x.type() == "torch.FloatTensor", name
