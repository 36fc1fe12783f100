"""Limited-memory BFGS."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .objective import Objective, Point, table


def lbfgs(
    opfunc: Callable, x: Point, config: dict | None = None, state: dict | None = None
) -> tuple[Point, list[float], int]:
    """Quasi-Newton steps x = x + t * d, with d = -H g from the last nCorrection changes of x and g.

    Returns x, the losses, and the number of evaluations. Without a line search t is the learning rate (for the
    first step at most 1 / sum|g| of it), and the point after the last iteration is not evaluated.

    config: maxIter (20), maxEval (1.25 maxIter), tolFun (1e-5, of sum|g|), tolX (1e-9, of steps and of changes of the
    loss), nCorrection (100), lineSearch (None; for example `optim.lswolfe`), lineSearchOptions, learningRate (1),
    verbose (False). state carries on at the next call: d, t, old_dirs, old_stps, Hdiag, g_old, f_old, nIter, funcEval.
    Source: optim/doc/algos.md, lbfgs; Nocedal, 1980.
    """
    config = table("lbfgs", "config", config)
    state = config if state is None else table("lbfgs", "state", state)
    return _Search(Objective("lbfgs", opfunc, x), config, state).run()


class _Search:
    """One call; only the memory of earlier iterations is in the state."""

    def __init__(self, objective: Objective, config: dict, state: dict):
        self.objective, self.config, self.state = objective, config, state
        self.maxIter = config.get("maxIter", 20)
        self.maxEval = config.get("maxEval", 1.25 * self.maxIter)
        self.tolFun, self.tolX = config.get("tolFun", 1e-5), config.get("tolX", 1e-9)
        self.evaluations = 0
        size, known = objective.point.size, np.asarray(state.get("d", objective.point)).size
        if known != size:
            raise ValueError(f"optim.lbfgs: expected a state for {size} parameters, got one for {known}")

    def run(self) -> tuple[Any, list[float], int]:
        """Iterates until a condition gives a reason to stop."""
        self.point = self.objective.point
        self.loss, self.gradient = self.objective(self.point)
        self._evaluated(1)
        losses = [self.loss]
        reason = "optimality condition below tolFun" if self._flat() else None
        iteration = 0
        while reason is None and iteration < self.maxIter:
            iteration += 1
            reason = self._iterate(iteration == self.maxIter, losses)
        if self.config.get("verbose"):
            print("<optim.lbfgs>", reason)
        return self.objective.x, losses, self.evaluations

    def _evaluated(self, times: int) -> None:
        self.evaluations += times
        self.state["funcEval"] = self.state.get("funcEval", 0) + times

    def _flat(self) -> bool:
        return bool(np.abs(self.gradient).sum() <= self.tolFun)

    def _iterate(self, last: bool, losses: list[float]) -> str | None:
        """One step; returns a reason to stop after it."""
        state = self.state
        state["nIter"] = state.get("nIter", 0) + 1
        first = state["nIter"] == 1 or "d" not in state
        direction = -self.gradient if first else self._direction()
        state.update(d=direction, g_old=self.gradient, f_old=self.loss)
        if first:
            state.update(old_dirs=[], old_stps=[], Hdiag=1.0, t=0.0)
        slope = float(self.gradient @ direction)
        if slope > -self.tolX:
            return "no progress along the direction"
        step = self.config.get("learningRate", 1.0)
        if first:
            step = min(1.0, 1 / float(np.abs(self.gradient).sum())) * step
        state["t"] = self._advance(step, direction, slope, last, losses)
        return self._reason(last)

    def _advance(self, step: float, direction: np.ndarray, slope: float, last: bool, losses: list[float]) -> float:
        """Moves along the direction; returns how far."""
        search = self.config.get("lineSearch")
        if search is not None:
            objective, options = self.objective, self.config.get("lineSearchOptions") or None
            loss, gradient, objective.x, step, times = search(
                objective.opfunc, objective.x, step, direction, self.loss, self.gradient, slope, options
            )
            self.point, self.loss, self.gradient = objective.point, float(loss), np.asarray(gradient).reshape(-1)
        else:
            self.point = self.point + step * direction
            times = 0 if last else 1
            if last:
                self.objective.move(self.point)
            else:
                self.loss, self.gradient = self.objective(self.point)
        if times:
            losses.append(self.loss)
        self._evaluated(times)
        return step

    def _reason(self, last: bool) -> str | None:
        state = self.state
        if last:
            return "reached max number of iterations"
        if self.evaluations >= self.maxEval:
            return "max nb of function evals"
        if self._flat():
            return "optimality condition below tolFun"
        if np.abs(state["t"] * state["d"]).sum() <= self.tolX:
            return "step size below tolX"
        if abs(self.loss - state["f_old"]) < self.tolX:
            return "function value changing less than tolX"
        return None

    def _direction(self) -> np.ndarray:
        """-H g by the two-loop recursion, after storing the last step."""
        state = self.state
        change = self.gradient - np.asarray(state["g_old"])
        moved = np.asarray(state["d"]) * state["t"]
        curvature = float(change @ moved)
        if curvature > 1e-10:
            if len(state["old_dirs"]) == self.config.get("nCorrection", 100):
                del state["old_dirs"][0], state["old_stps"][0]
            state["old_dirs"].append(moved)
            state["old_stps"].append(change)
            state["Hdiag"] = curvature / float(change @ change)
        pairs = [(np.asarray(s), np.asarray(y)) for s, y in zip(state["old_dirs"], state["old_stps"], strict=True)]
        direction, weights = -self.gradient, []
        for s, y in reversed(pairs):
            weights.append((s @ direction) / (y @ s))
            direction = direction - weights[-1] * y
        direction = direction * direction.dtype.type(state["Hdiag"])
        for (s, y), weight in zip(pairs, reversed(weights), strict=True):
            direction = direction + (weight - (y @ direction) / (y @ s)) * s
        return direction
