"""Weights of 8 bits: sizes, errors, accuracy on digits, training with rounded numbers, files."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from cases import MODULES

import functorch7 as f7
from functorch7.interop import safetensors
from functorch7.interop.stablehlo import export, load_exported
from functorch7.legacy import nn as legacy_nn
from functorch7.legacy import torch as legacy_torch
from functorch7.legacy import wrap
from functorch7.network import structure_of
from functorch7.training import init_state, make_train_step

IMAGES = f7.Sequential(
    f7.SpatialConvolution(1, 8, 3, 3), f7.SpatialBatchNormalization(8), f7.ReLU(), f7.SpatialMaxPooling(2, 2, 2, 2),
    f7.View(72), f7.Linear(72, 32), f7.ReLU(), f7.Linear(32, 10), f7.LogSoftMax(),
)  # fmt: skip


def nbytes(tree):
    return sum(leaf.nbytes for leaf in jax.tree.leaves(tree))


@pytest.fixture(scope="module")
def digits():
    """Images of scikit-learn's digits, two thirds of them for training, and their classes."""
    found = pytest.importorskip("sklearn.datasets").load_digits()
    order = np.random.default_rng(0).permutation(len(found.target))
    images, classes = np.asarray(found.images, np.float32)[order, None] / 16, found.target[order] + 1
    return (images[:1200], classes[:1200]), (images[1200:], classes[1200:])


def trained(module, variables, batch, steps):
    optimizer = optax.sgd(0.1, momentum=0.9)
    step = make_train_step(module, f7.ClassNLLCriterion(), optimizer)
    state = init_state(module, optimizer, variables)
    for _ in range(steps):
        state, _ = step(state, batch, None)
    return state.params, state.buffers


@pytest.fixture(scope="module")
def network(digits):
    return trained(IMAGES, IMAGES.init(jax.random.key(0)), digits[0], 60)


def accuracy(module, params, buffers, batch):
    output, _ = jax.jit(module.apply)(params, buffers, batch[0])
    return float((np.asarray(output).argmax(1) + 1 == batch[1]).mean())


def test_accuracy_on_digits_stays_within_one_percent(digits, network):
    training, test = digits
    params, buffers = network
    exact = accuracy(IMAGES, params, buffers, test)
    assert exact > 0.9
    seeing, ranges = f7.observed(IMAGES, buffers)
    for batch in np.split(training[0][:400], 2):
        _, ranges = jax.jit(seeing.apply)(params, ranges, batch)
    small = {
        "weights": f7.quantize(IMAGES, params, buffers),
        "dynamic": f7.quantize(IMAGES, params, buffers, dynamic=True),
        "static": f7.quantize(seeing, params, ranges),
    }
    kinds = {
        name: [each.activations for each in m.modules if isinstance(each, f7.Quantized)]
        for name, (m, _) in small.items()
    }
    assert kinds == {
        "weights": ["float"] * 3,
        "dynamic": ["float"] + ["dynamic"] * 2,
        "static": ["float"] + ["static"] * 2,
    }
    for name, (module, variables) in small.items():
        assert abs(accuracy(module, *variables, test) - exact) <= 0.01, name
        size = nbytes([variables.params[5], variables.buffers[5]])
        assert 3.3 < nbytes(params[5]) / size < 4, name  # biases and scales stay float32
        given = ranges if name == "static" else buffers
        assert module.modules[1] == IMAGES.modules[1] and variables.buffers[1] is given[1]


