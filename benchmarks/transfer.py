"""A chain of ten transfer functions on a million numbers: the value, and the gradient of its mean square."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import functorch7 as f7

from .measure import Way

CHAIN = [
    f7.Tanh(), f7.SoftPlus(), f7.LeakyReLU(0.1), f7.SoftSign(), f7.ELU(), f7.HardTanh(-0.9, 0.9), f7.SoftShrink(0.1),
    f7.Abs(), f7.MulConstant(2), f7.Sigmoid(),
]  # fmt: skip


def by_hand(x: Any) -> Any:
    x = jnp.tanh(x)
    x = jax.nn.softplus(x)
    x = jax.nn.leaky_relu(x, 0.1)
    x = jax.nn.soft_sign(x)
    x = jax.nn.elu(x)
    x = jnp.clip(x, -0.9, 0.9)
    x = jnp.where(x > 0.1, x - 0.1, jnp.where(x < -0.1, x + 0.1, 0))
    x = jnp.abs(x)
    x = x * 2
    return jax.nn.sigmoid(x)


def by_pytorch(x: Any) -> Any:
    import torch
    from torch.nn import functional as F

    x = F.elu(F.softsign(F.leaky_relu(F.softplus(torch.tanh(x)), 0.1)))
    return torch.sigmoid(F.softshrink(F.hardtanh(x, -0.9, 0.9), 0.1).abs() * 2)


def stepping(chain: Any, x: np.ndarray) -> Way:
    @jax.jit
    def gradient(x: Any) -> Any:
        return jax.value_and_grad(lambda x: jnp.mean(chain(x) ** 2))(x)

    given = jnp.asarray(x)

    def step() -> float:
        value, slope = gradient(given)
        slope.block_until_ready()
        return float(value)

    return Way(step)


def ways(size: int = 1_000_000) -> dict[str, Way]:
    x = np.random.default_rng(0).normal(size=size).astype(np.float32)
    network = f7.Sequential(*CHAIN)
    params, buffers = network.init(jax.random.key(0))
    found = {
        "functorch7 functional": stepping(lambda x: network.apply(params, buffers, x)[0], x),
        "JAX by hand": stepping(by_hand, x),
    }
    try:
        import torch
    except ImportError:
        return found
    given = torch.tensor(x, requires_grad=True)

    def step() -> float:
        given.grad = None
        value = (by_pytorch(given) ** 2).mean()
        value.backward()
        return value.item()

    return {**found, "PyTorch eager": Way(step)}


TARGETS = [("functorch7 functional", "JAX by hand", 1.05)]
