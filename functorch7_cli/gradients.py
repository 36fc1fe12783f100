"""Gradients of a small network as they are compiled, against its operations one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from functorch7.legacy import nn

TOLERANCE = 1e-3

ADVICE = (
    "Do not train here: upgrade jax and jaxlib to the newest that your Python takes, unset XLA_FLAGS, and report the "
    "output of `functorch7 doctor --json` if it stays."
)

BATCH, INPUTS, HIDDEN, OUTPUTS = 32, 200, 200, 200
"""Large enough for what compilers do with networks of real sizes."""


def checks(device: Any) -> Iterator[dict[str, Any]]:
    """One for each interface: how far compiled gradients are off, as a share of the greatest number."""
    for way, gradients in (("getParameters", by_torch), ("jit and grad", by_functions)):
        with jax.default_device(device), jax.default_matmul_precision("highest"):
            compiled = gradients()
            with jax.disable_jit():
                single = gradients()
        pairs = zip(compiled, single, strict=True)
        off = float(np.max([np.abs(one - other).max() / np.abs(other).max() for one, other in pairs]))  # NaN if one is
        yield {"device": f"{device.platform}:{device.id}", "way": way, "off": off, "right": off < TOLERANCE}


def network_and_input() -> tuple[nn.Module, list[np.ndarray]]:
    """Two layers of equal gradients, as in each recurrent cell, and one more."""
    numbers, both = np.random.default_rng(0), nn.ParallelTable()
    for _ in range(2):
        both.add(nn.Linear(INPUTS, HIDDEN))
    network = nn.Sequential().add(both).add(nn.CAddTable()).add(nn.Tanh()).add(nn.Linear(HIDDEN, OUTPUTS))
    for parameter in network.parameters()[0]:
        parameter.copy(numbers.normal(scale=0.1, size=parameter.shape))
    return network, [numbers.normal(size=(BATCH, INPUTS)).astype(np.float32) for _ in range(2)]


def by_torch() -> list[np.ndarray]:
    """Of half the square of the output, through Torch's interface and flat parameters."""
    network, input = network_and_input()
    network.getParameters()
    network.zeroGradParameters()
    network.backward(input, network.forward(input))
    return [np.array(gradient) for gradient in network.parameters()[1]]


def by_functions() -> list[np.ndarray]:
    """The same by the pure function."""
    network, input = network_and_input()
    module, (params, buffers) = network.functional()

    def loss(params: Any, input: Any) -> jax.Array:
        output, _ = module.apply(params, buffers, input)
        return (output * output).sum() / 2

    return [np.asarray(gradient) for gradient in jax.tree.leaves(jax.jit(jax.grad(loss))(params, input))]
