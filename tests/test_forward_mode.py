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
    "GPU": (lambda: f7.GPU(f7.Sequential(f7.Linear(3, 2), f7.Tanh()), 1), normal(4, 3)),
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


@pytest.mark.parametrize("module", [
    f7.MaskZero(f7.Sequential(f7.Linear(3, 2), f7.Tanh(), f7.Linear(2, 2)), 1), f7.TrimZero(f7.Linear(3, 2), 1),
    f7.Sequencer(f7.MaskZero(f7.Linear(3, 2), 1)), f7.Remat(f7.NaN(f7.Linear(3, 2))),
])  # fmt: skip
def test_curvatures_are_difference_quotients_of_gradients(module):
    """With what is mixed of parameters and inputs; rows that are masked stay so, and the loss leaves them out."""
    with jax.enable_x64(True):
        input = np.asarray(RANDOM.normal(size=(2, 3, 3)) * np.array([[[1], [0], [1]]]))
        input = input if isinstance(module, f7.Sequencer) else input[0]
        params, buffers = module.init(jax.random.key(0))
        at = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), (params, input))
        along = jax.tree.map(lambda leaf: RANDOM.normal(size=leaf.shape), at)
        along = along[0], along[1] * (input != 0)
        moved = [jax.tree.map(lambda a, d, step=step: a + step * d, at, along) for step in (1e-5, -1e-5)]

        def loss(given):
            return (module.apply(given[0], buffers, given[1], train=True)[0] ** 3).sum()

        of_gradient = jax.jit(jax.grad(loss))
        expected = jax.tree.map(lambda up, down: (up - down) / 2e-5, *map(of_gradient, moved))
        curvature = jax.jit(lambda at: jax.jvp(jax.grad(loss), (at,), (along,))[1])(at)
        jax.tree.map(lambda c, e: np.testing.assert_allclose(c, e, rtol=1e-6, atol=1e-8), curvature, expected)