def test_training_with_rounded_numbers_ends_in_the_converted_network(digits, network):
    training, test = digits
    rounding = f7.fake_quantized(IMAGES, dynamic=True)
    assert jax.tree.map(jnp.shape, tuple(structure_of(rounding))) == jax.tree.map(
        jnp.shape, tuple(structure_of(IMAGES))
    )
    params, buffers = trained(rounding, f7.Variables(*network), (training[0][:256], training[1][:256]), 3)
    small, variables = f7.quantize(rounding, params, buffers)
    assert [each.activations for each in small.modules if isinstance(each, f7.Quantized)] == [
        "float",
        "dynamic",
        "dynamic",
    ]
    rounded, _ = jax.jit(rounding.apply)(params, buffers, test[0][:32])
    np.testing.assert_allclose(jax.jit(small.apply)(*variables, test[0][:32])[0], rounded, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "layer, axis", [(f7.LookupTable(6, 5), 0), (f7.SpatialFullConvolution(2, 3, 2, 2), 1)], ids=str
)  # fmt: skip
def test_weights_are_the_nearest_of_255(layer, axis, key):
    params, _ = layer.init(key)
    _, (rest, buffers) = f7.quantize(layer, params, {})
    weight = np.asarray(params["weight"], np.float64)
    largest = np.abs(weight).max(tuple(a for a in range(weight.ndim) if a != axis), keepdims=True)
    assert buffers["weight"].dtype == np.int8 and buffers["weight"].shape == weight.shape and "weight" not in rest
    np.testing.assert_allclose(buffers["weight_scale"], largest / 127, rtol=1e-6)
    errors = np.abs(np.asarray(buffers["weight"]) * (largest / 127) - weight)
    assert (errors <= 0.5001 * largest / 127).all() and np.abs(buffers["weight"]).max() == 127


def test_dynamic_products_are_those_of_whole_numbers(key):
    linear, input = f7.Linear(6, 5), np.random.default_rng(0).normal(size=(3, 6)).astype(np.float32)
    small, (params, buffers) = f7.quantize(linear, *linear.init(key), dynamic=True)
    scale = np.abs(input).max(1, keepdims=True) / np.float32(127)
    whole = np.rint(input / scale).astype(np.int32) @ np.asarray(buffers["weight"], np.int32).T
    expected = whole * scale * np.asarray(buffers["weight_scale"]).T + np.asarray(params["bias"])
    np.testing.assert_allclose(small.apply(params, buffers, input)[0], expected, rtol=1e-5, atol=1e-6)
    text = str(jax.make_jaxpr(small.apply)(params, buffers, input))
    assert "i32[3,5] = dot_general" in text and "preferred_element_type=int32" in text
    largest = np.float32([[3.98221064], [1.99435163], [3.0]])  # of the first two, 127 times a 127th part is less
    assert (127 * (largest / 127) < largest).ravel().tolist() == [True, True, False]
    input = largest * np.float32([1, -1, 0.5, 0.25, 0, 0.75])
    _, pull = jax.vjp(lambda input: small.apply(params, buffers, input)[0], jnp.asarray(input))
    slopes = (np.asarray(buffers["weight"]) * np.asarray(buffers["weight_scale"])).sum(0)
    np.testing.assert_allclose(pull(jnp.ones((3, 5)))[0], np.tile(slopes, (3, 1)), rtol=1e-5)
    zero, _ = small.apply(params, buffers, np.zeros((1, 6), np.float32))
    np.testing.assert_array_equal(zero[0], params["bias"])


def test_gradients_go_straight_through(key):
    linear, input = f7.Linear(4, 3), jnp.asarray(np.random.default_rng(1).normal(size=(5, 4)), jnp.float32)
    params, _ = linear.init(key)
    rounding = f7.fake_quantized(linear)

    def loss(module):
        return lambda params, input: (module.apply(params, {}, input)[0] * jnp.arange(3.0)[None]).sum()

    exact, straight = jax.grad(loss(linear), (0, 1))(params, input), jax.grad(loss(rounding), (0, 1))(params, input)
    np.testing.assert_allclose(straight[0]["weight"], exact[0]["weight"], rtol=1e-5)  # as if nothing were rounded
    np.testing.assert_array_equal(straight[0]["bias"], exact[0]["bias"])
    scale = np.abs(params["weight"]).max(1, keepdims=True) / 127
    near = np.rint(params["weight"] / scale) * scale  # the input's gradient is that of the rounded weight
    np.testing.assert_allclose(straight[1][0], np.arange(3) @ near, rtol=1e-5)
    assert (np.asarray(straight[1]) != exact[1]).any()


