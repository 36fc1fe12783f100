"""Gradients where calculus gives none: at bends, ties and zeros they are Torch's, and never NaN."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7

INF = float("inf")


def gradients(module, input):
    """(that of the input, those of the parameters) of the sum of the outputs; all is finite."""
    params, buffers = module.init(jax.random.key(0))

    def total(params, input):
        output, _ = module.apply(params, buffers, input, train=True)
        return sum(leaf.sum() for leaf in jax.tree.leaves(output))

    value, (down, up) = jax.jit(jax.value_and_grad(total, (0, 1)))(params, input)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves((value, down, up)))
    return up, down


def numbers(*values):
    return jnp.asarray(values, jnp.float32)


BENDS = [
    (f7.Abs(), [0], [1]),
    (f7.Sqrt(), [0, 4], [0, 0.25]),
    (f7.HardTanh(), [-1, 0, 1], [0, 1, 0]),
    (f7.Clamp(-2, 3), [-2, 0, 3], [0, 1, 0]),
    (f7.HardShrink(0.5), [-0.5, 0.5, 0.6], [0, 0, 1]),
    (f7.SoftShrink(0.5), [-0.5, 0.5, 0.6], [0, 0, 1]),
    (f7.Threshold(0.5, -1), [0.5, 0.6], [0, 1]),
    (f7.ReLU(), [0], [0]),
    (f7.ReLU6(), [0, 3, 6], [0, 1, 0]),
    (f7.LeakyReLU(0.1), [0], [0.1]),
    (f7.PReLU(), [0], [0.25]),
    (f7.ELU(0.5), [0], [0.5]),
    (f7.CReLU(1), [0, 1, -1], [0, 1, -1]),
    (f7.SoftSign(), [0], [1]),
    (f7.L1Penalty(0.1), [0], [1]),
]


@pytest.mark.parametrize("module, input, expected", BENDS, ids=[str(bend[0]) for bend in BENDS])
def test_bend(module, input, expected):
    np.testing.assert_allclose(gradients(module, numbers(*input))[0], expected, rtol=1e-6)


def test_a_pooling_of_zeros():
    """The root's derivative is infinite there, and that of the powers 0."""
    input = jnp.zeros((1, 2, 4)).at[0, 0, 0].set(2)
    for p in (0.5, 1.5, 3):
        np.testing.assert_allclose(gradients(f7.SpatialLPPooling(1, p, 2, 2), input)[0], input / 2, rtol=1e-6)
        np.testing.assert_allclose(gradients(f7.FeatureLPPooling(2, 2, p), input[0, 0])[0], input[0, 0] / 2, rtol=1e-6)


TIES = [
    (f7.Max(1), numbers(3, 5, 5), [0, 1, 0]),
    (f7.Min(1), numbers(3, 3, 5), [1, 0, 0]),
    (f7.Max(2), numbers([1, 1], [0, 2]), [[1, 0], [0, 1]]),
    (f7.CMaxTable(), [numbers(1, 2), numbers(1, 3), numbers(1, 3)], [[1, 0], [0, 1], [0, 0]]),
    (f7.CMinTable(), [numbers(1, 3), numbers(1, 2), numbers(1, 2)], [[1, 0], [0, 1], [0, 0]]),
    (f7.SpatialMaxPooling(2, 2), numbers([[7, 7], [7, 7]]), [[[1, 0], [0, 0]]]),
    # y = x / m with m the first |x| that is largest: 1/m for each, and -(sum of x) / m^2 for that one, here 0.
    (f7.Normalize(INF), numbers(2, -2), [0.5, 0.5]),
    (f7.Normalize(INF), numbers(2, 2), [-0.5, 0.5]),
]


@pytest.mark.parametrize("module, input, expected", TIES, ids=[str(tie[0]) for tie in TIES])
def test_the_first_of_equals_takes_the_gradient(module, input, expected):
    np.testing.assert_allclose(gradients(module, input)[0], expected, atol=1e-6)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, INF])
def test_normalize_at_zero(p):
    limit = 1e-10 if p == INF else 1e-10 ** (1 / p)
    np.testing.assert_allclose(gradients(f7.Normalize(p), jnp.zeros(3))[0], np.full(3, 1 / limit), rtol=1e-5)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_pairwise_distance_of_equal_vectors(p):
    x = jnp.array([1.0, 2, 3])
    np.testing.assert_array_equal(gradients(f7.PairwiseDistance(p), [x, x])[0], np.zeros((2, 3)))


def test_distance_from_a_centre_that_is_met():
    for module in (f7.Euclidean(2, 2), f7.WeightedEuclidean(2, 2)):
        params, buffers = module.init(jax.random.key(0))
        x = params["weight"][:, 0]

        def first_distance(params, x, module=module, buffers=buffers):
            return module.apply(params, buffers, x)[0][0]

        for gradient in jax.tree.leaves(jax.grad(first_distance, (0, 1))(params, x)):
            np.testing.assert_array_equal(gradient, np.zeros(gradient.shape))


def test_products_and_similarities_of_zeros():
    zeros, ones = jnp.zeros(3), jnp.ones(3)
    np.testing.assert_array_equal(gradients(f7.CMulTable(), [zeros, ones, ones])[0], [ones, zeros, zeros])
    np.testing.assert_allclose(gradients(f7.CosineDistance(), [zeros, zeros])[0], [zeros, zeros])
    gradients(f7.CosineDistance(), [zeros, ones])
    gradients(f7.Cosine(3, 2), jnp.zeros(3))


def test_extreme_numbers():
    extreme = numbers(-1e4, 0, 1e4)
    for module in (f7.SoftMax(), f7.LogSoftMax(), f7.SoftMin(), f7.LogSigmoid(), f7.Sigmoid(), f7.SoftPlus(), f7.ELU(),
                   f7.Tanh(), f7.SoftSign(), f7.TanhShrink()):  # fmt: skip
        gradients(module, extreme)
    np.testing.assert_allclose(gradients(f7.SoftPlus(threshold=1e5), extreme)[0], [0, 0.5, 1])
    np.testing.assert_allclose(gradients(f7.SoftSign(), extreme)[0], 1 / (1 + np.abs(extreme)) ** 2, rtol=1e-6)
    smooth = jax.grad(f7.SmoothL1Criterion(False))(numbers(-INF, -1, 0.5, 1, INF), jnp.zeros(5))
    np.testing.assert_array_equal(smooth, [-1, -1, 0.5, 1, 1])


def test_weights_of_length_zero():
    for module in (f7.WeightNorm(f7.Linear(3, 2)), f7.LinearWeightNorm(3, 2)):
        params, buffers = module.init(jax.random.key(0))
        params = jax.tree.map(jnp.zeros_like, params)
        down = jax.grad(lambda p, m=module, b=buffers: m.apply(p, b, jnp.ones(3))[0].sum())(params)
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(down))


def test_recurrent_rectifiers_at_zero():
    layer = f7.CudnnRNNReLU(2, 3, 2)
    weight = jnp.zeros(jax.eval_shape(layer.init, jax.random.key(0)).params["weight"].shape)
    run = jax.jit(
        jax.grad(lambda weight: layer.apply({"weight": weight}, layer.init_buffers(), jnp.ones((2, 1, 2)))[0].sum())
    )
    np.testing.assert_array_equal(run(weight), weight)


def test_a_batch_without_variance():
    gradients(f7.BatchNormalization(3), jnp.ones((4, 3)))
    gradients(f7.LayerNormalization(3), jnp.ones((4, 3)))
