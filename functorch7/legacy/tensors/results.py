"""Torch's operations whose results are other tensors, or numbers: one table, of rows (`rows.py`)."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np

from .arguments import alike_beside, as_matrix, sized, sizes_text
from .computing import accumulator, named, wide
from .indices import indices
from .rows import BYTE, LONG, NUMBER, SAME, Form, Row

FIRST = np.array(1)
"""Where Torch's indices begin; NumPy adds an array sooner than a number."""


def _comparison(name: str) -> tuple[Form, ...]:
    compare = named(name)
    return Form("xn", compare, (BYTE,)), Form("xt", compare, (BYTE,), True)


def _some(name: str, x: Any) -> Any:
    return sized(name, "a tensor with elements", x, x.size > 0)


def _reduction(name: str) -> tuple[Form, ...]:
    def along(m: Any, x: Any, axis: int) -> Any:
        return getattr(x, name)(axis, keepdims=True, dtype=accumulator(m, x, axis))

    def of_all(m: Any, x: Any) -> Any:
        return getattr(x if name in ("sum", "prod") else _some(name, x), name)(dtype=accumulator(m, x))

    return Form("x", of_all, (NUMBER,)), Form("xd", along, of_fractions=name == "mean")


def _variance(m: Any, x: Any, axis: int | None, biased: bool | None) -> Any:
    """NumPy's own warns about a single element, whose unbiased variance is undefined."""
    count, dtype = x.size if axis is None else x.shape[axis], accumulator(m, x, axis)
    x = x if dtype is None else x.astype(dtype)
    distances = x - x.mean(axis, keepdims=True)
    return (distances * distances).sum(axis, keepdims=axis is not None) / (count if biased else count - 1)


def _spread(name: str, function: Callable) -> tuple[Form, ...]:
    def along(m: Any, x: Any, axis: int, biased: bool | None) -> Any:
        return function(m, _variance(m, x, axis, biased))

    def of_all(m: Any, x: Any, biased: bool | None) -> Any:
        return function(m, _variance(m, _some(name, x), None, biased))

    return Form("xB", of_all, (NUMBER,)), Form("xdB", along, of_fractions=True)


def _norm(m: Any, x: Any, p: float | None, axis: int | None = None) -> Any:
    p = 2 if p is None else p
    dtype = accumulator(m, x, axis)
    if dtype is np.float64 and p == 2:
        elements = x.astype(dtype, copy=False).reshape(-1)
        return np.sqrt(elements @ elements)
    x = wide(m, x) if dtype is None else x.astype(dtype)
    if p == 0:
        return (x != 0).sum(axis, keepdims=axis is not None)
    return (m.abs(x) ** p).sum(axis, keepdims=axis is not None) ** (1 / p)


def _dot(m: Any, x: Any, t: Any) -> Any:
    return m.vdot(x, t) if x.dtype.kind in "iu" else m.vdot(wide(m, x), wide(m, t))


def _so_far(name: str) -> Callable:
    return lambda m, x, axis: getattr(x, name)(axis or 0, dtype=accumulator(m, x, axis or 0))


def _extreme(name: str) -> tuple[Form, ...]:
    value, place = methodcaller(name), f"arg{name}"

    def along(m: Any, x: Any, axis: int) -> tuple[Any, Any]:
        return getattr(x, name)(axis, keepdims=True), getattr(x, place)(axis, keepdims=True) + (FIRST if m is np else 1)

    return Form("x", lambda m, x: value(_some(name, x)), (NUMBER,)), Form("xd", along, (SAME, LONG))


def _ordered(m: Any, x: Any, axis: int, descending: bool | None) -> tuple[Any, Any]:
    if not descending:
        return m.sort(x, axis), m.argsort(x, axis, stable=True) + 1
    order = x.shape[axis] - 1 - m.flip(m.argsort(m.flip(x, axis), axis, stable=True), axis)
    return m.take_along_axis(x, order, axis), order + 1


def _last(x: Any, axis: int | None) -> int:
    return x.ndim - 1 if axis is None else axis


def _sort(m: Any, x: Any, axis: int | None, descending: bool | None) -> tuple[Any, Any]:
    return _ordered(m, x, _last(x, axis), descending)


def _first(m: Any, ordered: tuple, axis: int, start: int, count: int) -> tuple:
    return tuple(m.take(each, np.arange(start, start + count), axis) for each in ordered)


