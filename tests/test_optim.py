"""functorch7.optim: Torch's rules and dpnn's helpers as pure transformations."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7 import optim
from functorch7.legacy import nn
from functorch7.legacy import optim as legacy
from functorch7.training import init_state, make_train_step

START = np.array([1.0, -2.0])

# Printed examples of Torch7 (inventory, chapter training): f(x) = sum(x^2) / 2 from [1, -2], three calls.
EXAMPLES = {
    "sgd, momentum": (
        "sgd",
        {"learning_rate": 0.1, "momentum": 0.9},
        [[0.9, -1.8], [0.801, -1.602], [0.70389, -1.40778]],
    ),
    "sgd, nesterov": (
        "sgd",
        {"learning_rate": 0.1, "momentum": 0.9, "dampening": 0, "nesterov": True},
        [[0.81, -1.62], [0.5751, -1.1502], [0.327321, -0.654642]],
    ),
    "adam": (
        "adam",
        {"learning_rate": 0.1},
        [[0.9000000316, -1.900000016], [0.8004122825, -1.800166513], [0.7015863457, -1.700623428]],
    ),
    "adamax": (
        "adamax",
        {"learning_rate": 0.1},
        [[0.9, -1.9], [0.8051683262, -1.802534113], [0.715499472, -1.707648235]],
    ),
    "adagrad": (
        "adagrad",
        {"learning_rate": 0.1},
        [[0.9, -1.9], [0.8331035269, -1.831125054], [0.7804561814, -1.775821515]],
    ),
    "adadelta": (
        "adadelta",
        {},
        [[0.9968377382, -1.996837726], [0.9935981984, -1.993595735], [0.9903090828, -1.990300762]],
    ),
    "rmsprop": (
        "rmsprop",
        {},
        [[0.90000001, -1.900000005], [0.8329179753, -1.830943333], [0.779982282, -1.77534945]],
    ),
    "rprop": ("rprop", {}, [[0.9, -1.9], [0.78, -1.78], [0.636, -1.636]]),
    "asgd": ("asgd", {}, [[0.99989999, -1.99979998], [0.99979999, -1.99959998], [0.9997, -1.9994]]),
}  # fmt: skip

RULES = {
    "sgd": {"learning_rate": 0.05, "learning_rate_decay": 0.1, "weight_decay": 0.01, "momentum": 0.8, "dampening": 0.3},
    "nag": {"learning_rate": 0.05, "learning_rate_decay": 0.1, "weight_decay": 0.01, "momentum": 0.8},
    "adam": {"learning_rate": 0.05, "learning_rate_decay": 0.1, "beta1": 0.8, "weight_decay": 0.01},
    "adamax": {"learning_rate": 0.05, "beta1": 0.8, "weight_decay": 0.01},
    "adagrad": {"learning_rate": 0.1, "learning_rate_decay": 0.1, "weight_decay": 0.01},
    "adadelta": {"rho": 0.8, "eps": 1e-3, "weight_decay": 0.01},
    "rmsprop": {"learning_rate": 0.05, "alpha": 0.8, "weight_decay": 0.01, "initial_mean": 0.1},
    "rprop": {"stepsize": 0.05, "etaplus": 1.3},
    "asgd": {"eta0": 0.05, "lambda_": 0.01, "t0": 2},
}
KEYS = {"learning_rate": "learningRate", "learning_rate_decay": "learningRateDecay", "weight_decay": "weightDecay",
        "initial_mean": "initialMean", "lambda_": "lambda"}  # fmt: skip


def gradients(params):
    """Of sum(x^2) / 2 and some coupling, leaf by leaf."""
    return jax.tree.map(lambda x: x + jnp.sin(3 * x), params)


def trajectory(rule, params, steps, gradient=gradients):
    """The parameters after each step and the last state, by lax.scan."""

    def step(carry, _):
        params, state = carry
        updates, state = rule.update(gradient(params), state, params)
        params = optax.apply_updates(params, updates)
        return (params, state), params

    (_, state), points = jax.jit(lambda p: jax.lax.scan(step, (p, rule.init(p)), None, steps))(params)
    return points, state


@pytest.mark.parametrize("name", EXAMPLES)
def test_printed_examples(name):
    rule, arguments, points = EXAMPLES[name]
    with jax.enable_x64(True):
        got, _ = trajectory(getattr(optim, rule)(**arguments), jnp.asarray(START), 3, lambda x: x)
    np.testing.assert_allclose(got, points, rtol=1e-9)


def test_nag_keeps_the_parameters_at_the_look_ahead_point():
    rule, points = optim.nag(0.1), []
    with jax.enable_x64(True):
        params = jnp.asarray(START)
        state = rule.init(params)
        for _ in range(3):
            updates, state = rule.update(params, state, params)
            params = optax.apply_updates(params, updates)
            points.append(optim.nag_position(params, state))
    np.testing.assert_allclose(points, [[0.9, -1.8], [0.729, -1.458], [0.51759, -1.03518]], rtol=1e-9)


@pytest.mark.parametrize("name", RULES)
def test_scan_agrees_with_the_stateful_form(name):
    rule, config, state = getattr(optim, name)(**RULES[name]), {KEYS.get(k, k): v for k, v in RULES[name].items()}, {}
    x, expected = np.array([0.5, -1.0, 2.0]), []
    for _ in range(6):
        getattr(legacy, name)(lambda x: (0.0, x + np.sin(3 * x)), x, config, state)
        expected.append(x.copy())
    with jax.enable_x64(True):
        points, last = trajectory(rule, jnp.array([0.5, -1.0, 2.0]), 6)
        if name == "nag":
            points = [optim.nag_position(points[-1], last, 0.8)]
            expected = expected[-1:]
        if name == "asgd":
            np.testing.assert_allclose(optim.asgd_average(last), state["ax"], rtol=1e-12)
            assert not np.allclose(state["ax"], x)
    np.testing.assert_allclose(points, expected, rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_trees_float32_and_training_steps(name, key):
    """A tree is treated leaf by leaf; nothing is upcast; the training step may reuse the state's memory."""
    rule = getattr(optim, name)(**RULES[name])
    params = {"a": jnp.array([0.5, -1.0]), "b": [jnp.array([[2.0], [0.0]])]}
    points, state = trajectory(rule, params, 4)
    alone, _ = trajectory(rule, params["a"], 4)
    np.testing.assert_allclose(points["a"], alone, rtol=1e-6)
    leaves = [leaf for leaf in jax.tree.leaves((points, state)) if jnp.issubdtype(leaf.dtype, jnp.floating)]
    assert {leaf.dtype for leaf in leaves} == {jnp.dtype(jnp.float32)}
    assert all(np.isfinite(leaf).all() for leaf in leaves)

    network = f7.Linear(2, 1)
    step, state = make_train_step(network, f7.MSECriterion(), rule), init_state(network, rule, key)
    losses = []
    for _ in range(8):
        state, metrics = step(state, (jnp.ones((4, 2)), jnp.full((4, 1), 3.0)), None)
        losses.append(metrics["loss"])
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_rules_of_16_bits_give_the_rounded_steps_of_float64(name, dtype):
    """Of which neither squares nor epsilons fit into float16, and bfloat16 no average that moves slowly."""
    rule, random = getattr(optim, name)(), np.random.default_rng(0)
    gradients = np.asarray(random.normal(size=(200, 6)) * [1e-5, 1e-3, 0.1, 1, 30, 300], dtype)

    def updates(gradients):
        start = jnp.ones(6, gradients.dtype)
        return jax.jit(lambda all: jax.lax.scan(lambda s, g: rule.update(g, s, start)[::-1], rule.init(start), all))(
            gradients
        )[1]

    given = updates(jnp.asarray(gradients))
    with jax.enable_x64(True):
        exact = updates(jnp.asarray(gradients, jnp.float64))
    eps = float(jnp.finfo(dtype).eps)
    assert given.dtype == dtype
    np.testing.assert_allclose(np.asarray(given, float), exact, rtol=eps, atol=2 * float(jnp.finfo(dtype).tiny))