def test_files_keep_int8(key, tmp_path):
    pytest.importorskip("safetensors")
    module = f7.Sequential(f7.Linear(8, 4), f7.BatchNormalization(4))
    small, variables = f7.quantize(module, *module.init(key))
    state = f7.state_dict(small, variables)
    assert {name: str(array.dtype) for name, array in state.items()}["0.weight"] == "int8"
    assert set(state) == set(f7.state_dict(module, module.init(key))) | {"0.weight_scale"}
    safetensors.save(tmp_path / "small.safetensors", small, *variables)
    loaded = safetensors.load(tmp_path / "small.safetensors", small)
    assert loaded.buffers[0]["weight"].dtype == np.int8
    jax.tree.map(np.testing.assert_array_equal, tuple(loaded), tuple(variables))
    pytest.importorskip("flatbuffers")
    served = load_exported(export(small, *variables, ("batch", 8)))
    assert "tensor<4x8xi8>" in served.exported.mlir_module()
    input = np.ones((3, 8), np.float32)
    np.testing.assert_allclose(served(input), small.apply(*variables, input)[0], rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match="nn.Quantized @ nn.Linear.*: Torch7 has no such layer"):
        f7.save_model(tmp_path / "small.t7", small, *variables)


def test_names_and_hooks_stay_with_their_layers(key):
    named = f7.Sequential(f7.Linear(3, 2).named("first"), f7.Tanh())
    params, buffers = named.init(key)
    seeing, inside = f7.compression.observed(named, buffers)
    assert f7.find(seeing, "first") == f7.find(f7.compression.fake_quantized(named), "first") == (0,)
    seeing, (rest, held) = f7.quantize(seeing, params, seeing.apply(params, inside, np.ones((2, 3), np.float32))[1])
    assert f7.find(seeing, "first") == (0,) == f7.find(f7.quantize(named, params, buffers)[0], "first")
    hooked = f7.hooked(named.modules[0], forward=lambda module, input, output: 0 * output)
    small, (rest, held) = f7.quantize(hooked, params[0], buffers[0])
    assert not small.apply(rest, held, np.ones((2, 3), np.float32))[0].any()


def test_what_is_inside_others(key):
    linear = f7.Linear(3, 3)
    tied = f7.Shared(
        f7.Sequential(linear, f7.Tanh(), linear), (((0, "weight"), (2, "weight")), ((0, "bias"), (2, "bias")))
    )
    params, buffers = tied.init(key)
    small, (rest, held) = f7.quantize(tied, params, buffers)
    assert small.ties == (((0, "bias"), (2, "bias")),) and rest[0][2] == {"bias": None}
    np.testing.assert_array_equal(held[0][0]["weight"], held[0][2]["weight"])
    input = np.ones((2, 3), np.float32)
    np.testing.assert_allclose(small.apply(rest, held, input)[0], tied.apply(params, buffers, input)[0], atol=0.02)
    steps = f7.Sequencer(f7.Sequential(f7.Linear(3, 4), f7.FastLSTM(4, 2)))
    small, (rest, held) = f7.quantize(steps, *steps.init(key))
    sequence = np.ones((5, 2, 3), np.float32)
    text = str(small)
    assert text.count("nn.Quantized") == 2 and "nn.Quantized @ nn.Linear(3 -> 4)" in text
    assert "nn.Quantized @ nn.FastLSTM(4 -> 2)" in text
    expected, _ = steps.apply(*steps.init(key), sequence)
    np.testing.assert_allclose(small.apply(rest, held, sequence)[0], expected, atol=0.02)


