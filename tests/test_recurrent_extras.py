"""What the newer rnn added: steps as modules, simple networks, both directions, variable lengths."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.recurrent.variable_length import packing

T, B, D, H, R = 5, 2, 3, 4, 2


def torch():
    """PyTorch, where it is installed."""
    return pytest.importorskip("torch")


def values(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def doubled(tree):
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), tree)


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def init(module, seed=0):
    params, buffers = module.init(jax.random.key(seed))
    return doubled(params), buffers


def same(got, wanted, tolerance=1e-10):
    jax.tree.map(lambda g, w: np.testing.assert_allclose(g, w, tolerance, tolerance), got, wanted)


def as_numpy(tree):
    return jax.tree.map(np.asarray, tree)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(params, x, h, c):
    i, f, o, g = np.split(np.concatenate([x, h], 1) @ params["weight"] + params["bias"], 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


# Steps ---------------------------------------------------------------------------------------------------------------


def test_a_step_of_an_lstm():
    step = f7.StepLSTM(D, H)
    params, buffers = init(step)
    params["bias"] = jnp.asarray(values(4 * H, seed=4))
    x, h, c = values(B, D), values(B, H, seed=1), values(B, H, seed=2)
    same(step.apply(params, buffers, [x, h, c])[0], list(lstm_step(as_numpy(params), x, h, c)))


def test_a_step_of_a_projected_lstm():
    step = f7.StepLSTM(D, H, R)
    params, buffers = init(step)
    x, h, c = values(B, D), values(B, R, seed=1), values(B, H, seed=2)
    hidden, cell = lstm_step(as_numpy(params), x, h, c)
    same(step.apply(params, buffers, [x, h, c])[0], [hidden @ params["weightO"], cell])


def test_a_step_of_a_gru():
    step = f7.StepGRU(D, H)
    params, buffers = init(step)
    params["bias"] = jnp.asarray(values(3 * H, seed=4))
    x, h = values(B, D), values(B, H, seed=1)
    weight, bias = np.asarray(params["weight"]), np.asarray(params["bias"])
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ weight[:, : 2 * H] + bias[: 2 * H]), 2, 1)
    new = np.tanh(np.concatenate([x, r * h], 1) @ weight[:, 2 * H :] + bias[2 * H :])
    same(step.apply(params, buffers, [x, h])[0], (1 - u) * new + u * h)


@pytest.mark.parametrize("step", [f7.StepLSTM(D, H), f7.StepGRU(D, H)], ids=str)
def test_initial_values_of_steps_open_one_gate(step):
    params, _ = init(step)
    assert params["weight"].shape[0] == D + H
    np.testing.assert_allclose(params["weight"].std(), (D + H) ** -0.5, rtol=0.2)
    same(params["bias"][H : 2 * H], np.ones(H))
    assert float(params["bias"].sum()) == H


def test_a_masked_step_gives_zeros_for_zeros():
    step = f7.StepLSTM(D, H)
    params, buffers = init(step)
    x, h, c = values(B, D), values(B, H, seed=1), values(B, H, seed=2)
    x[1] = 0
    masked, _ = step.mask_zero().apply(params, buffers, [x, h, c])
    plain, _ = step.apply(params, buffers, [x, h, c])
    for each, whole in zip(masked, plain, strict=True):
        same(each[0], whole[0])
        assert not np.any(each[1]) and np.any(whole[1])


# Recurrences of steps ------------------------------------------------------------------------------------------------

RECURRENCES = [
    (f7.RecLSTM(D, H), f7.SeqLSTM(D, H)),
    (f7.RecLSTM(D, H, R), f7.SeqLSTMP(D, H, R)),
    (f7.RecGRU(D, H), f7.SeqGRU(D, H)),
]
recurrences = pytest.mark.parametrize(("cell", "layer"), RECURRENCES, ids=lambda module: str(module))


@partial(jax.jit, static_argnums=0)
def by_steps(cell, params, xs):
    buffers, outputs = cell.init(jax.random.key(0)).buffers, []
    for x in xs:
        output, buffers = cell.apply(params, buffers, x)
        outputs.append(output)
    return jnp.stack(outputs)


@recurrences
@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
def test_a_recurrence_of_steps_equals_the_whole_layer(cell, layer, masked):
    xs = values(T, B, D)
    xs[2, 0] = 0
    if masked:
        cell, layer = cell.mask_zero(1), layer.replace(maskzero=True)
    params, buffers = init(layer)

    net = f7.Sequencer(cell)
    own_buffers = net.init(jax.random.key(0)).buffers

    def of_layer(params, xs):
        return layer.apply(params, buffers, xs)[0]

    def of_steps(params, xs):
        return net.apply([{"stepmodule": params}], own_buffers, xs)[0]

    @partial(jax.jit, static_argnums=0)
    def both(way, params, xs):
        output, pull = jax.vjp(way, params, xs)
        return output, pull(jnp.asarray(values(*output.shape, seed=3)))

    same(both(of_steps, params, xs), both(of_layer, params, xs))


def test_RecLSTM_equals_FastLSTM_and_RecGRU_equals_GRU():
    xs = values(3, B, D)
    lstm, gru = f7.SeqLSTM(D, H), f7.SeqGRU(D, H)
    for layer, own, convert in (
        (lstm, f7.RecLSTM(D, H), lstm.to_fast_lstm), (gru, f7.RecGRU(D, H), gru.to_gru)
    ):  # fmt: skip
        params, _ = init(layer)
        cell, converted = convert(params)
        same(by_steps(own, {"stepmodule": params}, xs), by_steps(cell, converted, xs))


@recurrences
def test_recurrences_of_steps_take_batches_only(cell, layer):
    del layer
    for module, input in ((cell, values(D)), (f7.Sequencer(cell), values(T, D))):
        with pytest.raises(ValueError, match=r"a batchsize x inputsize tensor \(Only supports batchmode\), got shape"):
            module.apply(*init(module), input)


# Simple networks -----------------------------------------------------------------------------------------------------


def test_a_linear_network():
    net = f7.Sequencer(f7.LinearRNN(D, H, f7.Tanh()))
    params, buffers = init(net)
    linear = as_numpy(params[0]["recurrent_module"][1])
    xs, h, wanted = values(T, B, D), np.zeros((B, H)), []
    for x in xs:
        h = np.tanh(np.concatenate([x, h], 1) @ linear["weight"].T + linear["bias"])
        wanted.append(h)
    same(net.apply(params, buffers, xs)[0], np.stack(wanted))


def test_a_container_without_modules_is_the_identity_as_transfer_and_merge():
    nothing, x = f7.Sequential(), jnp.ones((2, 3), jnp.float32)
    cell = f7.LinearRNN(3, 4, nothing)
    params, buffers = cell.init(jax.random.key(0))
    linear = params["recurrent_module"][1]
    np.testing.assert_allclose(
        cell.apply(params, buffers, x)[0], x @ linear["weight"][:, :3].T + linear["bias"][None], rtol=1e-6
    )
    simple = f7.Recurrent(3, f7.Identity(), f7.Identity(), nothing, merge=f7.SelectTable(1))
    assert simple.modules[3] == nothing
    for layer in (f7.SeqBGRU(3, 4, nothing), f7.SeqBRNN(3, 4, False, nothing)):
        assert f7.output_shape(layer, (5, 2, 3)) == [(5, 2, 4)] * 2


def test_a_momentum_of_0_keeps_the_running_statistics():
    cell = f7.FastLSTM(3, 4, momentum=0, bn=True)
    params, buffers = cell.init(jax.random.key(0))
    _, new = cell.apply(params, buffers, jnp.arange(6, dtype=jnp.float32).reshape(2, 3), train=True)
    for name in ("bn_wx", "bn_wh", "bn_c"):
        np.testing.assert_array_equal(new[name]["running_var"], 1)


def test_a_network_of_indices():
    cell = f7.LookupRNN(6, H).mask_zero(0)
    net = f7.Sequencer(cell)
    params, buffers = init(net)
    lookup, linear = as_numpy(params[0]["recurrent_module"][0])
    indices = np.array([[1, 6], [2, 0], [3, 3]])
    h, wanted = np.zeros((2, H)), []
    for row in indices:
        h = sigmoid(lookup["weight"][row] + h @ linear["weight"].T + linear["bias"])
        h = h * (row != 0)[:, None]
        wanted.append(h)
    same(net.apply(params, buffers, indices)[0], np.stack(wanted))
    product = f7.LookupRNN(6, H, f7.Identity(), f7.CMulTable())
    output, _ = product.apply(params[0], product.init(jax.random.key(0)).buffers, indices[0])
    same(output, lookup["weight"][indices[0]] * linear["bias"])


# Both directions -----------------------------------------------------------------------------------------------------


def as_torch(weight, bias, input_size):
    """Weights of a SeqLSTM as PyTorch orders them: W, U, b, 0; rows of i, f, g, o."""
    i, f, o, g = np.split(np.asarray(weight).T, 4)
    rows = np.concatenate([i, f, g, o])
    i, f, o, g = np.split(np.asarray(bias), 4)
    bias = np.concatenate([i, f, g, o])
    return [torch().tensor(a) for a in (rows[:, :input_size], rows[:, input_size:], bias, 0 * bias)]


def torch_lstm(*layers, proj_size=0):
    made = torch().nn.LSTM(D, H, bidirectional=len(layers) > 1, proj_size=proj_size).double()
    for layer, suffix in zip(layers, ("", "_reverse"), strict=False):
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        for name, value in zip(names, as_torch(layer["weight"], layer["bias"], D), strict=True):
            getattr(made, name + suffix).data = value
        if proj_size:
            getattr(made, "weight_hr_l0" + suffix).data = torch().tensor(np.asarray(layer["weightO"]).T)
    return made


@pytest.mark.parametrize("projected", [0, R], ids=["", "projected"])
def test_SeqBLSTM_is_the_sum_of_pytorchs_two_directions(projected):
    net = f7.SeqBLSTM(D, H, projected or None)
    params, buffers = init(net)
    forward, (_, backward, _) = params[0][0][0], params[0][0][1][0]
    xs = values(T, B, D)
    outputs = torch_lstm(forward, backward, proj_size=projected)(torch().tensor(xs))[0].detach().numpy()
    size = projected or H
    same(net.apply(params, buffers, xs)[0], outputs[..., :size] + outputs[..., size:])
    joined = f7.SeqBLSTM(D, H, projected or None, f7.JoinTable(3))
    same(joined.apply(params, buffers, xs)[0], outputs)


def test_SeqBGRU_is_two_layers_of_which_one_runs_backwards():
    net, layer, xs = f7.SeqBGRU(D, H, f7.CMulTable()), f7.SeqGRU(D, H), values(T, B, D)
    params, buffers = init(net)
    forward, (_, backward, _) = params[0][0][0], params[0][0][1][0]
    there, back = (layer.apply(p, init(layer)[1], x)[0] for p, x in ((forward, xs), (backward, xs[::-1])))
    same(net.apply(params, buffers, xs)[0], there * back[::-1])


def test_a_merge_may_stand_in_the_place_of_the_output_size():
    assert f7.SeqBLSTM(D, H, f7.CMulTable()) == f7.SeqBLSTM(D, H, None, f7.CMulTable())


def test_only_the_forward_layer_remembers():
    net = f7.SeqBLSTM(D, H).remember()
    forward, backward, _ = net.parts()
    assert forward.mode == "both" and backward.mode == "neither"
    params, buffers = init(net)
    xs = values(T, B, D)
    _, after = net.apply(params, buffers, xs[:3])
    layer, (there, (back, *_)) = f7.SeqLSTM(D, H), params[0][0]
    whole, last = (layer.apply(p, init(layer)[1], x)[0] for p, x in ((there, xs), (back[1], xs[:2:-1])))
    same(net.apply(params, after, xs[3:])[0], whole[3:] + last[::-1])


def test_reversals():
    reverse = f7.ReverseSequence()
    same(reverse.f(jnp.arange(3)), [2, 1, 0])
    assert reverse.f([1, 2, 3]) == [3, 2, 1]
    net = f7.ReverseUnreverse(f7.Sequencer(f7.RecGRU(D, H)))
    params, buffers = init(net)
    xs = values(T, B, D)
    forward = f7.Sequencer(f7.RecGRU(D, H)).apply(params[0][1], buffers[0][1], xs[::-1])[0]
    same(net.apply(params, buffers, xs)[0], forward[::-1])
    same(jnp.stack(net.apply(params, buffers, list(xs))[0]), forward[::-1])
    with pytest.raises(TypeError, match="expecting AbstractSequencer or SeqLSTM or SeqGRU at arg 1"):
        f7.ReverseUnreverse(f7.Linear(2, 2))


# Variable lengths ----------------------------------------------------------------------------------------------------

LENGTHS = [2, 5, 1, 3, 2]


def test_packing_by_hand():
    assert packing([5, 2, 2, 1]) == [(0, 0), (1, 0), (1, 3), (2, 0)]
    assert packing(LENGTHS) == [(2, 0), (0, 0), (1, 4), (1, 0), (2, 3)]
    assert packing([4, 4]) == [(0, 0), (1, 0)]
    assert packing([3, 1, 1]) == [(0, 0), (1, 0), (1, 2)]


@pytest.mark.parametrize("seed", range(5))
def test_sequences_in_a_column_are_a_step_apart(seed):
    lengths = np.random.default_rng(seed).integers(1, 9, 12).tolist()
    taken = set()
    for (column, first), length in zip(packing(lengths), lengths, strict=True):
        assert first >= 0 and first + length <= max(lengths)
        own = {(column, t) for t in range(first, first + length)}
        assert not taken & (own | {(column, first - 1), (column, first + length)})
        taken |= own


def sequences():
    return [values(length, D, seed=i) for i, length in enumerate(LENGTHS)]


def test_sequences_of_different_lengths_as_in_pytorch():
    layer = f7.SeqLSTM(D, H, maskzero=True)
    params, buffers = init(f7.VariableLength(layer))
    given = sequences()
    lstm, inputs = torch_lstm(params[0]), [torch().tensor(each, requires_grad=True) for each in given]
    pack = torch().nn.utils.rnn.pack_sequence(inputs, enforce_sorted=False)
    packed_outputs, (last, _) = lstm(pack)
    outputs = torch().nn.utils.rnn.unpack_sequence(packed_outputs)
    weights = [values(length, H, seed=9 + i) for i, length in enumerate(LENGTHS)]
    sum((o * torch().tensor(w)).sum() for o, w in zip(outputs, weights, strict=True)).backward()

    @jax.jit
    def run(params, sequences):
        return f7.VariableLength(layer).apply(params, buffers, sequences)[0]

    def loss(params, sequences):
        return sum((o * w).sum() for o, w in zip(run(params, sequences), weights, strict=True))

    same(run(params, given), [each.detach().numpy() for each in outputs])
    of_params, of_inputs = jax.grad(loss, (0, 1))(params, [jnp.asarray(each) for each in given])
    same(of_inputs, [each.grad.numpy() for each in inputs])
    gradient = as_torch(of_params[0]["weight"], of_params[0]["bias"], D)
    same([g.numpy() for g in gradient[:3]], [p.grad.numpy() for p in list(lstm.parameters())[:3]])
    ends, _ = f7.VariableLength(layer, last_only=True).apply(params, buffers, given)
    same(ends, last[0].detach().numpy())


def test_sequences_of_different_lengths_in_both_directions_as_in_pytorch():
    net = f7.VariableLength(f7.SeqBLSTM(D, H, f7.JoinTable(3)).mask_zero())
    params, buffers = init(net)
    forward, (_, backward, _) = params[0][0][0][0], params[0][0][0][1][0]
    pack = torch().nn.utils.rnn.pack_sequence([torch().tensor(each) for each in sequences()], enforce_sorted=False)
    outputs = torch().nn.utils.rnn.unpack_sequence(torch_lstm(forward, backward)(pack)[0])
    same(jax.jit(net.apply)(params, buffers, sequences())[0], [each.detach().numpy() for each in outputs])


@pytest.mark.parametrize("module", [
    f7.Sequencer(f7.Sequential(f7.Linear(D, D), f7.Tanh())), f7.Sequencer(f7.RecGRU(D, H).mask_zero()),
    f7.Sequencer(f7.LinearRNN(D, H).mask_zero()), f7.ReverseUnreverse(f7.SeqGRU(D, H, maskzero=True)),
], ids=["no memory", "RecGRU", "LinearRNN", "backwards"])  # fmt: skip
def test_each_sequence_is_run_as_if_it_were_alone(module):
    net = f7.VariableLength(module)
    params, buffers = init(net)
    run = jax.jit(lambda sequence: module.apply(params[0], buffers[0], sequence[:, None])[0][:, 0])
    same(net.apply(params, buffers, sequences())[0], [run(each) for each in sequences()])


def test_sequences_of_indices():
    module = f7.Sequencer(f7.LookupRNN(6, H).mask_zero(0))
    net = f7.VariableLength(module)
    params, buffers = init(net)
    given = [np.array([1, 2, 3]), np.array([6]), np.array([4])]
    alone = [module.apply(params[0], buffers[0], each[:, None])[0][:, 0] for each in given]
    same(net.apply(params, buffers, given)[0], alone)


def test_variable_lengths_need_masks():
    for module in (f7.SeqLSTM(D, H), f7.Sequencer(f7.FastLSTM(D, H)), f7.Sequencer(f7.LSTM(D, H))):
        with pytest.raises(ValueError, match="expected recurrences that mask zeros"):
            f7.VariableLength(module)
    with pytest.raises(ValueError, match="expected a module with time first"):
        f7.VariableLength(f7.SeqGRU(D, H, batchfirst=True, maskzero=True))
    net = f7.VariableLength(f7.SeqGRU(D, H, maskzero=True))
    for wrong in ([], values(T, B, D), [values(2, D), values(2, D + 1)], [values(2, D), values(0, D)]):
        with pytest.raises(ValueError, match=r"nn.VariableLength @ nn.SeqGRU: expected .*sequences"):
            net.apply(*init(net), wrong)
