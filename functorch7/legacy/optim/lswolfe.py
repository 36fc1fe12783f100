"""A line search for the strong Wolfe conditions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .objective import Objective, Point, table
from .polyinterp import polyinterp


class _Trial(NamedTuple):
    """A step length with the loss, the gradient and the slope there."""

    t: float
    f: float
    g: np.ndarray
    slope: float

    @property
    def row(self) -> tuple[float, float, float]:
        return self.t, self.f, self.slope


def lswolfe(
    opfunc: Callable,
    x: Point,
    t: float,
    d: np.ndarray,
    f: float,
    g: np.ndarray,
    gtd: float,
    options: dict | None = None,
) -> tuple[float, np.ndarray, np.ndarray, float, int]:
    """A step t along d where f(t) <= f + c1 t gtd and |f'(t)| <= c2 |gtd|: by bracketing, then zooming by cubics.

    t is the first step to try; f, g and gtd = g . d are the loss, gradient and slope at x. Returns the new f, g, x
    (changed in place), t, and the number of evaluations. If the search finds no such step, the best one.
    options: c1 (1e-4), c2 (0.9), tolX (1e-9), maxIter (20), verbose (False).
    Raises: ValueError if d does not descend.
    Source: optim/doc/algos.md, lswolfe; Nocedal & Wright, 3.5.
    """
    options = table("lswolfe", "options", options)
    if not gtd < 0:
        raise ValueError(f"optim.lswolfe: expected a direction of descent, gtd < 0, got gtd {gtd}")
    search = _Search(Objective("lswolfe", opfunc, x), np.asarray(d).reshape(-1), f, gtd, options)
    best = search.zoom(search.bracket(_Trial(0.0, float(f), np.array(g).reshape(-1), float(gtd)), float(t)))
    if options.get("verbose") and search.left <= 0:
        print("<optim.lswolfe> reached max number of iterations")
    return best.f, best.g, search.objective.move(search.start + best.t * search.d), best.t, search.evaluations


class _Search:
    def __init__(self, objective: Objective, d: np.ndarray, f: float, gtd: float, options: dict):
        self.objective, self.start, self.d, self.f, self.gtd = objective, objective.point, d, float(f), float(gtd)
        self.c1, self.c2 = options.get("c1", 1e-4), options.get("c2", 0.9)
        self.tolX, self.left = options.get("tolX", 1e-9), options.get("maxIter", 20)
        self.evaluations = 0

    def at(self, t: float) -> _Trial:
        self.evaluations += 1
        f, g = self.objective(self.start + t * self.d)
        return _Trial(t, f, g, float(g @ self.d))

    def too_high(self, trial: _Trial) -> bool:
        """Armijo's condition fails."""
        return trial.f > self.f + self.c1 * trial.t * self.gtd

    def flat_enough(self, trial: _Trial) -> bool:
        """The curvature condition holds."""
        return abs(trial.slope) <= -self.c2 * self.gtd

    def bracket(self, origin: _Trial, t: float) -> list[_Trial]:
        """One trial that fits, or two with such a step between them."""
        before, trial, first = origin, self.at(t), True
        while self.left > 0:
            if self.too_high(trial) or (not first and trial.f >= before.f):
                return [before, trial]
            if self.flat_enough(trial):
                return [trial]
            if trial.slope >= 0:
                return [before, trial]
            shortest, longest = trial.t + 0.01 * (trial.t - before.t), 10 * trial.t
            t = polyinterp([before.row, trial.row], shortest, longest)
            before, trial, first = trial, self.at(t), False
            self.left -= 1
        return [origin, trial]

    def zoom(self, bracket: list[_Trial]) -> _Trial:
        """The best trial of the narrowed bracket."""
        stuck = False
        while len(bracket) == 2 and self.left > 0:
            low, high = sorted(bracket, key=lambda trial: trial.f)
            t, stuck = self._inside(bracket, stuck)
            trial = self.at(t)
            self.left -= 1
            if self.too_high(trial) or trial.f >= low.f:
                bracket = [low, trial]
            elif self.flat_enough(trial):
                return trial
            else:
                bracket = [trial, low if trial.slope * (high.t - low.t) >= 0 else high]
            if abs((bracket[0].t - bracket[1].t) * trial.slope) < self.tolX:
                break
        return min(bracket, key=lambda trial: trial.f)

    @staticmethod
    def _inside(bracket: list[_Trial], stuck: bool) -> tuple[float, bool]:
        """The cubic's minimum; if it is near an end for the second time, a tenth of the width away from that end."""
        t = polyinterp([trial.row for trial in bracket])
        low, high = sorted(trial.t for trial in bracket)
        width = high - low
        if min(high - t, t - low) >= 0.1 * width:
            return t, False
        if stuck or t >= high or t <= low:
            return (high - 0.1 * width if high - t < t - low else low + 0.1 * width), False
        return t, True
