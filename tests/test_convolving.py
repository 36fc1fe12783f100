"""Convolutions on CPUs give, by whichever way, what XLA's convolution gives; so do all their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from functorch7.layers import channels_last, convolving
from functorch7.layers.convolving import convolve
from functorch7.layers.convolving_transposed import convolve_transposed

CASES = {  # images, kernels, stride, padding, dilation, groups
    "more pixels than windows": ((2, 3, 7, 8), (4, 3, 3, 5), (1, 1), (0, 1), (1, 1), 1),
    "one window": ((2, 3, 4, 4), (5, 3, 4, 4), (1, 1), (0, 0), (1, 1), 1),
    "as many": ((2, 3, 6, 6), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "strides": ((2, 3, 7, 6), (4, 3, 3, 2), (2, 1), (1, 0), (1, 1), 1),
    "kernels of one": ((2, 3, 7, 6), (4, 3, 1, 1), (2, 3), (0, 0), (1, 1), 1),
    "kernels of one and a border": ((2, 3, 4, 3), (4, 3, 1, 1), (1, 1), (1, 0), (1, 1), 1),
    "dilated": ((2, 3, 7, 8), (4, 3, 2, 3), (1, 2), (1, 0), (3, 2), 1),
    "volumes": ((2, 3, 4, 5, 6), (4, 3, 2, 3, 2), (2, 1, 2), (0, 1, 0), (1, 2, 1), 1),
    "small groups": ((2, 6, 5, 6), (4, 3, 3, 2), (2, 1), (1, 0), (1, 2), 2),
    "a plane in each group": ((2, 3, 5, 5), (6, 1, 3, 3), (1, 1), (0, 0), (1, 1), 3),
    "a plane for a plane": ((2, 1, 5, 6), (1, 1, 3, 4), (1, 2), (1, 0), (1, 1), 1),
    "large groups": ((2, 32, 4, 4), (4, 16, 3, 3), (1, 1), (0, 0), (1, 1), 2),
    "planes that fit no vectors": ((2, 3, 6, 5), (42, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    "volumes by steps of one": ((2, 3, 4, 5, 4), (4, 3, 3, 2, 3), (1, 1, 1), (2, 0, 1), (2, 1, 1), 1),
    "even steps": ((2, 4, 8, 6), (3, 4, 4, 2), (2, 2), (1, 0), (1, 1), 1),
    "even steps that leave a rest": ((2, 3, 9, 8), (3, 3, 4, 6), (2, 3), (0, 2), (1, 1), 1),
    "volumes by even steps": ((2, 3, 6, 5, 7), (2, 3, 4, 2, 3), (2, 1, 3), (1, 0, 1), (1, 1, 1), 1),
    "small groups that can turn": ((2, 4, 5, 6), (6, 2, 3, 2), (1, 1), (2, 0), (1, 2), 2),
    "small groups in a wide border": ((2, 4, 2, 3), (2, 2, 2, 1), (1, 1), (2, 1), (1, 1), 2),
    "small groups of many planes": ((2, 4, 4, 5), (52, 2, 2, 3), (1, 1), (0, 1), (1, 1), 2),
    "images smaller than kernels": ((2, 3, 2, 3), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "an odd number of planes to many": ((3, 5, 4, 4), (20, 5, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "planes to fewer": ((3, 7, 4, 5), (3, 7, 3, 4), (1, 2), (1, 0), (1, 1), 1),
    "volumes in groups": ((2, 4, 3, 4, 4), (4, 2, 2, 2, 3), (1, 2, 1), (0, 0, 1), (1, 1, 1), 2),
}
TRANSPOSED = {  # images, kernels, stride, padding, adjustment
    "from one pixel": ((2, 5, 1, 1), (5, 3, 4, 3), (1, 1), (0, 0), (0, 0)),
    "cut off": ((2, 3, 4, 5), (3, 4, 3, 3), (1, 1), (1, 0), (0, 0)),
    "strides": ((2, 3, 3, 4), (3, 4, 4, 3), (2, 3), (1, 0), (0, 0)),
    "adjusted": ((2, 3, 3, 4), (3, 4, 3, 3), (2, 3), (1, 1), (1, 2)),
    "more is cut off than there is": ((2, 3, 1, 2), (3, 4, 5, 5), (1, 2), (2, 2), (0, 1)),
    "volumes": ((2, 3, 2, 3, 2), (3, 2, 2, 3, 2), (2, 1, 1), (0, 1, 0), (1, 0, 0)),
    "volumes by steps of one": ((2, 3, 2, 3, 2), (3, 2, 2, 3, 2), (1, 1, 1), (1, 1, 0), (0, 0, 0)),
    "phases": ((2, 3, 3, 4), (3, 4, 4, 2), (2, 2), (1, 0), (0, 0)),
    "phases of one dimension, adjusted": ((2, 3, 3, 2), (3, 8, 2, 6), (1, 3), (0, 2), (0, 2)),
    "phases beyond what there is": ((2, 3, 1, 2), (3, 2, 4, 4), (4, 2), (1, 2), (3, 1)),
    "phases of volumes": ((2, 3, 2, 3, 2), (3, 2, 4, 2, 3), (2, 2, 3), (1, 0, 1), (0, 1, 0)),
}


def of_xla(x, weight, stride, padding, dilation, groups):
    edges = [(p, p) for p in padding]
    return lax.conv_general_dilated(x, weight, stride, edges, rhs_dilation=dilation, feature_group_count=groups)


def by_sums(x, weight, stride, padding):
    """The formula, tap by tap."""
    x = jnp.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    (height, width), (down, across) = weight.shape[2:], stride
    rows, columns = (x.shape[2] - height) // down + 1, (x.shape[3] - width) // across + 1
    return sum(
        jnp.einsum("oc,bchw->bohw", weight[..., i, j], x[:, :, i:, j:][:, :, ::down, ::across][:, :, :rows, :columns])
        for i in range(height)
        for j in range(width)
    )


def transposed_of_xla(x, weight, stride, padding, adjustment):
    """The gradient of XLA's convolution with these kernels."""
    geometry = zip(x.shape[2:], weight.shape[2:], stride, padding, adjustment, strict=True)
    sizes = [(s - 1) * d - 2 * p + k + more for s, k, d, p, more in geometry]
    images = jax.ShapeDtypeStruct((len(x), weight.shape[1], *sizes), x.dtype)
    edges = [(p, p) for p in padding]
    return jax.linear_transpose(lambda y: lax.conv_general_dilated(y, weight, stride, edges), images)(x)[0]


