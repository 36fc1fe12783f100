"""Composite: modules as fields; and what is found by name in the functional interface."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import functorch7 as f7
from functorch7.core import Composite


class Residual(Composite, abstract=True):
    """x + last(each layer in turn, twice), scaled by an own parameter; counts its calls."""

    layers: tuple[f7.Module, ...]
    last: f7.Module

    def init_params(self, key, stdv=None):
        return {"scale": jnp.full((), 2.0)}

    def init_buffers(self):
        return {"calls": jnp.zeros(())}

    def f(self, run, input):
        hidden = input
        for layer in run.layers * 2:
            hidden = layer(hidden)
        run.buffers["calls"] = run.buffers["calls"] + 1
        return input + run.params["scale"] * run.last(hidden)


X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
MODULE = Residual((f7.Linear(3, 3), f7.Tanh()), f7.Linear(3, 3))


@pytest.fixture(scope="module")
def variables():
    return MODULE.init(jax.random.key(0))


def test_a_composite_computes_its_f(variables):
    params, buffers = variables
    output, new = jax.jit(MODULE.apply)(params, buffers, X)
    (w, b), (v, c) = ((np.asarray(params[n]["weight"]), np.asarray(params[n]["bias"])) for n in ("layers.0", "last"))
    hidden = np.tanh(np.tanh(X @ w.T + b) @ w.T + b)
    np.testing.assert_allclose(output, X + 2 * (hidden @ v.T + c), rtol=1e-5, atol=1e-6)
    assert new["calls"] == 1 and jax.tree.structure(new) == jax.tree.structure(buffers)
    check_grads(lambda params, x: MODULE.apply(params, buffers, x)[0], (params, X), 1, ["rev"], atol=0.05, rtol=0.05)


def test_a_composite_is_a_value_and_prints_as_a_container():
    same = Residual((f7.Linear(3, 3), f7.Tanh()), f7.Linear(3, 3))
    assert same == MODULE and hash(same) == hash(MODULE)
    assert str(MODULE) == (
        "nn.Residual {\n  (layers.0): nn.Linear(3 -> 3)\n  (layers.1): nn.Tanh\n  (last): nn.Linear(3 -> 3)\n}"
    )


class Uses(Composite, abstract=True):
    """Two calls of one module, added."""

    module: f7.Module

    def f(self, run, input):
        return run.module(input) + run.module(2 * input)


def test_a_module_that_is_called_twice_draws_twice_and_has_both_penalties(key):
    x = jnp.ones(64)
    output, _ = Uses(f7.Dropout(0.5)).apply({"module": {}}, {"module": {}}, x, key=key, train=True)
    assert set(np.asarray(output).tolist()) == {0, 2, 4, 6}  # each of the four combinations of two masks
    module = Uses(f7.L1Penalty(0.5))
    params, buffers = module.init(key)
    _, new = module.apply(params, buffers, x, train=True)
    assert f7.penalty(new) == 0.5 * 3 * 64
    _, again = module.apply(params, new, x, train=True)  # side outputs are written, never read
    assert f7.penalty(again) == 0.5 * 3 * 64


def test_wrong_names_and_missing_definitions_are_told():
    class Wrong(Composite, abstract=True):
        module: f7.Module

        def f(self, run, input):
            return run.modul(input)

    params, buffers = {"module": {}}, {"module": {}}
    with pytest.raises(AttributeError, match=r"nn\.Wrong: expected one of its modules \['module'\], got 'modul'"):
        Wrong(f7.Tanh()).apply(params, buffers, X)
    with pytest.raises(NotImplementedError, match=r"must define f\(run, input\)"):
        Composite().apply({}, {}, X)
    with pytest.raises(ValueError, match="expected input of size 2") as raised:
        Uses(f7.Linear(2, 2)).apply({"module": f7.Linear(2, 2).init(jax.random.key(0)).params}, buffers, X)
    assert "In module module of nn.Uses:" in raised.value.__notes__


# Names ---------------------------------------------------------------------------------------------------------------

NETWORK = f7.Sequential(f7.BatchNormalization(3), Uses(f7.Sequential(f7.Linear(3, 3), f7.Tanh())))


def test_everything_has_a_dotted_name():
    params, buffers = NETWORK.init(jax.random.key(0))
    assert [name for name, _ in f7.named_children(NETWORK)] == ["0", "1"]
    names = [name for name, _ in f7.named_modules(NETWORK)]
    assert names == ["", "0", "1", "1.module", "1.module.0", "1.module.1"]
    assert dict(f7.named_modules(NETWORK, "net"))["net.1.module.1"] == f7.Tanh()
    found = dict(f7.named_parameters(NETWORK, params))
    assert list(found) == ["0.weight", "0.bias", "1.module.0.weight", "1.module.0.bias"]
    assert found["0.weight"] is params[0]["weight"]
    assert [name for name, _ in f7.named_buffers(NETWORK, buffers)] == ["0.running_mean", "0.running_var"]
    recurrent = f7.FastLSTM(2, 2)
    assert list(f7.named_buffers(recurrent, recurrent.init(jax.random.key(0)).buffers)) == []


def test_states_may_lack_names_if_they_are_told():
    variables = NETWORK.init(jax.random.key(0))
    state = {"0.weight": np.full(3, 7.0, np.float32), "extra": np.ones(1)}
    loaded, keys = f7.load_state_dict(NETWORK, variables, state, strict=False)
    np.testing.assert_array_equal(loaded.params[0]["weight"], [7, 7, 7])
    assert loaded.params[0]["bias"] is not None and keys.unexpected_keys == ["extra"]
    assert keys.missing_keys == [name for name in f7.state_dict(NETWORK, variables) if name != "0.weight"]
    with pytest.raises(ValueError, match=r"0\.weight: expected shape \(3,\), got \(2,\)"):
        f7.load_state_dict(NETWORK, variables, {"0.weight": np.ones(2)}, strict=False)
    with pytest.raises(TypeError, match="expected a state_dict, got list"):
        f7.load_state_dict(NETWORK, variables, [])  # type: ignore[arg-type]


def test_variables_are_cast_and_moved():
    variables = NETWORK.init(jax.random.key(0))
    cast = f7.to(f7.Variables(variables.params, {**{"n": np.int32(1)}, "b": variables.buffers}), jnp.bfloat16, "cpu")
    assert {leaf.dtype.name for leaf in jax.tree.leaves(cast)} == {"bfloat16", "int32"}
    assert f7.to(variables).params[0]["weight"] is variables.params[0]["weight"]
    with pytest.raises(TypeError, match="to: expected a floating-point dtype, got int32"):
        f7.to(variables, jnp.int32)
    with pytest.raises(TypeError, match="to: expected a floating-point dtype, got float17"):
        f7.to(variables, "float17")
    with pytest.raises(RuntimeError, match="to: expected a kind of devices that there are, .*cpu.*, got 'abacus'"):
        f7.to(variables, device="abacus")
