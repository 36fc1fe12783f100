"""PyTorch's state_dict: against PyTorch where it is installed, and against its documented formulas."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop.pytorch import (
    from_pytorch,
    names_by_kind,
    names_by_order,
    pytorch_arrays,
    save,
    to_pytorch,
)

from .helpers import RANDOM, made


def x(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def by_time(torch, module, frames):
    """A convolution over the last dimension, applied to frames."""
    return module(frames.mT).mT


def over_time(torch, module, sequence):
    return module(sequence)[0]


def one_step(torch, module, input):
    return module(input)[0]


def to_itself(torch, module, sequence):
    return module(sequence, sequence, sequence)[0]


def from_one(torch, module, indices):
    return module(indices - 1)


# (ours, PyTorch's, input, how PyTorch's is called)
PAIRS = {
    "linear": (f7.Linear(3, 4), lambda nn: nn.Linear(3, 4), x(2, 3)),
    "no bias": (f7.Linear(3, 4, bias=False), lambda nn: nn.Linear(3, 4, bias=False), x(2, 3)),
    "weight norm": (f7.LinearWeightNorm(3, 4),
                    lambda nn: nn.utils.parametrizations.weight_norm(nn.Linear(3, 4)), x(2, 3)),
    "convolution": (f7.SpatialConvolution(2, 3, 3, 2, 2, 1, 1, 0),
                    lambda nn: nn.Conv2d(2, 3, (2, 3), (1, 2), (0, 1)), x(2, 2, 5, 6)),
    "matrix": (f7.SpatialConvolutionMM(2, 3, 3, 2), lambda nn: nn.Conv2d(2, 3, (2, 3)), x(2, 2, 5, 6)),
    "dilated": (f7.SpatialDilatedConvolution(2, 3, 2, 2, dilationw=2, dilationh=1),
                lambda nn: nn.Conv2d(2, 3, 2, dilation=(1, 2)), x(2, 2, 5, 6)),
    "depthwise": (f7.SpatialDepthWiseConvolution(2, 3, 3, 2), lambda nn: nn.Conv2d(2, 6, (2, 3), groups=2),
                  x(2, 2, 5, 6)),
    "transposed": (f7.SpatialFullConvolution(2, 3, 3, 2, 2, 2, 1, 0, 1, 0),
                   lambda nn: nn.ConvTranspose2d(2, 3, (2, 3), 2, (0, 1), (0, 1)), x(2, 2, 3, 4)),
    "volumes": (f7.VolumetricConvolution(2, 3, 1, 2, 3), lambda nn: nn.Conv3d(2, 3, (1, 3, 2)), x(2, 2, 3, 4, 4)),
    "temporal": (f7.TemporalConvolution(3, 4, 2, 2), lambda nn: nn.Conv1d(3, 4, 2, 2), x(2, 5, 3), by_time),
    "rows": (f7.TemporalRowConvolution(3, 2), lambda nn: nn.Conv1d(3, 3, 2, groups=3), x(2, 5, 3), by_time),
    "normalisation": (f7.SpatialBatchNormalization(3, momentum=0.1), lambda nn: nn.BatchNorm2d(3), x(2, 3, 4, 4)),
    "not affine": (f7.BatchNormalization(3, affine=False), lambda nn: nn.BatchNorm1d(3, affine=False), x(4, 3)),
    "layer normalisation": (f7.LayerNormalization(6, eps=6e-5), lambda nn: nn.LayerNorm(6), x(2, 6)),
    "lookup": (f7.LookupTable(5, 3), lambda nn: nn.Embedding(5, 3), np.array([1, 5, 2]), from_one),
    "lookup with zero": (f7.LookupTableMaskZero(5, 3), lambda nn: nn.Embedding(6, 3, padding_idx=0),
                         np.array([0, 5, 2])),
    "PReLU": (f7.PReLU(3), lambda nn: nn.PReLU(3), x(2, 3)),
    "LSTM layer": (f7.SeqLSTM(3, 4), lambda nn: nn.LSTM(3, 4), x(5, 2, 3), over_time),
    "projected LSTM": (f7.SeqLSTMP(3, 4, 2), lambda nn: nn.LSTM(3, 4, proj_size=2), x(5, 2, 3), over_time),
    "LSTMs": (f7.CudnnLSTM(3, 4, 2), lambda nn: nn.LSTM(3, 4, 2), x(5, 2, 3), over_time),
    "LSTMs both ways": (f7.CudnnBLSTM(3, 4, 2, True), lambda nn: nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True),
                        x(2, 5, 3), over_time),
    "GRUs both ways": (f7.CudnnBGRU(3, 4, 2), lambda nn: nn.GRU(3, 4, 2, bidirectional=True), x(5, 2, 3), over_time),
    "GRU": (f7.CudnnGRU(3, 4, 1), lambda nn: nn.GRU(3, 4), x(5, 2, 3), over_time),
    "RNN": (f7.CudnnRNNTanh(3, 4, 2), lambda nn: nn.RNN(3, 4, 2), x(5, 2, 3), over_time),
    "RNN of ReLUs": (f7.CudnnRNNReLU(3, 4, 2), lambda nn: nn.RNN(3, 4, 2, nonlinearity="relu"), x(5, 2, 3), over_time),
    "LSTM cell": (f7.FastLSTM(3, 4), lambda nn: nn.LSTMCell(3, 4), x(2, 3), one_step),
    "chain": (f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.Sequential(f7.BatchNormalization(4))),
              lambda nn: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Sequential(nn.BatchNorm1d(4))), x(4, 3)),
    "norms": (f7.Sequential(f7.GroupNorm(2, 4), f7.LayerNorm(4), f7.RMSNorm(4)),
              lambda nn: nn.Sequential(nn.GroupNorm(2, 4), nn.LayerNorm(4), nn.RMSNorm(4)), x(3, 4)),
    "attention": (f7.MultiHeadAttention(4, 2), lambda nn: nn.MultiheadAttention(4, 2, batch_first=True), x(2, 3, 4),
                  to_itself),
    "attention without bias": (f7.MultiHeadAttention(4, 2, bias=False),
                               lambda nn: nn.MultiheadAttention(4, 2, bias=False, batch_first=True), x(2, 3, 4),
                               to_itself),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize("name", PAIRS)
def test_outputs_are_pytorchs_both_ways(name):
    torch = pytest.importorskip("torch")
    module, make, input, *way = PAIRS[name]
    call = way[0] if way else lambda torch, module, input: module(input)
    theirs = make(torch.nn).eval()

    def same(params, buffers):
        with torch.no_grad():
            expected = call(torch, theirs, torch.from_numpy(input)).numpy()
        np.testing.assert_allclose(module.apply(params, buffers, jnp.asarray(input))[0], expected, rtol=2e-5, atol=1e-5)

    same(*from_pytorch(module, theirs.state_dict()))
    params, buffers = made(module)
    theirs.load_state_dict(to_pytorch(module, params, buffers))
    same(params, buffers)


@pytest.mark.parametrize("name", PAIRS)
def test_the_way_there_and_back_changes_nothing(name):
    module, *_ = PAIRS[name]
    variables = made(module)
    if name == "lookup with zero":  # its first row is never read, and zeros there
        variables = f7.Variables(
            {"weight": np.concatenate([np.zeros((1, 3), np.float32), variables.params["weight"][1:]])}, {}
        )
    again = from_pytorch(module, pytorch_arrays(module, *variables))
    jax.tree.map(np.testing.assert_array_equal, again, variables)


def test_an_lstm_by_the_formulas_of_pytorchs_documentation():
    """i, f, g, o from W_i* x + b_i* + W_h* h + b_h*, stacked in this order; c' = f c + i g; h' = o tanh(c')."""
    arrays = {"weight_ih_l0": x(16, 3), "weight_hh_l0": x(16, 4), "bias_ih_l0": x(16), "bias_hh_l0": x(16)}
    sequence, h, c = x(3, 2, 3), np.zeros((2, 4)), np.zeros((2, 4))
    for step in sequence:
        sums = step @ arrays["weight_ih_l0"].T + arrays["bias_ih_l0"]
        sums = sums + h @ arrays["weight_hh_l0"].T + arrays["bias_hh_l0"]
        i, f, g, o = np.split(sums, 4, 1)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        c = f * c + i * np.tanh(g)
        h = o * np.tanh(c)
    layer = f7.SeqLSTM(3, 4)
    np.testing.assert_allclose(layer.apply(*from_pytorch(layer, arrays), sequence)[0][-1], h, rtol=1e-5, atol=1e-6)
    cell = {name.removesuffix("_l0"): array for name, array in arrays.items()}
    steps = f7.Sequencer(f7.FastLSTM(3, 4))
    variables = from_pytorch(steps, {f"lstm.{name}": array for name, array in cell.items()}, names={"0": "lstm"})
    np.testing.assert_allclose(steps.apply(*variables, sequence)[0][-1], h, rtol=1e-5, atol=1e-6)


def test_a_one_dimensional_convolution_by_its_formula():
    weight, bias, input = x(2, 3, 2), x(2), x(4, 3)  # PyTorch's weight is outputs x inputs x taps
    layer = f7.TemporalConvolution(3, 2, 2)
    output, _ = layer.apply(*from_pytorch(layer, {"weight": weight, "bias": bias}), input)
    expected = [[sum(weight[o, :, k] @ input[t + k] for k in range(2)) + bias[o] for o in range(2)] for t in range(3)]
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)


