"""Initial values are the numbers that JAX draws, of however many programs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as nn
from functorch7.layers.initializers import between, normal

SHAPES = [(), (0, 3), (5,), (32, 32), (5, 205), (2**15 + 1,)]


def drawn(key, shape):
    return {"uniform": between(key, shape, -0.5, 2.0), "normal": normal(key, shape, 3.0)}


def of_jax(key, shape):
    return {"uniform": jax.random.uniform(key, shape, None, -0.5, 2.0), "normal": jax.random.normal(key, shape) * 3}


def check_equal(found, expected):
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_draw_has_the_numbers_of_one_of_its_own_shape(key, shape):
    check_equal(drawn(key, shape), of_jax(key, shape))


@pytest.mark.parametrize("partitionable", [True, False])
@pytest.mark.parametrize("kind", ["threefry2x32", "rbg"])
def test_generators_whose_numbers_depend_on_the_shape_are_asked_for_that_shape(kind, partitionable):
    key = jax.random.key(7, impl=kind)
    with jax.threefry_partitionable(partitionable):
        check_equal(drawn(key, (3, 7)), of_jax(key, (3, 7)))


def test_a_key_of_numbers_draws_as_one_of_jaxs_type():
    check_equal(drawn(jax.random.PRNGKey(3), (4,)), of_jax(jax.random.key(3), (4,)))


def test_an_initialization_is_the_same_in_whole_programs_and_for_many_keys(key):
    network = nn.Sequential(nn.Linear(3, 4), nn.LookupTable(5, 2), nn.SpatialConvolution(1, 2, 3, 3))
    params, _ = network.init(key)
    jax.tree.map(np.testing.assert_array_equal, jax.jit(network.init)(key)[0], params)
    jax.tree.map(np.testing.assert_array_equal, jax.jit(lambda: network.init(key))()[0], params)
    of_two, _ = jax.vmap(network.init)(jnp.stack([jax.random.key(1), key]))
    jax.tree.map(lambda many, one: np.testing.assert_array_equal(many[1], one), of_two, params)


@pytest.mark.parametrize("shape", [(3, 7), (2**20 + 1,)])
def test_numbers_lie_where_their_key_lies(shape):
    device = jax.devices()[-1]
    for values in drawn(jax.device_put(jax.random.key(1), device), shape).values():
        assert values.committed
        assert values.devices() == {device}
    assert not between(jax.random.key(1), shape).committed