OF_ALL = {name: getattr(optim, name)() for name in RULES} | {
    "momentum": optim.momentum(0.9), "weight_decay": optim.weight_decay(0.1),
    "grad_param_clip": optim.grad_param_clip(1.0, per_module=True), "max_param_norm": optim.max_param_norm(1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ALL)
def test_what_no_rule_can_take_is_named(name):
    rule, params = OF_ALL[name], {"w": [jnp.ones((2, 2))]}
    state = rule.init(params)
    for wrong, dtype in ((jnp.arange(3), "int32"), (jnp.ones(2, bool), "bool"), (1j, "complex128"), ("x", "'x'")):
        message = rf"optim.{name}: expected {{}} of floating-point numbers, got {dtype} at \['w'\]\[0\]; optax.masked"
        with pytest.raises(TypeError, match=message.format("parameters")):
            rule.init({"w": [wrong]})
        with pytest.raises(TypeError, match=message.format("gradients")):
            rule.update({"w": [wrong]}, state, params)
    numbers = {"a": 0.5, "b": np.float32(2)}  # as jit takes them
    moved, _ = rule.update(numbers, rule.init(numbers), numbers)
    assert all(each.dtype == np.float32 and np.isfinite(each) for each in moved.values())


@pytest.mark.parametrize("name", ["adam", "adamax", "adagrad", "adadelta", "rmsprop"])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16])
def test_zero_gradients_move_nothing(name, dtype):
    points, state = trajectory(getattr(optim, name)(), jnp.ones(3, dtype), 2, jnp.zeros_like)
    assert points.dtype == dtype and (points == 1).all()
    assert all(np.isfinite(np.asarray(leaf, float)).all() for leaf in jax.tree.leaves(state))


