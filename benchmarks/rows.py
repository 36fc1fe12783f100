"""A step of gradient descent of a linear layer on sparse inputs: 16 examples of 100 numbers out of a million."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from functorch7.training import init_state, make_sgd_step, make_train_step

from .measure import Way

RATE = 0.1


def batch(size: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    examples = [np.stack([random.choice(size, 100, replace=False) + 1, random.normal(size=100)], 1) for _ in range(16)]
    return np.stack(examples).astype(np.float32), np.ones((16, 10), np.float32)


def functional(step: Any, state: Any, given: tuple) -> Way:
    def run() -> float:
        nonlocal state
        state, metrics = step(state, given, None)
        return float(metrics["loss"])

    return Way(run, lambda: jax.block_until_ready(state))


def by_hand(weight: Any, bias: Any, given: tuple) -> Way:
    @jax.jit
    def step(weight: Any, bias: Any, pairs: Any, target: Any) -> tuple:
        columns, values = pairs[..., 0].astype(jnp.int32) - 1, pairs[..., 1]

        def loss(rows: Any, bias: Any) -> Any:
            return jnp.mean((jnp.einsum("obn,bn->bo", rows, values) + bias - target) ** 2)

        value, (rows, down) = jax.value_and_grad(loss, (0, 1))(weight[:, columns], bias)
        return weight.at[:, columns].add(-RATE * rows), bias - RATE * down, value

    step = jax.jit(step, donate_argnums=(0, 1))
    params = (weight, bias)

    def run() -> float:
        nonlocal params
        *params, value = step(*params, *given)
        return float(value)

    return Way(run, lambda: jax.block_until_ready(params))


def by_pytorch(weight: np.ndarray, bias: np.ndarray, given: tuple) -> Way:
    import torch

    table = torch.nn.EmbeddingBag(weight.shape[1], weight.shape[0], mode="sum", sparse=True)
    table.weight.data = torch.tensor(weight.T.copy())
    offset = torch.tensor(bias, requires_grad=True)
    optimizer = torch.optim.SGD([table.weight, offset], RATE)
    columns, values = torch.tensor(given[0][..., 0].astype(np.int64) - 1), torch.tensor(given[0][..., 1])
    target = torch.tensor(given[1])

    def run() -> float:
        optimizer.zero_grad()
        value = ((table(columns, per_sample_weights=values) + offset - target) ** 2).mean()
        value.backward()
        optimizer.step()
        return value.item()

    return Way(run)


def ways(size: int = 1_000_000) -> dict[str, Way]:
    layer, criterion, given = f7.SparseLinear(size, 10), f7.MSECriterion(), batch(size)
    variables = layer.init(jax.random.key(0))
    weight, bias = (np.asarray(variables.params[name]) for name in ("weight", "bias"))
    given = tuple(map(jnp.asarray, given))
    rows, dense = optax.identity(), optax.sgd(RATE)
    found = {
        "functorch7 functional": functional(
            make_sgd_step(layer, criterion, RATE), init_state(layer, rows, variables), given
        ),
        "functorch7, dense gradient": functional(
            make_train_step(layer, criterion, dense), init_state(layer, dense, variables), given
        ),
        "JAX by hand": by_hand(jnp.array(weight), jnp.array(bias), given),
    }
    try:
        return {**found, "PyTorch eager": by_pytorch(weight, bias, tuple(map(np.asarray, given)))}
    except ImportError:
        return found


TARGETS = [("functorch7 functional", "JAX by hand", 1.05), ("functorch7 functional", "PyTorch eager", 1.0)]
