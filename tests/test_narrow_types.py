"""Types of few bits: numbers of 16, rounded once where formulas need more, and indices and classes in 8."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core import gather

RANDOM = np.random.default_rng(0)
KEY = jax.random.key(0)


def x(*shape, size=300):
    """Numbers whose squares are too large for float16; a row of zeros, and one of equal numbers."""
    values = RANDOM.normal(size=shape) * size
    values[0], values[-1] = 0, 5
    return values.astype(np.float16)


IN_FLOAT32 = [
    (f7.Normalize(2), x(4, 3)),
    (f7.Normalize(float("inf")), x(4, 3)),
    (f7.Euclidean(3, 2), x(4, 3)),
    (f7.WeightedEuclidean(3, 2), x(4, 3)),
    (f7.Cosine(3, 2), x(4, 3)),
    (f7.CosineDistance(), [x(4, 3), x(4, 3)]),
    (f7.PairwiseDistance(2), [x(4, 3), x(4, 3)]),
    (f7.FeatureLPPooling(2, 2, 2), x(4)),
    (f7.SpatialLPPooling(3, 2, 2, 2), x(3, 4, 4)),
    (f7.SpatialAveragePooling(7, 7), x(3, 7, 7, size=8000)),
    (f7.SpatialAdaptiveAveragePooling(1, 1), x(3, 7, 7, size=8000)),
    (f7.SpatialCrossMapLRN(3), x(4, 2, 2)),
    (f7.SpatialDivisiveNormalization(3, np.ones((3, 3))), x(3, 4, 5)),
    (f7.SpatialContrastiveNormalization(3, np.ones((3, 3))), x(3, 4, 5)),
    (f7.GELU(approximate=True), x(4, 3)),
    *((kind, x(4, 3, size=8)) for kind in (f7.SoftPlus(), f7.SoftPlus(-2), f7.SiLU(), f7.Mish())),
    (f7.TanhShrink(), x(4, 3, size=0.1)),
    (f7.MixtureTable(), [x(4, 2), x(4, 2, 3)]),
    (f7.LinearWeightNorm(3, 2), x(4, 3)),
    (f7.Bilinear(3, 2, 2), [x(4, 3, size=1000), x(4, 2)]),
    (f7.MultiHeadAttention(4, 2), np.full((2, 3, 4), 3000, np.float16)),
    (f7.VRClassReward(), ([x(4, 3), x(4)], np.array([1, 2, 3, 1]))),
    (f7.MSECriterion(), (x(4, 3), x(4, 3))),
    (f7.CosineEmbeddingCriterion(), ([x(4, 3), x(4, 3)], np.array([1, 1, -1, -1], np.float16))),
    (f7.MultiMarginCriterion(2), (x(4, 3), np.array([1, 2, 3, 1]))),
]


def cast(tree, dtype):
    return jax.tree.map(lambda leaf: leaf.astype(dtype) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf, tree)


@pytest.mark.parametrize(("module", "input"), IN_FLOAT32, ids=lambda given: type(given).__name__)
def test_float16_gives_float32s_results_rounded(module, input):
    params, buffers = cast(module.init(KEY), jnp.float16)
    narrow, _ = jax.jit(module.apply)(params, buffers, input)
    wide, _ = jax.jit(module.apply)(*cast((params, buffers), jnp.float32), cast(input, jnp.float32))
    assert (narrow.dtype == jnp.float16 and jnp.isfinite(narrow).all()) or jnp.abs(wide).max() > 65504
    np.testing.assert_allclose(narrow, wide.astype(jnp.float16), rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize("layer", [f7.L1Penalty(0.001), f7.CategoricalEntropy(100, size_average=False)], ids=str)
def test_penalties_have_room_for_their_sums(layer):
    """Of 90,000 numbers around 1 the sum is infinite in float16."""
    input = np.abs(x(300, 300, size=1))
    narrow, wide = (f7.penalty(layer.apply({}, {}, each)[1]) for each in (jnp.asarray(input), input.astype(np.float32)))
    np.testing.assert_allclose(narrow, wide, rtol=2e-3)


SLOPES = [
    (f7.SoftPlus(), np.float16([-20, -1, 12, 19])),
    (f7.SoftSign(), np.float16([-300, 0, 0.5, 200])),
    (f7.CDivTable(), [np.float16([1e-3, 200]), np.float16([2e-3, -400])]),
]


@pytest.mark.parametrize(("module", "input"), SLOPES, ids=lambda given: type(given).__name__)
def test_float16_has_float32s_gradients_rounded(module, input):
    slope = jax.jit(jax.grad(lambda input: module.apply({}, {}, input)[0].astype(jnp.float32).sum()))
    for narrow, wide in zip(*map(jax.tree.leaves, (slope(input), slope(cast(input, jnp.float32)))), strict=True):
        assert np.abs(wide).max() > 0
        np.testing.assert_allclose(narrow, wide.astype(jnp.float16), rtol=2e-3)


@pytest.mark.parametrize("rule", [
    f7.optim.grad_param_clip(1.0), f7.optim.grad_param_clip(1.0, per_module=True), f7.optim.max_param_norm(1.0, 0.5),
])  # fmt: skip
def test_norms_of_parameters_and_gradients_have_room(rule):
    """Of gradients of 200 they were infinite, and what is divided by them 0; types may differ from array to array."""
    params = {"a": {"weight": x(3, 2)}, "b": {"weight": x(2, 2), "bias": jnp.ones(2, jnp.float32)}}
    gradients = jax.tree.map(lambda p: 200 * jnp.ones_like(p), params)

    def moved(params, gradients):
        return jax.tree.leaves(rule.update(gradients, rule.init(params), params)[0])

    narrow = moved(params, gradients)
    wide = moved(*cast((params, gradients), jnp.float32))
    assert [leaf.dtype for leaf in narrow] == [leaf.dtype for leaf in jax.tree.leaves(params)]
    for got, expected in zip(narrow, wide, strict=True):
        np.testing.assert_allclose(
            got, expected.astype(got.dtype), rtol=2e-3, atol=0.3 if abs(expected).max() > 9 else 0
        )


def test_rows_have_a_largest_norm_in_float16():
    rows, _ = f7.LookupTable(1, 2, 0, 1.0).apply({"weight": np.float16([[300, 400]])}, {}, jnp.array([1]))
    np.testing.assert_allclose(rows, [[0.6, 0.8]], rtol=2e-3)


@pytest.mark.parametrize("module", [f7.PairwiseDistance(2), f7.CosineDistance()])
def test_gradients_where_both_are_zeros_are_finite_in_float16(module):
    zeros = jnp.zeros((2, 3), jnp.float16)
    gradient = jax.grad(lambda a, b: module.apply({}, {}, [a, b])[0].sum())(zeros, zeros)
    np.testing.assert_array_equal(gradient, zeros)


def test_windows_of_fractional_poolings_lie_in_a_long_image():
    """Their places are beyond what bfloat16 counts one by one (256)."""
    rows = jnp.arange(1200, dtype=jnp.float32).astype(jnp.bfloat16)[:, None]
    pool = f7.SpatialFractionalMaxPooling(1, 2, 1, 600)
    output, _ = pool.apply({}, {}, jnp.broadcast_to(rows, (1, 1200, 2)), key=KEY)
    assert output[0, -1, 0] == rows[-1, 0] and jnp.all(jnp.diff(output[0, :, 0].astype(jnp.float32)) >= 0)


def test_crops_begin_anywhere_in_a_wide_image():
    parity = (jnp.arange(4000) % 2).astype(jnp.bfloat16)  # places of even numbers alone, if these have 8 bits
    images = jnp.broadcast_to(parity, (64, 1, 1, 4000))
    cropped, _ = f7.SpatialUniformCrop(1, 1).apply({}, {}, images, key=KEY, train=True)
    assert 0.25 < cropped.astype(jnp.float32).mean() < 0.75


INDEXED = {
    "LookupTable": (f7.LookupTable(1000, 1), {"weight": jnp.arange(1000.0)[:, None]}, 99.0),
    "LookupTableMaskZero": (f7.LookupTableMaskZero(999, 1), {"weight": jnp.arange(1000.0)[:, None]}, 100.0),
    "OneHot": (f7.OneHot(1000), {}, 1.0),
}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "bfloat16"])
@pytest.mark.parametrize(("module", "params", "expected"), INDEXED.values(), ids=INDEXED)
def test_an_index_of_any_type_names_the_same_row(module, params, expected, dtype):
    """1000 is no int8: compared in 8 bits, the limit would be -24."""
    output, _ = f7.checked(module.apply)(params, {}, jnp.array([100], dtype))
    assert output.max() == expected and output.dtype == (dtype if "float" in dtype and not params else jnp.float32)


def test_the_last_index_of_a_type_has_a_row_behind_it():
    table, rows = f7.LookupTableMaskZero(3000, 1), {"weight": jnp.arange(3001.0)[:, None]}
    for index in (jnp.array([255], jnp.uint8), jnp.array([256], jnp.bfloat16), jnp.array([2048], jnp.float16)):
        assert table.apply(rows, {}, index)[0].item() == index.astype(jnp.float32).item()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_classes_of_any_type_give_the_same_loss(dtype):
    scores, classes = jnp.asarray(RANDOM.normal(size=(2, 300)), jnp.float32), np.array([50, 120])
    for criterion in (f7.ClassNLLCriterion(), f7.MultiMarginCriterion(), f7.ClassSimplexCriterion(300)):
        loss = f7.checked(criterion)(scores, jnp.asarray(classes, dtype))
        np.testing.assert_allclose(loss, criterion(scores, classes), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "bool"])
def test_sums_and_products_of_whole_numbers_are_real_ones(dtype):
    rows = np.array([[100, 90], [80, 70]]).astype(dtype)
    exact = rows.astype(int)
    for module, input, expected in (
        (f7.Sum(1), rows, exact.sum(0)),
        (f7.DotProduct(), [rows, rows], (exact * exact).sum(1)),
        (f7.MM(), [rows, rows], exact @ exact),
        (f7.MV(), [rows, rows[0]], exact @ exact[0]),
    ):
        output, _ = module.apply({}, {}, jax.tree.map(jnp.asarray, input))
        assert output.dtype == jnp.float32 and output.tolist() == expected.tolist()


def test_a_constant_keeps_its_value_beside_indices():
    assert f7.Constant([1.5]).apply({}, {}, jnp.array([1, 2]))[0].tolist() == [1.5]


def test_k_means_begins_with_examples_of_whole_numbers():
    examples = jnp.array([[1, 2], [3, 4], [50, 60]])
    for params in (f7.Kmeans(2, 2).init_random(KEY, examples), f7.Kmeans(2, 2).init_kmeans_plus(KEY, examples)):
        assert params["weight"].dtype == jnp.float32
        assert {tuple(row) for row in params["weight"].tolist()} <= {tuple(row) for row in examples.tolist()}


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_gradients_of_a_row_that_is_read_often_are_all_added_up(dtype):
    """In the type itself a thousand ones make 256 (bfloat16): small ones beside a large sum are lost."""
    table, indices = jnp.ones((4, 2), dtype), jnp.asarray([0] * 1000 + [2])

    def gradient(axis, indices):
        read = partial(gather, indices=indices, axis=axis)
        return jax.grad(lambda table: read(table).astype(jnp.float32).sum())(table if axis == 0 else table.T)

    expected = np.array([[1000], [0], [1], [0]]) * np.ones((1, 2))
    for axis, found in ((0, gradient(0, indices)), (1, gradient(1, indices).T)):
        assert found.dtype == dtype, axis
        np.testing.assert_array_equal(found.astype(jnp.float32), expected)
    batch = jax.jit(jax.vmap(partial(gradient, 0)))(jnp.stack([indices, indices]))
    np.testing.assert_array_equal(batch.astype(jnp.float32), [expected] * 2)
    moved = jax.jvp(lambda table: gather(table, indices[-2:]), (table,), (3 * table,))[1]
    np.testing.assert_array_equal(moved.astype(jnp.float32), 3 * np.ones((2, 2)))


DRAWING = [
    (f7.Dropout(0.01), np.ones(400)),
    (f7.SpatialDropout(0.2), np.ones((30, 2, 2))),
    (f7.Serial(f7.WhiteNoise(0, 0.5)), np.zeros(400)),
    (f7.RReLU(), -np.ones(400)),
    (f7.ReinforceBernoulli(), np.full(400, 1 / 256)),
    (f7.ReinforceCategorical(), np.tile(np.float32([8, 4, 2, 1]) / 16, (100, 1))),
    (f7.ReinforceNormal(1.0), np.zeros(400)),
    (f7.ReinforceGamma(1.0), np.full(100, 2.5)),
    (f7.SpatialUniformCrop(3, 3), np.arange(98).reshape(2, 7, 7)),
    (f7.Dropout(0.5, True), np.ones(400)),
]  # fmt: skip


@pytest.mark.parametrize(("module", "input"), DRAWING, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_what_is_drawn_in_16_bits_is_what_float32_draws(module, input, dtype):
    """Of uniform numbers in bfloat16 there are 128: 1/256 of the time was 1/128. float64 draws the same, too."""

    def drawn(dtype):
        params, buffers = module.init(KEY)
        return module.apply(params, buffers, jnp.asarray(input, dtype), key=KEY, train=True)[0]

    wide = drawn(jnp.float32)
    np.testing.assert_array_equal(drawn(dtype), wide.astype(dtype))
    with jax.enable_x64(True):
        np.testing.assert_array_equal(drawn(jnp.float32), wide)


MANY = {
    "Linear": (f7.Linear(2, 3), (3000, 2)),
    "Add": (f7.Add(3), (3000, 3)),
    "CMul": (f7.CMul(3), (3000, 3)),
    "Mul": (f7.Mul(), (3000, 3)),
    "PReLU": (f7.PReLU(), (3000, 3)),
    "SpatialConvolution": (f7.SpatialConvolution(1, 2, 3, 3), (8, 1, 32, 32)),
    "SpatialFullConvolution": (f7.SpatialFullConvolution(1, 2, 2, 2), (8, 1, 30, 30)),
    "TemporalConvolution": (f7.TemporalConvolution(2, 3, 1), (3000, 2)),
    "LayerNorm": (f7.LayerNorm(3), (3000, 3)),
    "SeqLSTM": (f7.SeqLSTM(2, 2), (4, 1000, 2)),
    "Replicate": (f7.Sequential(f7.Add(3), f7.Replicate(3000)), (1, 3)),
}


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
@pytest.mark.parametrize(("module", "shape"), MANY.values(), ids=MANY)
def test_parameters_gradients_of_many_places_have_room(module, shape, dtype):
    """In bfloat16 a sum of thousands of numbers was off by up to a third."""
    params, buffers = module.init(jax.random.key(0))
    x, ones = (jax.random.normal(jax.random.key(seed), shape) for seed in (1, 2))

    def gradients(kind):
        def total(params):
            output = module.apply(params, buffers, x.astype(kind), train=True)[0].astype(jnp.float32)
            return (output * jnp.resize(jnp.abs(ones), output.shape)).sum()

        return jax.jit(jax.grad(total))(jax.tree.map(lambda each: each.astype(kind), params))

    for found, exact in zip(*map(jax.tree.leaves, map(gradients, (dtype, jnp.float32))), strict=True):
        assert found.dtype == dtype
        assert jnp.abs(found.astype(jnp.float32) - exact).max() < 0.02 * jnp.abs(exact).max()
