"""Recurrent layers and cells with weights of 8 bits: values, accuracy, bytes, state, files, the legacy interface."""

import pickle
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.interop import safetensors
from functorch7.legacy import nn
from functorch7.legacy import torch as legacy_torch
from functorch7.training import init_state, make_train_step

NETWORKS = {
    "SeqLSTM": f7.SeqLSTM(3, 4),
    "SeqLSTMP": f7.SeqLSTMP(3, 5, 4),
    "SeqGRU": f7.SeqGRU(3, 4),
    "LSTM": f7.Sequencer(f7.LSTM(3, 4)),
    "GRU": f7.Sequencer(f7.GRU(3, 4)),
    "a chain": f7.Sequencer(f7.Sequential(f7.Linear(3, 3), f7.FastLSTM(3, 4), f7.Linear(4, 2))),
    "both ways": f7.Sequential(f7.SeqBGRU(3, 4), f7.Tanh()),
}
SEQUENCE = np.random.default_rng(0).normal(size=(4, 2, 3)).astype(np.float32)

run = jax.jit(lambda module, params, buffers, input: module.apply(params, buffers, input), static_argnums=0)


@cache
def made(name):
    """A float network's variables, the quantised network, and its variables."""
    variables = jax.jit(NETWORKS[name].init)(jax.random.key(1))
    return variables, *f7.quantize(NETWORKS[name], *variables)


def nearest(name, array, layer_of_sequences):
    """scale * round(w / scale) in float64, for matrices: a scale for each column of a Seq layer, else for each row."""
    if not name.endswith(("weight", "weightO")) or array.ndim != 2 or 1 in array.shape:  # biases, peepholes
        return array
    values = np.asarray(array, np.float64)
    scale = np.abs(values).max(0 if layer_of_sequences else 1, keepdims=True) / 127
    return scale * np.rint(values / scale)


def nearest_variables(module, variables):
    """The float module's variables with all its matrices at the nearest of 255 values."""
    whole = {id(each) for _, each in f7.core.places(module) if isinstance(each, f7.SequenceLayer)}
    at = {f7.core.tree.dotted(path): id(each) in whole for path, each in f7.core.places(module)}
    state = f7.state_dict(module, variables)
    near = {name: nearest(name, array, at[name.rpartition(".")[0]]) for name, array in state.items()}
    return f7.load_state_dict(module, variables, near)


@pytest.mark.parametrize("name", NETWORKS)
def test_values_are_those_of_rounded_weights(name):
    variables, small, quantized = made(name)
    output, after = run(small, *quantized, SEQUENCE)
    expected, _ = run(NETWORKS[name], *nearest_variables(NETWORKS[name], variables), SEQUENCE)
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-5)
    jax.tree.map(np.testing.assert_array_equal, after, quantized.buffers)


def scans(program):
    """The programs of all scans in a program, but not of those inside them."""
    for equation in program.eqns:
        if equation.primitive.name == "scan":
            yield equation.params["jaxpr"]
        else:
            for inner in (value.jaxpr for value in equation.params.values() if hasattr(value, "jaxpr")):
                yield from scans(inner)


@pytest.mark.parametrize("name", ["LSTM", "a chain"])
def test_weights_are_multiplied_out_before_the_first_step(name):
    _, small, quantized = made(name)
    program = jax.make_jaxpr(small.apply)(*quantized, SEQUENCE)
    inside = [str(each) for each in scans(program.jaxpr)]
    assert len(inside) == 1 and "i8[" in str(program) and "i8[" not in inside[0]


def sequences(seed, count):
    """Sequences of noise, and which of four features has the largest sum over time."""
    x = np.random.default_rng(seed).normal(size=(6, count, 4)).astype(np.float32)
    return x, x.sum(0).argmax(1) + 1


@pytest.mark.parametrize("layer", [f7.SeqLSTM(4, 16), f7.Sequencer(f7.GRU(4, 16))], ids=["SeqLSTM", "GRU"])
def test_accuracy_stays_within_one_percent(layer, key):
    module = f7.Sequential(layer, f7.Select(1, -1), f7.Linear(16, 4), f7.LogSoftMax())
    optimizer, (x, classes) = optax.sgd(0.3, momentum=0.9), sequences(0, 1000)
    step = make_train_step(module, f7.ClassNLLCriterion(), optimizer)
    state = init_state(module, optimizer, jax.jit(module.init)(key))
    for seed in range(1, 101):
        state, _ = step(state, sequences(seed, 200), None)

    def correct(module, variables):
        output, _ = run(module, *variables, x)
        return (np.asarray(output).argmax(1) + 1 == classes).mean()

    exact = correct(module, (state.params, state.buffers))
    assert exact > 0.75  # of four classes
    assert abs(correct(*f7.quantize(module, state.params, state.buffers)) - exact) <= 0.01