EXACT = {
    "a row far beyond its largest norm": (
        lambda: f7.LookupTable(1, 2, 0, 1.0).apply({"weight": 1e8 * jnp.array([[3.0, 4.0]])}, {}, jnp.array([1]))[0],
        [[0.6, 0.8]],
    ),
    "a masked row whose output is infinite": (
        lambda: f7.MaskZero(f7.Sequential(f7.Log(), f7.Linear(2, 1)), 1).apply(
            [[{}, {"weight": jnp.ones((1, 2)), "bias": jnp.ones(1)}], {}],
            [[{}, {}], {"zeroMask": f7.network.ZeroMask()}],
            jnp.array([[1.0, 1], [0, 0]]),
        )[0],
        [[1], [0]],
    ),
    "a row that was never written": (
        lambda: f7.LookupTableMaskZero(1, 1).apply({"weight": jnp.array([[jnp.inf], [2.0]])}, {}, jnp.array([0, 1]))[0],
        [[0], [2]],
    ),
    "a reward beside a baseline that is far away": (
        lambda: f7.VRClassReward()([jnp.array([[3.0, 1]]), jnp.array([1e20])], jnp.array([1])),
        -1,
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_a_value_with_the_derivative_of_another_is_exact(name):
    found, expected = EXACT[name]
    np.testing.assert_allclose(found(), expected, rtol=1e-6)


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


def test_a_loss_that_is_computed_beside_its_gradient_has_that_gradient():
    """As in a step of learning that is itself differentiated, for gradients that are not those of calculus."""
    reversal, layer = f7.GradientReversal(0.5), f7.SparseLinear(3, 1, weight_decay=0.5)
    weight, pairs = normal(1, 3), jnp.array([[1.0, 2.0], [3.0, 1.0]])

    def loss(weight):
        found, _ = layer.apply({"weight": reversal.apply({}, {}, weight)[0], "bias": jnp.zeros(1)}, {}, pairs)
        return found.sum()

    once = jax.grad(loss)(weight)
    np.testing.assert_allclose(once, -0.5 * (jnp.array([[2.0, 0, 1]]) + 0.5 * weight), rtol=1e-6)
    np.testing.assert_array_equal(jax.grad(lambda w: jax.value_and_grad(loss)(w)[0])(weight), once)


@pytest.mark.parametrize("approximate", [True, False])
def test_gelu_has_values_and_derivatives_for_numbers_of_any_size(approximate):
    """Against float64, in which the cube of 1e30 has room, and 1 + erf keeps its digits."""
    points, layer = [-1e30, -1e13, -8.0, -4.0, 0.5, 1e13, 1e30], f7.GELU(approximate)

    def all_of(dtype):
        def output(x):
            return layer.apply({}, {}, x)[0]

        x = jnp.asarray(points, dtype)
        return jax.jit(lambda x: [output(x), jax.vmap(jax.grad(output))(x)])(x)

    with jax.enable_x64(True):
        for narrow, wide in zip(all_of(jnp.float32), all_of(jnp.float64), strict=True):
            np.testing.assert_allclose(narrow, wide, rtol=2e-4)
            assert np.isfinite(wide).all()


def test_examples_of_a_batch_share_what_is_not_batched():
    """By vmap, of the input alone, a Profile's gradients are those of examples one by one."""
    loss, (params, _) = loss_of(f7.Profile(f7.Linear(3, 2)), normal(3))
    batch = normal(2, 3)
    of_batch = jax.jit(jax.grad(lambda params: jax.vmap(lambda x: loss((params, x)))(batch).sum()))(params)
    one_by_one = [jax.grad(lambda params, x=x: loss((params, x)))(params) for x in batch]
    jax.tree.map(lambda g, *each: np.testing.assert_allclose(g, sum(each), rtol=1e-5), of_batch, *one_by_one)


TRANSFORMATIONS = {
    "jit": jax.jit,
    "gradient": lambda loss: jax.jit(jax.grad(loss)),
    "of compiled": lambda loss: jax.grad(jax.jit(loss)),
    "each row": lambda loss: jax.jit(jax.vmap(jax.grad(loss))),
    "hessian": jax.hessian,
    "computed again": lambda loss: jax.jit(jax.grad(jax.checkpoint(loss))),
}


@pytest.mark.parametrize("transform", TRANSFORMATIONS.values(), ids=TRANSFORMATIONS)
def test_modules_that_look_are_transformed_under_jaxs_checks(transform, capsys):
    """Which allow a `custom_jvp` no effects. The host is called once, as it is told a size alone."""
    module = f7.Sequential(f7.PrintSize("here"), f7.NaN(f7.Square()), f7.Profile(f7.Tanh(), 100))
    params, buffers = module.init(jax.random.key(0))
    plain = f7.Sequential(f7.Square(), f7.Tanh())
    x = jnp.array([[0.5, -1.0], [0.25, 2.0]])

    def loss(apply):
        return transform(lambda x: apply(x).sum())

    with jax.enable_checks(True):
        found = jax.block_until_ready(loss(lambda x: module.apply(params, buffers, x, train=True)[0])(x))
        jax.effects_barrier()
    expected = loss(lambda x: plain.apply([{}, {}], [{}, {}], x)[0])(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert capsys.readouterr().out.count("here:input") == 1


@pytest.mark.parametrize("name", CASES)
def test_curvatures_along_several_directions_at_once_are_those_one_by_one(name):
    """Of parameters alone, inputs alone, and both: what vmap batches is each time another part of the operands."""
    make, input = CASES[name]
    loss, at = loss_of(make(), input)
    params, inputs = ([jax.tree.map(lambda leaf: normal(*leaf.shape), part) for _ in range(2)] for part in at)

    def curvature(along):
        return jax.jvp(jax.grad(loss), (at,), (along,))[1]

    @jax.jit
    def both(params, inputs):
        pairs = params, inputs
        stacked = [jax.tree.map(lambda *each: jnp.stack(each), *pair) for pair in pairs]
        at_once = [
            jax.vmap(lambda *along: curvature(along), axes)(
                *(part if axis == 0 else pair[0] for part, pair, axis in zip(stacked, pairs, axes, strict=True))
            )
            for axes in ((0, 0), (0, None), (None, 0))
        ]
        each = [[curvature((params[i * a], inputs[i * b])) for i in (0, 1)] for a, b in ((1, 1), (1, 0), (0, 1))]
        return at_once, [jax.tree.map(lambda *some: jnp.stack(some), *pair) for pair in each]

    jax.tree.map(lambda f, e: np.testing.assert_allclose(f, e, rtol=1e-4, atol=1e-5), *both(params, inputs))
