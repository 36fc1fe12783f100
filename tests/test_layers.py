"""What golden data do not show of the functional layers: value-dependent sizes, dtypes, unusual gradients."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from test_every_module import arrays

import functorch7 as f7

RANDOM = np.random.default_rng(0)
X = jnp.asarray(RANDOM.normal(size=(2, 3)), jnp.float32)
MASK = jnp.array([[1, 0, 1], [0, 0, 1]])


def test_masked_select_outside_and_inside_jit():
    chosen = [X[0, 0], X[0, 2], X[1, 2]]
    np.testing.assert_array_equal(f7.MaskedSelect().apply({}, {}, [X, MASK])[0], chosen)
    sized = f7.MaskedSelect(size=4)
    np.testing.assert_array_equal(jax.jit(sized.apply)({}, {}, [X, MASK])[0], [*chosen, 0])
    np.testing.assert_array_equal(jax.jit(f7.MaskedSelect(size=2).apply)({}, {}, [X, MASK])[0], chosen[:2])
    np.testing.assert_array_equal(sized.apply({}, {}, [X[:0], MASK[:0]])[0], [0] * 4)  # none is there, either
    with pytest.raises(
        ValueError, match=r"size depends on the mask's values; under jit give it: MaskedSelect\(size=n\)"
    ):
        jax.jit(f7.MaskedSelect().apply)({}, {}, [X, MASK])


def test_masked_selects_gradient_goes_where_the_elements_came_from():
    for module in (f7.MaskedSelect(), f7.MaskedSelect(size=4)):
        gradient = jax.grad(lambda x, m=module: (m.apply({}, {}, [x, MASK])[0][:3] * jnp.array([1.0, 2, 3])).sum())(X)
        np.testing.assert_array_equal(gradient, [[1, 0, 2], [0, 0, 3]])


def test_dimensions_count_backwards_in_batches_as_in_examples():
    images = jnp.zeros((5, 1, 3, 1))
    for dim in (-1, -3):
        example, batch = (f7.Squeeze(dim, 3).apply({}, {}, x)[0].shape for x in (images[0], images))
        assert batch == (5, *example) and len(example) == 2
    for dim in (-1, -2, -3):
        example, batch = (f7.Padding(dim, 2, 3).apply({}, {}, x)[0].shape for x in (images[0], images))
        assert batch == (5, *example) and example[dim] == images.shape[dim] + 2


def test_a_norms_output_dimension_counts_backwards_too(key):
    first, last = f7.WeightNorm(f7.Linear(3, 4), 2), f7.WeightNorm(f7.Linear(3, 4), -1)
    params, buffers = first.init(key)
    np.testing.assert_array_equal(first.apply(params, buffers, X)[0], last.apply(params, buffers, X)[0])
    with pytest.raises(ValueError, match="expected a dimension from 1 to 2 or -2 to -1, got 5"):
        f7.WeightNorm(f7.Linear(3, 4), 5).init(key)


@pytest.mark.parametrize("padding", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_padding_of_one_side_keeps_windows_of_both_inside(padding):
    """Sizes as in THNN's C code: `if (padW || padH)` both are corrected."""
    wanted = [-(-(6 + 2 * pad - 2) // 3) + 1 for pad in padding]
    if any(padding):
        wanted = [n - ((n - 1) * 3 >= 6 + pad) for n, pad in zip(wanted, padding, strict=True)]
    for pool in (f7.SpatialMaxPooling(2, 2, 3, 3, *padding), f7.SpatialAveragePooling(2, 2, 3, 3, *padding)):
        assert f7.output_shape(pool.ceil(), (1, 6, 6)) == (1, *wanted[::-1])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_response_normalization_sums_over_as_many_planes_as_it_says(size):
    planes = np.arange(1.0, 7)
    output, _ = f7.SpatialCrossMapLRN(size, alpha=size, beta=1.0, k=0.0).apply({}, {}, planes.reshape(6, 1, 1))
    around = [planes[max(i - (size - 1) // 2, 0) : i + size // 2 + 1] for i in range(6)]
    np.testing.assert_allclose(output.ravel(), planes / [np.square(each).sum() for each in around], rtol=1e-6)


def test_gradient_reversal_of_a_table_leaves_indices():
    def loss(values):
        reversed_, index = f7.GradientReversal(2).apply({}, {}, [values, jnp.array([1, 2])])[0]
        return (reversed_ * index.astype(values.dtype)).sum()

    np.testing.assert_array_equal(jax.grad(loss)(jnp.ones(2)), [-2, -4])


@pytest.mark.parametrize("factor", [1, 0.3])
def test_gradient_reversal(factor):
    module = f7.GradientReversal(factor)
    output, pull = jax.vjp(lambda x: module.apply({}, {}, x)[0], X)
    np.testing.assert_array_equal(output, X)
    np.testing.assert_allclose(pull(X)[0], -factor * X, rtol=1e-6)


@pytest.mark.parametrize("module", [f7.SoftMax(), f7.LogSoftMax(), f7.Sigmoid(), f7.Tanh()])
def test_extreme_inputs_stay_finite(module):
    x = jnp.array([[-1e4, 0.0, 1e4], [88.0, 89.0, 90.0]])
    output, pull = jax.vjp(lambda x: module.apply({}, {}, x)[0], x)
    assert jnp.isfinite(output).all() and jnp.isfinite(pull(jnp.ones_like(x))[0]).all()


def test_max_pooling_ignores_minus_infinity_padding_and_finds_minus_infinity_itself():
    x = jnp.full((1, 4, 4), -jnp.inf)
    pooled, _ = f7.SpatialMaxPooling(3, 3, 2, 2, 1, 1).apply({}, {}, x)
    assert (pooled == -jnp.inf).all()
    x = -10 - jnp.arange(16.0).reshape(1, 4, 4)
    pooled, _ = f7.SpatialMaxPooling(3, 3, 2, 2, 1, 1).apply({}, {}, x)
    np.testing.assert_array_equal(pooled[0], [[-10, -11], [-14, -15]])


NORMALISATION = f7.BatchNormalization(3)


def test_batch_normalization_of_large_means_does_not_cancel(key):
    """Mean 1e4, deviation 1: a one-pass variance in float32 would lose it."""
    x = jnp.asarray(RANDOM.normal(size=(256, 3)) + 1e4, jnp.float32)
    params, buffers = NORMALISATION.init(key)
    params = {"weight": jnp.ones(3), "bias": jnp.zeros(3)}
    y, _ = NORMALISATION.apply(params, buffers, x, train=True)
    exact = np.asarray(x, np.float64)
    np.testing.assert_allclose(y, (exact - exact.mean(0)) / exact.std(0), atol=2e-2)


def test_batch_normalization_in_bfloat16_keeps_float32_statistics(key):
    params, buffers = NORMALISATION.init(key)
    x = jnp.asarray(RANDOM.normal(size=(64, 3)), jnp.bfloat16)
    y, after = NORMALISATION.apply(jax.tree.map(lambda p: p.astype(jnp.bfloat16), params), buffers, x, train=True)
    assert y.dtype == jnp.bfloat16
    assert after["running_mean"].dtype == jnp.float32
    np.testing.assert_allclose(after["running_mean"], 0.1 * np.asarray(x, np.float64).mean(0), atol=1e-5)


def test_convolution_agrees_with_a_loop(key):
    """Every kernel size takes its own way (patches, or XLA's convolution): all agree with the definition."""
    for kw, kh, dw, dh, padw, padh in [(5, 5, 1, 1, 0, 0), (3, 2, 2, 1, 1, 0), (1, 1, 1, 1, 0, 0), (5, 6, 1, 1, 2, 3)]:
        module = f7.SpatialConvolution(2, 3, kw, kh, dw, dh, padw, padh)
        params = jax.tree.map(np.asarray, module.init(key).params)
        x = RANDOM.normal(size=(2, 2, 7, 8)).astype(np.float32)
        padded = np.pad(x, [(0, 0), (0, 0), (padh, padh), (padw, padw)])
        rows, columns = (padded.shape[2] - kh) // dh + 1, (padded.shape[3] - kw) // dw + 1
        expected = np.zeros((2, 3, rows, columns))
        for i in range(rows):
            for j in range(columns):
                patch = padded[:, :, i * dh : i * dh + kh, j * dw : j * dw + kw]
                expected[:, :, i, j] = np.tensordot(patch, params["weight"], ([1, 2, 3], [1, 2, 3])) + params["bias"]
        np.testing.assert_allclose(module.apply(params, {}, x)[0], expected, rtol=1e-4, atol=1e-5)


def test_a_class_index_outside_the_classes_gives_nan_under_jit_and_an_error_outside():
    """Under jit nobody can look: the loss must not silently use another class."""
    x = jnp.log(jnp.full((2, 3), 1 / 3))
    with pytest.raises(ValueError, match="target 4 at position 2"):
        f7.ClassNLLCriterion()(x, jnp.array([1, 4]))
    for wrong in (0, 4, -1):
        assert jnp.isnan(jax.jit(f7.ClassNLLCriterion())(x, jnp.array([1, wrong])))


def test_criterions_under_vmap_give_one_loss_per_example():
    x, target = jnp.asarray(RANDOM.normal(size=(5, 3)), jnp.float32), jnp.array([1, 2, 3, 1, 2])
    each = jax.vmap(f7.CrossEntropyCriterion())(x, target)
    assert each.shape == (5,)
    np.testing.assert_allclose(each.mean(), f7.CrossEntropyCriterion()(x, target), rtol=1e-6)


def test_lookup_table_renormalizes_parameters():
    layer = f7.LookupTable(3, 2, 0, 1.0)
    params = {"weight": jnp.array([[3.0, 4], [0.3, 0.4], [6, 8]])}
    used = np.array([[0.6, 0.8], [0.3, 0.4], [6, 8]])
    np.testing.assert_allclose(layer.renormalize(params, jnp.array([1, 2]))["weight"], used, rtol=1e-6)
    np.testing.assert_allclose(layer.renormalize(params)["weight"], [[0.6, 0.8], [0.3, 0.4], [0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(layer.apply(params, {}, jnp.array([1]))[0], used[:1], rtol=1e-6)
    assert layer.set_max_norm(None).renormalize(params) is params


IMAGE_LAYERS = [
    case for case in MODULES
    if case.traceable and not case.module.traits.draws(case.train) and case.id not in ("OneHot", "Kmeans")
    and case.module.__class__.__module__.rsplit(".", 1)[1] in (
        "convolution", "transposed", "connections", "pooling", "lp_pooling", "temporal", "adaptive", "borders",
        "upsampling", "local_normalization", "normalization", "subsampling", "binary", "inception",
    )
]  # fmt: skip


@pytest.mark.parametrize("case", IMAGE_LAYERS, ids=lambda case: case.id)
def test_bfloat16_agrees_with_float32(case):
    """Rounding to 8 bits errs by 2^-9 of a number; sums of a few hundred products stay within 5 % of the scale.

    What is compiled rounds after every operation, as when each is run alone.
    """
    made = case.module.init(jax.random.key(0))

    def total(params, buffers, input):
        output, _ = case.module.apply(params, buffers, input, train=case.train)
        return output.astype(jnp.float32).mean(), output

    @partial(jax.jit, compiler_options={"xla_allow_excess_precision": False})
    def both(*given):
        return [jax.grad(total, has_aux=True)(*each)[::-1] for each in given]

    exact, rounded = both(*(arrays((*made, case.input), dtype) for dtype in (np.float32, jnp.bfloat16)))
    assert rounded[0].dtype == jnp.bfloat16
    for a, b in zip(*map(jax.tree.leaves, (exact, rounded)), strict=True):
        a, b = (np.asarray(each, np.float32) for each in (a, b))
        assert np.abs(a - b).max() <= 0.05 * max(np.abs(a).max(), 1e-3)


def test_remat_keeps_the_input_alone_and_gives_the_same():
    block = f7.Sequential(f7.Linear(8, 32), f7.Tanh(), f7.Dropout(0.5), f7.Linear(32, 8), f7.BatchNormalization(8))
    x, key = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32), jax.random.key(1)

    def made(module, variables):
        def run(params, x):
            return module.apply(params, variables.buffers, x, key=key, train=True)

        def gradients(params, x):
            output, pull, buffers = jax.vjp(run, params, x, has_aux=True)
            return output, buffers, pull(output)

        def kept(params, x):
            return jax.vjp(run, params, x, has_aux=True)[1]

        shapes = jax.tree.leaves(jax.eval_shape(kept, variables.params, x))
        return jax.jit(gradients)(variables.params, x), sum(shape.size for shape in shapes)

    variables = block.init(jax.random.key(0))
    remat = f7.Remat(block)
    own = f7.Variables([variables.params], [variables.buffers])
    (expected, most), (got, least) = made(f7.Decorator(block), own), made(remat, own)
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6), got, expected)
    arrays = sum(leaf.size for leaf in jax.tree.leaves((variables.params, variables.buffers)))
    assert least <= x.size + arrays + key.size + 2 < most


@pytest.mark.parametrize("centres", [3, 300])
def test_distances_to_few_and_to_many_centres_are_the_formula(centres):
    """Many are computed one example after another on CPUs."""
    layer = f7.WeightedEuclidean(16, centres)
    params, _ = layer.init(jax.random.key(0))
    params["diagCov"] = jax.random.uniform(jax.random.key(1), (16, centres))
    x, g = (np.array(jax.random.normal(jax.random.key(i), (5, size))) for i, size in ((2, 16), (3, centres)))
    output, back = jax.vjp(lambda params, x: layer.apply(params, {}, x)[0], params, x)
    weight, scale = (np.float64(params[name]) for name in ("weight", "diagCov"))
    apart = x[:, :, None] - weight
    distance = np.sqrt(((scale * apart) ** 2).sum(1))
    share = (g / distance)[:, None]
    np.testing.assert_allclose(output, distance, rtol=1e-5)
    own, of_input = back(g)
    np.testing.assert_allclose(of_input, (share * scale**2 * apart).sum(2), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(own["weight"], -(share * scale**2 * apart).sum(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(own["diagCov"], (share * scale * apart**2).sum(0), rtol=1e-4, atol=1e-5)