def test_ranges_are_those_of_all_steps_and_batches(key):
    module = f7.Sequencer(f7.Linear(3, 2))
    params, buffers = module.init(key)
    seeing, ranges = f7.observed(module, buffers)
    watch = jax.jit(seeing.apply)
    for sequence in (np.ones((4, 1, 3), np.float32), np.float32([[[1, -5, 1]], [[0, 0, 2]], [[0, 0, 0]], [[1, 1, 1]]])):
        _, ranges = watch(params, ranges, sequence)
    assert jax.tree.leaves(ranges) == [5]
    small, (_, held) = f7.quantize(seeing, params, ranges)
    assert "Quantized" in str(small) and min(
        float(a.min()) for a in jax.tree.leaves(held) if a.shape == ()
    ) == np.float32(5 / 127)


def test_layers_of_a_graph(key):
    first = f7.Node(f7.Linear(3, 3))
    graph = f7.Graph([first], [f7.Node(f7.CAddTable(), first - f7.Tanh(), first)])
    small, variables = f7.quantize(graph, *graph.init(key))
    expected, _ = graph.apply(*graph.init(key), np.ones((2, 3), np.float32))
    np.testing.assert_allclose(small.apply(*variables, np.ones((2, 3), np.float32))[0], expected, atol=0.02)
    assert [type(each) for each in small.modules].count(f7.Quantized) == 1


def test_legacy_networks(network, digits):
    net = wrap(IMAGES, *network).evaluate()
    small = net.quantize()
    images = legacy_torch.Tensor(digits[1][0][:4])
    module, variables = f7.quantize(IMAGES, *network)
    expected, _ = module.apply(*variables, np.asarray(images))
    np.testing.assert_allclose(np.asarray(small.forward(images)), expected, rtol=1e-4, atol=1e-4)
    assert not small.train and net.get(6).weight.shape == (32, 72)  # a new object
    assert small.get(6).weight.dtype == np.int8 and "nn.Quantized @ nn.Linear(72 -> 32)" in str(small)
    assert len(small.parameters()[0]) == len(net.parameters()[0]) - 3
    small.training()
    before = np.array(small.get(8).bias)
    small.forward(images)
    small.backward(images, np.ones((4, 10), np.float32))
    small.updateParameters(0.1)
    assert (np.asarray(small.get(8).bias) != before).any()
    copy = small.clone().double()
    assert copy.get(6).weight.dtype == np.int8 and copy.get(6).weight_scale.dtype == np.float64
    module, variables = small.functional()
    assert module.modules[5] == f7.Quantized(IMAGES.modules[5]) and variables.buffers[5]["weight"].dtype == np.int8


OF_8_BITS = [
    *((f7.Quantized(c.module), c.input, c.train) for c in MODULES if c.module.traits.scaled_axes),
    *((f7.Quantized(f7.Linear(3, 2), how), np.ones((4, 3), np.float32), True) for how in ("dynamic", "static")),
    (f7.Quantized(f7.Sequencer(f7.GRU(3, 2))), np.ones((4, 2, 3), np.float32), True),
]


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_a_network_whose_parameters_are_cast_computes_in_their_type(dtype):
    """As in a step of training with compute_dtype. The scales are buffers, which stay float32."""
    checked = set()
    with jax.enable_x64(dtype == "float64"):
        for module, input, train in OF_8_BITS:
            params, buffers = jax.eval_shape(module.init, jax.random.key(0))
            params = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, dtype), params)
            input = jax.tree.map(lambda leaf: leaf.astype(dtype) if leaf.dtype.kind == "f" else leaf, input)
            call = partial(module.apply, key=jax.random.key(0), train=train)
            if jax.tree.leaves(params):
                output, _ = jax.eval_shape(call, params, buffers, input)
                assert {leaf.dtype.name for leaf in jax.tree.leaves(output)} == {dtype}, module
                checked.add(type(module.module))
    assert {f7.Linear, f7.SpatialConvolution, f7.Sequencer, f7.SeqLSTMP, f7.StepLSTM} <= checked


def test_networks_of_float64_stay_so():
    net = legacy_nn.Sequential(legacy_nn.Linear(3, 4), legacy_nn.Linear(4, 2)).double()
    small, input = net.quantize(), np.random.default_rng(0).normal(size=(5, 3))
    assert small.forward(input).dtype == small.get(1).weight_scale.dtype == np.float64
    np.testing.assert_array_equal(small.get(1).bias.numpy(), net.get(1).bias.numpy())
    np.testing.assert_allclose(small.forward(input).numpy(), net.forward(input).numpy(), atol=0.02)


