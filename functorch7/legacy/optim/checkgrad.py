"""A test of gradients."""

from collections.abc import Callable

import numpy as np

from .objective import Objective, Point, held


def checkgrad(opfunc: Callable, x: Point, eps: float = 1e-7) -> tuple[float, np.ndarray, np.ndarray]:
    """|dC - dC_est| / |dC + dC_est|, where dC is opfunc's gradient at x and dC_est that by central differences.

    The gradients have the shape of x, which ends unchanged. In float32 choose an eps of about 1e-3.
    Source: optim/doc/algos.md, checkgrad.
    """
    objective = Objective("checkgrad", opfunc, x)
    point, shape = objective.point, held("checkgrad", x).shape
    gradient, estimate = objective(point)[1], np.empty_like(point)
    for i in range(point.size):
        above, below = point.copy(), point.copy()
        above[i] += eps
        below[i] -= eps
        estimate[i] = (objective.value(above) - objective.value(below)) / (2 * eps)
    objective.move(point)
    length = np.linalg.norm(gradient + estimate)
    difference = float(np.linalg.norm(gradient - estimate) / length) if length else 0.0
    return difference, gradient.reshape(shape), estimate.reshape(shape)