def test_an_lstm_of_two_layers_and_two_directions():
    torch = pytest.importorskip("torch")
    theirs = torch.nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    join = f7.JoinTable(2, 2)
    module = f7.Sequential(f7.SeqBLSTM(3, 4, join), f7.SeqBLSTM(8, 4, join))
    ours = [name for name in pytorch_arrays(module, *made(module)) if name.endswith("weight_ih_l0")]
    names = {
        f"{place.removesuffix('.weight_ih_l0')}.{array}_l0": f"{array}_l{place[0]}{direction}"
        for place, direction in zip(ours, ["", "_reverse"] * 2, strict=True)
        for array in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    }
    sequence = x(5, 2, 3)
    output, _ = module.apply(*from_pytorch(module, theirs.state_dict(), names=names), sequence)
    with torch.no_grad():
        np.testing.assert_allclose(output, theirs(torch.from_numpy(sequence))[0], rtol=1e-4, atol=1e-5)


CHAIN = f7.Sequential(f7.Linear(3, 4), f7.BatchNormalization(4), f7.Linear(4, 2, bias=False))


def test_everything_that_does_not_fit_is_said_at_once():
    state = pytorch_arrays(CHAIN, *made(CHAIN)) | {"0.bias": np.zeros(5), "3.weight": np.zeros(1)}
    del state["1.running_var"], state["1.num_batches_tracked"]  # the second is missing in old files
    with pytest.raises(ValueError) as caught:
        from_pytorch(CHAIN, state)
    assert str(caught.value) == (
        "nn.Sequential: the PyTorch state does not fit: missing 1.running_var; unexpected 3.weight; "
        "0.bias: expected shape (4,), got (5,)"
    )


