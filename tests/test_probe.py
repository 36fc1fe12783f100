"""Whoever looks into a sequence sees single steps, as if they ran one after the other, and changes nothing."""

import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core import recording
from functorch7.core.probe import is_probed, silent
from functorch7.core.rows import RowTable, reading

X = np.random.default_rng(0).normal(size=(3, 3, 2)).astype(np.float32)
STEPS = {
    "a layer": f7.Linear(2, 2),
    "a chain": f7.Sequential(f7.Linear(2, 3), f7.Tanh(), f7.Linear(3, 2)),
    "a cell": f7.GRU(2, 2),
    "a cell of layers": f7.FastLSTM(2, 2, bn=True),
    "a chain with a cell": f7.Sequential(f7.Linear(2, 3), f7.FastLSTM(3, 2), f7.Sequential(f7.Tanh(), f7.Linear(2, 2))),
    "branches": f7.Sequential(f7.ConcatTable(f7.Linear(2, 2), f7.Tanh()), f7.CAddTable()),
    "a recurrence": f7.Recurrence(f7.Sequential(f7.JoinTable(1, 1), f7.Linear(4, 2), f7.Tanh()), 2, 1),
    "with statistics": f7.Sequential(f7.BatchNormalization(2), f7.Linear(2, 2)),
    "another first step": f7.Recurrent(2, f7.Linear(2, 2), f7.Linear(2, 2)),
    "masked": f7.GRU(2, 2).mask_zero(1),
    "in 8 bits": f7.Quantized(f7.Linear(2, 2)),
}

every = pytest.mark.parametrize("name", STEPS)


def made(name):
    sequencer = f7.Sequencer(STEPS[name])
    return sequencer, sequencer.init(jax.random.key(0))


def same(got, expected):
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-4, atol=1e-5), got, expected)


def step_by_step(sequencer, variables, perturbations, x=X):
    """(the sum of squared outputs, what was recorded last of each module).

    The perturbation of a module is that of the first step in which it runs.
    """
    (params,), (buffers,) = variables
    total, inputs, outputs = 0.0, {}, {}
    for input in x:
        with recording({path: zeros for path, zeros in perturbations.items() if path not in inputs}) as seen:
            output, buffers = sequencer.modules[0].apply(params, buffers, input, train=True)
        total += (output**2).sum()
        inputs, outputs = inputs | seen.inputs, outputs | seen.outputs
    return total, (inputs, outputs)


def as_a_sequence(sequencer, variables, perturbations, x=X):
    """The same in one call, with paths below the Sequencer's module."""
    with recording({(0, *path): zeros for path, zeros in perturbations.items()}) as seen:
        output, _ = sequencer.apply(*variables, x, train=True)
    below = ({path[1:]: v for path, v in each.items() if len(path) > 1} for each in (seen.inputs, seen.outputs))
    return (output**2).sum(), tuple(below)


@every
def test_recorders_see_the_last_step_and_gradients_at_the_first(name):
    sequencer, variables = made(name)
    ways = as_a_sequence, step_by_step

    @jax.jit
    def program(variables):
        records = [way(sequencer, variables, {})[1] for way in ways]
        zeros = jax.tree.map(jnp.zeros_like, records[0][0])
        return records, [jax.grad(lambda zeros, way=way: way(sequencer, variables, zeros)[0])(zeros) for way in ways]

    records, gradients = program(variables)
    same(*records)
    same(*gradients)


@every
def test_of_a_sequence_of_one_step_recorders_see_that_step(name):
    sequencer, variables = made(name)
    same(*[way(sequencer, variables, {}, X[:1])[1] for way in (as_a_sequence, step_by_step)])


@every
def test_the_module_directly_inside_a_sequencer_shows_one_step(name):
    sequencer, variables = made(name)
    with recording() as seen:
        output, _ = sequencer.apply(*variables, X, train=True)
    same(seen.inputs[0,], X[-1])
    same(seen.outputs[0,], output[-1])


