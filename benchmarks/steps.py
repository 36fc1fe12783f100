"""What more steps and modules cost beside arithmetic: tracing, compilation, and calls of Torch's stepwise interface."""

from importlib.util import find_spec

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


def chain(modules: int) -> tuple[f7.Sequential, f7.Variables, jax.Array]:
    """A flat network of so many modules, its variables and an input; half of the modules are without parameters."""
    network = f7.Sequential(*(f7.Linear(4, 4) if i % 2 == 0 else f7.Tanh() for i in range(modules)))
    return network, network.init(jax.random.key(0)), jnp.ones((2, 4))


def tracing(modules: int) -> Way:
    """Traces a flat network anew at each step."""
    network, (params, buffers), x = chain(modules)

    def step() -> float:
        jax.make_jaxpr(lambda params: network.apply(params, buffers, x)[0])(params)
        return 0.0

    return Way(step)


def tracing_by_hand(modules: int) -> Way:
    """The same operations in jax.numpy."""
    _, (params, _), x = chain(modules)

    def apply(params: list) -> jax.Array:
        y = x
        for own in params:
            y = y @ own["weight"].T + own["bias"] if own else jnp.tanh(y)
        return y

    def step() -> float:
        jax.make_jaxpr(lambda params: apply(params))(params)
        return 0.0

    return Way(step)


def tracing_in_flax(modules: int) -> Way:
    """The same network in flax."""
    from flax import linen

    dense = [linen.Dense(4) for _ in range(modules // 2)]
    network = linen.Sequential([layer for each in dense for layer in (each, jnp.tanh)])
    x = jnp.ones((2, 4))
    variables = network.init(jax.random.key(0), x)

    def step() -> float:
        jax.make_jaxpr(lambda variables: network.apply(variables, x))(variables)
        return 0.0

    return Way(step)


class Tracing:
    """Python's part: it grows with the number of modules alone, and most of it is JAX's."""

    TARGETS = [
        ("800 modules", "800 modules by hand", 1.5),
        ("800 modules", "200 modules", 4.8),
        ("800 modules", "800 modules in flax", 1.0),
    ]

    @staticmethod
    def ways() -> dict[str, Way]:
        ways = {"800 modules by hand": tracing_by_hand(800)}
        if find_spec("flax") is not None:
            ways["800 modules in flax"] = tracing_in_flax(800)
        return ways | {f"{modules} modules": tracing(modules) for modules in (200, 800)}


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


BENCHMARKS = {"tracing": Tracing, "compilation": Compilation, "stepwise": Stepwise}
