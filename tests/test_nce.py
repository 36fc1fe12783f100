"""Noise-contrastive estimation against its formulas, given the samples; the sampler against its distribution."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy import special, stats

import functorch7 as f7
from functorch7.layers.alias import alias_table
from functorch7.legacy import nn, torch
from functorch7.training import init_state, make_sgd_step, make_train_step

KEY = jax.random.key(3)
UNIGRAMS = np.array([5, 1, 0, 2, 4, 0.5])
PROBABILITIES = UNIGRAMS / UNIGRAMS.sum()
random = np.random.default_rng(0)
HIDDEN, TARGET = random.normal(size=(3, 4)), np.array([2, 5, 2])
INPUT = [jnp.asarray(HIDDEN, jnp.float32), jnp.asarray(TARGET)]
PADDED = [INPUT[0].at[1].set(0), INPUT[1]]

ways = pytest.mark.parametrize("batchnoise", [True, False], ids=["noise of the batch", "noise by rows"])


def module(batchnoise=True, z=2.0, k=3):
    return f7.NCEModule(4, 6, k, UNIGRAMS, z, batchnoise)


def drawn(layer, size=3):
    """The noise classes that a call with KEY uses, (B, k)."""
    if layer.batchnoise:
        return np.tile(layer.noise_sample(KEY, (layer.k,)), (size, 1))
    return np.asarray(layer.noise_sample(KEY, (size, layer.k)))


# The sampler ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 7, 1000, 65536])
def test_the_alias_table_has_every_share_of_the_draws(size):
    weights = np.random.default_rng(size).zipf(1.3, size).astype(float)
    weights[size // 2] = 0
    table = alias_table(f7.Const(weights))
    room = 2**32 // size + (np.arange(size) < 2**32 % size)
    kept = table.threshold.astype(np.int64)
    assert (kept <= room).all()
    shares = np.bincount(np.arange(size), kept, size) + np.bincount(table.alias, room - kept, size)
    assert shares.sum() == 2**32 and shares[size // 2] == 0
    np.testing.assert_allclose(shares, weights / weights.sum() * 2**32, rtol=0, atol=1)


def test_one_value_and_equal_weights():
    assert not alias_table(f7.Const([3.0])).draw(KEY, (5,)).any()
    assert set(np.asarray(alias_table(f7.Const(np.ones(8))).draw(KEY, (500,)))) == set(range(8))


@pytest.mark.parametrize("unigrams", [UNIGRAMS, 1 / np.arange(1.0, 301)], ids=["few", "Zipf's"])
def test_samples_have_the_unigrams_frequencies(unigrams):
    draws = 100_000
    samples = np.asarray(f7.NCEModule(1, len(unigrams), 1, unigrams).noise_sample(KEY, (draws,)))
    counts = np.bincount(samples - 1, minlength=len(unigrams))
    expected = draws * unigrams / unigrams.sum()
    assert not counts[expected == 0].any()
    used = expected > 0
    assert stats.chisquare(counts[used], expected[used]).pvalue > 1e-3


# The module ----------------------------------------------------------------------------------------------------------


@ways
def test_output_is_the_formulas(batchnoise):
    layer = module(batchnoise)
    params, buffers = layer.init(jax.random.key(0))
    output, new = jax.jit(lambda p, b, i: layer.apply(p, b, i, key=KEY, train=True))(params, buffers, INPUT)
    noise = drawn(layer)
    scores = np.exp(HIDDEN @ np.asarray(params["weight"]).T + np.asarray(params["bias"])) / 2
    rows = np.arange(3)
    expected = [scores[rows, TARGET - 1], scores[rows[:, None], noise - 1]]
    expected += [PROBABILITIES[TARGET - 1], PROBABILITIES[noise - 1]]
    jax.tree.map(lambda got, e: np.testing.assert_allclose(got, e, rtol=1e-5), output, expected)
    assert new["Z"] == 2


@ways
def test_the_first_batch_gives_z(batchnoise):
    layer = module(batchnoise, -1)
    params, buffers = layer.init(jax.random.key(0))
    used = drawn(layer) if batchnoise else np.concatenate([TARGET[:, None], drawn(layer)], 1)
    scores = np.exp(HIDDEN @ np.asarray(params["weight"]).T + np.asarray(params["bias"]))
    z = 6 * np.take_along_axis(scores, used - 1, 1).mean()
    _, new = layer.apply(params, buffers, INPUT, key=KEY, train=True)
    np.testing.assert_allclose(new["Z"], [z], rtol=1e-5)
    _, kept = layer.apply(params, new, [INPUT[0] * 2, INPUT[1]], key=jax.random.key(9), train=True)
    assert kept["Z"] == new["Z"]


def test_initial_values():
    params, buffers = module(z=-1).init(jax.random.key(0))
    assert np.abs(params["weight"]).max() <= 0.5 and buffers["Z"] == -1
    np.testing.assert_allclose(params["bias"], -np.log(6), rtol=1e-6)
    params, _ = module().init(jax.random.key(0), 0.01)
    assert max(np.abs(leaf).max() for leaf in params.values()) <= 0.01


def test_evaluation_is_linear_and_softmax():
    layer = module()
    params, buffers = layer.init(jax.random.key(0))
    scores = HIDDEN @ np.asarray(params["weight"]).T + np.asarray(params["bias"])
    normalized = layer.replace(normalized=True)
    output, _ = normalized.apply(params, buffers, INPUT)
    np.testing.assert_allclose(output, special.softmax(scores, 1), rtol=1e-5)
    output, _ = normalized.replace(logsoftmax=True).apply(params, buffers, INPUT)
    np.testing.assert_allclose(output, special.log_softmax(scores, 1), rtol=1e-5)
    assert len(normalized.apply(params, buffers, INPUT, key=KEY, train=True)[0]) == 4
    assert len(layer.apply(params, buffers, INPUT, key=KEY)[0]) == 4


def test_a_target_that_jit_cannot_look_at_gives_nan():
    layer = module()
    params, buffers = layer.init(jax.random.key(0))
    output = jax.jit(lambda t: layer.apply(params, buffers, [INPUT[0], t], key=KEY, train=True)[0])(np.array([7, 1, 0]))
    np.testing.assert_array_equal(np.isnan(output[0]), [True, False, True])


WRONG = {
    "k": (dict(k=0), "expected k >= 1, got 0"),
    "size": (dict(unigrams=np.ones(5)), r"expected unigrams of shape \(6,\), got shape \(5,\)"),
    "negative": (dict(unigrams=np.array([1, 2, -1, 1, 1, 1])), "expected unigrams that are not negative"),
    "zeros": (dict(unigrams=np.zeros(6)), "with a positive sum"),
    "NaN": (dict(unigrams=np.full(6, np.nan)), "expected unigrams"),
}


@pytest.mark.parametrize("changes, message", WRONG.values(), ids=WRONG)
def test_wrong_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        module().replace(**changes)


@pytest.mark.parametrize("target", [0, 7])
def test_a_target_out_of_range(target):
    layer = module()
    with pytest.raises(ValueError, match=f"expected indices from 1 to 6, got {target}"):
        layer.apply(*layer.init(KEY), [INPUT[0], np.array([1, target, 2])], key=KEY, train=True)


def test_a_criterion_of_another_table():
    for shapes in ([(3,), (3, 2), (3,)], [(3,), (3, 2), (3,), (3, 1)], [(3,), (2, 2), (3,), (2, 2)]):
        with pytest.raises(ValueError, match="nn.NCECriterion: expected"):
            f7.NCECriterion()([jnp.ones(shape) for shape in shapes])


# Both together -------------------------------------------------------------------------------------------------------


def formula(params, layer, noise):
    """The loss, and its gradients of weight, bias and input, in float64 and without epsilons (Chen et al., 2015)."""
    weight, bias = (np.asarray(params[name], np.float64) for name in ("weight", "bias"))
    used = np.concatenate([TARGET[:, None], noise], 1) - 1
    score = np.einsum("bi,bji->bj", HIDDEN, weight[used]) + bias[used] - np.log(layer.Z)
    logit = score - np.log(layer.k * PROBABILITIES[used])
    is_data = np.arange(layer.k + 1)[None] == 0
    loss = -special.log_expit(np.where(is_data, logit, -logit)).sum() / 3
    slope = (special.expit(logit) - is_data) / 3
    of_weight, of_bias = np.zeros_like(weight), np.zeros_like(bias)
    np.add.at(of_weight, used, slope[..., None] * HIDDEN[:, None])
    np.add.at(of_bias, used, slope)
    return loss, of_weight, of_bias, np.einsum("bj,bji->bi", slope, weight[used])


@ways
def test_loss_and_gradients_are_the_formulas(batchnoise):
    layer = module(batchnoise)
    params, buffers = layer.init(jax.random.key(0))

    def loss(params, hidden):
        output, _ = layer.apply(params, buffers, [hidden, INPUT[1]], key=KEY, train=True)
        return f7.NCECriterion()(output)

    value, (of_params, of_input) = jax.jit(jax.value_and_grad(loss, (0, 1)))(params, INPUT[0])
    expected = formula(params, layer, drawn(layer))
    got = (value, of_params["weight"], of_params["bias"], of_input)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-4, atol=1e-6)


def test_with_much_noise_the_gradient_is_that_of_maximum_likelihood():
    """At a model that is normalised, with Z = 1, as Mnih & Teh (2012) show."""
    layer = f7.NCEModule(4, 6, 40_000, np.ones(6), 1.0)
    params, buffers = layer.init(jax.random.key(0))
    hidden, target = INPUT[0][:1], INPUT[1][:1]
    scores = np.asarray(params["weight"]) @ np.asarray(hidden[0]) + np.asarray(params["bias"])
    params["bias"] = params["bias"] - np.float32(special.logsumexp(scores))

    def nce(params):
        return f7.NCECriterion()(layer.apply(params, buffers, [hidden, target], key=KEY, train=True)[0])

    def likelihood(params):
        scores = hidden @ params["weight"].T + params["bias"][None]
        return f7.CrossEntropyCriterion()(scores, target)

    got, expected = jax.jit(lambda params: (jax.grad(nce)(params), jax.grad(likelihood)(params)))(params)
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, atol=0.02), got, expected)


@pytest.mark.parametrize(
    "layer, criterion",
    [
        (module(True, -1), f7.NCECriterion()),
        (module(False, -1), f7.NCECriterion()),
        (f7.MaskZero(module(), 1), f7.MaskZeroCriterion(f7.NCECriterion(), 0)),
    ],
    ids=["noise of the batch", "noise by rows", "masked"],
)
def test_rows_equal_dense(layer, criterion):
    states = []
    variables = layer.init(jax.random.key(0))
    for make, optimizer in [
        (lambda: make_sgd_step(layer, criterion, 0.5), optax.identity()),
        (lambda: make_train_step(layer, criterion, optax.sgd(0.5)), optax.sgd(0.5)),
    ]:
        step, state = make(), init_state(layer, optimizer, variables)
        for i in range(3):
            state, metrics = step(state, (PADDED, PADDED[1]), jax.random.fold_in(KEY, i))
        states.append((state.params, state.buffers, metrics))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), *states)


def test_sequences_with_padding():
    """Sequencer(MaskZero(NCEModule, 1)) and its criterion: the loss of the steps that count, each divided by theirs."""
    network = f7.Sequencer(f7.MaskZero(module(), 1))
    criterion = f7.SequencerCriterion(f7.MaskZeroCriterion(f7.NCECriterion(), 0))
    hidden = jnp.stack([INPUT[0], INPUT[0].at[1].set(0)])
    targets = jnp.array([[2, 5, 2], [1, 1, 4]])
    params, buffers = network.init(jax.random.key(0))

    def loss(params, hidden):
        steps = [[h, t] for h, t in zip(hidden, targets, strict=True)]
        output, _ = network.apply(params, buffers, steps, key=KEY, train=True)
        return criterion(output, list(targets)), output

    (value, output), gradients = jax.jit(jax.value_and_grad(loss, (0, 1), has_aux=True))(params, hidden)
    expected = 0
    for step, kept in zip(output, ([0, 1, 2], [0, 2]), strict=True):
        pmt, pms, pnt, pns = (np.asarray(each, np.float64)[kept] for each in step)
        expected -= (np.log(pmt / (pmt + 3 * pnt)).sum() + np.log(3 * pns / (pms + 3 * pns)).sum()) / len(kept)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    assert not any(np.asarray(each)[1].any() for each in output[1])
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradients))
    assert not gradients[1][1, 1].any() and gradients[1][1, 0].all()


# Torch's interface ---------------------------------------------------------------------------------------------------


@ways
def test_legacy_backward_is_the_formulas(batchnoise):
    torch.manualSeed(1)
    m, criterion = nn.NCEModule(4, 6, 3, torch.Tensor(UNIGRAMS), 2).double(), nn.NCECriterion().double()
    m.batchnoise = batchnoise
    target = torch.LongTensor(TARGET.tolist())
    loss = criterion.forward(m.forward([HIDDEN, target]), target)
    m.zeroGradParameters()
    of_input, of_target = m.backward([HIDDEN, target], criterion.backward(m.output, target))
    used = np.asarray(m.sampleidx)
    noise = np.tile(used[:3], (3, 1)) if batchnoise else used[:, 1:]
    assert (used[3:] == TARGET).all() if batchnoise else (used[:, 0] == TARGET).all()
    params = {"weight": m.weight.numpy(), "bias": m.bias.numpy()}
    expected = formula(params, m.description(), noise)
    for got, e in zip((loss, m.gradWeight, m.gradBias, of_input), expected, strict=True):
        np.testing.assert_allclose(
            np.asarray(got), e, rtol=1e-5, atol=1e-6
        )  # the criterion adds 1e-7 to what it divides by
    assert of_target.size() == [3] and not np.asarray(of_target).any()


def test_legacy_fields():
    m = nn.NCEModule(4, 6, 3, torch.Tensor(UNIGRAMS))
    assert str(m) == "nn.NCEModule(4 -> 6)" and m.k == 3 and m.batchnoise and not m.normalized
    assert m.dpnn_parameters == ["weight", "bias", "Z", "unigrams"] and "sampleidx" in m.dpnn_mediumEmpty
    m.forward([HIDDEN, torch.LongTensor(TARGET.tolist())])
    assert m.Z[1] > 0
    m.Z = torch.Tensor([7])
    assert m.Z[1] == 7 and m.clone().Z[1] == 7
    m.reset(0.01)
    assert np.abs(m.weight.numpy()).max() <= 0.01 and np.abs(m.bias.numpy()).max() <= 0.01
    m.reset()
    np.testing.assert_allclose(m.bias.numpy(), -np.log(6), rtol=1e-6)
    m.evaluate()
    m.normalized = m.logsoftmax = True
    input = [HIDDEN, torch.LongTensor(TARGET.tolist())]
    np.testing.assert_allclose(np.exp(m.forward(input).numpy()).sum(1), 1, rtol=1e-5)
    m.clearState()
    assert m.output.nElement() == 0


def test_legacy_sampler_follows_unigrams_and_no_cast():
    given = torch.DoubleTensor(UNIGRAMS)
    m = nn.NCEModule(4, 6, 3, given).type("torch.HalfTensor")
    assert m.unigrams is given and m.unigrams.type() == "torch.DoubleTensor" and m.weight.type() == "torch.HalfTensor"
    classes = m.noiseSample(torch.LongTensor(), 50, 4)
    assert classes.size() == [50, 4] and set(classes.numpy().ravel()) <= {1, 2, 4, 5, 6}
    found = m.noiseProb(torch.Tensor(), classes)
    np.testing.assert_allclose(found, PROBABILITIES[classes.numpy() - 1], rtol=1e-6)
    m.unigrams.fill(0)
    m.unigrams[3] = 2
    m.fastNoise()
    assert m.unigrams is given and given.totable() == [0, 0, 1, 0, 0, 0]
    assert (m.noiseSample(classes, 5, 2).numpy() == 3).all()
    m.unigrams[1] = -1
    with pytest.raises(ValueError, match="not negative"):
        m.fastNoise()
    assert given.totable() == [-1, 0, 1, 0, 0, 0]
    with pytest.raises(ValueError, match="indices from 1 to 6, got 9"):
        m.noiseProb(torch.Tensor(), torch.LongTensor([9]))


def test_legacy_divides_the_unigrams_that_it_is_given_by_their_sum():
    given = torch.Tensor(UNIGRAMS)
    m = nn.NCEModule(4, 6, 3, given)
    assert m.unigrams is given
    np.testing.assert_allclose(given, PROBABILITIES, rtol=1e-6)
    counts = torch.LongTensor([1, 2, 3, 4, 5, 6])  # whole numbers cannot have a sum of 1
    copied = nn.NCEModule(4, 6, 3, unigrams=counts)
    assert counts.totable() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(copied.unigrams, np.arange(1, 7) / 21, rtol=1e-15)
    m.k = 5  # another description, of the same unigrams
    assert m.unigrams is given
