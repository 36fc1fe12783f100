"""The minimum of an interpolating polynomial."""

import math

import numpy as np

from ..tensors.kinds import Numbers


def polyinterp(points: Numbers, xminBound: float | None = None, xmaxBound: float | None = None) -> float:
    """The minimum's position of the polynomial with value f and slope g at each x; rows of points: x, f, g.

    Two points without bounds: the cubic's minimum, moved into their interval, or its middle if the cubic has none.
    Otherwise the least of the bounds, the points and the real critical points, all within the bounds (by default
    the extreme points); the middle if the polynomial cannot be computed.
    Raises: ValueError for points that are not N x 3 with N >= 2.
    Source: optim/doc/algos.md, polyinterp; Schmidt's minFunc.
    """
    points = np.asarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
        raise ValueError(f"optim.polyinterp: expected points of shape N x 3, N >= 2, got shape {points.shape}")
    if len(points) == 2 and xminBound is None and xmaxBound is None:
        return _cubic_minimum(*sorted(points.tolist()))
    low = points[:, 0].min() if xminBound is None else xminBound
    high = points[:, 0].max() if xmaxBound is None else xmaxBound
    return _bounded_minimum(points, float(low), float(high))


def _cubic_minimum(left: list[float], right: list[float]) -> float:
    (x1, f1, g1), (x2, f2, g2) = left, right
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if not square >= 0:
        return (x1 + x2) / 2
    d2 = math.sqrt(square)
    width = g2 - g1 + 2 * d2
    position = x2 - (x2 - x1) * (g2 + d2 - d1) / width if width else (x1 + x2) / 2
    return min(max(position, x1), x2)


def _bounded_minimum(points: np.ndarray, low: float, high: float) -> float:
    x, values, slopes = points.T
    order = 2 * len(points) - 1
    powers = np.arange(order, -1, -1)
    rows = x[:, None] ** powers
    slope_rows = powers * x[:, None] ** np.maximum(powers - 1, 0)
    system, right = np.concatenate([rows, slope_rows]), np.concatenate([values, slopes])
    if not (np.isfinite(system).all() and np.isfinite(right).all()):
        return (low + high) / 2
    polynomial = np.linalg.lstsq(system, right)[0]
    critical = np.roots(np.polyder(polynomial))
    candidates = np.concatenate([[low, high], x, critical.real[critical.imag == 0]])
    candidates = candidates[(low <= candidates) & (candidates <= high)]
    return float(candidates[np.argmin(np.polyval(polynomial, candidates))])
