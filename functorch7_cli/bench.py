"""How long a network takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import click
import jax
import jax.numpy as jnp
import numpy as np

from functorch7 import checked

from .files import Network, network_in
from .inputs import described


def bench(
    file: str, input_shape: Any, rounds: int, indices: tuple[int, ...], like: str | None, dtype: str | None,
    entry: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Seconds for compiling, for a call of forward, and for one of forward and backward."""
    with network_in(file, like, dtype, entry) as network:
        if not network.module.traceable:
            raise TypeError(f"{file}: cannot be compiled: the size of an output in it depends on values")
        input = random_input(input_shape, indices, network.dtype)
        arguments = (network.params, network.buffers, input, jax.random.key(0))
        check_input(network, arguments)
        return {
            "file": file,
            "device": jax.devices()[0].device_kind,
            "input": jax.tree.map(described, input),
            "parameter_count": sum(p.size for p in jax.tree.leaves(network.params)),
            "rounds": rounds,
            "forward": timed(forward_of(network), arguments, rounds),
            "forward_backward": timed(gradients_of(network), arguments, rounds),
        }


def random_input(shape: Any, indices: tuple[int, ...], dtype: Any) -> Any:
    """Numbers in a shape or a table of shapes: whole ones from 1 to indices, normal ones where that is 0 or missing.

    One number of indices is for all shapes of a table. Raises: click.UsageError for several that are not one for each.
    """
    shapes = shape if isinstance(shape, list) else [shape]
    counts = indices * len(shapes) if len(indices) == 1 else indices or (0,) * len(shapes)
    if len(counts) != len(shapes):
        raise click.UsageError(f"--indices has {len(indices)} numbers, --input-shape {len(shapes)} shapes")
    random = np.random.default_rng(0)

    def drawn(shape: tuple[int, ...], count: int) -> jax.Array:
        if not count:
            return jnp.asarray(random.standard_normal(shape), dtype)
        return jnp.asarray(random.integers(1, count, shape, np.int32, endpoint=True))

    found = [drawn(*each) for each in zip(shapes, counts, strict=True)]
    return found if isinstance(shape, list) else found[0]


def check_input(network: Network, arguments: tuple) -> None:
    """Raises the error of a module that cannot use the values in the input, of which a compiled program is silent."""
    if network.module.traits.checks_values:
        try:
            checked(forward_of(network))(*arguments)
        except ValueError as error:
            error.add_note(
                "--indices N gives whole numbers from 1 to N as input, --indices N,0 as the first of a table"
            )
            raise


def forward_of(network: Network) -> Callable:
    """The output in evaluation mode."""
    return lambda params, buffers, input, key: network.module.apply(params, buffers, input, key=key)[0]


def gradients_of(network: Network) -> Callable:
    """The output in training mode, and gradients of half its square: of the parameters and the input's real numbers."""

    def output_and_gradients(params: Any, buffers: Any, input: Any, key: Any) -> Any:
        leaves, structure = jax.tree.flatten(input)
        real = [i for i, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.inexact)]

        def output_of(params: Any, given: list) -> Any:
            values = dict(zip(real, given, strict=True))
            whole = structure.unflatten([values.get(i, leaf) for i, leaf in enumerate(leaves)])
            return network.module.apply(params, buffers, whole, key=key, train=True)[0]

        output, pull = jax.vjp(output_of, params, [leaves[i] for i in real])
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