def clipped(module, grad_input, grad_output):
    """A hook that tells a step's gradient from a sequence's."""
    return grad_input / jnp.maximum(1, 10 * jnp.linalg.norm(grad_input)) + 0.01 * grad_output.sum()


HOOKS = {
    "forward_pre": lambda module, input: input / jnp.linalg.norm(input),
    "forward": lambda module, input, output: output / jnp.linalg.norm(input),
    "backward_pre": lambda module, gradient: gradient / jnp.linalg.norm(gradient),
    "backward": clipped,
}


@pytest.mark.one_in(6)
@every
def test_hooks_that_replace_do_so_step_by_step(name):
    sequencer, variables = made(name)

    def steps(hook, x):
        inner = f7.hooked(sequencer.modules[0], "", **hook)
        (params,), (buffers,), total = *variables, 0.0
        for input in x:
            output, buffers = inner.apply(params, buffers, input, train=True)
            total += (output**3).sum()
        return total

    def sequence(hook, x):
        hooked = f7.hooked(sequencer, "0", **hook)
        return (hooked.apply(*variables, x, train=True)[0] ** 3).sum()

    @jax.jit
    def program(x):
        return {
            kind: [jax.value_and_grad(partial(way, {kind: hook}))(x) for way in (sequence, steps)]
            for kind, hook in HOOKS.items()
        }

    for found, expected in program(X).values():
        same(found, expected)


@every
def test_looking_leaves_the_operations_as_they_are(name):
    sequencer, variables = made(name)

    def operations(module, look):
        def run(x):
            with look():
                return module.apply(*variables, x, train=True)[0]

        found = re.findall(r"\b(dot_general|tanh|logistic|scan|while)\b\[?", str(jax.make_jaxpr(run)(X)))
        return sorted(found)

    expected = operations(sequencer, silent)
    assert operations(sequencer, recording) == expected
    assert operations(f7.hooked(sequencer, "*", forward=lambda *_: None), silent) == expected


DROPPING = f7.Sequential(f7.Linear(2, 3), f7.Dropout(0.5))
TRIMMING = {
    "a step": f7.Recurrence(f7.Sequential(f7.SelectTable(1), DROPPING), 3, 1).trim_zero(1),
    "a layer": f7.TrimZero(DROPPING, 1),
}


@pytest.mark.parametrize("name", TRIMMING)
def test_what_draws_is_masked_where_it_would_be_trimmed_whoever_looks(name):
    module = TRIMMING[name]
    params, buffers = module.init(jax.random.key(0))
    x = jnp.array([[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]])
    weight, bias = (jax.tree.leaves(params)[i] for i in (1, 0))

    def run(params):
        output = module.apply(params, buffers, x, key=jax.random.key(1), train=True)[0]
        return output.sum(), output

    for look in (silent, recording):
        with look():
            (_, output), gradients = jax.jit(jax.value_and_grad(run, has_aux=True))(params)
        kept = np.asarray(output != 0, np.float32)
        assert not kept[1].any() and kept[0].any()
        np.testing.assert_allclose(output, 2 * kept * (np.asarray(x @ weight.T) + np.asarray(bias)), rtol=1e-5)
        of_bias, of_weight = jax.tree.leaves(gradients)
        np.testing.assert_allclose(of_bias, 2 * kept.sum(0), rtol=1e-6)
        np.testing.assert_allclose(of_weight, 2 * kept.T @ np.asarray(x), rtol=1e-6)


def test_nothing_is_open_but_in_a_block_and_silence_hides_all_probes():
    table = RowTable(jnp.eye(3))
    assert not is_probed()
    with recording() as seen, reading([table]) as reads:
        with silent():
            f7.Sequential(f7.Tanh()).apply([{}], [{}], X)
            table.gather(jnp.array([1]), 0)
        assert is_probed() and not seen.taps and not reads[table].taps
        table.gather(jnp.array([1]), 0)
        assert len(reads[table].taps) == 1
    assert not is_probed()