@pytest.mark.parametrize("layer", [f7.SeqLSTM(512, 512), f7.LSTM(512, 512)], ids=str)
def test_nearly_four_times_fewer_bytes(layer, key):
    def of(variables):
        return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(tuple(variables)))

    small = f7.Quantized(layer)
    assert 3.9 < of(f7.network.structure_of(layer)) / of(f7.network.structure_of(small)) < 4


def test_many_at_once():
    _, small, quantized = made("a chain")
    batches = np.stack([SEQUENCE, SEQUENCE[::-1]])
    outputs = jax.jit(jax.vmap(lambda x: small.apply(*quantized, x)[0]))(batches)
    for output, batch in zip(outputs, batches, strict=True):
        np.testing.assert_allclose(output, run(small, *quantized, batch)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["SeqLSTM", "GRU"])
def test_state_is_remembered_and_forgotten(name):
    floats, small, (params, buffers) = made(name)
    whole, _ = run(small, params, buffers, SEQUENCE)
    keeping = small.remember()
    _, between = run(keeping, params, buffers, SEQUENCE[:2])
    rest, _ = run(keeping, params, between, SEQUENCE[2:])
    np.testing.assert_allclose(rest, whole[2:], rtol=1e-5, atol=1e-6)
    _, of_floats = run(NETWORKS[name].remember(), *floats, SEQUENCE[:2])
    carries = f7.carry_of(keeping, between), f7.carry_of(NETWORKS[name], of_floats)
    jax.tree.map(lambda ours, theirs: np.testing.assert_allclose(ours, theirs, atol=0.03), *carries)
    again, _ = run(keeping, params, f7.forget(keeping, between), SEQUENCE[:2])
    np.testing.assert_allclose(again, whole[:2], rtol=1e-5, atol=1e-6)
    one, _ = run(keeping, params, f7.forget(keeping, between, rows=jnp.array([True, False])), SEQUENCE[:2])
    np.testing.assert_allclose(one[:, 0], whole[:2, 0], rtol=1e-5, atol=1e-6)
    assert (one[0, 1] != whole[0, 1]).any()


def test_a_layer_in_both_directions_still_remembers():
    """Forwards; what goes backwards starts anew in every call, so that it has no state before the first."""
    layer = made("both ways")[1].modules[0]
    carry = f7.init_carry(layer.remember(), 2)
    assert [leaf.shape for leaf in jax.tree.leaves(carry)] == [(2, 4)]
    assert [each.has_memory(False) for each in layer.remember().parts()[:2]] == [True, False]
    with pytest.raises(ValueError, match="recurrences that mask zeros"):
        f7.VariableLength(layer)


def test_files_have_the_names_of_the_float_network(tmp_path):
    floats, small, variables = made("GRU")
    weights = {f"0.{part}.weight" for part in ("i2g", "o2g", "i2h", "o2h")}
    state = f7.state_dict(small, variables)
    assert set(state) == set(f7.state_dict(NETWORKS["GRU"], floats)) | {f"{name}_scale" for name in weights}
    assert {name for name, array in state.items() if array.dtype == np.int8} == weights
    with pytest.raises(TypeError, match="nn.Quantized @ nn.GRU.*: Torch7 has no such layer"):
        f7.save_model(tmp_path / "small.t7", small, *variables)
    pytest.importorskip("safetensors")
    safetensors.save(tmp_path / "small.safetensors", small, *variables)
    description = pickle.loads(pickle.dumps(small))
    loaded = safetensors.load(tmp_path / "small.safetensors", description)
    np.testing.assert_array_equal(run(description, *loaded, SEQUENCE)[0], run(small, *variables, SEQUENCE)[0])


def test_training_with_rounded_weights_reaches_the_weights_of_cells():
    (params, buffers), small, quantized = made("GRU")
    rounding = f7.fake_quantized(NETWORKS["GRU"])

    @jax.jit
    @jax.grad
    def gradient(params):
        return (rounding.apply(params, buffers, SEQUENCE)[0] ** 2).sum()

    assert all((leaf != 0).any() for leaf in jax.tree.leaves(gradient(params)))
    converted, variables = f7.quantize(rounding, params, buffers)
    assert converted == small
    jax.tree.map(np.testing.assert_array_equal, tuple(variables), tuple(quantized))
    expected, _ = run(small, *quantized, SEQUENCE)
    np.testing.assert_allclose(run(rounding, params, buffers, SEQUENCE)[0], expected, rtol=1e-5, atol=1e-6)


