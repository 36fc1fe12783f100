"""Recurrent layers alone, forward and backward: the mean square of the outputs, and its gradients."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import functorch7 as f7

from .measure import Way

SIZES = {"100x64x256": (100, 64, 256), "50x32x250": (50, 32, 250), "20x8x64": (20, 8, 64)}
"""Steps, batch, features of input and output."""


def lstm(params: Any, x: jax.Array) -> jax.Array:
    """As one writes it by hand: the input's product before the scan, all gates in one product."""
    weight, bias, recurrent = params
    zeros = jnp.zeros((x.shape[1], len(recurrent)))

    def step(state, projected):
        h, c = state
        i, f, o, g = jnp.split(projected + h @ recurrent, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return jax.lax.scan(step, (zeros, zeros), x @ weight + bias)[1]


def gru(params: Any, x: jax.Array) -> jax.Array:
    weight, bias, recurrent = params
    gates = 2 * len(recurrent)

    def step(h, projected):
        r, u = jnp.split(jax.nn.sigmoid(projected[:, :gates] + h @ recurrent[:, :gates]), 2, -1)
        h = (1 - u) * jnp.tanh(projected[:, gates:] + (r * h) @ recurrent[:, gates:]) + u * h
        return h, h

    return jax.lax.scan(step, jnp.zeros((x.shape[1], len(recurrent))), x @ weight + bias)[1]


def differentiated(function: Callable, params: Any, x: Any) -> Way:
    """The mean square of function(params, x), and its gradients."""

    @jax.jit
    def gradient(params, x):
        return jax.value_and_grad(lambda *given: jnp.mean(function(*given) ** 2), (0, 1))(params, x)

    params, x = jax.tree.map(jnp.asarray, (params, x))

    def step() -> float:
        value, slopes = gradient(params, x)
        jax.block_until_ready(slopes)
        return float(value)

    return Way(step)


def layer(module: Any, params: Any, x: Any) -> Way:
    buffers = module.init(jax.random.key(0)).buffers
    return differentiated(lambda params, x: module.apply(params, buffers, x)[0], params, x)


def by_pytorch(kind: str, params: Any, x: np.ndarray) -> Way:
    import torch

    network, given = getattr(torch.nn, kind)(x.shape[2], x.shape[2]), torch.tensor(x, requires_grad=True)
    if kind == "LSTM":  # nn.GRU resets after the product: another formula, with parameters of its own
        load_lstm(network, 0, params)

    def step() -> float:
        network.zero_grad(set_to_none=True)
        given.grad = None
        value = (network(given)[0] ** 2).mean()
        value.backward()
        return value.item()

    return Way(step)


def load_lstm(network: Any, number: int, params: Any) -> None:
    """Puts weight, bias and recurrent weight, gates in the order i, f, o, g, into a layer of torch.nn.LSTM."""
    import torch

    def rows(array: Any) -> Any:
        i, f, o, g = np.split(np.asarray(array).T, 4)
        return torch.tensor(np.concatenate([i, f, g, o]))

    with torch.no_grad():
        for name, array in zip(("weight_ih", "bias_ih", "weight_hh"), params, strict=True):
            getattr(network, f"{name}_l{number}").copy_(rows(array))
        getattr(network, f"bias_hh_l{number}").zero_().requires_grad_(False)  # Torch has one bias


class Layer:
    """The benchmark of one kind of layer at one size."""

    def __init__(self, kind: str, size: tuple[int, int, int]):
        self.kind, self.size = kind, size

    def example(self) -> tuple[Any, Any, np.ndarray]:
        """(the whole layer, its parameters, an input)."""
        steps, batch, features = self.size
        whole = {"LSTM": f7.SeqLSTM, "GRU": f7.SeqGRU}[self.kind](features, features)
        x = np.random.default_rng(0).normal(size=(steps, batch, features)).astype(np.float32)
        return whole, whole.init(jax.random.key(0)).params, x

    def ways(self) -> dict[str, Way]:
        whole, params, x = self.example()
        cell, own = whole.to_fast_lstm(params) if self.kind == "LSTM" else whole.to_gru(params)
        split = (params["weight"][: x.shape[2]], params["bias"], params["weight"][x.shape[2] :])
        found = {
            "functorch7 functional": layer(whole, params, x),
            "functorch7 Sequencer": layer(f7.Sequencer(cell), [own], x),
            "JAX by hand": differentiated({"LSTM": lstm, "GRU": gru}[self.kind], split, x),
        }
        try:
            return {**found, "PyTorch eager": by_pytorch("LSTM", split, x)} if self.kind == "LSTM" else found
        except ImportError:
            return found

    def other_ways(self) -> dict[str, Way]:
        """That of another formula."""
        try:
            return {"PyTorch eager": by_pytorch("GRU", None, self.example()[2])} if self.kind == "GRU" else {}
        except ImportError:
            return {}

    @property
    def TARGETS(self) -> list[tuple[str, str, float]]:
        return [
            ("functorch7 functional", "JAX by hand", 1.05),
            ("functorch7 Sequencer", "functorch7 functional", 1.15),
            ("functorch7 functional", "PyTorch eager", 1.3),
        ]


BENCHMARKS = {f"{kind.lower()}-{name}": Layer(kind, size) for kind in ("LSTM", "GRU") for name, size in SIZES.items()}
