"""cudnn's recurrent layers, by the formulas of cuDNN's documentation, alone and as objects that keep state."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import t7
from functorch7.legacy import cudnn, torch

T, B, D, H = 4, 2, 3, 5
STEPS = {
    "RNNReLU": lambda x, u, h, c: (np.maximum(x[0] + u[0], 0), None),
    "RNNTanh": lambda x, u, h, c: (np.tanh(x[0] + u[0]), None),
    "LSTM": lambda x, u, h, c: lstm(*(each + other for each, other in zip(x, u, strict=True)), c),
    "GRU": lambda x, u, h, c: gru(x, u, h),
}
"""(h', c') of a step from each gate's x W + b, each gate's h U + b', and the state, in cuDNN's order of gates."""


def values(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(i, f, g, o, c):
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru(x, u, h):
    reset, update = sigmoid(x[0] + u[0]), sigmoid(x[1] + u[1])
    return (1 - update) * np.tanh(x[2] + reset * u[2]) + update * h, None


def by_formula(name, vector, layers, directions, xs, states):
    """(outputs, last states), with numbers taken off a vector in cuDNN's order: all matrices first, then all biases."""
    gates = {"LSTM": 4, "GRU": 3}.get(name, 1)
    left = list(vector)

    def take(*shape):
        taken = [left.pop(0) for _ in range(int(np.prod(shape)))]
        return np.array(taken).reshape(shape)

    places = [(layer, way) for layer in range(layers) for way in range(directions)]
    sizes = [D if layer == 0 else directions * H for layer, _ in places]
    matrices = [([take(H, size) for _ in range(gates)], [take(H, H) for _ in range(gates)]) for size in sizes]
    biases = [([take(H) for _ in range(gates)], [take(H) for _ in range(gates)]) for _ in places]
    assert not left
    ends = []
    for layer in range(layers):
        outputs = []
        for way in range(directions):
            place = layer * directions + way
            (of_x, of_h), (bias_x, bias_h) = matrices[place], biases[place]
            h, c = (state[place] for state in states)
            run = []
            for x in xs[::-1] if way else xs:
                sums_x = [x @ m.T + b for m, b in zip(of_x, bias_x, strict=True)]
                sums_h = [h @ m.T + b for m, b in zip(of_h, bias_h, strict=True)]
                h, c = STEPS[name](sums_x, sums_h, h, c)
                run.append(h)
            outputs.append(run[::-1] if way else run)
            ends.append((h, c))
        xs = [np.concatenate(each, -1) for each in zip(*outputs, strict=True)]
    return np.stack(xs), ends


@pytest.mark.parametrize(("name", "layers", "directions"), [
    ("RNNReLU", 2, 1), ("RNNTanh", 1, 2), ("LSTM", 2, 2), ("LSTM", 3, 1), ("GRU", 2, 2), ("GRU", 1, 1),
])  # fmt: skip
def test_layers_in_a_row_are_those_of_the_formulas(name, layers, directions):
    with jax.enable_x64(True):
        module = getattr(f7, f"Cudnn{name}")(D, H, layers, bidirectional=directions == 2).remember()
        params, buffers = module.init(jax.random.key(0))
        vector = values(*params["weight"].shape)
        h, c = values(layers * directions, B, H, seed=1), values(layers * directions, B, H, seed=2)
        given = {"hidden": jnp.asarray(h), "cell": jnp.asarray(c)}
        start = {piece: given[piece] for piece in buffers}
        xs = values(T, B, D, seed=3)
        outputs, new = module.apply({"weight": jnp.asarray(vector)}, start, jnp.asarray(xs))
    expected, ends = by_formula(name, vector, layers, directions, list(xs), (h, c))
    np.testing.assert_allclose(outputs, expected, rtol=1e-10)
    for piece, wanted in zip(("hidden", "cell"), zip(*ends, strict=True), strict=True):
        if piece in new:
            np.testing.assert_allclose(new[piece], np.stack(wanted), rtol=1e-10)


