"""flax: the same numbers both ways, with jit, gradients and steps of training."""

import subprocess
import sys
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import flax.errors
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import linen, nnx, serialization

import functorch7 as f7
from functorch7.core.emitted import Emitted
from functorch7.interop.flax import (
    AsLinen,
    AsNnx,
    FromLinen,
    FromNnx,
    from_linen_variables,
    from_nnx_variables,
    linen_variables,
)
from functorch7.network.zero_mask import ZeroMask

from .helpers import made

NETWORK = f7.Sequential(f7.Linear(3, 4), f7.BatchNormalization(4), f7.Tanh(), f7.Dropout(0.5), f7.Linear(4, 2))
X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def equal(got, expected):
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), got, expected)


def test_a_module_as_linen_gives_the_same_numbers(key):
    params, buffers = made(NETWORK)
    module, variables = AsLinen(NETWORK), linen_variables(params, buffers)
    assert set(variables["params"]) == {"0", "1", "4"} and set(variables["buffers"]) == {"1"}
    run = jax.jit(module.apply, static_argnames=("train", "mutable"))
    equal(run(variables, X), NETWORK.apply(params, buffers, X)[0])
    rngs = {"dropout": jax.random.key(3)}
    _, updates = run(variables, X, train=True, mutable=("buffers",), rngs=rngs)
    expected = NETWORK.apply(params, buffers, X, key=key, train=True)[1]  # dropout comes after the statistics
    equal(from_linen_variables(NETWORK, {**variables, **updates}), f7.Variables(params, expected))
    with pytest.raises(flax.errors.ModifyScopeVariableError):
        module.apply(variables, X, train=True, rngs=rngs)


class Around(linen.Module):
    """A linen network with one of functorch7's inside."""

    @linen.compact
    def __call__(self, input):
        return linen.Dense(1)(AsLinen(f7.Sequential(f7.Linear(3, 4), f7.Tanh()))(input))


def test_a_step_of_training_inside_linen(key):
    module = Around()
    variables = module.init(key, X)
    inner, outer = variables["params"]["AsLinen_0"]["0"], variables["params"]["Dense_0"]

    def by_hand(inner, outer):
        hidden = jnp.tanh(X @ inner["weight"].T + inner["bias"].reshape(1, -1))
        return ((hidden @ outer["kernel"] + outer["bias"].reshape(1, -1)) ** 2).mean()

    grads = jax.jit(jax.grad(lambda v: (module.apply(v, X) ** 2).mean()))(variables)["params"]
    equal((grads["AsLinen_0"]["0"], grads["Dense_0"]), jax.grad(by_hand, (0, 1))(inner, outer))


def test_linen_initialises_as_the_module_does(key):
    variables = AsLinen(NETWORK).init({"params": key}, X)
    params, buffers = from_linen_variables(NETWORK, variables)
    assert jax.tree.map(jnp.shape, params) == jax.tree.map(jnp.shape, NETWORK.init(key).params)
    equal(buffers, NETWORK.init(key).buffers)  # a call that initialises moves no statistics
    assert float(jnp.abs(params[0]["weight"]).max()) <= 3**-0.5


def test_recurrent_state_and_penalties_are_in_linens_buffers():
    network = f7.Sequential(f7.GRU(3, 2), f7.L1Penalty(0.1))
    params, buffers = made(network)
    variables = linen_variables(params, buffers)
    for _ in range(2):
        expected, buffers = network.apply(params, buffers, X, train=True)
        output, updates = AsLinen(network).apply(variables, X, train=True, mutable=["buffers"])
        variables |= updates
        equal(output, expected)
        np.testing.assert_allclose(f7.penalty(updates["buffers"]), 0.1 * np.abs(expected).sum(), rtol=1e-5)


def test_flaxs_own_files_hold_all_buffers():
    """Running statistics, recurrent state, a side output and a mask, empty and not."""
    network = f7.Sequential(f7.Sequencer(f7.FastLSTM(2, 3).mask_zero()), f7.BatchNormalization(3), f7.L1Penalty(0.1))
    empty = linen_variables(*made(network))
    params, buffers = made(network)

    def is_node(leaf):
        return isinstance(leaf, (Emitted, ZeroMask))

    def filled(leaf):
        return replace(leaf, value=jnp.ones((2, 1))) if is_node(leaf) else leaf

    full = linen_variables(params, jax.tree.map(filled, buffers, is_leaf=is_node))
    for variables in (empty, full):
        found = serialization.from_bytes(variables, serialization.to_bytes(variables))
        assert jax.tree.structure(found) == jax.tree.structure(variables)
        jax.tree.map(np.testing.assert_array_equal, found, variables)
    assert jax.tree.structure(full) != jax.tree.structure(empty)


