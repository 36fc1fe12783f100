"""The carry as a tree, padded batches, and what happens at masked steps: the forms that JAX users need."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy.objects.functional import wrap

T, B, D, H = 5, 3, 4, 2
XS = jnp.asarray(np.random.default_rng(0).normal(size=(T, B, D)), jnp.float32)
LENGTHS = np.array([5, 2, 3])
RIGHT = np.arange(T)[:, None] < LENGTHS[None]
STACK = f7.Sequential(f7.FastLSTM(D, 3), f7.Linear(3, 3), f7.GRU(3, H))


def close(got, expected, rtol=1e-5, atol=1e-6):
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=rtol, atol=atol), got, expected)


def alone(module, variables, row, length, start=0):
    """One sequence without any padding."""
    net = f7.Sequencer(module).remember()
    inputs = XS[start : start + length, row : row + 1]
    params, buffers = ([{"recurrent_module": part}] for part in variables)
    outputs, (buffers,) = jax.jit(net.apply)(params, buffers, inputs)
    return outputs[:, 0], jax.tree.map(lambda leaf: leaf[0], f7.carry_of(module, buffers["recurrent_module"]))


@pytest.mark.parametrize("side", ["right", "left", "lengths"])
def test_padding_changes_nothing(side, key):
    variables = STACK.init(key)
    mask = RIGHT if side != "left" else RIGHT[::-1]
    how = {"lengths": LENGTHS} if side == "lengths" else {"mask": mask}
    run = jax.jit(lambda xs: f7.over_padded(STACK, *variables, xs, **how))
    outputs, last, buffers = run(jnp.where(mask[:, :, None], XS, 99.0))
    for row, length in enumerate(LENGTHS):
        start = T - length if side == "left" else 0
        own, state = alone(STACK, variables, row, length, start)
        close(outputs[start : start + length, row], own)
        close(last[row], own[-1])
        close(jax.tree.map(lambda leaf, row=row: leaf[row], f7.carry_of(STACK, buffers)), state)
        np.testing.assert_array_equal(outputs[~mask[:, row], row], 0)


def test_no_gradient_reaches_padding(key):
    variables = STACK.init(key)
    total = jax.jit(jax.grad(lambda xs: (f7.over_padded(STACK, *variables, xs, lengths=LENGTHS)[0] ** 2).sum()))
    slope = total(XS)
    np.testing.assert_array_equal(slope[~RIGHT], 0)
    assert (slope[RIGHT] != 0).all()


def test_padded_batches_are_checked(key):
    variables = STACK.init(key)
    with pytest.raises(ValueError, match="either lengths or a mask"):
        f7.over_padded(STACK, *variables, XS)
    with pytest.raises(ValueError, match=r"expected a mask of time x batch \(5, 3\), got shape \(3, 5\)"):
        f7.over_padded(STACK, *variables, XS, mask=RIGHT.T)
    simple = f7.Recurrent(H, f7.Linear(D, H), f7.Linear(H, H))
    with pytest.raises(ValueError, match="start from zeros"):
        f7.over_padded(simple, *simple.init(key), XS, lengths=LENGTHS)


def test_sequences_are_reversed_within_their_lengths():
    got = f7.reversed_padded(XS, LENGTHS)
    for row, length in enumerate(LENGTHS):
        np.testing.assert_array_equal(got[:length, row], XS[:length, row][::-1])
        np.testing.assert_array_equal(got[length:, row], XS[length:, row])
    np.testing.assert_array_equal(f7.reversed_padded(XS, jnp.full(len(LENGTHS), 99)), XS[::-1])


def test_one_networks_carry_starts_another(key):
    """Encoder to decoder: the second half of a sequence continues where another network of that kind has stopped."""
    net = f7.Sequencer(STACK).remember()
    params, buffers = net.init(key)
    whole, _ = net.apply(params, buffers, XS)
    _, after = net.apply(params, buffers, XS[:2])
    carry = f7.carry_of(net, after)
    rest, _ = net.apply(params, f7.with_carry(net, buffers, carry), XS[2:])
    close(rest, whole[2:])
    assert jax.tree.structure(f7.init_carry(net, B)) == jax.tree.structure(carry)
    with pytest.raises(ValueError, match="expected a carry like"):
        f7.with_carry(net, buffers, carry[0])


def test_gradients_cross_a_carry_that_is_handed_over(key):
    net = f7.Sequencer(f7.GRU(D, H)).remember()
    params, buffers = net.init(key)

    def split(params):
        _, after = net.apply(params, buffers, XS[:2])
        return net.apply(params, f7.with_carry(net, buffers, f7.carry_of(net, after)), XS[2:])[0].sum()

    def whole(params):
        return net.apply(params, buffers, XS)[0][2:].sum()

    close(*(jax.jit(jax.grad(f))(params) for f in (split, whole)), rtol=1e-4)


def test_the_initial_carry_is_what_forgotten_state_means(key):
    params, buffers = STACK.init(key)
    started = f7.with_carry(STACK, buffers, f7.init_carry(STACK, B))
    close(STACK.apply(params, started, XS[0])[0], STACK.apply(params, buffers, XS[0])[0])
    assert f7.init_carry(f7.LSTM(D, H))["output"].shape == (H,)
    nested = f7.init_carry(f7.Recurrence(f7.Identity(), [[2], [3]], 1), 4)["output"]
    assert [leaf.shape for leaf in nested] == [(4, 2), (4, 3)]


@pytest.mark.parametrize(
    "make",
    [f7.FastLSTM, f7.LSTM, lambda d, h: f7.SeqLSTM(d, h).remember(), lambda d, h: f7.CudnnLSTM(d, h, 2).remember()],
    ids=["FastLSTM", "LSTM", "SeqLSTM", "CudnnLSTM"],
)
def test_the_arrays_of_an_initial_carry_can_be_donated(make):
    arrays = jax.tree.leaves(f7.init_carry(make(D, H), B))
    assert len(arrays) >= 2 and len({array.unsafe_buffer_pointer() for array in arrays}) == len(arrays)


def test_a_users_cell_says_its_initial_state(key):
    class Fading(f7.Module):
        size: int
        starts_at_zero = True

        def init_buffers(self):
            return {"h": None}

        def initial_state(self, batch, dtype):
            return {"h": jnp.zeros((*batch, self.size), dtype)}

        def forward(self, params, buffers, input, *, key, train):
            h = jnp.tanh(input + (0 if buffers["h"] is None else 0.5 * buffers["h"]))
            return h, {"h": h}

    cell = Fading(D)
    start = f7.with_carry(cell, cell.init(key).buffers, f7.init_carry(cell, B))
    scanned = jax.lax.scan(lambda buffers, x: cell.apply({}, buffers, x)[::-1], start, XS)[1]
    layer = f7.Sequencer(cell)
    close(layer.apply(*layer.init(key), XS)[0], scanned)


def test_rows_are_forgotten_one_by_one(key):
    params, buffers = STACK.init(key)
    _, after = STACK.apply(params, buffers, XS[0])
    mixed, _ = STACK.apply(params, f7.forget(STACK, after, rows=jnp.array([True, False, True])), XS[1])
    fresh, _ = STACK.apply(params, buffers, XS[1])
    going_on, _ = STACK.apply(params, after, XS[1])
    close(mixed, jnp.stack([fresh[0], going_on[1], fresh[2]]))
    simple = f7.Recurrent(H, f7.Linear(D, H), f7.Linear(H, H))
    with pytest.raises(ValueError, match="start from zeros"):
        f7.forget(simple, simple.init(key).buffers, rows=jnp.array([True]))
    with pytest.raises(ValueError, match=r"expected rows for \(3,\) examples, got shape \(2,\)"):
        f7.forget(STACK, after, rows=[True, False])


def test_rows_are_forgotten_of_all_layers_whose_state_lies_together(key):
    """As many layers as examples, so that their axes could be mistaken for each other."""
    layer = f7.CudnnLSTM(D, H, 2).remember()
    params, buffers = layer.init(key)
    _, after = layer.apply(params, buffers, XS[:, :2])
    left = f7.forget(layer, after, rows=[True, False])
    assert not left["hidden"][:, 0].any() and not left["cell"][:, 0].any()
    close([left["hidden"][:, 1], left["cell"][:, 1]], [after["hidden"][:, 1], after["cell"][:, 1]])


def test_the_carry_passes_through_scan_and_vmap(key):
    params, buffers = STACK.init(key)
    start = f7.with_carry(STACK, buffers, f7.init_carry(STACK, B))

    def step(buffers, x):
        output, buffers = STACK.apply(params, buffers, x)
        return buffers, output

    expected, _ = f7.Sequencer(STACK).apply([{"recurrent_module": params}], [{"recurrent_module": buffers}], XS)
    close(jax.jit(lambda xs: jax.lax.scan(step, start, xs))(XS)[1], expected)
    one = f7.with_carry(STACK, buffers, f7.init_carry(STACK))
    rows = jax.vmap(lambda xs: jax.lax.scan(step, one, xs)[1], 1, 1)(XS)
    close(rows, expected)


@pytest.mark.parametrize("mode", ["neither", "both"])
def test_calls_of_sequencers_scan_from_the_initial_carry(mode, key):
    """Where nothing is remembered, the buffers are those of `init`, and where state is, those of a later call."""
    net = f7.Sequential(f7.Sequencer(f7.GRU(D, D)).remember(mode), f7.SeqGRU(D, H).remember(mode))
    params, buffers = net.init(key)
    start = f7.with_carry(net, buffers, f7.init_carry(net, B))

    def call(buffers, xs):
        output, buffers = net.apply(params, buffers, xs)
        return buffers, output

    between, first = call(buffers, XS)
    _, second = call(between, XS[::-1])
    close(jax.jit(lambda *xs: jax.lax.scan(call, start, jnp.stack(xs))[1])(XS, XS[::-1]), jnp.stack([first, second]))


STEADY = f7.Sequencer(f7.Sequential(f7.GRU(D, H), f7.NormStabilizer(0.5)))


@pytest.mark.parametrize("net", [STEADY, STEADY.remember(), f7.Sequencer(f7.Sequential(f7.L1Penalty(1), f7.GRU(D, H)))])
def test_buffers_go_back_as_they_came_with_the_penalties_of_the_last_call(net, key):
    """Which count in no other, neither in a mode in which there are none."""
    params, start = net.init(key)
    _, after = net.apply(params, start, XS, train=True)
    again, clean = (net.apply(params, b, XS, train=True)[1] for b in (after, f7.core.without_emitted(after)))
    assert f7.penalty(again) == f7.penalty(clean) > 0
    assert f7.penalty(net.apply(params, after, XS)[1]) == f7.penalty(net.apply(params, start, XS)[1])


@pytest.mark.parametrize("how", ["mask_zero", "trim_zero"])
@pytest.mark.parametrize("cell", [f7.FastLSTM(D, H), f7.GRU(D, H), f7.LSTM(D, H)], ids=lambda c: type(c).__name__)
def test_a_row_of_zeros_starts_a_new_sequence(cell, how, key):
    """Several sequences share a column, with a step of zeros between them."""
    xs = XS.at[2].set(0)
    net = f7.Sequencer(getattr(cell, how)(1))
    params, buffers = net.init(key)
    outputs, _ = jax.jit(net.apply)(params, buffers, xs)
    plain = f7.Sequencer(cell)
    alone = jax.jit(plain.apply)  # one program for both, which are of two steps
    close(outputs[:2], alone(params, buffers, xs[:2])[0])
    np.testing.assert_array_equal(outputs[2], 0)
    close(outputs[3:], alone(params, buffers, xs[3:])[0])


def test_batch_normalisation_in_a_sequence_keeps_one_set_of_statistics(key):
    """The running mean after a sequence is that of its steps, one after the other; evaluation uses it."""
    net = f7.Sequencer(f7.BatchNormalization(D, momentum=0.5))
    params, buffers = net.init(key)
    _, after = net.apply(params, buffers, XS, train=True)
    mean = np.zeros(D)
    for x in np.asarray(XS):
        mean = 0.5 * mean + 0.5 * x.mean(0)
    statistics = after[0]["recurrent_module"]
    close(statistics["running_mean"], mean)
    evaluated, _ = net.apply(params, after, XS)
    scale = np.asarray(params[0]["recurrent_module"]["weight"]) / np.sqrt(statistics["running_var"] + 1e-5)
    close(evaluated, (np.asarray(XS) - mean) * np.asarray(scale), rtol=1e-4, atol=1e-5)


def test_normalized_lstm_is_the_formula(key):
    cell = f7.FastLSTM(D, H, bn=True)
    params, buffers = cell.init(key)
    x = np.asarray(XS[0], np.float64)

    def normalized(value, part):
        return (value - value.mean(0)) / np.sqrt(value.var(0) + 1e-5) * np.asarray(params[part]["weight"])

    def sigmoid(value):
        return 1 / (1 + np.exp(-value))

    sums = normalized(x @ np.asarray(params["i2g"]["weight"]).T, "bn_wx") + np.asarray(params["bias"]["bias"])
    i, g, _, o = np.split(sums, 4, 1)
    c = sigmoid(i) * np.tanh(g)
    output, after = cell.apply(params, buffers, XS[0], train=True)
    close(output, sigmoid(o) * np.tanh(normalized(c, "bn_c")), rtol=1e-4, atol=1e-5)
    close(after["cell"], c, rtol=1e-4, atol=1e-5)


def test_a_users_own_gate_is_used(key):
    class Leaky(f7.LSTM, abstract=True):
        def build_forget_gate(self):
            return f7.Sequential(f7.SelectTable(3), f7.MulConstant(0), f7.AddConstant(1))

    cell = Leaky(D, H)
    params, buffers = cell.init(key)
    cells = []
    for x in XS[:3]:
        _, buffers = cell.apply(params, buffers, x)
        cells.append(buffers["cell"])
    plain = f7.LSTM(D, H)
    assert len(jax.tree.leaves(params)) == len(jax.tree.leaves(plain.init(key).params)) - 4
    assert np.abs(cells[2]).sum() > np.abs(cells[0]).sum()  # nothing is ever forgotten


INNER = f7.GRU(2, 2)
SEQUENCES = np.random.default_rng(5).normal(size=(2, 3, 4, 2)).astype(np.float32)
REPEATED = {
    "Sequencer": (f7.Sequencer, lambda: SEQUENCES),
    "MapTable": (f7.MapTable, lambda: list(SEQUENCES)),
}


@pytest.mark.parametrize("mode", ["neither", "both"])
@pytest.mark.parametrize("name", REPEATED)
def test_a_sequencer_that_is_repeated_keeps_its_state_if_it_remembers(name, mode):
    """In both interfaces, and whether or not someone looks: remembering makes one long sequence of them, but for the
    entries of a table, each of which is a sequence of its own, as in Torch7."""
    around, given = REPEATED[name]
    network = around(f7.Sequencer(INNER).remember(mode))
    params, buffers = network.init(jax.random.key(0))
    inner = jax.tree.leaves(params)
    cell = jax.tree.unflatten(jax.tree.structure(jax.eval_shape(INNER.init, jax.random.key(0)).params), inner)

    def sequence(steps):
        output, buffers, found = None, INNER.init(jax.random.key(0)).buffers, []
        for step in steps:
            output, buffers = INNER.apply(cell, buffers, step, train=True)
            found.append(output)
        return np.stack(found)

    apart = np.stack([sequence(each) for each in SEQUENCES])
    one_long = sequence(SEQUENCES.reshape(6, 4, 2)).reshape(SEQUENCES.shape)
    expected = one_long if (mode, name) == ("both", "Sequencer") else apart
    held = wrap(network, *jax.tree.map(np.array, (params, buffers)))
    with f7.core.recording():
        looked_at, _ = network.apply(params, buffers, given(), train=True)
    for output in (network.apply(params, buffers, given(), train=True)[0], looked_at, held.forward(given())):
        np.testing.assert_allclose(np.stack([np.asarray(each) for each in output]), expected, 1e-5, 1e-6)
