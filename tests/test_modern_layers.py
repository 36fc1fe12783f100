"""Layers of today's networks, beside Torch's: their formulas, written out in NumPy and SciPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf

import functorch7 as f7
from functorch7.interop import pytorch
from functorch7.legacy import nn, torch

RANDOM = np.random.default_rng(0)
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
X = RANDOM.normal(size=(2, 4, 3, 2)).astype(np.float32) * 3 + 1


def out(module, input, params=None, **options):
    made, buffers = module.init(jax.random.key(0))
    return np.asarray(module.apply(made if params is None else params, buffers, input, **options)[0])


def standard(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def random_like(tree):
    return jax.tree.map(lambda leaf: RANDOM.normal(size=leaf.shape).astype(np.float32), tree)


def test_normalisations_of_single_examples():
    own = {"weight": np.float32([[1, 2], [3, 4], [0, -1]]), "bias": np.float32([[0, 1], [2, 0], [1, 1]])}
    np.testing.assert_allclose(
        out(f7.LayerNorm([3, 2]), X, own), standard(X, (2, 3)) * own["weight"] + own["bias"], **CLOSE
    )
    np.testing.assert_allclose(out(f7.LayerNorm(2, 0.5, False), X), standard(X, 3, 0.5), **CLOSE)
    squares = np.sqrt((X * X).mean(3, keepdims=True) + 1e-6)
    np.testing.assert_allclose(out(f7.RMSNorm(2), X, {"weight": np.float32([2, 3])}), X / squares * [2, 3], **CLOSE)
    planes = {"weight": np.float32([1, 2, 3, 4]), "bias": np.float32([4, 3, 2, 1])}
    grouped = standard(X.reshape(2, 2, 12), 2).reshape(X.shape)
    scaled = grouped * planes["weight"].reshape(4, 1, 1) + planes["bias"].reshape(4, 1, 1)
    np.testing.assert_allclose(out(f7.GroupNorm(2, 4), X, planes), scaled, **CLOSE)
    with pytest.raises(ValueError, match=r"nn.GroupNorm\(3, 4\): expected planes in 3 equal groups, got 4"):
        f7.GroupNorm(3, 4)


def test_smooth_rectifiers():
    formulas = {
        f7.GELU(): X / 2 * (1 + erf(X / np.sqrt(2))),
        f7.GELU(approximate=True): X / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3))),
        f7.SiLU(): X / (1 + np.exp(-X)),
        f7.Mish(): X * np.tanh(np.log1p(np.exp(X))),
    }
    for module, expected in formulas.items():
        np.testing.assert_allclose(out(module, X), expected, **CLOSE)


def test_a_convolution_in_groups_is_convolutions_of_the_groups_side_by_side():
    whole = f7.SpatialConvolution(4, 6, 2, 1, groups=2)
    params, _ = whole.init(jax.random.key(0))
    assert params["weight"].shape == (6, 2, 1, 2) and str(whole) == "nn.SpatialConvolution(4 -> 6, 2x1) in 2 groups"
    assert float(jnp.abs(params["weight"]).max()) <= 1 / np.sqrt(4)  # a kernel has 2 x 1 x 2 numbers
    halves = [{name: array[3 * i : 3 * i + 3] for name, array in params.items()} for i in range(2)]
    apart = [out(f7.SpatialConvolution(2, 3, 2, 1), X[:, 2 * i : 2 * i + 2], halves[i]) for i in range(2)]
    np.testing.assert_allclose(out(whole, X, params), np.concatenate(apart, 1), **CLOSE)
    as_matrix = {**params, "weight": params["weight"].reshape(6, -1)}
    np.testing.assert_array_equal(
        out(f7.SpatialConvolutionMM(4, 6, 2, 1, groups=2), X, as_matrix), out(whole, X, params)
    )
    with pytest.raises(ValueError, match="expected planes in 3 equal groups, got 4 and 6"):
        f7.SpatialConvolution(4, 6, 2, 1, groups=3)


def test_groups_are_kept_in_files_and_other_interfaces(tmp_path):
    layer = nn.SpatialConvolution(4, 6, 2, 1, groups=2)
    torch.save(tmp_path / "layer.t7", layer)
    again = torch.load(tmp_path / "layer.t7")
    assert str(again) == str(layer)
    np.testing.assert_array_equal(again.forward(torch.Tensor(X)).array, layer.forward(torch.Tensor(X)).array)
    module, (params, buffers) = layer.functional()
    back = pytorch.from_pytorch(module, {"weight": params["weight"], "bias": params["bias"]})
    np.testing.assert_array_equal(module.apply(*back, X)[0], module.apply(params, buffers, X)[0])


def test_attention_is_the_mean_of_values_by_likeness_of_keys_and_queries():
    module = f7.MultiHeadAttention(4, heads=2)
    params = random_like(module.init(jax.random.key(0)).params)
    queries, keys = X[:, :, :, 0].swapaxes(1, 2), X[:, :, 1, :].swapaxes(1, 2)  # 2 x 3 x 4, 2 x 2 x 4
    seen = np.array([[True, False], [True, True], [False, True]])

    def linear(name, x):
        return x @ params[name]["weight"].T + params[name]["bias"]

    def attended(seen):
        q, k, v = linear("queries", queries), linear("keys", keys), linear("values", keys)
        found = np.zeros_like(q)
        for example, head in np.ndindex(2, 2):
            part = slice(2 * head, 2 * head + 2)
            likeness = np.exp(q[example, :, part] @ k[example, :, part].T / np.sqrt(2)) * seen
            found[example, :, part] = likeness / likeness.sum(1, keepdims=True) @ v[example, :, part]
        return linear("output", found)

    np.testing.assert_allclose(
        out(module, [queries, keys, keys], params), attended(np.ones((3, 2))), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(out(module, [queries, keys, keys, seen], params), attended(seen), **CLOSE)


def test_causal_attention_does_not_look_ahead_and_no_query_without_keys_gives_nan():
    module = f7.MultiHeadAttention(4, heads=2, causal=True)
    params, _ = module.init(jax.random.key(0))
    sequence = X[:, :, :, 0].swapaxes(1, 2)
    changed = sequence.copy()
    changed[:, 2] += 1
    one, other = out(module, sequence, params), out(module, changed, params)
    np.testing.assert_array_equal(one[:, :2], other[:, :2])
    assert not np.allclose(one[:, 2], other[:, 2])
    assert np.isfinite(out(module, [sequence] * 3 + [np.zeros((3, 3), bool)], params)).all()


def test_embedding_takes_indices_of_any_shape():
    params, _ = f7.Embedding(5, 3).init(jax.random.key(0))
    indices = np.array([[[1, 5]], [[2, 2]]])
    np.testing.assert_array_equal(out(f7.Embedding(5, 3), indices, params), np.asarray(params["weight"])[indices - 1])
    np.testing.assert_array_equal(out(f7.Flatten(), X), X.reshape(2, -1))
