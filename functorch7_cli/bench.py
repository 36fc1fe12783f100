"""How long a network takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .files import Network, network_in


def bench(
    file: str, input_shape: tuple[int, ...], rounds: int, indices: int | None, like: str | None, dtype: str | None
) -> dict[str, Any]:
    """Seconds for compiling, for a call of forward, and for one of forward and backward."""
    with network_in(file, like, dtype) as network:
        if not network.module.traceable:
            raise TypeError(f"{file}: cannot be compiled: the size of an output in it depends on values")
        random = np.random.default_rng(0)
        if indices is None:
            input = jnp.asarray(random.standard_normal(input_shape), network.dtype)
        else:
            input = jnp.asarray(random.integers(1, indices, input_shape, np.int32, endpoint=True))
        arguments = (network.params, network.buffers, input, jax.random.key(0))
        return {
            "file": file,
            "device": jax.devices()[0].device_kind,
            "input": {"shape": list(input.shape), "dtype": str(input.dtype)},
            "parameter_count": sum(p.size for p in jax.tree.leaves(network.params)),
            "rounds": rounds,
            "forward": timed(forward_of(network), arguments, rounds),
            "forward_backward": timed(gradient_of(network), arguments, rounds),
        }


def forward_of(network: Network) -> Callable:
    """The output in evaluation mode."""
    return lambda params, buffers, input, key: network.module.apply(params, buffers, input, key=key)[0]


def gradient_of(network: Network) -> Callable:
    """The gradient of the output's sum, in training mode, with respect to the parameters."""

    def summed(params: Any, buffers: Any, input: Any, key: Any) -> Any:
        output, _ = network.module.apply(params, buffers, input, key=key, train=True)
        return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(output))

    return jax.grad(summed)


def timed(function: Callable, arguments: tuple, rounds: int) -> dict[str, float]:
    """Seconds of compiling, of the first call (which compiles), and of later ones (the median); and their ratio."""
    start = time.perf_counter()
    compiled = jax.jit(function).lower(*arguments).compile()
    compiling = time.perf_counter() - start

    def call() -> float:
        start = time.perf_counter()
        jax.block_until_ready(compiled(*arguments))
        return time.perf_counter() - start

    first = compiling + call()
    later = statistics.median(call() for _ in range(rounds))
    return {"compile": compiling, "first": first, "later": later, "ratio": first / later}
