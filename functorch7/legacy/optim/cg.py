"""Conjugate gradients."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .objective import Objective, Point, table


def cg(
    opfunc: Callable, x: Point, config: dict | None = None, state: dict | None = None
) -> tuple[Point, list[float], int]:
    """Polak-Ribiere conjugate gradients, with line searches by cubic and quadratic inter- and extrapolation.

    Returns x, the losses (at the start, and after each successful line search), and the number of evaluations.
    config: maxIter (20, evaluations of one line search at most), maxEval (1.25 maxIter, evaluations in all), rho
    (0.01) and sig (0.5) of the Wolfe-Powell conditions, int (0.1) and ext (3) that limit inter- and extrapolation,
    ratio (100, by how much the first step of a search may grow). Nothing is kept in the state.
    Differs from Torch7: if a search fails, another one along the gradient is tried, as published.
    Source: optim/doc/algos.md, cg; Rasmussen's minimize.m.
    """
    with np.errstate(all="ignore"):  # an interpolation that fails gives NaN, which is looked for
        return _Search(Objective("cg", opfunc, x), table("cg", "config", config)).run()


class _Place(NamedTuple):
    """A place on a line: its distance from the start, the point, and the loss, gradient and slope there."""

    z: np.float64
    x: np.ndarray
    f: np.float64
    g: np.ndarray
    d: np.float64


class _Search:
    def __init__(self, objective: Objective, config: dict):
        self.objective, self.evaluations = objective, 0
        self.maxIter = config.get("maxIter", 20)
        self.maxEval = config.get("maxEval", 1.25 * self.maxIter)
        self.rho, self.sig = config.get("rho", 0.01), config.get("sig", 0.5)
        self.inner, self.outer = config.get("int", 0.1), config.get("ext", 3.0)
        self.ratio = config.get("ratio", 100)

    def run(self) -> tuple[Any, list[float], int]:
        """Searches line after line, each from the end of the one before."""
        point = self.objective.point
        self.direction = np.zeros_like(point)
        start = self._steepest(self._at(np.float64(0), point))
        step, losses, failed = 1 / (1 - start.d), [float(start.f)], False
        while self.evaluations < self.maxEval:
            found = self._line(start, step)
            if found is not None:
                losses.append(float(found.f))
                after = self._conjugate(start, found)
                step = found.z * min(self.ratio, start.d / (after.d - np.finfo(np.float64).tiny))
                start, failed = after, False
            elif failed:
                break
            else:
                start = self._steepest(start)
                step, failed = 1 / (1 - start.d), True
        return self.objective.move(start.x), losses, self.evaluations

    def _at(self, z: np.float64, x: np.ndarray) -> _Place:
        self.evaluations += 1
        f, g = self.objective(x)
        return _Place(z, x, np.float64(f), g, np.float64(g @ self.direction))

    def _further(self, place: _Place, way: np.float64) -> _Place:
        return self._at(place.z + way, place.x + place.x.dtype.type(way) * self.direction)

    def _steepest(self, start: _Place) -> _Place:
        """The start of a line along the negative gradient."""
        self.direction = -start.g
        return start._replace(z=np.float64(0), d=-np.float64(start.g @ start.g))

    def _conjugate(self, start: _Place, found: _Place) -> _Place:
        """The start of the next line, at the end of the last search."""
        ratio = (found.g @ found.g - found.g @ start.g) / (start.g @ start.g)
        self.direction = ratio * self.direction - found.g
        slope = np.float64(found.g @ self.direction)
        return self._steepest(found) if slope > 0 else found._replace(z=np.float64(0), d=slope)

    def _too_far(self, start: _Place, place: _Place) -> bool:
        return bool(place.f > start.f + place.z * self.rho * start.d or place.d > -self.sig * start.d)

    def _line(self, start: _Place, step: np.float64) -> _Place | None:
        """The place on the line that fulfils the Wolfe-Powell conditions, or None.

        `gap` is the way from the place to the other one. It is kept by itself because on a quadratic loss the cubic's
        first coefficient consists of rounding errors, which then decide where the search goes. If 1.25 maxIter is a
        fraction, the rest is never 0 and the search goes outwards as far as it has to, as in Torch and as published.
        """
        other, place, gap = start, self._further(start, step), -step
        left, limit = min(self.maxIter, self.maxEval - self.evaluations), None
        while True:
            while self._too_far(start, place) and left > 0:
                limit, way = place.z, self._inward(start, place, other, gap)
                place, gap, left = self._further(place, way), gap - way, left - 1
            if self._too_far(start, place):
                return None
            if place.d > self.sig * start.d:
                return place
            if left == 0 or not np.isfinite(place.f):
                return None
            way = self._outward(place, other, gap, limit)
            if place.z + way == place.z:  # Torch's search would stay here for ever
                return None
            other, place, gap, left = place, self._further(place, way), -way, left - 1

    def _inward(self, start: _Place, place: _Place, other: _Place, gap: np.float64) -> np.float64:
        """The way from a place back towards the other, by interpolation."""
        if place.f > start.f:
            way = gap - 0.5 * other.d * gap * gap / (other.d * gap + place.f - other.f)
        else:
            a, b, root = _cubic(place, other, gap)
            way = (root - b) / a
        way = way if np.isfinite(way) else gap / 2
        return max(min(way, self.inner * gap), (1 - self.inner) * gap)

    def _outward(self, place: _Place, other: _Place, gap: np.float64, limit: np.float64 | None) -> np.float64:
        """The way from a place further on, by extrapolation, up to the limit if there is one."""
        _, b, root = _cubic(place, other, gap)
        way, shortest = -place.d * gap * gap / (b + root), -gap * self.inner
        useless = not np.isfinite(way) or way < 0
        if limit is None:
            longest = place.z * (self.outer - 1)
            return longest if useless or way > longest else max(way, shortest)
        room = limit - place.z
        if useless or way > room:
            return room / 2
        return shortest if way < shortest else max(way, room * (1 - self.inner))


def _cubic(place: _Place, other: _Place, gap: np.float64) -> tuple[np.float64, np.float64, np.float64]:
    """The coefficients of the cubic through two places with their slopes, and the root its extremes need."""
    a = 6 * (place.f - other.f) / gap + 3 * (place.d + other.d)
    b = 3 * (other.f - place.f) - gap * (other.d + 2 * place.d)
    return a, b, np.sqrt(b * b - a * place.d * gap * gap)