def test_the_first_step_of_adam_has_all_digits_of_float32():
    rule = optim.adam(0.1)
    updates, _ = rule.update(jnp.array([0.3]), rule.init(jnp.zeros(1)), jnp.zeros(1))
    np.testing.assert_allclose(updates, [-0.1 * 0.3 / (0.3 + 1e-8 / np.sqrt(0.001))], rtol=5e-7)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (optim.sgd(0.1, momentum=0.9, dampening=0.4, weight_decay=0.01),
         lambda torch, p: torch.optim.SGD(p, 0.1, momentum=0.9, dampening=0.4, weight_decay=0.01)),
        (optim.sgd(0.1, momentum=0.9, dampening=0, nesterov=True),
         lambda torch, p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True)),
        (optim.adagrad(0.1, 0.2), lambda torch, p: torch.optim.Adagrad(p, 0.1, lr_decay=0.2)),
        (optim.adamax(0.1, epsilon=1e-6), lambda torch, p: torch.optim.Adamax(p, 0.1, eps=1e-6)),
        (optim.adam(0.1, epsilon=0), lambda torch, p: torch.optim.Adam(p, 0.1, eps=0)),
        (optim.adadelta(0.8, 1e-4), lambda torch, p: torch.optim.Adadelta(p, 1.0, rho=0.8, eps=1e-4)),
        (optim.rmsprop(0.05, 0.9), lambda torch, p: torch.optim.RMSprop(p, 0.05, alpha=0.9)),
        (optim.asgd(0.05, 0.01, 0.75, 2), lambda torch, p: torch.optim.ASGD(p, 0.05, 0.01, 0.75, 2)),
    ],
    ids=["sgd", "nesterov", "adagrad", "adamax", "adam", "adadelta", "rmsprop", "asgd"],
)  # fmt: skip
def test_pytorch_agrees(ours, theirs):
    torch = pytest.importorskip("torch")
    start = np.array([0.5, -1.0, 2.0])
    x = torch.tensor(start, requires_grad=True)
    optimizer, expected = theirs(torch, [x]), []
    for _ in range(6):
        x.grad = (x + torch.sin(3 * x)).detach()
        optimizer.step()
        expected.append(x.detach().numpy().copy())
    with jax.enable_x64(True):
        points, _ = trajectory(ours, jnp.asarray(start), 6)
    np.testing.assert_allclose(points, expected, rtol=1e-7)  # PyTorch's Adagrad has another 1e-10


def test_rates_and_decays_of_single_parameters():
    params = {"w": jnp.array([[1.0, 2.0], [3.0, 4.0]]), "b": jnp.array([1.0, -1.0])}
    rule = optim.sgd(0.1, learning_rates={"w": 2.0, "b": jnp.array([1.0, 0.0])}, weight_decays=0.5)
    updates, _ = rule.update(jax.tree.map(jnp.ones_like, params), rule.init(params), params)
    np.testing.assert_allclose(updates["w"], -0.2 * (1 + 0.5 * params["w"]), rtol=1e-6)
    np.testing.assert_allclose(updates["b"], [-0.15, 0], rtol=1e-6)
    both = optim.sgd(0.1, weight_decay=1.0, weight_decays=0.5)
    updates, _ = both.update(params, both.init(params), params)
    np.testing.assert_allclose(updates["b"], -0.2 * params["b"], rtol=1e-6)


