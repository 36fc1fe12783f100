"""What layers keep for backward, beside their input and parameters: as little as their formulas need."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core import tracing_for

PLANES = (2, 32, 6, 6)


def kept_by(module, *sizes):
    """(the elements that the pull-back holds, without the input and the parameters; the output's elements)."""
    found = {}

    def forward(params, input):
        def run(params, input):
            return module.apply(params, buffers, input, key=None, train=True)[0]

        output, pull = jax.vjp(run, params, input)
        given = set(map(id, jax.tree.leaves((params, input))))
        found["kept"] = sum(leaf.size for leaf in jax.tree.leaves(pull) if id(leaf) not in given)
        found["output"] = output.size

    params, buffers = module.init(jax.random.key(0))
    jax.eval_shape(forward, params, jnp.ones(sizes))
    return found["kept"], found["output"]


@pytest.mark.parametrize(
    ("module", "outputs", "more"),
    [
        (f7.Linear(32, 4), 0, 0),
        (f7.Tanh(), 1, 0),
        (f7.Sigmoid(), 1, 0),
        (f7.ReLU(), 1, 0),  # where it is positive
        (f7.HardTanh(), 1, 0),
        (f7.LeakyReLU(), 1, 1),
        (f7.BatchNormalization(32), 0, 6 * 32),  # statistics of each feature
    ],
    ids=str,
)
def test_of_a_batch_of_rows(module, outputs, more):
    kept, output = kept_by(module, 64, 32)
    assert kept <= outputs * output + more


@pytest.mark.parametrize(
    ("module", "outputs", "more"),
    [
        (f7.SpatialConvolution(32, 8, 3, 3, 1, 1, 1, 1), 0, 0),
        (f7.SpatialConvolution(32, 8, 5, 5), 0, 0),
        (f7.SpatialConvolution(32, 8, 3, 3, 2, 2), 0, 0),
        (f7.SpatialBatchNormalization(32), 0, 6 * 32),
        (f7.SpatialMaxPooling(2, 2), 1, 0),  # the winners' positions
        (f7.SpatialAveragePooling(2, 2), 0, 32),  # how many pixels windows have
    ],
    ids=str,
)
def test_of_images(module, outputs, more):
    kept, output = kept_by(module, *PLANES)
    assert kept <= outputs * output + more


def test_of_images_on_a_gpu():
    with tracing_for(["cuda"]):
        kept, output = kept_by(f7.SpatialMaxPooling(3, 3, 1, 1, 1, 1), *PLANES)
    assert kept == output  # the numbers of the winners' places, a byte each


def test_a_network_keeps_what_its_layers_give():
    """An array that one layer gives and the next is given is there once."""
    network = f7.Sequential(f7.Linear(32, 16), f7.Tanh(), f7.Linear(16, 16), f7.Sigmoid(), f7.Linear(16, 4))
    kept, _ = kept_by(network, 64, 32)
    assert kept == 64 * (16 + 16)


@pytest.mark.parametrize("module", [f7.Tanh(), f7.Sigmoid(), f7.ReLU()], ids=str)
def test_batches_of_numpy_arrays_inside_programs(module):
    """JAX 0.10 fails for its own `jax.nn.relu` there."""
    rows = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    found = jax.jit(lambda: jax.vmap(lambda row: module.apply({}, {}, row)[0])(rows))()
    np.testing.assert_allclose(found, module.apply({}, {}, rows)[0], rtol=1e-6)
