"""Covariance matrix adaptation."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...interop.packages import package
from ..tensors.random import generator
from .objective import Objective, Point, held, table


def cmaes(
    opfunc: Callable, x: Point, config: dict | None = None, state: dict | None = None
) -> tuple[Point, list[float], int]:
    """CMA-ES, an evolution strategy without gradients, by the package cma (pycma).

    Returns x at the best place found (changed in place), the losses (at the start, the best of each generation, and
    the best of all), and the number of evaluations.
    Read from state (by default config): sigma (required, the first standard deviation), maxEval
    (1000 D^2), popsize (4 + floor(3 ln D)), ftarget (None: a loss to stop at), min_iterations (1), verb_disp (0: how
    often to print).
    Raises: ImportError without the package; ValueError without sigma; TypeError for tensors of other types.
    Differs from Torch7: x moves.
    Source: optim/cmaes.lua; Hansen & Ostermeier, 2001.
    """
    config = table("cmaes", "config", config)
    state = config if state is None else table("cmaes", "state", state)
    dtype = held("cmaes", x).dtype
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"optim.cmaes: Unsupported Tensor {dtype} please use Float- or DoubleTensor for x")
    if state.get("sigma") is None:
        raise ValueError(f"optim.cmaes: expected sigma, the first standard deviation, among {list(state)}")
    objective = Objective("cmaes", opfunc, x)
    losses, strategy = [objective.value(objective.point)], _strategy(objective.point, state)
    iterations, limit = 0, state.get("maxEval", 1000 * objective.point.size**2)
    while iterations < state.get("min_iterations", 1) or not (strategy.stop() or strategy.countevals >= limit):
        iterations += 1
        points = strategy.ask()
        values = [objective.value(np.asarray(point)) for point in points]
        strategy.tell(points, values)
        strategy.disp(state.get("verb_disp") or 0)
        losses.append(min(values))
    best = strategy.result
    losses.append(float(best.fbest))
    return objective.move(np.asarray(best.xbest)), losses, strategy.countevals


def _strategy(start: np.ndarray, state: dict) -> Any:
    cma = package("cma", "functorch7[evolution]", "optim.cmaes")
    options = {
        "randn": lambda *size: generator().normal(math.prod(size)).reshape(size),
        "seed": np.nan,  # otherwise it would seed NumPy's global generator
        "signals_filename": "",
        "verb_disp_overwrite": 0,
        "verbose": -9,
    }
    options.update({key: state[key] for key in ("popsize", "ftarget") if state.get(key) is not None})
    return cma.CMAEvolutionStrategy(start.astype(np.float64), float(state["sigma"]), options)