def test_dropout_is_between_layers_in_training_alone():
    module = f7.CudnnRNNReLU(D, H, 2, dropout=0.5)
    params, buffers = module.init(jax.random.key(0))
    xs = jnp.asarray(values(T, B, D), jnp.float32)
    one = f7.CudnnRNNReLU(D, H, 1, dropout=0.5)
    assert not one.draws(True) and not module.draws(False)
    plain = module.apply(params, buffers, xs)[0]
    drawn = [module.apply(params, buffers, xs, key=jax.random.key(i), train=True)[0] for i in (0, 0, 1)]
    assert (drawn[0] == drawn[1]).all() and not (drawn[0] == drawn[2]).all() and not (drawn[0] == plain).all()
    with pytest.raises(ValueError, match="cudnn.LSTM: expected 0 <= dropout < 1, got 1"):
        f7.CudnnLSTM(D, H, 2, dropout=1)
    with pytest.raises(ValueError, match=r"cudnn.RNN: expected a kind of RNN_RELU, .*, got 'lstm'"):
        f7.CudnnRNN(D, H, 2, kind="lstm")


def test_without_matrices_the_input_itself_is_added_in_each_gate():
    module = f7.CudnnBGRU(H, H, 2, skip_input=True)
    params, buffers = module.init(jax.random.key(0))
    (no_x, *_), (none, *_), *above = module.parts(params["weight"])
    assert no_x.size == none.size == 0 and [of_x.shape for of_x, *_ in above] == [(3 * H, 2 * H)] * 2
    whole = f7.CudnnBGRU(H, H, 2)
    ones = jnp.tile(jnp.eye(H), (3, 1)).reshape(-1)  # W of both directions, each before U
    size = 3 * H * H
    vector = jnp.concatenate([ones, params["weight"][:size], ones, params["weight"][size:]])
    xs = jnp.asarray(values(T, B, H), jnp.float32)
    expected = whole.apply({"weight": vector}, buffers, xs)[0]
    np.testing.assert_allclose(module.apply(params, buffers, xs)[0], expected, rtol=1e-5)
    with pytest.raises(ValueError, match="cudnn.RNN: skip_input needs inputs as large as the state, got input_size 3"):
        f7.CudnnRNN(D, H, 1, skip_input=True)
    layer = cudnn.RNN(H, H, 1)
    layer.inputMode = "CUDNN_SKIP_INPUT"
    assert [part.nElement() for part in layer.weights()[0]] == [H * H]
    assert torch.deserialize(torch.serialize(layer)).inputMode == "CUDNN_SKIP_INPUT"


def test_remembered_states_go_on_and_are_dropped_with_the_batch():
    whole, layer = cudnn.LSTM(D, H, 2).double(), cudnn.LSTM(D, H, 2, False, 0, True).double()
    layer.weight.copy(whole.weight)
    xs = torch.Tensor.of(values(T, B, D))
    expected = whole.forward(xs).numpy()
    halves = [layer.forward(xs.narrow(1, start, 2)).numpy() for start in (1, 3)]
    np.testing.assert_allclose(np.concatenate(halves), expected, rtol=1e-12)
    np.testing.assert_array_equal(whole.hiddenOutput[2], expected[-1])
    np.testing.assert_allclose(layer.cellOutput, whole.cellOutput, rtol=1e-12)
    saved = torch.deserialize(torch.serialize(layer))  # with its state, as Torch's
    np.testing.assert_array_equal(saved.forward(xs), layer.forward(xs))
    one = xs.narrow(2, 1, 1)
    np.testing.assert_allclose(layer.forward(one), whole.forward(one), rtol=1e-12)
    layer.resetStates()
    np.testing.assert_allclose(layer.forward(xs), expected, rtol=1e-12)


