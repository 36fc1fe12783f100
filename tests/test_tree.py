"""The tree of modules, and the trees of arrays beside it (core/tree.py)."""

import ast
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES

import functorch7 as f7
from functorch7.core import tree
from functorch7.legacy import nn


@pytest.mark.parametrize("case", MODULES, ids=lambda case: case.id)
def test_trees_nest_as_the_modules_do(case):
    """Where every array is follows from the modules' paths, and from what each says of its own arrays."""
    params, buffers = f7.network.structure_of(case.module)
    own_params, own_buffers = set(), set()
    for path, module in tree.places(case.module):
        place = (*path, len(module.child_modules())) if tree.by_position(module) else path
        made = jax.eval_shape(module.init_params, jax.random.key(0)), jax.eval_shape(module.init_buffers)
        for found, own in zip((own_params, own_buffers), made, strict=True):
            found |= {(*place, *inner) for inner, _ in tree.leaves_with_path(own)}
    assert {path for path, _ in tree.leaves_with_path(params)} == own_params
    assert {path for path, _ in tree.leaves_with_path(buffers)} == own_buffers
    for found in (params, buffers):
        assert tree.join(case.module, *tree.split(case.module, found)) == found
        assert tree.mapped(case.module, lambda _, own: own, found) == found


def asks_for_their_form(node):
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in ("isinstance", "type"):
        return False
    return "children" in ast.unparse(node.args[0])


def test_nobody_else_knows_what_form_children_have():
    sources = Path(f7.__file__).parent.rglob("*.py")
    asking = [path for path in sources if any(map(asks_for_their_form, ast.walk(ast.parse(path.read_text()))))]
    assert [path.name for path in asking] == [Path(tree.__file__).name]


class Leaky(f7.Container):
    """Modules one after the other, and a number of its own: half of its last output is added to the next."""

    def init_buffers(self):
        return {"calls": jnp.zeros(()), "last": None}

    def forward(self, params, buffers, input, *, key, train):
        own, new = buffers[-1], list(buffers)
        for i in range(len(self.modules)):
            input, new[i] = self.call(i, params, buffers, input, key=key, train=train)
        output = input if own["last"] is None else input + own["last"] / 2
        new[-1] = {"calls": own["calls"] + 1, "last": output}
        return output, new


def leaky(x):
    outputs = []
    for step in x:
        outputs.append(step if not outputs else step + outputs[-1] / 2)
    return np.stack(outputs)


X = np.random.default_rng(0).normal(size=(5, 2, 3)).astype(np.float32)


def test_a_containers_own_state_is_forgotten_carried_and_not_saved():
    network = f7.Sequencer(f7.Sequential(Leaky(f7.Identity()), f7.Identity())).remember("both")
    params, buffers = network.init(jax.random.key(0))
    np.testing.assert_allclose(network.apply(params, buffers, X)[0], leaky(X), 1e-6)
    _, after = network.apply(params, buffers, X[:3])
    carry = f7.carry_of(network, after)
    np.testing.assert_array_equal(carry[0]["recurrent_module"][0][1]["last"], leaky(X)[2])
    for start in (after, f7.with_carry(network, buffers, carry)):
        np.testing.assert_allclose(network.apply(params, start, X[3:])[0], leaky(X)[3:], 1e-6)
    forgotten = f7.forget(network, after)
    assert forgotten[0]["recurrent_module"][0][1]["last"] is None
    assert jax.tree.structure(forgotten) == jax.tree.structure(buffers)
    assert list(f7.state_dict(network, (params, after))) == ["0.recurrent_module.0.1.calls"]
    assert f7.init_carry(network, 2) == f7.carry_of(network, buffers)


def test_a_containers_own_state_in_legacy():
    network = nn.Sequencer(nn.Sequential().add(nn.Leaky(nn.Identity()))).remember("both")
    np.testing.assert_allclose(network.forward(X[:3]), leaky(X)[:3], 1e-6)
    np.testing.assert_allclose(network.forward(X[3:]), leaky(X)[3:], 1e-6)
    network.forget()
    np.testing.assert_allclose(network.forward(X), leaky(X), 1e-6)


class Numbered(f7.Sequential, init=False):
    """A chain with a number of its own, whose author has written no `forward`."""

    def init_buffers(self):
        return {"number": jnp.full((), 2.0)}


@pytest.mark.parametrize(
    "around",
    [
        lambda m: m,
        lambda m: f7.Sequential(m),
        lambda m: f7.Bottle(m, 2),
        lambda m: f7.Sequencer(m),
    ],
    ids=["alone", "Sequential", "Bottle", "Sequencer"],
)
def test_calls_keep_a_containers_own_buffers(around):
    network = around(Numbered(f7.Linear(3, 3), f7.Tanh()))
    params, buffers = network.init(jax.random.key(0))
    _, after = network.apply(params, buffers, X)
    assert jax.tree.structure(after) == jax.tree.structure(buffers)
    assert any(float(leaf) == 2 for leaf in jax.tree.leaves(after))
