"""Gradient descent on the rows that a batch reads equals gradient descent on everything."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import init_state, make_sgd_step, make_train_step

INDICES = jnp.array([[1, 3, 3], [6, 1, 2]])
PAIRS = jnp.array([[[1.0, 0.5], [3, 2]], [[1, -1], [6, 1]]])
KEYS = [jnp.array([1, 3, 3, 6]), jnp.array([0.5, 2, -1, 1]), jnp.array([3, 1])]
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


def test_metrics_are_added():
    module = f7.LookupTable(6, 4)
    step = make_sgd_step(module, f7.MSECriterion(), 0.1, metrics=lambda output, target: {"size": output.size})
    state, metrics = step(
        init_state(module, optax.identity(), jax.random.key(0)), (INDICES[0], jnp.zeros((3, 4))), None
    )
    assert metrics["size"] == 12 and state.step == 1
