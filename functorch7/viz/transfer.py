"""Transfer functions with their derivatives, drawn into one picture."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import core
from ..core.module import Functional
from .style import Theme, styled, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


RANGES = {"ReLU6": (-3, 9), "Log": (0.02, 4), "Sqrt": (0, 4), "Power": (0, 2), "Exp": (-2, 2)}
"""The intervals of functions that are not drawn from -3 to 3."""


def curve(
    module: core.Module | Functional, low: float = -3, high: float = 3, points: int = 301
) -> tuple[np.ndarray, ...]:
    """(x, y, dy/dx) of a transfer function in evaluation mode, at equally spaced points from low to high.

    The module is a description or a `legacy` object, whose parameters are used. dy/dx is the gradient of the sum of all
    y; functions of several elements (SoftMax) take all points as one vector.
    Raises ValueError if the module changes its input's size.
    """
    if isinstance(module, core.Module):
        params, buffers = module.init(jax.random.key(0))
    else:
        module, (params, buffers) = module.functional()
    x = jnp.linspace(low, high, points)
    given = x.reshape(-1, 1, 1) if module.torch_name().startswith("nn.Spatial") else x

    def value(given: Any) -> Any:
        return module.apply(params, buffers, given)[0]

    y, pull = jax.vjp(value, given)
    if getattr(y, "shape", None) != given.shape:
        raise core.expected(module, f"a function that keeps the shape {tuple(given.shape)}", y)
    return np.asarray(x), np.asarray(y).reshape(-1), np.asarray(pull(jnp.ones_like(y))[0]).reshape(-1)


def plot_transfer(
    *modules: core.Module | Functional, path: str | os.PathLike | None = None, low: float | None = None,
    high: float | None = None, theme: Theme = "light",
) -> Figure:  # fmt: skip
    """A figure with a curve and a dashed derivative for each module, written to the picture file `path` if given.

    Raises ValueError without modules, and as `curve`.
    """
    if not modules:
        raise ValueError("plot_transfer: expected at least one module")
    from matplotlib.figure import Figure

    with styled(theme):
        figure = Figure(figsize=(4.5, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for number, module in enumerate(modules):
            first, last = RANGES.get(str(module).split("(")[0].split(" ")[0].removeprefix("nn."), (-3, 3))
            x, y, slope = curve(module, first if low is None else low, last if high is None else high)
            axes.plot(x, y, color=f"C{number}", label=str(module))
            axes.plot(x, slope, color=f"C{number}", linestyle="--", label="derivative", linewidth=1)
        axes.set(xlabel="x", ylabel="y")
        axes.legend()
    if path is not None:
        write(figure, path)
    return figure
