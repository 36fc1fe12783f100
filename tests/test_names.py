"""Names of modules, and what finds modules by them; sizes of outputs."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core.tree import found_at
from functorch7.network import structure_of
from functorch7.training import freeze, labels

NET = f7.Sequential(
    f7.Linear(3, 4).named("first"), f7.Sequential(f7.Linear(4, 4), f7.Linear(4, 2).named("last")).named("top")
)


def test_a_name_belongs_to_the_description():
    named = f7.Linear(3, 4).named("conv1")
    assert named.own_name == "conv1" and f7.Linear(3, 4).own_name is None
    assert named != f7.Linear(3, 4) and named == f7.Linear(3, 4).named("conv1") and named.named(None) == f7.Linear(3, 4)
    assert hash(named) != hash(f7.Linear(3, 4)) and str(named) == str(f7.Linear(3, 4))
    assert named.replace(output_size=5).own_name == named.no_bias().own_name == "conv1"
    copy = pickle.loads(pickle.dumps(NET))
    assert copy == NET and f7.find(copy, "last") == (1, 1)
    for wrong in ("", 3):
        with pytest.raises(TypeError, match="nn.Linear: expected a name"):
            f7.Linear(3, 4).named(wrong)


def test_find_gives_the_place():
    assert f7.find(NET, "last") == (1, 1) and f7.find(NET, "first") == (0,) and f7.find(NET, "no") is None
    assert f7.find(NET.named("all"), "all") == ()
    params, _ = structure_of(NET)
    assert found_at(params, f7.find(NET, "last"))["weight"].shape == (2, 4)
    twice = f7.Sequential(NET, f7.Tanh().named("last"))
    with pytest.raises(ValueError, match="find multiple modules with same name 'last': at 0.1.1 and 1"):
        f7.find(twice, "last")
    for wrong in (None, 1, f7.Tanh()):  # most modules have no name, which is None
        with pytest.raises(TypeError, match="find: expected the name of a module, got"):
            f7.find(NET, wrong)
    inside = f7.Sequencer(f7.FastLSTM(3, 2).named("cell"))
    assert "i2g" in found_at(structure_of(inside).params, f7.find(inside, "cell"))


def test_rules_by_name():
    params, _ = structure_of(NET)
    marked = labels(NET, params, {"first": "slow", "top": "frozen", "nn.Linear": "rest"})
    assert marked[0] == {"weight": "slow", "bias": "slow"} and marked[1][0] == {"weight": "frozen", "bias": "frozen"}
    assert labels(NET, params, {"top": "a", "last": "b", "1.1.bias": "c"})[1][1] == {"weight": "b", "bias": "c"}
    assert freeze(NET, params, "last")[1][1]["weight"] == "frozen"
    with pytest.raises(ValueError, match="no parameters at conv9"):
        freeze(NET, params, "conv9")
    both = f7.Sequential(f7.Linear(2, 2).named("a"), f7.Linear(2, 2).named("a"))
    with pytest.raises(ValueError, match="find multiple modules with same name 'a'"):
        freeze(both, structure_of(both).params, "a")


def test_summaries_show_names():
    text = str(f7.summary(NET, (5, 3)))
    assert "0 first: nn.Linear(3 -> 4)" in text and "1 last: nn.Linear(4 -> 2)" in text


def test_the_same_network_under_names_computes_the_same(key):
    plain = f7.Sequential(f7.Linear(3, 4), f7.Sequential(f7.Linear(4, 4), f7.Linear(4, 2)))
    x = jnp.ones((5, 3))
    jax.tree.map(np.testing.assert_array_equal, NET.init(key), plain.init(key))
    np.testing.assert_array_equal(NET.apply(*NET.init(key), x)[0], plain.apply(*plain.init(key), x)[0])


def test_output_shapes_are_those_of_the_formulas():
    n, k, stride, pad = 28, 5, 2, 1
    convolution = f7.SpatialConvolution(1, 6, k, k, stride, stride, pad, pad)
    size = (n + 2 * pad - k) // stride + 1
    assert f7.output_shape(convolution, (7, 1, n, n)) == (7, 6, size, size)
    assert f7.output_shape(f7.ParallelTable(f7.Linear(3, 2), f7.Linear(5, 4)), [(6, 3), (6, 5)]) == [(6, 2), (6, 4)]
    assert f7.output_shape(f7.LookupTable(10, 4), jax.ShapeDtypeStruct((2, 7), jnp.int32)) == (2, 7, 4)
    assert f7.output_shape(f7.Dropout(0.5), (3, 2), train=True) == (3, 2)
    assert f7.output_shape(f7.Sequential(f7.NaN(f7.Linear(3, 2)), f7.Profile(f7.Tanh())), (4, 3)) == (4, 2)
    with pytest.raises(ValueError, match="expected input of size 3 in the last dimension"):
        f7.output_shape(f7.Linear(3, 2), (6, 4))
    with pytest.raises(TypeError, match="expected a shape"):
        f7.output_shape(f7.Linear(3, 2), [6, 4])
    with pytest.raises(ValueError, match="depends on values"):
        f7.output_shape(f7.MaskedSelect(), [(3,), (3,)])