def test_the_learning_rate_may_be_traced_and_injected():
    @jax.jit
    def step(rate, x):
        rule = optim.sgd(rate, 0.5)
        return rule.update(x, rule.init(x), x)[0]

    np.testing.assert_allclose(step(0.25, jnp.ones(2)), [-0.25, -0.25])
    rule = optax.inject_hyperparams(optim.sgd)(optax.linear_schedule(1.0, 0.0, 4), momentum=0.5, dampening=0.0)
    state, update = rule.init(jnp.zeros(1)), jax.jit(rule.update)
    first, state = update(jnp.ones(1), state, jnp.zeros(1))
    second, _ = update(jnp.ones(1), state, jnp.zeros(1))
    np.testing.assert_allclose([first[0], second[0]], [-1, -0.75 * 1.5])


@pytest.mark.parametrize("name", OF_ALL)
def test_numbers_that_are_injected_give_what_they_give_as_arguments(name):
    make, x = getattr(optim, name), {"w": jnp.array([[3.0, -4.0]])}
    taken = inspect.signature(make).parameters.keys()
    strengths = taken & {"factor", "cutoff_norm", "max_out_norm"}
    for numbers in [dict.fromkeys(strengths, n) for n in (0.5, 0.0)] if strengths else [{}]:  # 0 leaves these out
        found = []
        for made in (make, optax.inject_hyperparams(make, static_args={"min_dim"} & taken)):
            rule = made(**numbers)
            found.append(jax.jit(lambda s, rule=rule: rule.update(x, rule.update(x, s, x)[1], x)[0])(rule.init(x))["w"])
        np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-7)


NETWORK = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2)).double()
SHAPES = [(4, 3), (4,), (4, 2), (2,)]


def tree_of(tensors):
    """The network's arrays as the functional interface nests them."""
    first, bias1, second, bias2 = (np.array(t) for t in tensors)
    return [{"weight": first, "bias": bias1}, {}, {"weight": second, "bias": bias2}]


def stateful(seed=0):
    """A network with random parameters and gradients, in float64."""
    network, random = NETWORK.clone(), np.random.default_rng(seed)
    for tensor in [*network.parameters()[0], *network.parameters()[1]]:
        tensor.copy(random.normal(size=tensor.shape))
    return network


def assert_trees_agree(got, tensors):
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-10), got, tree_of(tensors))


@pytest.mark.parametrize("damping", [None, 0.2])
@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_is_that_of_updateGradParameters(damping, nesterov):
    network, random, rule = stateful(), np.random.default_rng(1), optim.momentum(0.7, damping, nesterov)
    with jax.enable_x64(True):
        state = rule.init(tree_of(network.parameters()[0]))
        for _ in range(3):
            for gradient in network.parameters()[1]:
                gradient.copy(random.normal(size=gradient.shape))
            updates, state = rule.update(tree_of(network.parameters()[1]), state)
            network.updateGradParameters(0.7, damping, nesterov)
            assert_trees_agree(updates, network.parameters()[1])


@pytest.mark.parametrize("arguments", [(0.3,), (0.3, 1), (0.0,)])
def test_weight_decay_is_dpnns(arguments):
    network, rule = stateful(), optim.weight_decay(*arguments)
    params, grads = map(tree_of, network.parameters())
    network.weightDecay(*arguments)
    assert_trees_agree(rule.update(grads, rule.init(params), params)[0], network.parameters()[1])


@pytest.mark.parametrize("arguments", [(1.5,), (1.5, True), (100.0,), (0.0, True)])
def test_grad_param_clip_is_dpnns(arguments):
    network, rule = stateful(), optim.grad_param_clip(*arguments)
    params, grads = map(tree_of, network.parameters())
    network.gradParamClip(*arguments)
    with jax.enable_x64(True):
        updates, _ = rule.update(grads, rule.init(params), params)
    assert_trees_agree(updates, network.parameters()[1])


