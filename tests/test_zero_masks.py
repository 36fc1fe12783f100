"""Masks of padding given beside the input: they do what zeros in the input do, whatever the input is there."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch

MASK = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 0]], np.uint8)
"""Three sequences of four steps: in the middle, at the start, and twice."""
INPUT = jnp.asarray(np.random.default_rng(0).normal(size=(4, 3, 5)), jnp.float32)
ZEROED = jnp.where(MASK[..., None] != 0, 0, INPUT)


def loss_and_gradients(module, params, buffers, input):
    def loss(params, input):
        output = module.apply(params, buffers, input)[0]
        return (output * jnp.arange(output.size, dtype=output.dtype).reshape(output.shape)).sum(), output

    (_, output), gradients = jax.jit(jax.value_and_grad(loss, argnums=(0, 1), has_aux=True))(params, input)
    return output, gradients


@pytest.mark.parametrize(
    "made",
    [
        lambda looks: f7.SeqLSTM(5, 2).mask_zero(looks),
        lambda looks: f7.Sequencer(f7.GRU(5, 2).mask_zero(1 if looks else False)),
        lambda looks: f7.Sequencer(f7.Sequential(f7.LSTM(5, 2).mask_zero(looks), f7.Tanh())),
        lambda looks: f7.Sequencer(f7.RecGRU(5, 2).trim_zero(looks)),
        lambda looks: f7.SeqBLSTM(5, 2).mask_zero(looks),
        lambda looks: f7.BiSequencer(f7.FastLSTM(5, 2).mask_zero(looks), f7.FastLSTM(5, 2).mask_zero(looks)),
        lambda looks: f7.Sequencer(f7.MaskZero(f7.Linear(5, 2), looks)),
    ],
    ids=["SeqLSTM", "GRU", "LSTM", "RecGRU, trimmed", "SeqBLSTM", "BiSequencer", "MaskZero"],
)
def test_a_given_mask_is_as_zeros_in_the_input(made, key):
    module = made(True)
    expected = loss_and_gradients(module, *module.init(key), ZEROED)
    told = made(False)
    params, buffers = told.init(key)
    buffers = f7.set_zero_mask(told, buffers, MASK)
    output, (of_params, of_input) = loss_and_gradients(told, params, buffers, ZEROED)
    np.testing.assert_allclose(output, expected[0], atol=1e-6)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-4), (of_params, of_input), expected[1])
    np.testing.assert_allclose(told.apply(params, buffers, INPUT)[0], expected[0], atol=1e-6)


def test_masks_are_never_saved_and_come_back_unchanged(key):
    module = f7.Sequencer(f7.MaskZero(f7.GRU(5, 2).mask_zero(False), False))
    params, buffers = module.init(key)
    told = f7.set_zero_mask(module, buffers, MASK)
    assert (
        f7.state_dict(module, f7.Variables(params, told)).keys()
        == f7.state_dict(module, f7.Variables(params, buffers)).keys()
    )
    after = module.apply(params, told, INPUT)[1]
    masks = [node.value for node in jax.tree.leaves(after, is_leaf=lambda b: isinstance(b, f7.ZeroMask))
             if isinstance(node, f7.ZeroMask)]  # fmt: skip
    assert len(masks) == 2
    for mask in masks:
        np.testing.assert_array_equal(mask, MASK != 0)
    jitted = jax.jit(lambda buffers: module.apply(params, buffers, INPUT)[0])
    np.testing.assert_allclose(jitted(told), module.apply(params, told, INPUT)[0], atol=1e-6)
    everything = jitted(f7.set_zero_mask(module, buffers, False))
    assert (np.asarray(everything) != 0).all()


def test_input_and_output_may_be_masked_alone(key):
    mask = jnp.array([1, 0, 0])
    linear = f7.Linear(5, 2)
    for maskinput, maskoutput in [(True, False), (False, True), (True, True), (False, False)]:
        module = f7.MaskZero(linear, False, maskinput, maskoutput)
        params, buffers = module.init(key)
        output = module.apply(params, f7.set_zero_mask(module, buffers, mask), INPUT[0])[0]
        input = jnp.where(mask[:, None] != 0, 0, INPUT[0]) if maskinput else INPUT[0]
        wanted = linear.apply(params[0], {}, input)[0]
        np.testing.assert_allclose(
            output, jnp.where(mask[:, None] != 0, 0, wanted) if maskoutput else wanted, atol=1e-6
        )


def test_a_missing_or_wrong_mask_is_refused(key):
    layer, cell, masking = f7.SeqLSTM(5, 2).mask_zero(False), f7.GRU(5, 2).mask_zero(False), f7.MaskZero(f7.Tanh())
    for module, input in [(layer, INPUT), (f7.Sequencer(cell), INPUT), (masking, INPUT[0])]:
        params, buffers = module.init(key)
        with pytest.raises(ValueError, match="expecting previous call to setZeroMask"):
            module.apply(params, buffers, input)
    params, buffers = layer.init(key)
    with pytest.raises(ValueError, match=r"zeroMask of size seqlen x batchsize, \(4, 3\), got shape \(3, 3\)"):
        layer.apply(params, f7.set_zero_mask(layer, buffers, MASK[:3]), INPUT)
    with pytest.raises(TypeError, match="expecting zeroMask tensor"):
        f7.set_zero_mask(layer, buffers, MASK * 0.5)
    with pytest.raises(ValueError, match="seqlen x batchsize"):
        f7.set_zero_mask(layer, buffers, MASK[None])


def test_a_mask_that_nothing_would_take_is_refused_but_in_legacy(key):
    network = f7.Sequential(f7.SeqLSTM(5, 2), f7.Tanh())  # without mask_zero(False)
    buffers = network.init(key).buffers
    with pytest.raises(ValueError, match=r"nn.Sequential: expected a module inside that takes a mask, .*mask_zero"):
        f7.set_zero_mask(network, buffers, MASK)
    assert f7.set_zero_mask(network, buffers, None) == f7.set_zero_mask(network, buffers, False) == buffers
    nn.utils.setZeroMask([nn.Linear(5, 2), nn.MSECriterion()], torch.ByteTensor(MASK.tolist()))  # as Torch's


LOGS = jax.nn.log_softmax(INPUT)
TARGETS = np.array([[1, 0, 2], [3, 4, 0], [0, 5, 0], [1, 2, 3]])
"""There is no class 0: what is masked is not looked at."""


def test_criterions_leave_out_what_is_masked():
    picked = -np.take_along_axis(np.asarray(LOGS), TARGETS[..., None] - 1, -1)[..., 0]
    means = [picked[t][MASK[t] == 0].mean() for t in range(4)]
    each = f7.MaskZeroCriterion(f7.ClassNLLCriterion())
    np.testing.assert_allclose(each(LOGS[1], TARGETS[1], MASK[1]), means[1], rtol=1e-6)
    assert float(each(LOGS[1], TARGETS[1], np.ones(3, bool))) == 0
    whole = f7.SequencerCriterion(each)
    np.testing.assert_allclose(whole(LOGS, TARGETS, MASK), sum(means), rtol=1e-6)
    np.testing.assert_allclose(whole(list(LOGS), list(TARGETS), MASK), sum(means), rtol=1e-6)
    twice = f7.MultiCriterion((whole, f7.SequencerCriterion(f7.ClassNLLCriterion())), (2, 0))
    np.testing.assert_allclose(twice(LOGS, np.maximum(TARGETS, 1), MASK), 2 * sum(means), rtol=1e-6)
    unmasked = f7.SequencerCriterion(f7.ClassNLLCriterion())(LOGS, np.maximum(TARGETS, 1))
    np.testing.assert_allclose(whole(LOGS, np.maximum(TARGETS, 1), False), unmasked, rtol=1e-6)
    with pytest.raises(ValueError, match="expecting zeroMask tensor or false"):
        each(LOGS[1], TARGETS[1])
    with pytest.raises(ValueError, match="dim >= 2 for zeroMask"):
        whole(LOGS, TARGETS, MASK[0])
    with pytest.raises(TypeError, match="takes no zeroMask"):
        f7.ClassNLLCriterion()(LOGS[1], TARGETS[1], MASK[1])


def test_legacy_layers_are_told_masks_once():
    layer = nn.SeqLSTM(5, 2).maskZero(False)
    network = (
        nn.Sequential().add(layer).add(nn.Sequencer(nn.MaskZero(nn.Linear(2, 5)))).add(nn.Sequencer(nn.LogSoftMax()))
    )
    criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(nn.ClassNLLCriterion()))
    nn.utils.setZeroMask([network, criterion], torch.ByteTensor(MASK.tolist()))
    output = network.forward(np.asarray(INPUT))
    hidden = np.asarray(layer.output)
    assert (hidden[MASK == 1] == 0).all() and (hidden[MASK == 0] != 0).all()
    loss = criterion.forward(output, TARGETS)
    picked = -np.take_along_axis(np.asarray(output), TARGETS[..., None] - 1, -1)[..., 0]
    assert loss == pytest.approx(sum(picked[t][MASK[t] == 0].mean() for t in range(4)), rel=1e-5)
    gradient = np.asarray(network.backward(np.asarray(INPUT), criterion.backward(output, TARGETS)))
    assert (gradient[MASK == 1] == 0).all()
    network.setZeroMask(False)
    assert (np.asarray(network.get(1).forward(np.asarray(INPUT))) != 0).all()
    with pytest.raises(TypeError, match="expecting zeroMask tensor"):
        network.setZeroMask(np.asarray(INPUT[..., 0]))


def test_a_legacy_recurrence_takes_one_row_of_the_mask_a_step():
    steps, whole = nn.GRU(5, 2), nn.SeqGRU(5, 2).maskZero(False)
    whole = nn.Sequencer(steps.maskZero(False))
    whole.setZeroMask(MASK)
    expected = np.asarray(whole.forward(np.asarray(INPUT)))
    steps.forget()
    for t in range(4):
        np.testing.assert_allclose(steps.forward(np.asarray(INPUT[t])), expected[t], atol=1e-6)
    with pytest.raises(ValueError, match="zeroMask has 4 steps, this is step 5"):
        steps.forward(np.asarray(INPUT[0]))
    steps.forget()
    np.testing.assert_allclose(steps.forward(np.asarray(INPUT[0])), expected[0], atol=1e-6)


SQUASHED = f7.Sequential(f7.Linear(5, 1), f7.Tanh())


WAYS = f7.TrimZero(SQUASHED, 1), f7.MaskZero(SQUASHED, 1)


def test_trimmed_rows_have_the_second_derivatives_of_masked_ones(key):
    params, buffers = WAYS[0].init(key)

    def loss(rows, way):
        return way.apply(params, buffers, rows)[0].sum()

    trimmed, masked = (jax.jit(jax.hessian(loss), static_argnums=1)(ZEROED[0, :2], way) for way in WAYS)
    np.testing.assert_allclose(trimmed, masked, 1e-5, 1e-6)
    assert (masked[0, :, 0] != 0).any() and not masked[1].any()


def test_a_batch_with_any_number_of_zeros_is_trimmed_as_it_is_masked(key):
    """Of 13 examples, which are computed in 0, 5, 9 or 13."""
    params, buffers = WAYS[0].init(key)
    rows = jax.random.normal(key, (13, 5))
    places = jax.random.permutation(key, 13)

    def found(way):
        def loss(params, zeros):
            output, _ = way.apply(params, buffers, jnp.where((places < zeros)[:, None], 0, rows))
            return output.sum(), output

        return jax.jit(partial(jax.lax.map, partial(jax.grad(loss, has_aux=True), params)))(jnp.arange(14))

    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6), *map(found, WAYS))


def test_what_runs_at_once_is_trimmed_by_one_choice(key):
    """The steps of a Sequencer, and what a user's vmap runs: with a choice for each, every program would be run."""
    ways = [f7.Sequencer(way) for way in WAYS]
    params, buffers = ways[0].init(key)
    fewer = np.arange(13) < np.arange(4)[:, None] * 4  # of four steps, the examples that count: 0, 4, 8, 12
    rows = jax.random.normal(key, (2, 4, 13, 5)) * fewer[None, ..., None].astype(np.float32)

    def gradients(way):
        def loss(params, rows):
            return jnp.sin(way.apply(params, buffers, rows)[0]).sum()

        return jax.vmap(jax.grad(loss, (0, 1)), (None, 0))

    found, expected = (jax.jit(gradients(way))(params, rows) for way in ways)
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6), found, expected)
    assert "cond[" in str(jax.make_jaxpr(gradients(ways[0]))(params, rows))


def test_a_trimmed_network_is_exported_for_any_batch(key):
    params, buffers = WAYS[0].init(key)
    (batch,) = jax.export.symbolic_shape("batch")
    program = jax.jit(lambda rows: WAYS[0].apply(params, buffers, rows)[0])
    exported = jax.export.export(program)(jax.ShapeDtypeStruct((batch, 5), jnp.float32))
    np.testing.assert_allclose(exported.call(ZEROED[0]), WAYS[1].apply(params, buffers, ZEROED[0])[0], 1e-5, 1e-6)