def test_layers_that_pytorch_has_not_are_all_named():
    network = f7.Sequential(f7.CMul(3), f7.Linear(3, 3), f7.Sequencer(f7.GRU(3, 4)), f7.FastLSTM(4, 4, p=0.5))
    with pytest.raises(ValueError) as caught:
        pytorch_arrays(network, *made(network))
    for part in ("nn.CMul (at 0): PyTorch has no such", "nn.GRU (at 2.0): PyTorch's GRU is another", "(at 3)"):
        assert part in str(caught.value)


def test_other_names_and_the_same_order():
    variables = made(CHAIN)
    names = {"0": "body.fc1", "1": "body.norm", "2": "head"}
    state = pytorch_arrays(CHAIN, *variables, names=names)
    assert list(state)[:2] == ["body.fc1.weight", "body.fc1.bias"] and "head.weight" in state
    assert names_by_order(CHAIN, state) == names
    jax.tree.map(np.testing.assert_array_equal, from_pytorch(CHAIN, state, names=names), variables)
    assert "module.2.weight" in pytorch_arrays(CHAIN, *variables, names={"": "module"})
    with pytest.raises(ValueError, match=r"expected 3 layers with arrays \(0, 1, 2\), got 1: head"):
        names_by_order(CHAIN, {"head.weight": 0})
    with pytest.raises(ValueError, match=r"no arrays at 7; the arrays are 0\.weight"):
        from_pytorch(CHAIN, state, names={"7": "head"})
    with pytest.raises(ValueError, match="two places"):
        pytorch_arrays(CHAIN, *variables, names={"0": "a", "2": "a"})