def test_hooks_are_called_as_in_a_clone():
    net, input = legacy_nn.Sequential(legacy_nn.Linear(3, 4), legacy_nn.Tanh()), np.ones((2, 3), np.float32)
    seen = []
    net.register_forward_hook(lambda module, input, output: seen.append(module))
    net.get(1).register_forward_hook(lambda module, input, output: seen.append(module))
    handle = net.get(2).register_forward_hook(lambda module, input, output: output * 0 + 3)
    net.forward(input)
    seen.clear()
    for made in (net.quantize(), net.clone()):
        assert (made.forward(input).numpy() == 3).all() and seen == [made.get(1), made]
        seen.clear()
    handle.remove()
    assert (net.quantize().forward(input).numpy() != 3).all()


def test_what_cannot_be_quantized(key):
    for make in (f7.Quantized, f7.FakeQuantized, f7.Observed):
        with pytest.raises(TypeError, match=r"expected (a module with .* such as nn.Linear|nn.Linear)"):
            make(f7.Tanh())
    with pytest.raises(TypeError, match="Observed: expected nn.Linear, got nn.SpatialConvolution"):
        f7.Observed(f7.SpatialConvolution(1, 2, 3, 3))
    with pytest.raises(ValueError, match="expected activations float, got 'dynamic'"):
        f7.Quantized(f7.LookupTable(3, 2), "dynamic")
    with pytest.raises(ValueError, match="keeps its floats"):
        f7.Quantized(f7.LookupTable(3, 2).set_max_norm(1.0))
    with pytest.raises(TypeError, match="quantize: expected classes with .* such as nn.Linear"):
        f7.quantize(f7.Tanh(), {}, {}, layers=(f7.Tanh,))
    seeing, ranges = f7.observed(f7.Linear(3, 2), {})
    with pytest.raises(ValueError, match="has seen no input"):
        f7.quantize(seeing, seeing.init(key).params, ranges)
    for layers, given in ((f7.Linear, "a list of classes"), (["Linear"], "got 'Linear'"), ([f7.Tanh()], "got nn.Tanh")):
        with pytest.raises(TypeError, match=f"quantize: .*{given}"):
            f7.quantize(f7.Tanh(), {}, {}, layers=layers)
    with pytest.raises(ValueError, match=r"quantize: nn.Linear.*: expected params\[.weight.\] of shape \(2, 3\), got"):
        f7.quantize(f7.Linear(3, 2), *f7.Linear(4, 2).init(key))
    only, _ = f7.quantize(IMAGES, *IMAGES.init(key), layers=[f7.Linear])
    assert only.modules[0] == IMAGES.modules[0] and isinstance(only.modules[5], f7.Quantized)
    table = f7.Sequential(f7.LookupTable(3, 2).set_max_norm(1.0))
    assert f7.quantize(table, *table.init(key))[0] == table


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_seen(key, wrong):
    """No scale makes a whole number of it: weights and ranges are refused, and an output is nan where its input was."""
    layer, (params, buffers) = f7.Linear(3, 2), f7.Linear(3, 2).init(key)
    broken = {**params, "weight": params["weight"].at[1, 2].set(wrong)}
    with pytest.raises(ValueError, match=r"Linear\(3 -> 2\): expected a finite weight, got nan or infinity"):
        f7.quantize(layer, broken, buffers)
    input = jnp.ones((2, 3)).at[1, 0].set(wrong)
    small, variables = f7.quantize(layer, params, buffers, dynamic=True)
    assert np.isfinite(small.apply(*variables, input)[0]).all(1).tolist() == [True, False]
    seeing, ranges = f7.observed(layer, buffers)
    with pytest.raises(ValueError, match="has seen an input with nan or infinity"):
        f7.quantize(seeing, params, seeing.apply(params, ranges, input)[1])
