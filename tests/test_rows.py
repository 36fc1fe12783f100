"""Gradient descent on the rows that a batch reads equals gradient descent on everything."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax import lax

import functorch7 as f7
from functorch7.core.rows import Gathered, gather
from functorch7.training import init_state, make_loss, make_sgd_step, make_train_step
from functorch7.training.row_gradients import merged_reads
from functorch7.training.rows import all_but_tables, descent_by_rows
from functorch7.training.step import descent

INDICES = jnp.array([[1, 3, 3], [6, 1, 2]])
PAIRS = jnp.array([[[1.0, 0.5], [3, 2]], [[1, -1], [6, 1]]])
KEYS = [jnp.array([1, 3, 3, 6]), jnp.array([0.5, 2, -1, 1]), jnp.array([3, 1])]


def _recurrence():
    step = f7.Sequential(f7.ParallelTable(f7.LookupTable(6, 3), f7.Linear(3, 3)), f7.CAddTable(), f7.Tanh())
    return f7.Recurrence(step, 3, 0)


NETWORKS = {
    "LookupTable": (f7.LookupTable(6, 4), INDICES),
    "LookupTable with padding": (f7.LookupTable(6, 4, 3), INDICES),
    "LookupTable by frequency": (f7.LookupTable(6, 4).scale_grad_by_freq(), INDICES),
    "LookupTable with max-norm": (f7.LookupTable(6, 4, 0, 0.5), INDICES),
    "SparseLinear": (f7.SparseLinear(6, 4), PAIRS),
    "SparseLinear of a table": (f7.SparseLinear(6, 4), [PAIRS[0], PAIRS[1, :1]]),
    "IndexLinear": (f7.IndexLinear(6, 4), KEYS),
    "in a network": (f7.Sequential(f7.LookupTable(6, 4), f7.Mean(2), f7.Linear(4, 3), f7.Tanh()), INDICES),
    "read twice": (f7.Sequential(f7.MapTable(f7.LookupTable(6, 4)), f7.CAddTable()), [INDICES, INDICES[::-1]]),
    "tied": (
        f7.Shared(
            f7.Sequential(f7.ParallelTable(f7.LookupTable(6, 4), f7.LookupTable(6, 4)), f7.CMulTable()),
            (((0, 0, "weight"), (0, 1, "weight")),),
        ),
        [INDICES, INDICES[::-1]],
    ),
    "tied to an output layer": (
        f7.Shared(f7.Sequential(f7.LookupTable(6, 4), f7.Tanh(), f7.Linear(4, 6)), (((0, "weight"), (2, "weight")),)),
        INDICES,
    ),
    "rounded": (f7.FakeQuantized(f7.LookupTable(6, 4)), INDICES),
    "in a Sequencer": (f7.Sequencer(f7.Sequential(f7.LookupTable(6, 4), f7.Linear(4, 3))), INDICES),
    "in a Sequencer, by columns": (f7.Sequencer(f7.SparseLinear(6, 4)), PAIRS),
    "in a recurrence": (f7.Sequencer(_recurrence()), jnp.array([[1, 3], [3, 6], [5, 1]])),
    "in a loop of loops": (f7.Sequencer(f7.Sequencer(_recurrence())), jnp.array([[[1], [3]], [[3], [6]]])),
    "without tables": (f7.Linear(2, 3), PAIRS),
}


@pytest.mark.parametrize("module, input", NETWORKS.values(), ids=NETWORKS)
def test_rows_equal_dense(module, input):
    variables = module.init(jax.random.key(0))
    output, _ = module.apply(*variables, input)
    target = jnp.ones(output.shape)
    states = []
    for step, optimizer in [
        (make_sgd_step(module, f7.MSECriterion(), 0.5), optax.identity()),
        (make_train_step(module, f7.MSECriterion(), optax.sgd(0.5)), optax.sgd(0.5)),
    ]:
        state, losses = init_state(module, optimizer, variables), []
        for _ in range(3):
            state, metrics = step(state, (input, target), None)
            losses.append(float(metrics["loss"]))
        states.append((state.params, losses))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), *states)


@pytest.mark.parametrize("axis", [0, 1])
def test_an_update_goes_where_gradients_go_and_not_to_the_last_row_for_an_index_before_the_first(axis):
    table, indices = jnp.arange(12.0).reshape(3, 4), jnp.array([0, -1, 2, 2, 7])
    read = Gathered(indices, axis)
    rows = jax.random.normal(jax.random.key(0), (5, table.shape[1 - axis]))

    def weighted(table):
        return (jnp.nan_to_num(gather(table, indices, axis)) * read.placed(rows)).sum()

    np.testing.assert_allclose(read.update(table, rows), table + jax.grad(weighted)(table), rtol=1e-6)


def test_metrics_are_added():
    module = f7.LookupTable(6, 4)
    step = make_sgd_step(module, f7.MSECriterion(), 0.1, metrics=lambda output, target: {"size": output.size})
    state, metrics = step(
        init_state(module, optax.identity(), jax.random.key(0)), (INDICES[0], jnp.zeros((3, 4))), None
    )
    assert metrics["size"] == 12 and state.step == 1


def test_noise_contrastive_estimation_over_time():
    """As a language model has it: a noise sample for every step, and only its rows change."""
    estimate = f7.NCEModule(4, 50, 3, np.arange(50.0) + 1, 1)
    module = f7.Sequential(
        f7.ParallelTable(f7.Sequencer(f7.LSTM(2, 4)), f7.Identity()), f7.ZipTable(), f7.Sequencer(estimate)
    )
    criterion = f7.SequencerCriterion(f7.NCECriterion())
    x = list(jax.random.normal(jax.random.key(1), (3, 2, 2)))
    batch = [x, [jnp.array([7, 9]), jnp.array([7, 8]), jnp.array([50, 1])]], [jnp.zeros(2)] * 3
    variables, key = module.init(jax.random.key(0)), jax.random.key(2)
    by_rows, dense = [
        step(init_state(module, optimizer, variables), batch, key)[0].params
        for step, optimizer in [
            (make_sgd_step(module, criterion, 0.5), optax.identity()),
            (make_train_step(module, criterion, optax.sgd(0.5)), optax.sgd(0.5)),
        ]
    ]
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), by_rows, dense)


def test_a_step_of_a_sequence_makes_nothing_as_large_as_a_table():
    classes = 12_347
    module = f7.Sequencer(f7.Sequential(f7.NCEModule(4, classes, 3, np.ones(classes), 1)))
    step = make_sgd_step(module, f7.SequencerCriterion(f7.NCECriterion()), 0.5)
    state = jax.eval_shape(lambda: init_state(module, optax.identity(), jax.random.key(0)))
    batch = [[jnp.ones((2, 4)), jnp.array([7, 9])]] * 3, [jnp.zeros(2)] * 3
    program = str(step.trace(state, batch, jax.random.key(0)).jaxpr)
    made_by = re.findall(r":f32\[12347[,\]][^\n]* = ([\w-]+)", program)
    assert made_by.count("scatter-add") == 2 and set(made_by) <= {"scatter-add", "stop_gradient", "jit"}


@pytest.mark.parametrize("name", ["SparseLinear", "tied", "tied to an output layer"])
def test_an_optimizer_may_do_the_rest_and_clipping_counts_every_row_once(name):
    """Columns of a weight, and a table with two readers: both indices of a row that was read twice are one."""
    module, input = NETWORKS[name]
    params, buffers = module.init(jax.random.key(0))
    loss, clip = (
        make_loss(module, lambda output, target: ((output - target) ** 2).mean()),
        optax.clip_by_global_norm(0.3),
    )
    rest = all_but_tables(module, optax.inject_hyperparams(optax.sgd)(learning_rate=0.5))
    by_rows, dense = (
        jax.jit(_once, static_argnums=(0, 1))(made(module, loss, optimizer), optimizer, params, buffers, input)
        for made, optimizer in [
            (descent_by_rows, optax.chain(clip, rest)),
            (descent, optax.chain(clip, optax.sgd(0.5))),
        ]
    )
    assert by_rows[0] > 0.3
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7), by_rows, dense)


def _once(way, optimizer, params, buffers, input):
    """The norm of the gradients, and the parameters after a step."""
    _, gradients, *more = way.gradient(params, buffers, (input, jnp.float32(1)), None)
    return optax.tree.norm(gradients), way.update(params, optimizer.init(params), gradients, *more)[0]


WHOLE = {
    "power": lambda table: table**2,
    "product": lambda table: jnp.ones((1, 6)) @ table,
    "transposed": lambda table: table.T,
    "array": jnp.asarray,
    "items": lambda table: table[0],
    "length": len,
    "a function of jax.numpy": jnp.sin,
    "one that looks at its argument first": jnp.transpose,
    "one of jax.lax, in 16 bits": lambda table: lax.neg(table.astype(jnp.bfloat16)),
    "an array's method": jnp.ones((1, 6)).dot,
    "a compiled one": jax.jit(jnp.cos),
}


@pytest.mark.parametrize("use", WHOLE.values(), ids=WHOLE)
def test_who_reads_all_of_a_table_is_told(use):
    """As a Composite does that says its words by the very vectors that it reads them by."""

    class TakesWhole(f7.Composite, abstract=True):
        words: f7.Module

        def f(self, run, input):
            return run.words(input) + jnp.sum(use(run.params["words"]["weight"]))

    module = TakesWhole(f7.LookupTable(6, 4))
    state = init_state(module, optax.identity(), jax.random.key(0))
    with pytest.raises(TypeError, match=r"of shape \(6, 4\) is learned by the rows .* all of it is read; make_train"):
        make_sgd_step(module, f7.MSECriterion(), 0.5)(state, (INDICES, jnp.ones((2, 3, 4))))


def test_a_table_that_is_read_in_rows_and_columns_is_refused():
    read = [Gathered(jnp.array([0]), 0), Gathered(jnp.array([0]), 1)]
    with pytest.raises(ValueError, match=r"a table of shape \(2, 3\) is read along the axes \[0, 1\]; expected one"):
        merged_reads(jnp.ones((2, 3)), read, [jnp.ones((1, 3)), jnp.ones((1, 2))])