def _topk(m: Any, x: Any, k: int | None, axis: int | None, largest: bool | None, _sorted: bool | None) -> tuple:
    k, axis = 1 if k is None else int(k), _last(x, axis)
    if not 1 <= k <= x.shape[axis]:
        raise ValueError(f"torch.topk: expected k from 1 to {x.shape[axis]}, got {k}")
    return _first(m, _ordered(m, x, axis, largest), axis, 0, k)


def _kthvalue(m: Any, x: Any, k: float, axis: int | None) -> tuple:
    axis = _last(x, axis)
    if not 1 <= k <= x.shape[axis]:
        raise ValueError(f"torch.kthvalue: expected k from 1 to {x.shape[axis]}, got {k}")
    return _first(m, _ordered(m, x, axis, None), axis, int(k) - 1, 1)


def _median(m: Any, x: Any, axis: int | None) -> tuple:
    axis = _last(x, axis)
    return _first(m, _ordered(m, x, axis, None), axis, (x.shape[axis] - 1) // 2, 1)


def _mode(m: Any, x: Any, axis: int | None) -> tuple:
    axis = _last(x, axis)
    ordered, order = _ordered(m, x, axis, None)
    places = m.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    before = m.take(ordered, np.maximum(np.arange(x.shape[axis]) - 1, 0), axis)
    starts = m.maximum.accumulate(m.where(ordered != before, places, 0), axis)  # of the runs of equal values
    at = m.expand_dims(m.argmax(places - starts, axis), axis)
    return m.take_along_axis(ordered, at, axis), m.take_along_axis(order, at, axis)


def _index(m: Any, x: Any, axis: int, at: Any) -> Any:
    return m.take(x, indices("index", at, x.shape[axis]).reshape(-1), axis)


def _gather(m: Any, x: Any, axis: int, at: Any) -> Any:
    at = alike_beside("gather", "indices", indices("gather", at, x.shape[axis]), x, axis)
    return m.take_along_axis(x, at, axis)


def _bounds(x: Any, low: float | None, high: float | None) -> tuple:
    bounds = (low or 0, high or 0)
    if bounds[0] > bounds[1]:
        raise ValueError(f"torch.histc: expected a lower and an upper bound, got {bounds[0]} and {bounds[1]}")
    if bounds[0] == bounds[1]:
        bounds = (_some("histc", x).min(), x.max())
    return bounds if bounds[0] != bounds[1] else (bounds[0] - 1, bounds[1] + 1)


def _histogram(m: Any, x: Any, bins: int | None, low: float | None, high: float | None) -> Any:
    if bins is not None and bins < 1:
        raise ValueError(f"torch.histc: expected one bin or more, got {bins}")
    count, dtype, x = int(bins or 100), x.dtype, wide(m, x)
    first, last = _bounds(x, low, high)
    at = m.minimum(m.floor((x - first) / (last - first) * count), count - 1)  # a number on an edge goes where C puts it
    at = m.where((first <= x) & (x <= last), at, -1).reshape(-1)
    return m.histogram(at + 0.5, count, (0, count))[0].astype(dtype)


def _histograms(m: Any, x: Any, bins: int | None, low: float | None, high: float | None) -> Any:
    return m.stack([_histogram(m, row, bins, *_bounds(x, low, high)) for row in as_matrix("bhistc", x)])


def _match(m: Any, x: Any, t: Any, gain: float | None) -> Any:
    rows, columns = (each.reshape(len(each), -1) if each.size else each.reshape(0, 0) for each in (x, t))
    sized("match", f"rows of {rows.shape[1]} numbers", t, columns.shape[1] == rows.shape[1])
    squares = ((rows[:, None] - columns[None]) ** 2).sum(-1, dtype=rows.dtype)
    return squares if gain is None else gain * squares


def _cross(m: Any, x: Any, t: Any, axis: int | None) -> Any:
    sized("cross", f"the first tensor's size, {sizes_text(x.shape)}", t, t.shape == x.shape)
    axis = axis if axis is not None or 3 not in x.shape else x.shape.index(3)
    sized("cross", "a dimension of size 3", x, axis is not None and x.shape[axis] == 3)
    return m.cross(x, t, axis=axis)


def _diagonal(m: Any, x: Any, k: int | None) -> Any:
    k = 0 if k is None else int(k)
    sized("diag", "a vector or a matrix", x, x.size > 0 and x.ndim < 3)
    sized("diag", f"a matrix with a diagonal {k}", x, x.ndim == 1 or -x.shape[0] < k < x.shape[1])
    return m.array(m.diag(x, k))  # NumPy's is a view


def _triangle(name: str) -> Form:
    return Form("xI", lambda m, x, k: getattr(m, name)(as_matrix(name, x), int(k or 0)))


ROWS = {
    name: Row(name, forms, words)
    for name, (forms, words) in {
        "eq": (_comparison("equal"), "1 where elements are equal, else 0"),
        "ne": (_comparison("not_equal"), "1 where elements differ, else 0"),
        "lt": (_comparison("less"), "1 where x is less, else 0"),
        "le": (_comparison("less_equal"), "1 where x is not greater, else 0"),
        "gt": (_comparison("greater"), "1 where x is greater, else 0"),
        "ge": (_comparison("greater_equal"), "1 where x is not less, else 0"),
        "sum": (_reduction("sum"), "the sum"),
        "prod": (_reduction("prod"), "the product"),
        "mean": (_reduction("mean"), "the mean"),
        "std": (_spread("std", lambda m, x: m.sqrt(x)), "the standard deviation, over n - 1, or n if biased"),
        "var": (_spread("var", lambda m, x: x), "the variance, over n - 1, or n if biased"),
        "norm": (
            (Form("xN", _norm, (NUMBER,)), Form("xnd", _norm, of_fractions=True)),
            "the p-norm, p = 2 unless it is given",
        ),
        "dist": (
            (Form("xtN", lambda m, x, t, p: _norm(m, wide(m, x) - wide(m, t), p), (NUMBER,), True),),
            "the p-norm of the difference",
        ),
        "dot": ((Form("xt", _dot, (NUMBER,), True),), "the sum of the products of elements"),
        "trace": (
            (Form("x", lambda m, x: m.trace(as_matrix("trace", x)), (NUMBER,)),), "the sum of a matrix's diagonal"
        ),
        "min": (_extreme("min"), "the least, and along a dimension where it is"),
        "max": (_extreme("max"), "the greatest, and along a dimension where it is"),
        "cumsum": ((Form("xD", _so_far("cumsum")),), "the sums so far"),
        "cumprod": ((Form("xD", _so_far("cumprod")),), "the products so far"),
        "sort": ((Form("xDB", _sort, (SAME, LONG)),), "the elements in order, descending if true, and where they were"),
        "topk": (
            (Form("xIDBB", _topk, (SAME, LONG)),), "the k smallest, or largest if true, in order, and where they are"
        ),
        "kthvalue": ((Form("xiD", _kthvalue, (SAME, LONG)),), "the k-th smallest, and where it is"),
        "median": ((Form("xD", _median, (SAME, LONG)),), "the middle one (the lower of two), and where it is"),
        "mode": ((Form("xD", _mode, (SAME, LONG)),), "the most frequent one (the smallest of such), and where it is"),
        "index": ((Form("xdk", _index),), "the slices of a dimension that a LongTensor names"),
        "gather": ((Form("xdk", _gather),), "along a dimension, the elements that a LongTensor names"),
        "nonzero": (
            (Form("x", lambda m, x: m.stack(m.nonzero(x), 1) + 1, (LONG,)),), "where elements are not 0, a row for each"
        ),
        "tril": ((_triangle("tril"),), "what is on and below the k-th diagonal"),
        "triu": ((_triangle("triu"),), "what is on and above the k-th diagonal"),
        "diag": ((Form("xI", _diagonal),), "the k-th diagonal of a matrix, or a matrix with this one"),
        "histc": (
            (Form("xINN", _histogram, of_fractions=True),),
            "how many elements are in each of n bins, between bounds if given",
        ),
        "bhistc": (
            (Form("xINN", _histograms, of_fractions=True),), "how many elements of each row are in each of n bins"
        ),
        "cross": ((Form("xtD", _cross),), "the cross product along a dimension of size 3"),
        "match": ((Form("xtN", _match),), "the squared distances between the rows of two tensors, times a number"),
    }.items()
}  # fmt: skip
"""The operations by name."""
