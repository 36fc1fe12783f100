"""What the first lines of docstrings say is what is computed: their formulas, index by index, in NumPy.

Those of other classes stand in the tests of their families.
"""

import math
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7

RNG = np.random.default_rng(0)


def drawn(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def by_index(shape, value):
    """The array whose element at each place, from 0, is value(*place)."""
    return np.array([value(*place) for place in product(*map(range, shape))], np.float32).reshape(shape)


def summed(shape, value):
    return sum(value(*place) for place in product(*map(range, shape)))


def largest(shape, value):
    return max(value(*place) for place in product(*map(range, shape)))


def at(x, *place):
    """The element at a place, and 0 beyond the array."""
    inside = all(0 <= p < size for p, size in zip(place, x.shape, strict=True))
    return x[place] if inside else np.float32(0)


def applied(module, params, input):
    buffers = jax.jit(module.init)(jax.random.key(0)).buffers
    return np.asarray(jax.jit(module.apply)(params, buffers, input)[0])


X = drawn(2, 7, 6)
V = drawn(2, 6, 7, 6)
TABLE = [[1, 1], [2, 1], [2, 2]]  # input plane, output plane
KERNELS = drawn(3, 3, 2)
BIAS = drawn(3)


def of_convolutions():
    kh, kw, dh, dw, padh, padw = 3, 2, 2, 1, 1, 1
    w = drawn(3, 2 * kh * kw)
    yield (
        f7.SpatialConvolutionMM(2, 3, kw, kh, dw, dh, padw, padh), {"weight": w, "bias": BIAS}, X,
        by_index((3, 4, 7), lambda o, i, j: BIAS[o] + summed((2, kh, kw), lambda c, m, n: (
            w[o, (c * kh + m) * kw + n] * at(X, c, i * dh + m - padh, j * dw + n - padw)))),
    )  # fmt: skip
    w3 = drawn(3, 2, 2, 2, 2)
    yield (
        f7.VolumetricDilatedConvolution(2, 3, 2, 2, 2, 1, 2, 2, 1, 0, 1, dilationt=3, dilationw=2, dilationh=1),
        {"weight": w3, "bias": BIAS}, V,
        by_index((3, 5, 4, 2), lambda o, t, i, j: BIAS[o] + summed((2, 2, 2, 2), lambda c, u, m, n: (
            w3[o, c, u, m, n] * at(V, c, t + u * 3 - 1, i * 2 + m - 1, j * 2 + n * 2)))),
    )  # fmt: skip
    yield (
        f7.SpatialConvolutionMap(TABLE, 2, 3, 1, 2), {"weight": KERNELS, "bias": BIAS[:2]}, X,
        by_index((2, 3, 5), lambda o, i, j: BIAS[o] + summed((3, 3, 2), lambda k, m, n: (
            (TABLE[k][1] == o + 1) * KERNELS[k, m, n] * X[TABLE[k][0] - 1, i * 2 + m, j + n]))),
    )  # fmt: skip
    yield (
        f7.SpatialFullConvolutionMap(TABLE, 2, 3, 1, 2), {"weight": KERNELS, "bias": BIAS[:2]}, X,
        by_index((2, 15, 7), lambda o, p, q: BIAS[o] + summed((3, 7, 6), lambda k, i, j: (
            (TABLE[k][1] == o + 1) * at(KERNELS, k, p - i * 2, q - j) * X[TABLE[k][0] - 1, i, j]))),
    )  # fmt: skip
    w4 = drawn(2, 2, 2, 2)
    yield (
        f7.SpatialBinaryConvolution(2, 2, 2, 2, 2, 1, 0, 1), {"weight": w4}, X,
        by_index((2, 8, 3), lambda o, i, j: abs(w4[o]).mean() * summed((2, 2, 2), lambda c, m, n: (
            np.sign(w4[o, c, m, n]) * at(X, c, i + m - 1, j * 2 + n)))),
    )  # fmt: skip
    first, one, three = drawn(2, 2), drawn(1, 2), drawn(2, 2, 3, 3)
    z = np.maximum(np.einsum("oc,cij->oij", first, X), 0)
    wide = np.pad(z, [(0, 0), (1, 1), (1, 1)])
    expanded = [
        np.einsum("oc,cij->oij", one, z),
        by_index((2, 7, 6), lambda o, i, j: (three[o] * wide[:, i : i + 3, j : j + 3]).sum()),
    ]
    weights = [first[..., None, None], [one[..., None, None], three]]
    zeros = [np.zeros(2, np.float32), [np.zeros(1, np.float32), np.zeros(2, np.float32)]]
    params = [
        {"weight": weights[0], "bias": zeros[0]}, {},
        [{"weight": w, "bias": b} for w, b in zip(weights[1], zeros[1], strict=True)], {},
    ]  # fmt: skip
    yield f7.FireModule(2, 2, 1, 2), [params], X[None], np.maximum(np.concatenate(expanded), 0)[None]


def clipped(i, n):
    return min(max(i, 0), n - 1)


def of_borders():
    left, right, top, bottom = 2, -1, -2, 3
    shape = (2, 7 + top + bottom, 6 + left + right)
    yield f7.SpatialZeroPadding, by_index(shape, lambda c, i, j: at(X, c, i - top, j - left))
    mirrored = {n: lambda i, n=n: min(abs(i), 2 * (n - 1) - abs(i)) for n in (6, 7)}
    yield (
        f7.SpatialReflectionPadding, by_index(shape, lambda c, i, j: X[c, mirrored[7](i - top), mirrored[6](j - left)]),
    )  # fmt: skip
    yield (
        f7.SpatialReplicationPadding, by_index(shape, lambda c, i, j: X[c, clipped(i - top, 7), clipped(j - left, 6)]),
    )  # fmt: skip


def of_borders_as_cases():
    yield from ((kind(2, -1, -2, 3), {}, X, expected) for kind, expected in of_borders())
    yield (
        f7.VolumetricReplicationPadding(1, 2, -1, 0, 3, -2), {}, V,
        by_index((2, 7, 6, 9), lambda c, t, i, j: V[c, clipped(t - 3, 6), clipped(i + 1, 7), clipped(j - 1, 6)]),
    )  # fmt: skip


def of_poolings():
    yield (
        f7.SpatialDilatedMaxPooling(2, 3, 1, 2, 0, 0, 3, 2), {}, X,
        by_index((2, 2, 3), lambda c, i, j: largest((3, 2), lambda m, n: X[c, i * 2 + m * 2, j + n * 3])),
    )  # fmt: skip
    yield (
        f7.VolumetricDilatedMaxPooling(2, 3, 2, 1, 2, 1, dilationt=3, dilationw=1, dilationh=2), {}, V,
        by_index((2, 3, 5, 2), lambda c, t, i, j: largest((2, 2, 3), lambda u, m, n: (
            V[c, t + u * 3, i + m * 2, j * 2 + n]))),
    )  # fmt: skip
    yield (
        f7.VolumetricAveragePooling(2, 3, 2, 1, 2, 1), {}, V,
        by_index((2, 5, 6, 2), lambda c, t, i, j: summed((2, 2, 3), lambda u, m, n: (
            V[c, t + u, i + m, j * 2 + n])) / 12),
    )  # fmt: skip

    def region(c, i, j):
        rows = slice(math.floor(i * 7 / 3), math.ceil((i + 1) * 7 / 3))
        return X[c, rows, math.floor(j * 6 / 4) : math.ceil((j + 1) * 6 / 4)]

    yield f7.SpatialAdaptiveMaxPooling(4, 3), {}, X, by_index((2, 3, 4), lambda *p: region(*p).max())
    yield f7.SpatialAdaptiveAveragePooling(4, 3), {}, X, by_index((2, 3, 4), lambda *p: region(*p).mean())
    values, places = drawn(1, 2, 2), np.array([[[2, 3], [5, 8]]], np.int32)  # from 1, row by row in 2 x 4 pixels
    given = dict(zip(places.ravel(), values.ravel(), strict=True))
    yield (
        f7.SpatialMaxUnpooling(f7.SpatialMaxPooling(2, 1, 2, 1)), {}, [values, places],
        by_index((1, 2, 4), lambda c, i, j: given.get(i * 4 + j + 1, 0)),
    )  # fmt: skip
    yield (
        f7.SpatialUpSamplingBilinear({"oheight": 9, "owidth": 4}), {}, X,
        by_index((2, 9, 4), lambda c, i, j: summed((7, 6), lambda p, q: (
            max(0, 1 - abs(i * 6 / 8 - p)) * max(0, 1 - abs(j * 5 / 3 - q)) * X[c, p, q]))),
    )  # fmt: skip
    yield (
        f7.SpatialReSampling({"owidth": 4, "rheight": 9.5 / 7}), {}, X,
        by_index((2, 9, 4), lambda c, i, j: summed((7, 6), lambda p, q: (
            max(0, 1 - abs(i * 6 / 8 - p)) * max(0, 1 - abs(j * 5 / 3 - q)) * X[c, p, q]))),
    )  # fmt: skip
    yield f7.SpatialUpSampling(3, 2), {}, X, by_index((2, 14, 18), lambda c, i, j: X[c, i // 2, j // 3])
    first = f7.SpatialUpSampling({"dW": 3, "dH": 2, "yDim": 1, "xDim": 2})
    yield first, {}, X.T, by_index((12, 21, 2), lambda i, j, c: X.T[i // 2, j // 3, c])
    larger = f7.SpatialReSamplingEx({"owidth": 13, "rheight": 9 / 7})
    yield larger, {}, X, by_index((2, 9, 13), lambda c, i, j: X[c, i // 2, j // 3])
    smaller = f7.SpatialReSamplingEx(None, None, 2, 3, "average")
    yield smaller, {}, X, by_index((2, 3, 2), lambda c, i, j: X[c, 2 * i : 2 * i + 2, 3 * j : 3 * j + 3].mean())
    first = f7.SpatialReSamplingEx(None, None, 2, 3, "simple", 1, 2)
    yield first, {}, X.T, by_index((3, 2, 2), lambda i, j, c: X.T[2 * i, 3 * j, c])
    places, image = drawn(3, 4, 2), drawn(5, 6, 2)
    r, c = (places[..., 0] + 1) * (5 - 1) / 2, (places[..., 1] + 1) * (6 - 1) / 2
    yield (
        f7.BilinearSamplerBHWD(), {}, [image, places],
        by_index((3, 4, 2), lambda i, j, d: summed((5, 6), lambda p, q: (
            max(0, 1 - abs(r[i, j] - p)) * max(0, 1 - abs(c[i, j] - q)) * image[p, q, d]))),
    )  # fmt: skip
    matrix = drawn(2, 3)
    yield (
        f7.AffineGridGeneratorBHWD(3, 4), {}, matrix,
        by_index((3, 4, 2), lambda i, j, d: matrix[d] @ [2 * i / (3 - 1) - 1, 2 * j / (4 - 1) - 1, 1]),
    )  # fmt: skip
    a, s, *t = parameters = drawn(4)
    rotation = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    whole = np.column_stack([s * rotation, s * rotation @ t])
    yield f7.AffineTransformMatrixGenerator(True, True, True), {}, parameters, whole
    yield f7.AffineTransformMatrixGenerator(True), {}, parameters[:1], np.column_stack([rotation, [0, 0]])
    yield f7.AffineTransformMatrixGenerator(False, False, True), {}, parameters[2:], np.column_stack([np.eye(2), t])
    yield f7.UpSampling(3), {}, X[None], by_index((1, 2, 21, 18), lambda b, c, i, j: X[c, i // 3, j // 3])


def of_pixels():
    total = np.exp(X).sum(0)
    yield f7.SpatialSoftMax(), {}, X, by_index(X.shape, lambda c, i, j: np.exp(X[c, i, j]) / total[i, j])
    yield f7.SpatialLogSoftMax(), {}, X, by_index(X.shape, lambda c, i, j: X[c, i, j] - np.log(total[i, j]))
    less, over = f7.SpatialSubtractiveNormalization(2), f7.SpatialDivisiveNormalization(2)
    yield f7.SpatialContrastiveNormalization(2), {}, X, lambda: applied(over, {}, applied(less, {}, X))
    yield f7.Clamp(-0.5, 0.25), {}, X, by_index(X.shape, lambda *p: max(-0.5, min(X[p], 0.25)))
    yield f7.Clip(-0.5, 0.25), {}, X, by_index(X.shape, lambda *p: max(-0.5, min(X[p], 0.25)))
    yield (
        f7.SpatialUniformCrop(4, 3),
        {},
        X,
        by_index((2, 4, 3), lambda c, i, j: X[c, 1 + i, 1 + j]),
    )  # the central one, in evaluation


def of_shapes():
    row_by_row = lambda k: X[k // 42, k // 6 % 7, k % 6]  # noqa: E731
    yield f7.Reshape(12, 7), {}, X, by_index((12, 7), lambda i, j: row_by_row(i * 7 + j))
    yield f7.Reshape(6, -1), {}, X, by_index((2, 6, 7), lambda b, i, j: row_by_row(42 * b + 7 * i + j))
    yield f7.Reshape(6, -1, False), {}, X, by_index((6, 14), lambda i, j: row_by_row(i * 14 + j))
    yield f7.View(-1, 21), {}, X, by_index((4, 21), lambda i, j: row_by_row(i * 21 + j))
    yield f7.Flatten(), {}, X, by_index((2, 42), lambda b, k: X[b, k // 6, k % 6])
    yield f7.Collapse(2), {}, X, by_index((2, 42), lambda b, k: X[b, k // 6, k % 6])
    yield f7.Replicate(3, 2), {}, X[0], by_index((7, 3, 6), lambda i, k, j: X[0, i, j])
    yield f7.Squeeze(2), {}, X[:, None, 0], by_index((2, 6), lambda i, j: X[i, 0, j])
    yield f7.Unsqueeze(2), {}, X[0], by_index((7, 1, 6), lambda i, _, j: X[0, i, j])
    yield f7.Transpose((1, 3)), {}, X, by_index((6, 7, 2), lambda j, i, k: X[k, i, j])
    yield f7.Padding(1, -2, value=5), {}, X[0, 0], by_index((8,), lambda i: X[0, 0, i - 2] if i + 1 > 2 else 5)
    yield f7.Convert("bchw", "bhwc"), {}, X[None], by_index((1, 7, 6, 2), lambda b, h, w, c: X[c, h, w])
    rows = {"weight": drawn(4, 2)}
    words = np.array([2, 0, 3], np.int32)
    yield (
        f7.LookupTableMaskZero(3, 2), rows, words,
        by_index((3, 2), lambda j, k: rows["weight"][words[j], k] if words[j] > 0 else 0),
    )  # fmt: skip
    kept = (X > 0).astype(np.int32)
    yield f7.MaskedSelect(size=int(kept.sum())), {}, [X, kept], X[kept != 0]


def of_modules_inside():
    inner = {"weight": drawn(2, 3), "bias": drawn(2)}
    x = drawn(2, 4, 3)
    linear = x @ inner["weight"].T + inner["bias"]
    for around in (f7.Decorator, f7.Serial, f7.DataParallelTable, f7.GPU, f7.DontCast):
        first = (1,) if around is f7.DataParallelTable else ()
        last = (1,) if around is f7.GPU else ()
        yield around(*first, f7.Linear(3, 2), *last), [inner], x[0], linear[0]
    yield f7.Bottle(f7.Linear(3, 2)), [inner], x, linear
    kept = np.array([[1], [0], [1], [1]], np.float32)
    yield f7.MaskZero(f7.Linear(3, 2), 1), [inner], x[0] * kept, linear[0] * kept
    scale = abs(inner["weight"]).max(1, keepdims=True) / 127
    rounded = scale * np.round(inner["weight"] / scale)
    yield f7.FakeQuantized(f7.Linear(3, 2)), inner, x[0], x[0] @ rounded.T + inner["bias"]
    columns = [f7.SpatialConvolution(2, 1, 1, 1), f7.SpatialConvolution(2, 2, 3, 3)]
    params = [{"weight": drawn(n, 2, k, k), "bias": drawn(n)} for n, k in ((1, 1), (2, 3))]

    def joined():
        outputs = [applied(column, each, X) for column, each in zip(columns, params, strict=True)]
        return np.concatenate([outputs[0], np.pad(outputs[1], [(0, 0), (1, 1), (1, 1)])])

    yield f7.DepthConcat(1, *columns), params, X, joined


CASES = [
    *of_convolutions(), *of_borders_as_cases(), *of_poolings(), *of_pixels(), *of_shapes(), *of_modules_inside(),
]  # fmt: skip


@pytest.mark.parametrize(("module", "params", "input", "expected"), CASES, ids=[type(row[0]).__name__ for row in CASES])
def test_a_module_gives_what_its_formula_says(module, params, input, expected):
    expected = expected() if callable(expected) else expected
    output = applied(module, params, jax.tree.map(jnp.asarray, input))
    assert output.shape == expected.shape
    np.testing.assert_allclose(output, expected, rtol=2e-5, atol=2e-5)


def test_the_cropped_target_begins_at_half_of_what_is_left():
    x, y = drawn(1, 2, 3), drawn(1, 5, 6)
    p, q = (5 - 2) // 2, (6 - 3) // 2
    expected = summed((1, 2, 3), lambda c, i, j: (x[c, i, j] - y[c, p + i, q + j]) ** 2) / 6
    assert float(jax.jit(f7.SpatialAutoCropMSECriterion())(x, y)) == pytest.approx(expected, rel=1e-5)


def test_the_vertices_of_a_simplex_are_unit_vectors_equally_far_from_each_other():
    n, criterion = 4, jax.jit(f7.ClassSimplexCriterion(4, size_average=False))
    # |x - v_t|^2 at x = 0 and at the axes is enough to find v_t.
    squares = np.array(
        [[criterion(x, jnp.int32(t + 1)) for x in np.vstack([np.zeros(n), np.eye(n)])] for t in range(n)]
    )
    vertices = (squares[:, :1] + 1 - squares[:, 1:]) / 2
    np.testing.assert_allclose((vertices**2).sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(vertices @ vertices.T - np.eye(n), (np.eye(n) - 1) / (n - 1), atol=1e-5)