@pytest.mark.parametrize("limits", [(1.0,), (None, 0.8), (1.0, 0.8), (0.0, 0.0)])
def test_max_param_norm_is_dpnns(limits):
    network = stateful()
    params, grads = map(tree_of, network.parameters())
    network.updateParameters(0.1)
    network.maxParamNorm(*limits)
    with jax.enable_x64(True):
        rule = optax.chain(optim.sgd(0.1), optim.max_param_norm(*limits))
        updates, _ = rule.update(grads, rule.init(params), params)
        assert_trees_agree(optax.apply_updates(params, updates), network.parameters()[0])


def test_helpers_chain_with_any_rule(key):
    rule = optax.chain(
        optim.grad_param_clip(1.0, per_module=True), optim.weight_decay(1e-3), optim.momentum(0.5), optim.sgd(0.3),
        optim.max_param_norm(2.0),
    )  # fmt: skip
    network = f7.Sequential(f7.Linear(2, 8), f7.Tanh(), f7.Linear(8, 1))
    step, state = make_train_step(network, f7.MSECriterion(), rule), init_state(network, rule, key)
    x = jax.random.normal(key, (32, 2))
    for _ in range(100):
        state, metrics = step(state, (x, x[:, :1] * 0.5), None)
    assert metrics["loss"] < 0.02
    assert np.linalg.norm(state.params[0]["weight"], axis=1).max() <= 2 + 1e-5


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: optim.sgd(nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
        (lambda: optim.sgd(momentum=0.9, nesterov=True), ValueError, "got momentum 0.9, dampening 0.9"),
        (lambda: optim.nag(momentum=0), ValueError, "Momentum must be positive for Nesterov Accelerated Gradient"),
        (lambda: optim.sgd("fast"), TypeError, "optim.sgd: expected a number learning_rate, got 'fast'"),
        (lambda: optim.sgd(float("nan")), ValueError, "optim.sgd: expected a number learning_rate, got nan"),
        (lambda: optim.sgd(jax.random.key(0)), TypeError, "optim.sgd: expected a number learning_rate, got shape"),
        (lambda: optim.adam(lambda t: 0.1), TypeError, "optax.inject_hyperparams takes schedules"),
        (lambda: optim.adam(beta2=1.0), ValueError, "optim.adam: expected 0 <= beta2 < 1, got 1.0"),
        (lambda: optim.rmsprop(alpha=-1), ValueError, "optim.rmsprop: expected 0 <= alpha < 1, got -1"),
        (lambda: optim.rprop(60.0), ValueError, "optim.rprop: expected a stepsize from 1e-06 to 50.0, got 60.0"),
        (lambda: optim.asgd(t0=None), TypeError, "optim.asgd: expected a number t0, got None"),
        (lambda: optim.momentum(True), TypeError, "optim.momentum: expected a number factor, got True"),
        (lambda: optim.max_param_norm("two"), TypeError, "optim.max_param_norm: expected a number max_out_norm"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_at_once(make, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(")):
        make()


def test_bad_arrays_are_refused():
    rule, x = optim.sgd(learning_rates=jnp.ones(3)), jnp.ones(2)
    with pytest.raises(ValueError, match=r"optim.sgd: expected learning_rates that broadcast .* got shape \(3,\)"):
        rule.update(x, rule.init(x), x)
    for rule, name in ((optim.asgd(), "."), (optim.max_param_norm(1), "max_param_norm: expected the parameters")):
        with pytest.raises(ValueError, match=name):
            rule.update(x, rule.init(x))


def test_rules_are_differentiable_and_vectorised():
    """The loss after one step, as a function of the learning rate: its slope is minus the squared gradient at first."""

    def after(rate):
        x = jnp.array([1.0, -2.0])
        rule = optim.sgd(rate, momentum=0.9)
        return jnp.sum(optax.apply_updates(x, rule.update(x, rule.init(x), x)[0]) ** 2) / 2

    np.testing.assert_allclose(jax.grad(after)(0.0), -5)
    np.testing.assert_allclose(jax.vmap(after)(jnp.array([0.0, 0.5, 1.0])), [2.5, 0.625, 0], atol=1e-6)
    many = jnp.stack([jnp.ones(3), jnp.zeros(3), jnp.full(3, -2.0)])
    points = jax.vmap(lambda x: trajectory(optim.adam(0.1), x, 3)[0])(many)
    np.testing.assert_allclose(points[2], trajectory(optim.adam(0.1), many[2], 3)[0], rtol=1e-6)