def test_inputs_of_recurrent_layers_are_not_rounded():
    chain, (variables, _, _) = NETWORKS["a chain"], made("a chain")
    small, quantized = f7.quantize(chain, *variables, dynamic=True)
    kinds = [each.activations for each in small.modules[0].modules[0].modules]
    assert kinds == ["dynamic", "float", "dynamic"]
    np.testing.assert_allclose(
        run(small, *quantized, SEQUENCE)[0], run(chain, *variables, SEQUENCE)[0], atol=0.05
    )  # all steps at once
    seeing, _ = f7.observed(f7.Sequential(f7.LSTM(3, 4), f7.Linear(4, 2)), [f7.LSTM(3, 4).init_buffers(), {}])
    assert str(seeing).count("nn.Observed") == 1 and seeing.modules[0] == f7.LSTM(3, 4)
    with pytest.raises(ValueError, match="expected activations float, got 'dynamic'"):
        f7.Quantized(f7.GRU(3, 4), "dynamic")


class Scaled(f7.Layer):
    """x w, of a user who says which axis of w counts outputs."""

    scaled_axes = {"w": 1}

    def init_params(self, key, stdv=None):
        return {"w": jax.random.normal(key, (3, 4)), "gain": jnp.ones(())}

    def f(self, params, input):
        return input @ params["w"] * params["gain"]


def test_any_module_that_names_the_axes_of_its_weights(key):
    module = f7.Sequential(Scaled().named("mine"), f7.Tanh())
    small, (params, buffers) = f7.quantize(module, *module.init(key))
    assert list(params[0]) == ["gain"] and buffers[0]["w_scale"].shape == (1, 4) and f7.find(small, "mine") == (0,)
    np.testing.assert_allclose(
        small.apply(params, buffers, SEQUENCE)[0], module.apply(*module.init(key), SEQUENCE)[0], atol=0.03
    )
    with pytest.raises(ValueError, match="would never run"):
        f7.hooked(f7.Quantized(f7.GRU(3, 4)), "i2g", forward=print)
    tied = f7.Shared(f7.Sequential(Scaled(), f7.Tanh()), ())
    with pytest.raises(TypeError, match="expected no ties inside"):
        f7.Quantized(tied)


def test_legacy_layers_of_sequences(tmp_path):
    legacy_torch.manualSeed(3)
    net = nn.Sequential().add(nn.SeqLSTM(3, 4)).evaluate()
    small, sequence = net.quantize(), legacy_torch.Tensor(SEQUENCE)
    module, variables = small.functional()
    whole = np.array(small.forward(sequence))
    np.testing.assert_allclose(whole, run(module, *variables, SEQUENCE)[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(whole, np.asarray(net.forward(sequence)), atol=0.03)
    np.testing.assert_array_equal(np.asarray(small.forward(sequence)), whole)  # it does not remember
    assert not small.train and "nn.Quantized @ nn.SeqLSTM" in str(small)
    assert jax.tree.map(np.shape, small.getHiddenState()) == jax.tree.map(np.shape, net.getHiddenState())

    small.remember("both").forget()
    halves = [np.array(small.forward(legacy_torch.Tensor(part))) for part in (SEQUENCE[:2], SEQUENCE[2:])]
    np.testing.assert_allclose(np.concatenate(halves), whole, rtol=1e-4, atol=1e-6)
    assert small.get(1).hasMemory() and (np.asarray(small.forward(sequence)) != whole).any()
    small.forget()
    np.testing.assert_allclose(np.asarray(small.forward(sequence)), whole, rtol=1e-5, atol=1e-6)
    with pytest.raises(TypeError, match="Torch7 has no such layer"):
        legacy_torch.save(str(tmp_path / "small.t7"), small)


def test_legacy_steps():
    legacy_torch.manualSeed(4)
    cell = nn.FastLSTM(3, 4).evaluate()
    small, steps = cell.quantize(), [legacy_torch.Tensor(each) for each in SEQUENCE]
    outputs = [np.array(small.forward(each)) for each in steps]
    assert small.i2g.weight.dtype == np.int8
    np.testing.assert_allclose(outputs, [np.array(cell.forward(each)) for each in steps], atol=0.03)
    assert [np.shape(each) for each in small.getHiddenState()] == [(2, 4), (2, 4)]
    small.forget()
    np.testing.assert_array_equal(np.asarray(small.forward(steps[0])), outputs[0])
    for each in (cell.forget(), small.forget()):
        each.userPrevOutput = np.ones((2, 4), np.float32)
    np.testing.assert_allclose(np.asarray(small.forward(steps[0])), np.asarray(cell.forward(steps[0])), atol=0.03)
    assert np.abs(np.asarray(small.output) - outputs[0]).max() > 0.05  # what was given counted
    small.maxBPTTstep(2)
    assert small.rho == 2


@pytest.mark.parametrize("path", ["recurrent_module", "0.recurrent_module"])
def test_hooks_inside_of_what_is_converted_as_a_whole_are_refused(path):
    network = f7.LSTM(3, 4) if path == "recurrent_module" else f7.Sequential(f7.LSTM(3, 4))
    variables = network.init(jax.random.key(0))
    with pytest.raises(ValueError, match=f"hook at '{path}' would never run"):
        f7.quantize(f7.hooked(network, path, forward=print), *variables)
    f7.quantize(f7.hooked(network, "*", forward=print), *variables)
