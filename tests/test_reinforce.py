"""Stochastic modules: what they draw, and that their gradient is that of the expected reward.

Bounds of Monte-Carlo estimates are 5 standard errors: a right sampler breaks one in two million times, and never with
the fixed keys that are used here.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

import functorch7 as f7

KEY = jax.random.key(3)
N = 20000


def drawn(module, input, key=KEY, train=True):
    """(output, log-probability) of one call."""
    output, buffers = module.apply({}, module.init(key).buffers, input, key=key, train=train)
    return output, f7.emitted(buffers, "log_prob")[0].value


def repeated(rows):
    return jax.tree.map(lambda row: jnp.tile(jnp.asarray(row, jnp.float32), (N, 1)), rows)


# Samples -------------------------------------------------------------------------------------------------------------

P, MEANS, STDEVS, SHAPES, SCALES = [0.1, 0.6, 0.95], [-1.0, 0.0, 2.0], [0.1, 1.0, 3.0], [0.3, 1.0, 4.0], [2.0, 1.0, 0.5]

DISTRIBUTIONS = {
    "Bernoulli": (f7.ReinforceBernoulli(), P, scipy.stats.bernoulli(P)),
    "Normal": (f7.ReinforceNormal(0.7), MEANS, scipy.stats.norm(MEANS, 0.7)),
    "Normal, a stdev per feature": (f7.ReinforceNormal(STDEVS), MEANS, scipy.stats.norm(MEANS, STDEVS)),
    "Normal of a table": (f7.ReinforceNormal(), [MEANS, STDEVS], scipy.stats.norm(MEANS, STDEVS)),
    "Gamma": (f7.ReinforceGamma(0.7), SHAPES, scipy.stats.gamma(SHAPES, scale=0.7)),
    "Gamma of a table": (f7.ReinforceGamma(), [SHAPES, SCALES], scipy.stats.gamma(SHAPES, scale=SCALES)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_means_variances_and_log_probabilities_are_the_distributions(name):
    module, parameters, distribution = DISTRIBUTIONS[name]
    parameters = [jnp.asarray(p) for p in parameters] if "table" in name else jnp.asarray(parameters)
    samples, log_prob = map(np.asarray, drawn(module, repeated(parameters)))
    mean, variance, excess = (distribution.stats(moment) for moment in "mvk")
    assert (abs(samples.mean(0) - mean) <= 5 * np.sqrt(variance / N)).all()
    error = variance * np.sqrt((excess + 2) / N)  # of a variance that is estimated from N samples
    assert (abs(samples.var(0) - variance) <= 5 * error + 1e-6).all()
    exact = distribution.logpmf(samples) if name == "Bernoulli" else distribution.logpdf(np.float64(samples))
    np.testing.assert_allclose(log_prob, exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", [n for n in DISTRIBUTIONS if "table" not in n])
def test_continuous_samples_have_the_right_distribution(name):
    module, parameters, distribution = DISTRIBUTIONS[name]
    samples = np.asarray(drawn(module, repeated(jnp.asarray(parameters)))[0])
    if name == "Bernoulli":
        assert set(np.unique(samples)) == {0, 1}
        return
    for i, column in enumerate(samples.T):
        distance = scipy.stats.kstest(column, lambda x, i=i: distribution.cdf(x[:, None])[:, i]).statistic
        assert distance < 2.7 / np.sqrt(N)  # Kolmogorov's bound for one in a million


def test_categorical_rows_are_one_hot_with_the_right_frequencies():
    p = np.float32([0.05, 0.7, 0.25])
    samples, log_prob = map(np.asarray, drawn(f7.ReinforceCategorical(), repeated(jnp.asarray(p))))
    assert (samples.sum(1) == 1).all() and set(np.unique(samples)) == {0, 1}
    assert (abs(samples.mean(0) - p) < 5 * np.sqrt(p * (1 - p) / N)).all()
    np.testing.assert_allclose(log_prob.sum(1), np.log((samples * p).sum(1)), rtol=1e-5)
    rows = 4 * repeated(jnp.asarray(p))  # they need not sum to 1
    assert (abs(np.asarray(drawn(f7.ReinforceCategorical(), rows)[0]).mean(0) - p) < 5 * np.sqrt(p * (1 - p) / N)).all()


@pytest.mark.parametrize("module, input, mean", [
    (f7.ReinforceBernoulli, [[0.2, 0.9]], [[0.2, 0.9]]), (f7.ReinforceCategorical, [[0.2, 0.8]], [[0.2, 0.8]]),
    (lambda **k: f7.ReinforceNormal(0.3, **k), [[1.0, -2.0]], [[1.0, -2.0]]),
    (lambda **k: f7.ReinforceGamma(0.5, **k), [[1.0, 4.0]], [[0.5, 2.0]]),
], ids=["Bernoulli", "Categorical", "Normal", "Gamma"])  # fmt: skip
def test_evaluation_gives_the_mean_unless_stochastic(module, input, mean):
    input = jnp.asarray(input)
    output, log_prob = _evaluated(module(), input)
    np.testing.assert_allclose(output, mean, rtol=1e-6)
    assert log_prob is None
    again, log_prob = drawn(module(stochastic=True), input, train=False)
    np.testing.assert_array_equal(again, drawn(module(), input)[0])
    assert log_prob is not None
    with pytest.raises(ValueError, match="needs a random key"):
        module(stochastic=True).apply({}, {}, input)


def _evaluated(module, input):
    output, buffers = module.apply({}, {}, input)
    return output, f7.emitted(buffers, "log_prob")[0].value


# Gradients -----------------------------------------------------------------------------------------------------------


def test_the_rules_are_torchs_with_their_epsilons():
    """With a stdev of 1e-3, s^3 + 1e-8 is 11 times s^3, and a probability of 1e-8 counts double."""
    with jax.enable_x64(True):
        mean, stdev, reward = jnp.array([[0.5], [1.0]]), jnp.array([[1e-3], [2.0]]), jnp.array([2.0, -1.0])

        def loss(mean, stdev):
            sample, buffers = f7.ReinforceNormal().apply({}, {}, [mean, stdev], key=KEY, train=True)
            return f7.reinforce_loss(buffers, reward), sample

        (by_mean, by_stdev), x = jax.grad(loss, (0, 1), has_aux=True)(mean, stdev)
        r = reward[:, None]
        np.testing.assert_allclose(by_mean, -r * (x - mean) / stdev**2, rtol=1e-10)
        np.testing.assert_allclose(by_stdev, -r * ((x - mean) ** 2 - stdev**2) / (stdev**3 + 1e-8), rtol=1e-10)
        rare = jnp.array([1e-8, 1 - 1e-8])
        slope = jax.grad(lambda p: f7.ReinforceCategorical().log_prob(jnp.array([1.0, 0.0]), p).sum())(rare)
        np.testing.assert_allclose(slope, [0.5e8, 0], rtol=1e-9)


def test_the_incoming_gradient_is_ignored_and_samplers_are_not_differentiated():
    for module, input in ((f7.ReinforceNormal(0.5), [1.0]), (f7.ReinforceGamma(1.0), [2.0])):
        assert jax.grad(lambda i, m=module: drawn(m, i)[0].sum())(jnp.array(input)) == 0


def policy():
    return f7.Sequential(f7.Linear(2, 3), f7.SoftMax(), f7.ReinforceCategorical())


PAYS = jnp.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])  # of the three actions, in each of two contexts


def test_the_mean_estimate_is_the_exact_gradient_of_the_expected_reward():
    """A policy for two contexts with three actions each, where the expected reward is a sum that can be written."""
    net, contexts = policy(), jnp.eye(2)
    params, buffers = net.init(KEY)

    def expected_reward(params):
        p, _ = f7.Sequential(*net.modules[:2]).apply(params[:2], buffers[:2], contexts)
        return (p * PAYS).sum()

    def estimate(key):
        def loss(params):
            action, new = net.apply(params, buffers, contexts, key=key, train=True)
            return f7.reinforce_loss(new, (action * PAYS).sum(1))

        return jax.grad(loss)(params)

    exact = jax.grad(expected_reward)(params)
    many = jax.jit(jax.vmap(estimate))(jax.random.split(KEY, N))

    def agrees(estimates, exact):
        error = np.asarray(estimates).std(0) / np.sqrt(N)
        assert (abs(-np.asarray(estimates).mean(0) - exact) <= 5 * error + 1e-6).all()

    jax.tree.map(agrees, many, exact)


def test_the_sum_over_all_samples_is_the_exact_gradient():
    """Every sample of three Bernoulli units, weighted by its probability: no Monte Carlo is left."""
    p, pays = jnp.array([0.2, 0.5, 0.9]), np.random.default_rng(0).normal(size=8)
    samples = jnp.array(list(itertools.product([0.0, 1.0], repeat=3)))

    def probability(p):
        return jnp.prod(jnp.where(samples > 0, p[None], 1 - p[None]), 1)

    exact = jax.grad(lambda p: (probability(p) * pays.astype(np.float32)).sum())(p)
    scores = jax.vmap(jax.grad(lambda p, x: f7.ReinforceBernoulli().log_prob(x, p).sum()), (None, 0))(p, samples)
    weighted = (np.asarray(probability(p)) * pays)[:, None] * np.asarray(scores)
    np.testing.assert_allclose(weighted.sum(0), exact, rtol=1e-4, atol=1e-6)


def test_a_users_distribution_needs_a_sampler_and_a_log_probability():
    class ReinforceExponential(f7.Reinforce):
        def sample(self, key, rate):
            return jax.random.exponential(key, rate.shape, rate.dtype) / rate

        def log_prob(self, sample, rate):
            return jnp.log(rate) - rate * sample

        def mean(self, rate):
            return 1 / rate

    module, rates = ReinforceExponential(), jnp.array([[0.5, 2.0]])
    samples, log_prob = drawn(module, repeated(rates[0]))
    exact = scipy.stats.expon(scale=1 / np.asarray(rates))
    assert (abs(samples.mean(0) - 1 / rates[0]) < 5 / rates[0] / np.sqrt(N)).all()
    np.testing.assert_allclose(log_prob, exact.logpdf(np.asarray(samples)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(module.apply({}, {}, rates)[0], [[2, 0.5]])
    with pytest.raises(NotImplementedError, match="must define log_prob"):
        type("Half", (f7.Reinforce,), {"sample": lambda self, key, rate: rate})().apply(
            {}, {}, rates, key=KEY, train=True
        )


# Transformations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_scan_draws_anew_at_every_step(name):
    module, parameters, _ = DISTRIBUTIONS[name]
    parameters = [jnp.asarray(p) for p in parameters] if "table" in name else jnp.asarray(parameters)

    @jax.jit
    def run(input):
        return jax.lax.scan(lambda _, key: (None, drawn(module, input, key)), None, jax.random.split(KEY, 3))[1]

    samples, log_probs = run(parameters)
    for key, sample, log_prob in zip(jax.random.split(KEY, 3), samples, log_probs, strict=True):
        once = drawn(module, parameters, key)
        np.testing.assert_allclose(sample, once[0], rtol=1e-5)
        np.testing.assert_allclose(log_prob, once[1], rtol=1e-4, atol=1e-6)


def test_attention_is_rewarded_step_by_step():
    action = f7.Sequential(f7.Linear(4, 2), f7.ReinforceNormal(0.3))
    step = f7.Sequential(f7.ParallelTable(f7.Linear(3, 4), f7.Linear(2, 4)), f7.CAddTable(), f7.Tanh())
    net = f7.RecurrentAttention(f7.Recurrent(4, step, f7.Linear(4, 4)), action, 3, 4)
    _, buffers = net.apply(*net.init(KEY), jnp.ones((5, 3)), key=KEY, train=True)
    (log_prob,) = f7.emitted(buffers, "log_prob")
    assert log_prob.value.shape == (3, 5, 2)
    rewards = np.arange(15.0).reshape(3, 5)
    expected = -(rewards[..., None] * np.asarray(log_prob.value)).sum()
    np.testing.assert_allclose(f7.reinforce_loss(buffers, rewards), expected, rtol=1e-5)


# Errors --------------------------------------------------------------------------------------------------------------

ONES = jnp.ones((4, 2))

WRONG_VALUES = {
    "above 1": (f7.ReinforceBernoulli(), ONES.at[1, 1].set(1.5), "probabilities from 0 to 1, got 1.5 at position 4"),
    "NaN": (f7.ReinforceBernoulli(), ONES.at[0, 0].set(np.nan), "probabilities from 0 to 1, got nan at position 1"),
    "negative": (f7.ReinforceCategorical(), -ONES, "probabilities of at least 0, got -1 at position 1"),
    "nothing to draw": (f7.ReinforceCategorical(), 0 * ONES, "rows with a probability above 0"),
    "no stdev": (f7.ReinforceNormal(), [ONES, 0 * ONES], "a stdev above 0, got 0 at position 1"),
    "no shape": (f7.ReinforceGamma(1.0), 0 * ONES, "a shape above 0, got 0 at position 1"),
    "no scale": (f7.ReinforceGamma(), [ONES, -ONES], "a scale above 0, got -1 at position 1"),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_parameters_of_no_distribution_are_refused(name):
    module, input, message = WRONG_VALUES[name]
    for run in (drawn, lambda m, i: f7.checked(lambda i: drawn(m, i))(i), lambda m, i: m.apply({}, {}, i)):
        with pytest.raises(ValueError, match=f"{module.torch_name()}: expected {message}"):
            run(module, input)


@pytest.mark.parametrize("module, input, message", [
    (f7.ReinforceNormal(), ONES, r"expected a table of mean and stdev, got shape \(4, 2\)"),
    (f7.ReinforceNormal(), [ONES], "expected a table of mean and stdev, got a table of 1"),
    (f7.ReinforceGamma(), [ONES, ONES[:, :1]], r"expected a scale of shape \(4, 2\) or \(2,\), got shape \(4, 1\)"),
    (f7.ReinforceNormal(np.ones(3)), ONES, r"expected a stdev of shape \(4, 2\) or \(2,\), got shape \(3,\)"),
    (f7.ReinforceCategorical(), ONES[None], "expected rows of probabilities, of 1 or 2 dimensions"),
])  # fmt: skip
def test_shapes_that_make_no_sense_are_refused(module, input, message):
    with pytest.raises(ValueError, match=f"{module.torch_name()}: {message}"):
        drawn(module, input)


@pytest.mark.parametrize("make, error", [
    (lambda: f7.ReinforceNormal(0), ValueError), (lambda: f7.ReinforceGamma(-1.0), ValueError),
    (lambda: f7.ReinforceNormal("a"), TypeError), (lambda: f7.ReinforceNormal(True), TypeError),
])  # fmt: skip
def test_constructors_refuse_what_is_no_parameter(make, error):
    with pytest.raises(error, match="nn.Reinforce(Normal|Gamma): expected"):
        make()


def test_integers_are_no_probabilities():
    with pytest.raises(TypeError, match="floating-point"):
        drawn(f7.ReinforceBernoulli(), np.ones((2, 2), int))


@pytest.mark.parametrize("reward", [np.ones(3), np.ones((2, 4)), np.ones((4, 2, 1))])
def test_a_reward_for_another_batch_is_refused(reward):
    _, buffers = f7.ReinforceNormal(1.0).apply({}, {}, ONES, key=KEY, train=True)
    with pytest.raises(ValueError, match="expected one reward per example"):
        f7.reinforce_loss(buffers, reward)


def test_a_reward_may_have_the_first_sizes_of_what_a_users_loop_has_drawn():
    layer = f7.ReinforceNormal(1.0)
    draw = lambda key: layer.apply({}, {}, jnp.ones((4, 2)), key=key, train=True)[1]  # noqa: E731
    buffers = jax.lax.map(draw, jax.random.split(KEY, 3))
    (log_prob,) = (np.asarray(node.value) for node in f7.core.emitted(buffers, "log_prob"))
    reward = np.arange(12.0).reshape(3, 4)
    found = f7.reinforce_loss(buffers, reward)
    np.testing.assert_allclose(found, -(reward * log_prob.sum(2)).sum(), rtol=1e-5)


@pytest.mark.parametrize("drawing", [{}, {"key": KEY}])
def test_a_reward_for_what_was_not_drawn_is_refused(drawing):
    _, buffers = f7.ReinforceNormal(1.0).apply({}, {}, ONES, **drawing)
    for given in (buffers, f7.Linear(3, 2).init(KEY).buffers):
        with pytest.raises(ValueError, match="expected the buffers of a call that draws, with train=True"):
            f7.reinforce_loss(given, np.ones(4))


# Rewards -------------------------------------------------------------------------------------------------------------

YES, BASELINE, ANSWERS = (
    jnp.array([0.9, 0.2, 0.5, 0.6]),
    jnp.array([[0.5], [0.1], [0.2], [1.0]]),
    np.array([1, 1, 0, 0]),
)


@pytest.mark.parametrize("size_average", [True, False])
def test_binary_answers_are_rewarded_against_the_baseline(size_average):
    criterion = f7.BinaryClassReward(2, size_average=size_average)
    rewards = np.float32([2, 0, 2, 0])  # 0.5 is no yet
    loss = criterion([YES, BASELINE], ANSWERS)
    np.testing.assert_allclose(loss, -rewards.mean() if size_average else -rewards.sum())
    advantage = criterion.advantage([YES, BASELINE], ANSWERS)
    np.testing.assert_allclose(advantage, (rewards - BASELINE[:, 0]) / (4 if size_average else 1), rtol=1e-6)
    zeros, gradient = jax.grad(lambda given: criterion(given, ANSWERS))([YES, BASELINE])
    assert not zeros.any()
    np.testing.assert_allclose(gradient, 2 * (BASELINE - rewards[:, None]) / 4, rtol=1e-6)


@pytest.mark.parametrize("input, target, message", [
    ([YES, BASELINE], [1, 2, 0, 0], "expected targets 0 or 1, got 2"),
    ([YES[:, None], BASELINE], ANSWERS, "expected a table of"),
    ([YES, BASELINE[:2]], ANSWERS, "expected a baseline of 4 numbers"),
    ([YES, BASELINE], ANSWERS[:1], "expected 4 targets"),
    (YES, ANSWERS, "expected a table of"),
])  # fmt: skip
def test_wrong_answers_and_targets_are_refused(input, target, message):
    with pytest.raises(ValueError, match=f"nn.BinaryClassReward: {message}"):
        f7.BinaryClassReward()(input, np.array(target))


def test_one_target_does_not_stand_for_a_batch_of_classes():
    with pytest.raises(ValueError, match="nn.VRClassReward: expected 4 targets"):
        f7.VRClassReward()([jnp.ones((4, 3)), BASELINE], np.array([1]))


def test_gamma_samples_of_a_shard_map_are_those_of_its_devices_parameters(key):
    layer, shape = f7.ReinforceGamma(0.5), jnp.array([[2.0, 3.0]])

    def sample(key, shape):
        return layer.apply({}, layer.init_buffers(), shape, key=key, train=True)[0]

    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:1])
    everywhere, rows = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("x")
    found = jax.shard_map(sample, mesh=mesh, in_specs=(everywhere, rows), out_specs=rows)(key, shape)
    np.testing.assert_array_equal(found, sample(key, shape))