def test_a_step_of_training_as_nnx(key):
    network = AsNnx(NETWORK, rngs=nnx.Rngs(params=key, dropout=1))
    params = jax.tree.map(lambda v: v.get_value(), network.params, is_leaf=lambda n: isinstance(n, nnx.Variable))
    buffers = network.buffers.get_value()
    network.eval()
    equal(network(X), NETWORK.apply(params, buffers, X)[0])
    network.train()
    optimizer = nnx.Optimizer(network, optax.sgd(0.5), wrt=nnx.Param)
    dropout_key = nnx.Rngs(dropout=1)["dropout"].fork()()  # the first that it will draw

    @nnx.jit
    def step(network, optimizer, input):
        grads = nnx.grad(lambda network: (network(input) ** 2).sum())(network)
        optimizer.update(network, grads)

    step(network, optimizer, X)

    def loss(params):
        output, new = NETWORK.apply(params, buffers, X, key=dropout_key, train=True)
        return (output**2).sum(), new

    grads, new = jax.grad(loss, has_aux=True)(params)
    equal(network.buffers.get_value(), new)
    moved = jax.tree.map(lambda v: v.get_value(), network.params, is_leaf=lambda n: isinstance(n, nnx.Variable))
    equal(moved, jax.tree.map(lambda p, g: p - 0.5 * g, params, grads))


class Block(linen.Module):
    """A linen network with parameters, statistics and dropout."""

    @linen.compact
    def __call__(self, input, train=False):
        hidden = linen.BatchNorm(use_running_average=not train, momentum=0.9)(linen.Dense(4)(input))
        self.sow("losses", "size", jnp.abs(hidden).sum())
        return linen.Dropout(0.5, deterministic=not train)(hidden)


def test_a_linen_module_inside_a_container(key):
    inner = Block()
    network = f7.Sequential(f7.Linear(3, 3), FromLinen(inner, (1, 3), streams=("dropout",)), f7.Linear(4, 2))
    params, buffers = made(network)
    assert list(f7.state_dict(network, f7.Variables(params, buffers)))[2:] == [
        "1.BatchNorm_0.bias", "1.BatchNorm_0.scale", "1.Dense_0.bias", "1.Dense_0.kernel", "2.weight", "2.bias",
        "1.batch_stats.BatchNorm_0.mean", "1.batch_stats.BatchNorm_0.var",
    ]  # fmt: skip
    own = {
        "params": {
            layer: {n.split(".")[1]: a for n, a in params[1].items() if n.startswith(layer)}
            for layer in ("BatchNorm_0", "Dense_0")
        },
        "batch_stats": {"BatchNorm_0": {n.split(".")[-1]: a for n, a in buffers[1].items()}},
    }

    def by_hand(params, train):
        hidden = X @ params[0]["weight"].T + params[0]["bias"].reshape(1, -1)
        rngs = {"dropout": jax.random.fold_in(jax.random.fold_in(key, 1), 0)}  # by position, as in every container
        hidden, new = inner.apply(own, hidden, train=train, rngs=rngs, mutable=["batch_stats"])
        return hidden @ params[2]["weight"].T + params[2]["bias"].reshape(1, -1), new

    def run(params, train):
        return network.apply(params, buffers, X, key=key, train=train)

    equal(jax.jit(run, static_argnums=1)(params, False)[0], by_hand(params, False)[0])
    (output, new), (expected, moved) = run(params, True), by_hand(params, True)
    equal(output, expected)
    equal(new[1]["batch_stats.BatchNorm_0.mean"], moved["batch_stats"]["BatchNorm_0"]["mean"])
    grads = jax.grad(lambda p: (run(p, False)[0] ** 2).sum())(params)
    assert all(np.abs(grad).max() > 0 for grad in jax.tree.leaves(grads))
    equal(grads[0], jax.grad(lambda p: (by_hand(p, False)[0] ** 2).sum())(params)[0])
    with pytest.raises(ValueError, match="needs a random key"):
        network.apply(params, buffers, X, train=True)


def test_tables_and_integers_for_linen_modules(key):
    table = FromLinen(linen.MultiHeadDotProductAttention(2, qkv_features=4), ((1, 2, 4), (1, 3, 4)))
    query, keys = np.ones((1, 2, 4), np.float32), np.ones((1, 3, 4), np.float32)
    assert table.apply(*table.init(key), [query, keys])[0].shape == (1, 2, 4)
    words = FromLinen(linen.Embed(5, 3), (1,), dtype="int32")
    params, _ = words.init(key)
    equal(words.apply(params, {}, np.array([4], np.int32))[0], params["embedding"][4:])


