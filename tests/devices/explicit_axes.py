"""Networks on a mesh as `jax.make_mesh` makes it, with explicit axes: `test_sharding.py` runs them on eight devices."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding, PartitionSpec

import functorch7 as f7
from functorch7.core import recording

MESH = jax.make_mesh((4, 2), ("data", "model"))
RANDOM = np.random.default_rng(3)
KEY = jax.random.key(5)


def lying(tree, *entries):
    return jax.device_put(tree, NamedSharding(MESH, PartitionSpec(*entries)))


def numbers(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


NETWORKS = [  # of operations that JAX refuses on such axes: module, input, the batch's dimension in and out (from 0)
    (f7.Sequential(f7.LookupTable(9, 4), f7.SeqLSTM(4, 3), f7.Sequencer(f7.Linear(3, 2))), np.ones((3, 8), int), 1, 1),
    (f7.Sequencer(f7.Sequential(f7.GRU(3, 4), f7.Dropout(0.5))), numbers(2, 8, 3), 1, 1),
    (f7.SeqBRNN(3, 2, True), numbers(8, 2, 3), 0, 0),
    (f7.TrimZero(f7.LSTM(3, 2).mask_zero(), 1), numbers(8, 3), 0, 0),
    (f7.Sequential(f7.Linear(3, 8), f7.BatchNormalization(8), f7.View(4, 2), f7.SplitTable(1, 2)), numbers(8, 3), 0, 0),
    (f7.Sequential(f7.SpatialConvolution(4, 4, 3, 3, groups=2), f7.PixelShuffle(2)), numbers(8, 4, 5, 5), 0, 0),
    (f7.TemporalDynamicKMaxPooling(2), numbers(8, 6, 3), 0, 0),
    (f7.MultiHeadAttention(4, 2, causal=True), numbers(8, 3, 4), 0, 0),
    (f7.Padding(2, 1), numbers(8, 3), 0, 0),
    (f7.Transpose((1, 2)), numbers(8, 3), 0, 1),
]


def applied(params, inputs):
    return [
        module.apply(own, buffers, input, key=KEY, train=True)[0]
        for (module, *_), own, (_, buffers), input in zip(NETWORKS, params, VARIABLES, inputs, strict=True)
    ]


def loss(params, inputs):
    return sum((each**2).sum() for each in jax.tree.leaves(applied(params, inputs)))


VARIABLES = [module.init(KEY) for module, *_ in NETWORKS]
PARAMS = [params for params, _ in VARIABLES]
INPUTS = [input for _, input, *_ in NETWORKS]
SPLIT = [lying(input, *[None] * dim, "data") for _, input, dim, _ in NETWORKS]


@pytest.mark.parametrize("in_context", [False, True])
def test_networks_compute_the_same_and_outputs_are_split_as_inputs(in_context):
    compiled = jax.jit(lambda params, inputs: (applied(params, inputs), jax.grad(loss)(params, inputs)))
    expected = compiled(PARAMS, INPUTS)
    with jax.set_mesh(MESH) if in_context else jax.default_device(None):
        outputs, gradients = compiled(lying(PARAMS), SPLIT)
    chex.assert_trees_all_close((outputs, gradients), expected, rtol=1e-4, atol=1e-5)
    for (module, _, _, dim), output in zip(NETWORKS, outputs, strict=True):
        for each in jax.tree.leaves(output):
            assert each.sharding.spec[dim] == "data" and set(each.sharding.spec) <= {"data", None}, module
    assert all(each.is_fully_replicated for each in jax.tree.leaves(gradients))


def test_parameters_may_be_split_and_their_gradients_are_as_they_are():
    network, criterion = f7.Sequential(f7.LookupTable(8, 4), f7.Linear(4, 6), f7.LogSoftMax()), f7.ClassNLLCriterion()
    params, buffers = network.init(KEY)
    words, targets = np.arange(1, 9), np.arange(8) % 6 + 1

    @jax.jit
    @jax.grad
    def gradient(params, words, targets):
        return criterion(network.apply(params, buffers, words)[0], targets)

    split = jax.tree.map(lambda array: lying(array, "model"), params)
    found = gradient(split, lying(words, "data"), lying(targets, "data"))
    chex.assert_trees_all_close(found, gradient(params, words, targets), atol=1e-6)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(split), strict=True):
        assert one.sharding.is_equivalent_to(other.sharding, one.ndim)


def test_state_goes_from_step_to_step_and_calls_are_looked_into():
    cell, steps = f7.Sequential(f7.LSTM(3, 2)), numbers(6, 8, 3)
    params, buffers = cell.init(KEY)
    split = lying(steps, None, "data")

    def run(params, steps):
        with recording() as seen:
            first, after = cell.apply(params, buffers, steps[0])
        return first, jax.lax.scan(lambda b, x: cell.apply(params, b, x)[::-1], after, steps[1:])[1], seen.taps

    first, others, taps = jax.jit(run)(params, split)
    expected, _ = f7.over_time(cell, params, buffers, steps, key=None, train=False)
    np.testing.assert_allclose(jnp.concatenate([first[None], others]), expected, rtol=1e-5, atol=1e-7)
    assert others.sharding.spec == PartitionSpec(None, "data", None)
    assert all(np.isfinite(each).all() for each in jax.tree.leaves(taps))
    lengths = np.arange(8) % 6 + 1
    whole = f7.over_padded(cell, params, buffers, steps, lengths=lengths)
    parts = jax.jit(lambda *given: f7.over_padded(cell, params, buffers, given[0], lengths=given[1]))(
        split, lying(lengths, "data")
    )
    chex.assert_trees_all_close(parts, whole, rtol=1e-5, atol=1e-7)


def test_where_a_size_is_fixed_the_result_is_whole_and_errors_are_the_modules():
    network = f7.Sequential(f7.View(4, 6), f7.LookupTable(9, 2))
    params, buffers = network.init(KEY)
    output, _ = network.apply(params, buffers, lying(np.ones((8, 3), int), "data"))
    assert output.shape == (4, 6, 2) and output.is_fully_replicated
    with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 2\)"):
        f7.Linear(3, 2).apply(*f7.Linear(3, 2).init(KEY), lying(numbers(8, 4), "data"))
