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
from .inputs import described


def bench(
    file: str, input_shape: Any, rounds: int, indices: int | None, like: str | None, dtype: str | None
) -> dict[str, Any]:
    """Seconds for compiling, for a call of forward, and for one of forward and backward."""
    with network_in(file, like, dtype) as network:
        if not network.module.traceable:
            raise TypeError(f"{file}: cannot be compiled: the size of an output in it depends on values")
        input = random_input(input_shape, indices, network.dtype)
        arguments = (network.params, network.buffers, input, jax.random.key(0))
        return {
            "file": file,
            "device": jax.devices()[0].device_kind,
            "input": jax.tree.map(described, input),
            "parameter_count": sum(p.size for p in jax.tree.leaves(network.params)),
            "rounds": rounds,
            "forward": timed(forward_of(network), arguments, rounds),
            "forward_backward": timed(gradients_of(network, indices is None), arguments, rounds),
        }


def random_input(shape: Any, indices: int | None, dtype: Any) -> Any:
    """Normal numbers, or whole ones from 1 to indices, in a shape or a table of shapes."""
    random = np.random.default_rng(0)

    def drawn(shape: tuple[int, ...]) -> jax.Array:
        if indices is None:
            return jnp.asarray(random.standard_normal(shape), dtype)
        return jnp.asarray(random.integers(1, indices, shape, np.int32, endpoint=True))

    return jax.tree.map(drawn, shape, is_leaf=lambda each: isinstance(each, tuple))


def forward_of(network: Network) -> Callable:
    """The output in evaluation mode."""
    return lambda params, buffers, input, key: network.module.apply(params, buffers, input, key=key)[0]


def gradients_of(network: Network, of_input: bool) -> Callable:
    """The output in training mode, and gradients of half its square: of the parameters and, if asked, of the input."""

    def output_and_gradients(params: Any, buffers: Any, input: Any, key: Any) -> Any:
        def output_of(params: Any, given: Any) -> Any:
            return network.module.apply(params, buffers, given if of_input else input, key=key, train=True)[0]

        output, pull = jax.vjp(output_of, params, input if of_input else None)
        return output, pull(output)

    return output_and_gradients


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
