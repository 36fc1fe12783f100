"""Max pooling by its two ways: gradients scattered to positions, and gathered by every pixel."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core import tracing_for
from functorch7.core.recording import recording

POOLINGS = {
    "side by side": (f7.SpatialMaxPooling(2, 2, 2, 2), (2, 3, 6, 8)),
    "overlapping, in a border": (f7.SpatialMaxPooling(3, 3, 2, 2, 1, 1), (2, 3, 9, 8)),
    "every pixel": (f7.SpatialMaxPooling(3, 3, 1, 1, 1, 1), (2, 3, 6, 6)),
    "rounded up": (f7.SpatialMaxPooling(3, 3, 2, 2).ceil(), (2, 3, 8, 8)),
    "rounded up, windows beyond the plane": (f7.SpatialMaxPooling(1, 2, 3, 2).ceil(), (2, 3, 8, 6)),
    "with gaps": (f7.SpatialMaxPooling(2, 1, 3, 2), (3, 9, 8)),
    "dilated": (f7.SpatialDilatedMaxPooling(3, 2, 1, 2, 1, 1, 2, 3), (2, 3, 9, 8)),
    "volumes": (f7.VolumetricMaxPooling(2, 3, 2, 1, 2, 1), (2, 2, 4, 7, 5)),
    "sequences": (f7.TemporalMaxPooling(3, 2), (2, 9, 4)),
}


def everything(module, input):
    """Output, positions, the gradient of a sum of cubes, a directional derivative and the gradient of its sum."""

    def output(x):
        return module.apply({}, {}, x)[0]

    def total(x):
        return (output(x) ** 3).sum()

    def along(x):
        return jax.jvp(output, (x,), (jnp.cos(x),))[1]

    def all_along(x):
        return along(x).sum()

    with recording() as recorder:
        found = output(input)
    return found, recorder.exposed[()]["indices"], jax.grad(total)(input), along(input), jax.grad(all_along)(input)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", POOLINGS)
def test_both_ways_give_the_same(name):
    """Among few numbers, so that windows have several maxima, and in bfloat16, too."""
    module, shape = POOLINGS[name]
    numbers = np.random.default_rng(0).integers(-3, 4, shape)
    for dtype, tolerance in ((jnp.float32, 1e-5), (jnp.bfloat16, 2e-2)):  # pixels add up in another order
        input = jnp.asarray(numbers, dtype)
        found = []
        for platform in ("cpu", "cuda"):
            with tracing_for([platform]):
                found.append(jax.jit(lambda x: everything(module, x))(input))
        for mine, theirs in zip(*found, strict=True):
            np.testing.assert_allclose(*(np.asarray(each, np.float32) for each in (mine, theirs)), rtol=tolerance)


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_windows_without_a_pixel_have_no_gradient(platform):
    """Torch leaves them out on the way back: they stand for no pixel, and not for one of the next row.

    What it gives for them is THInf, the largest number of the type, with a minus.
    """
    least = np.finfo(np.float32).min
    pool = f7.SpatialMaxPooling(1, 1, 3, 1).ceil()  # windows at the columns 0, 3 and 6 of six
    with tracing_for([platform]):
        output, pull = jax.vjp(lambda x: pool.apply({}, {}, x)[0], jnp.arange(12.0).reshape(1, 2, 6))
        (gradient,) = pull(jnp.ones(output.shape))
    np.testing.assert_array_equal(output[0], [[0, 3, least], [6, 9, least]])
    np.testing.assert_array_equal(gradient[0], [[1, 0, 0, 1, 0, 0]] * 2)


def test_windows_whose_steps_pass_over_all_pixels_have_the_least_number():
    pool = f7.SpatialDilatedMaxPooling(2, 1, 1, 1, 1, 0, 2, 1)  # at the columns -1 and 1 of one
    output, _ = pool.apply({}, {}, jnp.ones((1, 2, 1)))
    np.testing.assert_array_equal(output, np.full((1, 2, 1), np.finfo(np.float32).min))
