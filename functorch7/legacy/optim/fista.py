"""Proximal gradient descent."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensors.tensor import Tensor
from .objective import Point, held, loss_of, stored, table


def FistaLS(
    f: Callable, g: Callable, pl: Callable, xinit: Point, params: dict | None = None
) -> tuple[Point, list[dict]]:
    """The minimum of f(x) + g(x), f smooth, by FISTA with backtracking: x = pl(y - f'(y) / L), y = x + momentum.

    f(y, "dx") gives the value and the gradient, f(y) the value; g(y) gives a value; pl(y, L) moves y to the minimum of
    g(x) + L/2 |x - y|^2, in place, or returns it. L grows by Lstep until f(x) is below its quadratic model.
    Returns x (changed in place) and for each iteration {nline, L, F, Fply, Gply, Q}: evaluations, L, the whole loss
    at x and its two parts, and the model's value; with verbose also xk and y.

    params: L (0.1; the last one is kept here), Lstep (1.5), maxiter (50), maxline (20), errthres (1e-4, of changes of
    the loss), doFistaUpdate (True; False is ISTA), verbose (False).
    Differs from Torch7: the algorithm is as published. It starts from xinit, not from 0; returns x, not the
    extrapolated y at which Torch7 takes the losses; and doFistaUpdate is true by default, as documented.
    Source: optim/doc/algos.md, fista; Beck & Teboulle, 2009.
    """
    params = table("FistaLS", "params", params)
    problem = _Problem(f, g, pl, xinit)
    x = y = np.array(held("FistaLS", xinit))
    momentum, history = 1.0, []
    params.setdefault("L", 0.1)
    for _ in range(int(params.get("maxiter", 50))):
        before, (x, entry) = x, problem.step(x, y, params)
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        accelerated = params.get("doFistaUpdate", True)
        y = x + (momentum - 1) / following * (x - before) if accelerated else x
        momentum = following
        history.append(entry)
        if params.get("verbose"):
            entry.update(xk=x.copy(), y=y.copy())
            print(f"iter={len(history)} F={entry['F']:g} L={entry['L']:g} nline={entry['nline']}")
        if len(history) > 1 and abs(entry["F"] - history[-2]["F"]) <= params.get("errthres", 1e-4):
            break
    return stored(xinit, x), history


class _Problem:
    """The functions as functions of NumPy arrays; they get what xinit is, a tensor or an array."""

    def __init__(self, f: Callable, g: Callable, pl: Callable, xinit: Any):
        self.f, self.g, self.pl = f, g, pl
        self.wrap = Tensor.of if isinstance(xinit, Tensor) else lambda array: array

    def value(self, function: Callable, point: np.ndarray) -> float:
        return loss_of(function(self.wrap(point.copy())))

    def step(self, x: np.ndarray, y: np.ndarray, params: dict) -> tuple[np.ndarray, dict[str, Any]]:
        """The next x from y, and the numbers noted about it; the same x if no L up to maxline fits."""
        loss, gradient = self.f(self.wrap(y.copy()), "dx")
        loss, gradient = np.asarray(loss).item(), np.array(gradient).reshape(y.shape)
        tried = 0
        while True:
            shrunk = self.wrap(y - (gradient / params["L"]).astype(y.dtype))
            result = self.pl(shrunk, params["L"])
            found = np.array(shrunk if result is None else result).reshape(y.shape)
            moved, value = found - y, self.value(self.f, found)
            model = loss + float((gradient * moved).sum()) + params["L"] / 2 * float((moved * moved).sum())
            tried += 1
            if value <= model:
                break
            if tried > params.get("maxline", 20):
                found, value = x, self.value(self.f, x)
                break
            params["L"] *= params.get("Lstep", 1.5)
        other = self.value(self.g, found)
        noted = {"nline": tried, "L": params["L"], "F": value + other, "Fply": value, "Gply": other, "Q": model}
        return found, noted