def test_states_and_their_gradients_are_given_and_found_in_fields():
    layer = cudnn.BGRU(D, H, 1).double()
    module, (params, _) = layer.functional()
    xs, h, gradient, of_end = (
        values(T, B, D),
        values(2, B, H, seed=1),
        values(T, B, 2 * H, seed=2),
        values(2, B, H, seed=3),
    )

    def result(xs, h):
        output, new = module.remember().apply(params, {"hidden": h}, xs, train=True)
        return output, new["hidden"]

    layer.hiddenInput, layer.gradHiddenOutput = h, of_end
    output, gradient_at_input = layer.forward(xs), layer.backward(xs, gradient)
    with jax.enable_x64(True):
        expected, pull = jax.vjp(result, jnp.asarray(xs), jnp.asarray(h))
        found = pull((jnp.asarray(gradient), jnp.asarray(of_end)))
    for got, wanted in zip(
        (output, layer.hiddenOutput, gradient_at_input, layer.gradHiddenInput), (*expected, *found), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-10)
    layer.hiddenInput = values(2, B + 1, H)
    with pytest.raises(ValueError, match=r"cudnn.BGRU: expected hidden of shape \(2, 2, 5\) before the first step"):
        layer.forward(xs)


def test_weights_and_biases_are_parts_of_the_vector():
    layer = cudnn.BLSTM(D, H, 2).double()
    matrices, biases = layer.weights(), layer.biases()
    assert [len(each) for each in matrices + biases] == [8] * 8
    assert [part.nElement() for part in matrices[2]] == [2 * H * H] * 4 + [H * H] * 4
    parts = [part for each in matrices + biases for part in each]
    np.testing.assert_array_equal(np.concatenate([part.numpy() for part in parts]), layer.weight)
    biases[3][7].fill(9)
    assert layer.weight.totable()[-H:] == [9] * H


def test_a_changed_mode_has_other_parameters():
    layer = cudnn.RNN(D, H, 1)
    assert layer.mode == "CUDNN_RNN_RELU" and layer.weight.nElement() == H * (D + H + 2)
    layer.mode, layer.bidirectional, layer.numDirections = "CUDNN_GRU", "CUDNN_BIDIRECTIONAL", 2
    assert layer.weight.nElement() == layer.gradWeight.nElement() == 2 * 3 * H * (D + H + 2)
    assert layer.forward(values(T, B, D)).size() == [T, B, 2 * H]
    with pytest.raises(ValueError, match="cudnn.RNN: expected a kind of .*, got 'CUDNN_ELSE'"):
        layer.mode = "CUDNN_ELSE"
    for name in ("bidirectional", "inputMode", "numDirections"):
        with pytest.raises(TypeError, match="cudnn.RNN: expected True or False as .*, got 'CUDNN_BOTH'"):
            setattr(layer, name, "CUDNN_BOTH")


def test_files_have_cudnns_fields():
    layer = cudnn.BLSTM(D, H, 2, True, 0.25).evaluate()
    record = t7.deserialize(torch.serialize(layer))
    assert record.class_name == "cudnn.BLSTM"
    expected = {
        "mode": "CUDNN_LSTM", "bidirectional": "CUDNN_BIDIRECTIONAL", "numDirections": 2, "numLayers": 2,
        "batchFirst": True, "dropout": 0.25, "rememberStates": False, "inputSize": D, "hiddenSize": H,
    }  # fmt: skip
    assert expected.items() <= record.fields.items()
    xs = torch.Tensor.of(values(B, T, D)).float()
    again = torch.deserialize(torch.serialize(layer))
    assert type(again) is cudnn.BLSTM and again.typename() == "cudnn.BLSTM" == str(again)
    np.testing.assert_array_equal(again.forward(xs), layer.forward(xs))
    record.fields["mode"] = "CUDNN_ELSE"
    with pytest.raises(f7.T7FormatError, match="expected a kind of"):
        torch.deserialize(t7.serialize(record))
