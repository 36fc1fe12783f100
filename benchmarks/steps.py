"""What more steps cost beside arithmetic: compilation of whole sequences, and calls of Torch's step-wise interface."""

import jax
import jax.numpy as jnp
import numpy as np

import functorch7 as f7
from functorch7.legacy import nn

from .measure import Way


def compiling(steps: int) -> Way:
    """Compiles the gradient of a sequence of so many steps."""
    network = f7.Sequencer(f7.FastLSTM(8, 8))
    params, buffers = network.init(jax.random.key(0))
    x = jnp.zeros((steps, 4, 8))

    def step() -> float:
        jax.jit(jax.grad(lambda params: network.apply(params, buffers, x)[0].sum())).lower(params).compile()
        return 0.0

    return Way(step)


class Compilation:
    TARGETS = [("1000 steps", "50 steps", 1.2)]

    @staticmethod
    def ways() -> dict[str, Way]:
        return {f"{steps} steps": compiling(steps) for steps in (50, 500, 1000)}


def stepwise(steps: int) -> Way:
    """Forward step by step, then backward step by step; the value is that of one step, the time of all."""
    cell = nn.FastLSTM(8, 8)
    x, gradient = np.ones((4, 8), np.float32), np.ones((4, 8), np.float32)

    def step() -> float:
        cell.forget()
        cell.zeroGradParameters()
        for _ in range(steps):
            cell.forward(x)
        for _ in range(steps):
            cell.backward(x, gradient)
        return 0.0

    return Way(step, lambda: jax.block_until_ready([storage.array for storage in cell._planned().gradients.storages]))


class Stepwise:
    TARGETS = [("legacy, 1000 steps", "legacy, 100 steps", 10.5), ("legacy, 100 steps", "legacy, 10 steps", 10.5)]

    @staticmethod
    def ways() -> dict[str, Way]:
        return {f"legacy, {steps} steps": stepwise(steps) for steps in (10, 100, 1000)}


BENCHMARKS = {"compilation": Compilation, "stepwise": Stepwise}