def check_the_same(found, expected, shapes):
    """Values, gradients of each array and of both, forward derivatives and derivatives of derivatives."""
    random = np.random.default_rng(0)
    x, weight, dx, dweight = (random.normal(size=shape) for shape in (*shapes, *shapes))
    results = []
    for function in (found, expected):

        def energy(x, weight, function=function):
            return jnp.sin(function(x, weight)).sum()

        def everything(x, weight, dx, dweight, function=function, energy=energy):
            gradients = jax.grad(energy, (0, 1))
            second = jax.jvp(gradients, (x, weight), (dx, dweight))[1]
            along = [jax.jvp(lambda x: function(x, weight), (x,), (dx,))[1]]
            along += [jax.jvp(lambda weight: function(x, weight), (weight,), (dweight,))[1]]
            alone = [jax.grad(energy)(x, weight), jax.grad(energy, 1)(x, weight)]
            return function(x, weight), gradients(x, weight), second, along, alone

        with jax.enable_x64(True):
            results.append(jax.jit(everything)(x, weight, dx, dweight))
    for mine, right in zip(*map(jax.tree.leaves, results), strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-9, atol=1e-9)


@pytest.fixture(params=[True, False], ids=["as large ones", "as they are"])
def ways(request, monkeypatch):
    """Both the ways of large images and those of small ones."""
    if request.param:
        monkeypatch.setattr(convolving, "_VALUES", range(1, 2**22))
        monkeypatch.setattr(convolving, "_VALUES_OF_VOLUMES", range(1, 2**22))
        monkeypatch.setattr(convolving, "_MANY_VALUES", 1)
        monkeypatch.setattr(channels_last, "_WINDOWS", 3)
        monkeypatch.setattr(channels_last, "_VALUES", 1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CASES)
