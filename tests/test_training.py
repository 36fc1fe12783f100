"""make_train_step: one pure, donating, compiled step."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import Trainer, init_state, make_sgd_step, make_train_step

RANDOM = np.random.default_rng(0)
X = jnp.asarray(RANDOM.normal(size=(8, 3)), jnp.float32)
Y = jnp.asarray(RANDOM.normal(size=(8, 2)), jnp.float32)
NET = f7.Sequential(f7.Linear(3, 5), f7.Tanh(), f7.Linear(5, 2))


def test_a_step_is_gradient_descent_on_the_criterion(key):
    params, buffers = NET.init(key)
    step = make_train_step(NET, f7.MSECriterion(), optax.sgd(0.1))
    state, metrics = step(init_state(NET, optax.sgd(0.1), f7.Variables(params, buffers)), (X, Y), None)

    def loss(params):
        hidden = jnp.tanh(X @ params[0]["weight"].T + params[0]["bias"][None])
        return jnp.mean((hidden @ params[2]["weight"].T + params[2]["bias"][None] - Y) ** 2)

    value, gradients = jax.value_and_grad(loss)(params)
    np.testing.assert_allclose(metrics["loss"], value, rtol=1e-6)
    expected = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7), state.params, expected)
    assert state.step == 1


@pytest.mark.parametrize("given", [np.array, jnp.array])
def test_the_first_batch_is_looked_at(key, given):
    """Targets that count from 0 are told before anything is compiled, and the state stays."""
    module, criterion = f7.Sequential(f7.Linear(3, 3), f7.LogSoftMax()), f7.ClassNLLCriterion()
    message = "nn.ClassNLLCriterion: target 0 at position 2; classes count from 1 to 3"
    state, wrong = init_state(module, optax.identity(), key), (X[:2], given([2, 0]))
    for step in (make_train_step(module, criterion, optax.sgd(0.1)), make_sgd_step(module, criterion, 0.1)):
        with pytest.raises(ValueError, match=message):
            step(state, wrong, None)
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(state))


def test_arrays_that_were_handed_in_stay_valid_and_the_states_memory_is_reused(key):
    variables = NET.init(key)
    optimizer = optax.sgd(0.1, momentum=0.9)
    state = init_state(NET, optimizer, variables)
    weight = state.params[0]["weight"]
    step = make_train_step(NET, f7.MSECriterion(), optimizer)
    step(state, (X, Y), None)
    assert weight.is_deleted()
    assert not variables.params[0]["weight"].is_deleted()


def test_it_compiles_once(key):
    traces = []

    class Counted(f7.Map):
        def f(self, input):
            traces.append(1)
            return input

    net = f7.Sequential(f7.Linear(3, 2), Counted())
    step = make_train_step(net, f7.MSECriterion(), optax.sgd(0.1))
    state = init_state(net, optax.sgd(0.1), key)
    for _ in range(4):
        state, _ = step(state, (X, Y), None)
    assert len(traces) == 1


def test_buffers_are_carried(key):
    net = f7.Sequential(f7.BatchNormalization(3), f7.Linear(3, 2))
    step = make_train_step(net, f7.MSECriterion(), optax.sgd(0.0))
    state = init_state(net, optax.sgd(0.0), key)
    for _ in range(2):
        state, _ = step(state, (X, Y), None)
    mean = np.asarray(X).mean(0)
    np.testing.assert_allclose(state.buffers[0]["running_mean"], 0.1 * mean + 0.9 * 0.1 * mean, rtol=1e-4, atol=1e-6)


def test_penalties_are_part_of_the_loss(key):
    net = f7.Sequential(f7.L1Penalty(0.5), f7.Linear(3, 2))
    plain = f7.Sequential(f7.Identity(), f7.Linear(3, 2))
    losses = []
    for module in (net, plain):
        step = make_train_step(module, f7.MSECriterion(), optax.sgd(0.1))
        losses.append(step(init_state(module, optax.sgd(0.1), key), (X, Y), None)[1]["loss"])
    np.testing.assert_allclose(losses[0] - losses[1], 0.5 * np.abs(X).sum(), rtol=1e-5)


def test_a_step_without_key_is_a_scans_body(key):
    network, optimizer = f7.Linear(2, 1), optax.sgd(0.1)
    step, inputs = make_train_step(network, f7.MSECriterion(), optimizer), jax.random.normal(key, (3, 4, 2))
    batches = inputs, inputs.sum(2, keepdims=True)
    scanned, metrics = jax.lax.scan(step, init_state(network, optimizer, key), batches)
    state = init_state(network, optimizer, key)
    for batch in zip(*batches, strict=True):
        state, last = step(state, batch)
    np.testing.assert_allclose(scanned.params["weight"], state.params["weight"], rtol=1e-5)
    np.testing.assert_allclose(metrics["loss"][-1], last["loss"], rtol=1e-5)


def test_keys_decide_what_is_dropped(key):
    net = f7.Sequential(f7.Dropout(0.5), f7.Linear(3, 2))
    step = make_train_step(net, f7.MSECriterion(), optax.sgd(0.1))
    loss = lambda k: float(step(init_state(net, optax.sgd(0.1), key), (X, Y), k)[1]["loss"])  # noqa: E731
    assert loss(jax.random.key(1)) == loss(jax.random.key(1)) != loss(jax.random.key(2))
    with pytest.raises(ValueError, match="needs a random key"):
        step(init_state(net, optax.sgd(0.1), key), (X, Y))


def test_wrong_input_is_refused_by_name(key):
    step = make_train_step(NET, f7.MSECriterion(), optax.sgd(0.1))
    with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 5\): expected input of size 3"):
        step(init_state(NET, optax.sgd(0.1), key), (Y, Y), None)


def squares(output, target):
    return (output - target) ** 2


@pytest.mark.parametrize("outputs", [1, 3])
def test_an_optimizer_that_reduces_gradients_is_refused(key, outputs):
    """As dpsgd does: all parameters of a Linear begin with the number of outputs, as gradients of examples would."""
    mean = optax.stateless(lambda gradients, params: jax.tree.map(lambda each: -each.mean(0), gradients))
    module = f7.Linear(2, outputs)
    step = make_train_step(module, f7.MSECriterion(), mean)
    with pytest.raises(ValueError, match=r"got \(\) for params\['bias'\] of shape .* a gradient of each example"):
        step(init_state(module, mean, key), (jnp.ones((4, 2)), jnp.ones((4, outputs))), None)


def test_what_a_step_cannot_be_given_is_said(key):
    module, adam, x = f7.Linear(3, 1), optax.adam(0.1), jnp.ones((4, 3))
    step, of_squares = (make_train_step(module, criterion, adam) for criterion in (f7.MSECriterion(), squares))
    state, others, batch = init_state(module, adam, key), init_state(module, optax.sgd(0.1), key), (x, x[:, :1])
    for call, error, message in (
        (lambda: step(module.init(key), batch, None), TypeError, "expected a TrainState, .*, got Variables"),
        (lambda: step(state, x, None), TypeError, r"expected a batch \(input, target\), got shape \(4, 3\)"),
        (lambda: step(others, batch, None), ValueError, "the state is that of another optimizer"),
        (lambda: of_squares(state, batch, None), TypeError, r"one number as the loss of squares, got shape \(4, 1\)"),
        (lambda: f7.data.TensorLoader([1.0, 2.0], [1, 2]), ValueError, "expected arrays, got 1.0"),
        (lambda: Trainer(module, squares, adam, 3), TypeError, "expected the path of a folder, got 3"),
        (lambda: Trainer(module, squares, adam, ""), ValueError, "expected the path of a folder, got an empty text"),
        (
            lambda: make_train_step(module, f7.MSECriterion, adam),
            TypeError,
            "make_train_step: expected a criterion",
        ),
        (lambda: make_train_step(module, module, adam), TypeError, "make_train_step: expected a criterion"),
        (
            lambda: make_train_step(f7.Linear, squares, adam),
            TypeError,
            "make_train_step: expected the description",
        ),
        (
            lambda: make_train_step(module, squares, optax.adam),
            TypeError,
            "make_train_step: expected an optimizer",
        ),
        (lambda: make_sgd_step(module, f7.MSECriterion, 0.1), TypeError, "make_sgd_step: expected a criterion, such"),
        (lambda: init_state(module, optax.adam, key), TypeError, "init_state: expected an optimizer of optax"),
        (
            lambda: init_state(module, adam, f7.Linear(3, 2).init(key)),
            ValueError,
            "init_state: nn.Linear.*of shape",
        ),
    ):
        with pytest.raises(error, match=message):
            call()


def test_mixed_precision_computes_in_bfloat16_and_keeps_float32(key):
    seen = []

    class Look(f7.Map):
        def f(self, input):
            seen.append(input.dtype)
            return input

    net = f7.Sequential(f7.Linear(3, 16), Look(), f7.Tanh(), f7.BatchNormalization(16), f7.Linear(16, 2))
    optimizer = optax.sgd(0.1, momentum=0.9)
    step = make_train_step(net, f7.MSECriterion(), optimizer, compute_dtype=jnp.bfloat16)
    state = init_state(net, optimizer, key)
    target = jnp.stack([X.sum(1), X[:, 0]], 1)
    losses = []
    for _ in range(120):
        state, metrics = step(state, (X, target), None)
        losses.append(float(metrics["loss"]))
    assert seen == [jnp.bfloat16]
    assert {leaf.dtype for leaf in jax.tree.leaves((state.params, state.buffers))} == {jnp.dtype(jnp.float32)}
    assert metrics["loss"].dtype == jnp.float32
    assert losses[-1] < 0.1 * losses[0]


def test_more_metrics(key):
    def accuracy(output, target):
        return {"accuracy": (output.argmax(-1) + 1 == target).mean()}

    classes = jnp.array([1, 2] * 4)
    step = make_train_step(NET, f7.CrossEntropyCriterion(), optax.sgd(0.5, momentum=0.9), metrics=accuracy)
    state = init_state(NET, optax.sgd(0.5, momentum=0.9), key)
    for _ in range(200):
        state, metrics = step(state, (X, classes), None)
    assert metrics["accuracy"] == 1


def test_a_policy_is_trained_through_the_criterions_advantage(key):
    """Whoever copies the input's class to its action is rewarded; the baseline learns the mean reward."""
    policy = f7.Sequential(f7.Linear(2, 2), f7.SoftMax(), f7.ReinforceBernoulli())
    baseline = f7.Sequential(f7.Linear(2, 1))
    net = f7.ConcatTable(policy, baseline)
    optimizer = optax.sgd(0.5, momentum=0.9)
    step = make_train_step(net, f7.VRClassReward(), optimizer)
    state = init_state(net, optimizer, key)
    contexts, classes = jnp.tile(jnp.eye(2), (16, 1)), jnp.tile(jnp.array([1, 2]), 16)
    rewards = []
    for i in range(300):
        state, metrics = step(state, (contexts, classes), jax.random.fold_in(key, i))
        rewards.append(-float(metrics["loss"]))
    assert np.mean(rewards[-20:]) > 0.9 > np.mean(rewards[:5])


def test_remembered_state_is_carried_from_batch_to_batch(key):
    net = f7.Sequencer(f7.FastLSTM(3, 2)).remember("both")
    params, _ = net.init(key)
    optimizer = optax.sgd(0.0)
    step = make_train_step(net, f7.MSECriterion(), optimizer)
    xs = jnp.asarray(RANDOM.normal(size=(6, 4, 3)), jnp.float32)
    zeros = jnp.zeros((3, 4, 2))
    state = init_state(net, optimizer, f7.Variables(params, net.init(key).buffers))
    state, _ = step(state, (xs[:3], zeros), None)
    _, metrics = step(state, (xs[3:], zeros), None)
    whole, _ = f7.Sequencer(f7.FastLSTM(3, 2)).apply(params, net.init(key).buffers, xs)
    np.testing.assert_allclose(metrics["loss"], (whole[3:] ** 2).mean(), rtol=1e-5)