STACK = f7.Sequential(
    f7.LookupTable(7, 3), f7.SeqLSTM(3, 4), f7.Sequencer(f7.FastLSTM(4, 4)), f7.SeqLSTM(4, 5), f7.Linear(5, 6),
    f7.Tanh(), f7.Linear(6, 2),
)  # fmt: skip


def test_names_by_kind_are_those_of_classes_there():
    """Layers of one size are one LSTM; the next, of another size, cannot be in it."""
    variables = made(STACK)
    state = pytorch_arrays(STACK, *variables, names=names_by_kind(STACK))
    lstm = [f"lstm1.{name}_l{i}" for i in (0, 1) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    assert {*state} == {
        "embedding.weight", *lstm, *(name.replace("lstm1", "lstm2") for name in lstm[:4]),
        "linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias",
    }  # fmt: skip
    # i, f, g, o there; columns i, f, o, g of [x, h] here
    i, f, o, g = np.split(np.asarray(variables.params[1]["weight"]).T, 4)
    np.testing.assert_array_equal(state["lstm1.weight_ih_l0"], np.concatenate([i, f, g, o])[:, :3])
    np.testing.assert_array_equal(state["lstm1.weight_hh_l0"], np.concatenate([i, f, g, o])[:, 3:])
    jax.tree.map(
        np.testing.assert_array_equal, from_pytorch(STACK, state, names=names_by_kind(STACK)).params, variables.params
    )


def test_a_class_of_pytorchs_takes_them_and_computes_the_same(tmp_path):
    torch = pytest.importorskip("torch")

    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.lstm1 = torch.nn.Embedding(7, 3), torch.nn.LSTM(3, 4, num_layers=2)
            self.lstm2 = torch.nn.LSTM(4, 5)
            self.linear1, self.linear2 = torch.nn.Linear(5, 6), torch.nn.Linear(6, 2)

        def forward(self, words):
            sequence, _ = self.lstm1(self.embedding(words))
            return self.linear2(torch.tanh(self.linear1(self.lstm2(sequence)[0])))

    variables = made(STACK)
    save(tmp_path / "reader.pt", STACK, *variables, names_by_kind(STACK))
    theirs = Reader()
    theirs.load_state_dict(torch.load(tmp_path / "reader.pt"))
    words = np.array([[1, 7], [2, 3], [5, 5]])
    with torch.no_grad():
        expected = theirs(torch.from_numpy(words - 1)).numpy()
    np.testing.assert_allclose(STACK.apply(*variables, words)[0], expected, rtol=1e-4, atol=1e-5)


def test_tied_layers_have_both_names_there():
    tied = f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Linear(3, 3)), (((0, "weight"), (1, "weight")),))
    variables = made(tied)
    state = pytorch_arrays(tied, *variables)
    assert set(state) == {"0.weight", "0.bias", "1.weight", "1.bias"}
    jax.tree.map(np.testing.assert_array_equal, from_pytorch(tied, state), variables)
    with pytest.raises(ValueError, match=r"0\.1\.weight is tied to 0\.0\.weight, but differs"):
        from_pytorch(tied, state | {"1.weight": np.zeros((3, 3))})


def test_dtypes_are_the_states_or_those_of_given_variables():
    layer = f7.Linear(3, 2)
    state = {"weight": x(2, 3).astype(np.float16), "bias": x(2).astype(np.float16)}
    assert from_pytorch(layer, state).params["bias"].dtype == np.float16
    assert from_pytorch(layer, state, made(layer)).params["bias"].dtype == np.float32
    with pytest.raises(ValueError, match="weight is float64, which needs"):
        from_pytorch(layer, state | {"weight": np.zeros((2, 3))})


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn"])
def test_numbers_that_numpy_has_not_go_both_ways(name):
    torch = pytest.importorskip("torch")
    layer = f7.Linear(3, 2)
    params, _ = jax.tree.map(lambda a: a.astype(name), made(layer))
    state = to_pytorch(layer, params, {})
    assert state["weight"].dtype == getattr(torch, name)
    np.testing.assert_array_equal(state["weight"].float().numpy(), np.asarray(params["weight"], np.float32))
    back = from_pytorch(layer, state).params
    assert back["weight"].dtype == jnp.dtype(name)
    jax.tree.map(np.testing.assert_array_equal, back, params)
