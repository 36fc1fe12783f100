"""Conjugate gradients."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .objective import Objective, table


def cg(
    opfunc: Callable, x: Any, config: dict[str, Any] | None = None, state: dict[str, Any] | None = None
) -> tuple[Any, list[float], int]:
    """Polak-Ribiere conjugate gradients, with line searches by cubic and quadratic inter- and extrapolation.

    The first search that fails is the last (minimize.m would try once more along the gradient; Torch7 does not).
    Returns x, the losses (at the start, and after each successful line search), and the number of evaluations.
    config: maxIter (20, evaluations of one line search at most), maxEval (1.25 maxIter, evaluations in all), rho
    (0.01) and sig (0.5) of the Wolfe-Powell conditions, int (0.1) and ext (3) that limit inter- and extrapolation,
    ratio (100, by how much the first step of a search may grow). Nothing is kept in the state.
    Source: optim/doc/algos.md, cg; Rasmussen's minimize.m.
    """
    with np.errstate(all="ignore"):  # an interpolation that fails gives NaN, which is looked for
        return _Search(Objective("cg", opfunc, x), table("cg", "config", config)).run()


class _Place(NamedTuple):
    """A place on a line: how far from its start, and the loss, gradient and slope there."""

    z: np.float64
    f: np.float64
    g: np.ndarray
    d: np.float64


class _Search:
    def __init__(self, objective: Objective, config: dict):
        self.objective, self.point, self.evaluations = objective, objective.point, 0
        self.maxIter = config.get("maxIter", 20)
        self.maxEval = config.get("maxEval", 1.25 * self.maxIter)
        self.rho, self.sig = config.get("rho", 0.01), config.get("sig", 0.5)
        self.inner, self.outer = config.get("int", 0.1), config.get("ext", 3.0)
        self.ratio = config.get("ratio", 100)

    def run(self) -> tuple[Any, list[float], int]:
        start = self._steepest(self._at(np.zeros_like(self.point), np.float64(0)))
        step, losses = 1 / (1 - start.d), [float(start.f)]
        while self.evaluations < self.maxEval:
            found = self._line(start, step)
            if found is None:
                break
            self.point = self.point + self.point.dtype.type(found.z) * self.direction
            losses.append(float(found.f))
            after = self._conjugate(start, found)
            step = found.z * min(self.ratio, start.d / (after.d - np.finfo(np.float64).tiny))
            start = after
        return self.objective.move(self.point), losses, self.evaluations

    def _at(self, direction: np.ndarray, z: np.float64) -> _Place:
        self.evaluations += 1
        f, g = self.objective(self.point + self.point.dtype.type(z) * direction)
        return _Place(z, np.float64(f), g, np.float64(g @ direction))

    def _steepest(self, start: _Place) -> _Place:
        """The start of a line along the negative gradient."""
        self.direction = -start.g
        return start._replace(z=np.float64(0), d=-np.float64(start.g @ start.g))

    def _conjugate(self, start: _Place, found: _Place) -> _Place:
        """The start of the next line, from where the last search ended."""
        ratio = (found.g @ found.g - found.g @ start.g) / (start.g @ start.g)
        self.direction = ratio * self.direction - found.g
        slope = np.float64(found.g @ self.direction)
        return self._steepest(found) if slope > 0 else found._replace(z=np.float64(0), d=slope)

    def _too_far(self, start: _Place, place: _Place) -> bool:
        return bool(place.f > start.f + place.z * self.rho * start.d or place.d > -self.sig * start.d)

    def _line(self, start: _Place, step: np.float64) -> _Place | None:
        """The place on the line that fulfils the Wolfe-Powell conditions, or None."""
        other, place = start, self._at(self.direction, step)
        left, limit = min(self.maxIter, self.maxEval - self.evaluations), None
        while True:
            while self._too_far(start, place) and left > 0:
                limit = place.z
                place = self._at(self.direction, place.z + self._inward(start, place, other))
                left -= 1
            if self._too_far(start, place):
                return None
            if place.d > self.sig * start.d:
                return place
            if left == 0:
                return None
            other, further = place, self._outward(place, other, limit)
            place = self._at(self.direction, place.z + further)
            left -= 1

    def _inward(self, start: _Place, place: _Place, other: _Place) -> np.float64:
        """The way from a place back towards the other, by interpolation."""
        z3 = other.z - place.z
        if place.f > start.f:
            z2 = z3 - 0.5 * other.d * z3 * z3 / (other.d * z3 + place.f - other.f)
        else:
            a, b, root = _cubic(place, other)
            z2 = (root - b) / a
        z2 = z2 if np.isfinite(z2) else z3 / 2
        return max(min(z2, self.inner * z3), (1 - self.inner) * z3)

    def _outward(self, place: _Place, other: _Place, limit: np.float64 | None) -> np.float64:
        """The way from a place further on, by extrapolation; half of the way to the limit where there is one."""
        z3 = other.z - place.z
        _, b, root = _cubic(place, other)
        z2 = -place.d * z3 * z3 / (b + root)
        useless = not np.isfinite(z2) or z2 < 0
        if limit is None:
            longest = place.z * (self.outer - 1)
            return longest if useless or z2 > longest else max(z2, -z3 * self.inner)
        room = limit - place.z
        if useless or z2 > room:
            return room / 2
        return -z3 * self.inner if z2 < -z3 * self.inner else max(z2, room * (1 - self.inner))


def _cubic(place: _Place, other: _Place) -> tuple[np.float64, np.float64, np.float64]:
    """The coefficients of the cubic through two places with their slopes, and the root its extremes need."""
    z3 = other.z - place.z
    a = 6 * (place.f - other.f) / z3 + 3 * (place.d + other.d)
    b = 3 * (other.f - place.f) - z3 * (other.d + 2 * place.d)
    return a, b, np.sqrt(b * b - a * place.d * z3 * z3)