def test_convolutions(name, ways):
    *shapes, stride, padding, dilation, groups = CASES[name]
    check_the_same(
        lambda x, weight: convolve(x, weight, stride, padding, dilation, groups),
        lambda x, weight: of_xla(x, weight, stride, padding, dilation, groups),
        shapes,
    )


@pytest.mark.parametrize(
    ("kernels", "padding"), [((2, 3, 3, 2), (0, 1)), ((2, 3, 4, 2), (1, 1))], ids=["as large", "smaller"]
)
def test_gradients_at_which_xla_ends_the_process(kernels, padding):
    """Gaps as wide as the kernel along one axis, and fewer windows than taps along the other."""
    check_the_same(
        lambda x, weight: convolve(x, weight, (1, 2), padding),
        lambda x, weight: by_sums(x, weight, (1, 2), padding),
        ((2, 3, 4, 4), kernels),
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions(name, ways):
    *shapes, stride, padding, adjustment = TRANSPOSED[name]
    check_the_same(
        lambda x, weight: convolve_transposed(x, weight, stride, padding, adjustment),
        lambda x, weight: transposed_of_xla(x, weight, stride, padding, adjustment),
        shapes,
    )


@pytest.mark.parametrize("name", CASES)
def test_no_images_give_no_outputs(name):
    (_, *sizes), kernels, *how = CASES[name]
    x, weight = jax.ShapeDtypeStruct((0, *sizes), jnp.float32), jnp.zeros(kernels, jnp.float32)
    found, right = (jax.eval_shape(lambda x, way=way: way(x, weight, *how), x) for way in (convolve, of_xla))
    assert found.shape == right.shape and found.dtype == right.dtype


@pytest.mark.parametrize("images_are_known", [True, False])
def test_nothing_is_computed_for_what_is_not_differentiated(images_are_known):
    """Neither the windows of the images' gradient nor a convolution of zeros for that of the kernels."""
    x, weight = jnp.ones((8, 8, 12, 12)), jnp.ones((16, 8, 5, 5))

    def loss(x, weight):
        return convolve(x, weight, (1, 1), (0, 0)).sum()

    program = str(jax.make_jaxpr(jax.grad(loss, 1 if images_are_known else 0))(x, weight))
    assert program.count("conv_general_dilated") == (2 if images_are_known else 1)
    assert ("dot_general" in program) != images_are_known


HALVES = {"convolution": (convolve, ((1, 1), (0, 0))), "transposed": (convolve_transposed, ((1, 1), (0, 0), (0, 0)))}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", HALVES)
def test_sixteen_bits_are_rounded_once(name, dtype):
    """Values and gradients are those of float32, rounded: each of its products and sums is not."""
    function, how = HALVES[name]
    random = np.random.default_rng(0)
    x, weight = (jnp.asarray(random.normal(size=shape), dtype) for shape in ((2, 4, 6, 6), (4, 4, 3, 3)))

    def results(x, weight):
        y, back = jax.vjp(lambda x, weight: function(x, weight, *how), x, weight)
        return y, *back(jnp.ones_like(y))

    found, wide = results(x, weight), results(x.astype("float32"), weight.astype("float32"))
    for mine, right in zip(found, wide, strict=True):
        assert mine.dtype == dtype
        np.testing.assert_array_equal(mine.astype("float32"), right.astype(dtype).astype("float32"))
