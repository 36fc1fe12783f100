"""Forward-mode differentiation, where a way back is a module's own: gradients are the transpose of tangents."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return jnp.asarray(RANDOM.normal(size=shape), jnp.float32)


def hooked():
    return f7.hooked(f7.Sequential(f7.Linear(3, 2), f7.Tanh()), "0", backward=lambda module, *gradients: None)


PADDED = normal(2, 3) * np.float32([[1], [0]])  # of two examples one
CASES = {
    "NaN": (lambda: f7.NaN(f7.Sequential(f7.Linear(3, 2), f7.Tanh())), normal(4, 3)),
    "Profile": (lambda: f7.Profile(f7.Sequential(f7.Linear(3, 2), f7.Tanh())), normal(4, 3)),
    "PrintSize": (lambda: f7.Sequential(f7.PrintSize(), f7.Linear(3, 2), f7.Tanh()), normal(4, 3)),
    "TrimZero": (lambda: f7.TrimZero(f7.Linear(3, 2), 1), PADDED),
    "hooked": (hooked, normal(4, 3)),
}


def loss_of(module, input):
    """A function of all that moves, and where it is."""
    params, buffers = module.init(jax.random.key(0))

    def loss(given):
        params, input = given
        return jnp.sin(module.apply(params, buffers, input, train=True)[0]).sum()

    return loss, (params, input)


@pytest.mark.parametrize("name", CASES)
def test_tangents_and_curvatures_are_those_of_the_way_back(name):
    """A directional derivative is the gradient's product with the direction; so is, of the gradient, the second one."""
    make, input = CASES[name]
    loss, at = loss_of(make(), input)
    along = jax.tree.map(lambda leaf: normal(*leaf.shape), at)

    def directional(at):
        return jax.jvp(loss, (at,), (along,))[1]

    def product(at):
        return sum(jnp.vdot(g, d) for g, d in zip(*map(jax.tree.leaves, (jax.grad(loss)(at), along)), strict=True))

    @jax.jit
    def both(at):
        return (
            directional(at),
            product(at),
            jax.jvp(directional, (at,), (along,))[1],
            jax.jvp(product, (at,), (along,))[1],
        )

    first, first_back, second, second_back = both(at)
    np.testing.assert_allclose(first, first_back, rtol=1e-4)
    np.testing.assert_allclose(second, second_back, rtol=1e-4)
    assert abs(first) > 1e-3 and abs(second) > 1e-3


def test_the_tangent_of_binary_weights_has_the_gradient_of_xnor_net_as_its_transpose():
    """dy = conv(dx mean|w| over outputs, sign(w)) + conv(x, dw), for one pixel a product of matrices."""
    layer = f7.SpatialBinaryConvolution(3, 2, 1, 1)
    x, weight, dx, dw = normal(3), normal(2, 3), normal(3), normal(2, 3)
    output = lambda w, x: layer.apply({"weight": w.reshape(2, 3, 1, 1)}, {}, x.reshape(3, 1, 1))[0].ravel()  # noqa: E731
    signs = np.sign(weight)
    expected = signs @ (dx * np.abs(weight).mean(0)) + dw @ x
    np.testing.assert_allclose(jax.jvp(output, (weight, x), (dw, dx))[1], expected, rtol=1e-5)


def test_the_decay_of_sparse_weights_is_in_the_gradient_and_in_its_derivative():
    layer = f7.SparseLinear(3, 1, weight_decay=0.5)
    weight, bias, pairs = normal(1, 3), normal(1), jnp.array([[1.0, 2.0], [3.0, 1.0]])
    loss = lambda w: layer.apply({"weight": w, "bias": bias}, {}, pairs)[0].sum()  # noqa: E731
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(weight), jnp.array([[2.0, 0, 1]]) + 0.5 * weight, rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(loss, (weight,), (weight,))[1], weight @ jnp.array([2.0, 0, 1]), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(jax.grad(loss)))(weight).reshape(3, 3), 0.5 * np.eye(3), rtol=1e-6)


def test_examples_of_a_batch_share_what_is_not_batched():
    """By vmap, of the input alone, a Profile's gradients are those of examples one by one."""
    loss, (params, _) = loss_of(f7.Profile(f7.Linear(3, 2)), normal(3))
    batch = normal(2, 3)
    of_batch = jax.jit(jax.grad(lambda params: jax.vmap(lambda x: loss((params, x)))(batch).sum()))(params)
    one_by_one = [jax.grad(lambda params, x=x: loss((params, x)))(params) for x in batch]
    jax.tree.map(lambda g, *each: np.testing.assert_allclose(g, sum(each), rtol=1e-5), of_batch, *one_by_one)