def test_what_is_no_linen_module_is_refused():
    with pytest.raises(TypeError, match=r"expected a linen\.Module, got nn\.Tanh"):
        FromLinen(f7.Tanh(), (1,))
    with pytest.raises(TypeError, match="have to be hashable"):
        FromLinen(linen.DenseGeneral([3, 4]), (1, 2))
    with pytest.raises(TypeError, match="expected a shape, or a tuple of shapes, as input_shape, got 3"):
        FromLinen(linen.Dense(2), 3)
    with pytest.raises(TypeError, match=r"expected what gives an nnx\.Module, got 3"):
        FromNnx(3)


def test_variables_of_another_module_are_refused():
    params, buffers = made(NETWORK)
    variables = linen_variables(params, buffers)
    place, name = next((place, name) for place, own in variables["params"].items() for name in own)
    less = {**variables["params"], place: {}}
    other = {**variables["params"], place: {**variables["params"][place], name: np.ones((9, 9, 9))}}
    more = {**variables["params"], "99": {"weight": np.ones(2)}}
    for wrong, said in ((less, name), (other, name), ({}, name), (more, "has no params.99.weight")):
        with pytest.raises(ValueError, match=f"from_linen_variables: .*{said}"):
            from_linen_variables(NETWORK, {**variables, "params": wrong})


def test_flax_is_imported_only_when_it_is_used():
    code = "import sys, functorch7 as f7; f7.interop.pytorch; assert not {'flax', 'torch', 'orbax'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match=r"functorch7\.interop' has no attribute 'keras'"):
        f7.interop.keras  # noqa: B018


class Nnx(nnx.Module):
    def __init__(self, rngs):
        self.first, self.norm = nnx.Linear(3, 4, rngs=rngs), nnx.BatchNorm(4, rngs=rngs)
        self.layers, self.drop = nnx.List([nnx.Linear(4, 2, rngs=rngs)]), nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.layers[0](self.drop(jnp.tanh(self.norm(self.first(x)))))


def test_an_nnx_module_as_a_layer(key):
    layer = FromNnx(Nnx)
    network = f7.Sequential(f7.Linear(2, 3), layer)
    params, buffers = network.init(key)
    names = ["first.bias", "first.kernel", "layers.0.bias", "layers.0.kernel", "norm.bias", "norm.scale"]
    assert sorted(params[1]) == names and sorted(buffers[1]) == ["norm.mean", "norm.var"] and hash(layer)
    theirs = Nnx(nnx.Rngs(7))
    theirs.eval()
    own = from_nnx_variables(theirs)
    equal(layer.apply(*own, X)[0], theirs(X))
    # In training the statistics move as there, and half of what the dropout is given is dropped.
    theirs.train()
    theirs(X)
    output, moved = jax.jit(lambda *given: layer.apply(*given, key=key, train=True))(*own, X)
    equal(moved, from_nnx_variables(theirs)[1])
    assert not np.allclose(output, layer.apply(*own, X, key=jax.random.key(9), train=True)[0])
    gradient = jax.grad(lambda p: (network.apply(p, buffers, X[:, :2])[0] ** 2).sum())(params)
    assert all(float(jnp.abs(g).max()) > 0 for g in (gradient[0]["weight"], gradient[1]["first.kernel"]))
    with pytest.raises(TypeError, match="FromNnx: expected what gives an nnx.Module"):
        FromNnx(lambda rngs: 3)


def test_what_has_arrays_of_its_own_is_no_function_of_a_network():
    """They would be constants, which nothing learns."""

    class Tree(NamedTuple):
        weight: jax.Array

        def __call__(self, x):
            return self.weight * x

    given = {
        r'an? [a-z_]+.Tree, .*; docs/interop.md, "Equinox"': Tree(jnp.ones(3)),
        "a flax.Linear, .*; interop.flax.FromNnx": nnx.Linear(3, 4, rngs=nnx.Rngs(0)),
        "a flax.Dense, .*; interop.flax.FromLinen": linen.Dense(4),
    }
    for said, module in given.items():
        with pytest.raises(TypeError, match=f"nn.Lambda: expected a function, got {said}"):
            f7.Sequential(f7.Linear(3, 3), module)
    f7.Sequential(partial(jnp.multiply, jnp.ones(3)), jax.jit(jnp.tanh))
