"""Torch's operations whose results are other tensors, or numbers: one table, of methods and functions.

A form has a letter for each argument after `x`, a capital one if it may be left out: `d` is a dimension, `i` a whole
number, `n` a number, `b` true or false, `t` a tensor, `k` a LongTensor of indices,
`c` a letter. From one row follow `x.f(...)` and
`torch.f(x, ...)` (new tensors), and `r.f(x, ...)` and `torch.f(r, x, ...)` (into r, which gets the result's sizes; two
tensors where there are two results).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core import is_concrete, lookable
from .arguments import described, in_type, is_number, is_tensor, of_one_type, plain_arrays, plain_letters, sizes_text
from .default_type import default_dtype
from .indices import indices
from .operations import computed, same_count
from .quiet import quietly
from .storage import type_name_of

WORDS = {
    "x": "tensor", "t": "tensor", "d": "dimension", "i": "whole number", "n": "number", "b": "true or false",
    "k": "LongTensor", "c": "letter",
}  # fmt: skip
SAME, LONG, BYTE, NUMBER = "the type of x", np.dtype(np.int64), np.dtype(np.uint8), "a number"


@dataclass(frozen=True)
class Form:
    """A call: its letters, `compute(library, x, ...)` of arrays (dimensions as axes), and what the results are.

    One that combines tensors element by element checks that they have as many elements.
    """

    letters: str
    compute: Callable
    results: tuple[Any, ...] = (SAME,)
    by_element: bool = False

    @cached_property
    def tensors(self) -> tuple[int, ...]:
        """The places of the arguments that are tensors."""
        return tuple(place for place, letter in enumerate(self.letters) if letter in "xt")

    @cached_property
    def dimensions(self) -> tuple[int, ...]:
        """The places of those that are dimensions."""
        return tuple(place for place, letter in enumerate(self.letters) if letter in "dD")

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The places of those that are numbers of the tensors' type."""
        return tuple(place for place, letter in enumerate(self.letters) if letter in "nN")

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """The places of those that are LongTensors of indices."""
        return tuple(place for place, letter in enumerate(self.letters) if letter == "k")

    def places(self, given: str) -> tuple | None:
        """The places of the arguments among those with these letters; None if the call is not of this form."""
        found, at = [], 0
        for letter in self.letters:
            if at < len(given) and given[at] in TAKES[letter.lower()]:
                found.append(at)
                at += 1
            elif letter.isupper():
                found.append(None)
            else:
                return None
        return tuple(found) if at == len(given) else None

    def matched(self, args: tuple) -> list | None:
        """The arguments of `compute`, None for those that are left out; None if the call is not of this form."""
        found, rest = [], list(args)
        for letter in self.letters:
            if rest and _is(letter.lower(), rest[0]):
                found.append(rest.pop(0))
            elif letter.isupper():
                found.append(None)
            else:
                return None
        return None if rest else found


TAKES = {"x": "t", "t": "t", "k": "t", "b": "b", "c": "c", "n": "in", "d": "i", "i": "i"}
"""The letters of arguments, as `_letter` gives them, that an argument of a form may have."""


def _is(letter: str, value: Any) -> bool:
    if letter in "bc":
        return isinstance(value, bool if letter == "b" else str)
    if letter in "xtk":
        return is_tensor(value)
    return not isinstance(value, bool) and is_number(value) and (letter == "n" or float(value).is_integer())


@dataclass(frozen=True)
class Row:
    """An operation: its name, its forms, and what it gives in words."""

    name: str
    forms: tuple[Form, ...]
    words: str

    def call(self, args: tuple, like: Any) -> Any:
        """Results of a call without tensors for them, or with; `like` makes tensors."""
        given = plain_letters(args)
        if given not in self._plans:
            self._plans[given] = next(((f, p) for f in self.forms if (p := f.places(given)) is not None), None)
        plan = self._plans[given]
        if plan is not None:
            form, places = plan
            found = [None if at is None else args[at] for at in places]
            made = self._computed(form, found)
            if len(made) == 1:
                return _made(made[0], form.results[0], like, args[0])
            return tuple([_made(each, kind, like, args[0]) for each, kind in zip(made, form.results, strict=True)])
        return self._call(args, like)

    @cached_property
    def _plans(self) -> dict[str, Any]:
        """The form, and where its arguments are, by the letters of a call that has plain arguments and no results."""
        return {}

    def _call(self, args: tuple, like: Any) -> Any:
        for form in self.forms:
            found = form.matched(args)
            if found is not None:
                x, arrays = found[0], self._computed(form, found)
                return _one_or_all(
                    [_made(each, kind, like, x) for each, kind in zip(arrays, form.results, strict=True)]
                )
        for form in self.forms:
            count = len(form.results)
            given, found = args[:count], form.matched(args[count:])
            if found is not None and NUMBER not in form.results and all(hasattr(each, "storage_") for each in given):
                for result, kind in zip(given, form.results, strict=True):
                    self._check(result, kind, found[0])
                arrays = self._computed(form, found)
                return _one_or_all([_into(result, each) for result, each in zip(given, arrays, strict=True)])
        raise self._wrong(args)

    def _check(self, result: Any, kind: Any, x: Any) -> None:
        """Raises TypeError for a result of another type: a comparison's may be of x's, too."""
        if kind is SAME or (kind is BYTE and result.dtype != BYTE):
            of_one_type(self.name, (x, result))
        elif result.dtype != kind:
            raise TypeError(f"torch.{self.name}: expected a {type_name_of(kind)} for the result, got a {result.type()}")

    def _computed(self, form: Form, found: list) -> tuple:
        for place in form.dimensions:
            if found[place] is not None:
                found[place] = _axis(self.name, found[place], np.shape(found[0]))
        for place in form.numbers:
            found[place] = in_type(found[place], found[0].dtype) if hasattr(found[0], "dtype") else found[place]
        for place in form.indices:
            given = found[place]
            found[place] = lookable(given.array if hasattr(given, "storage_") else given)
        known = all(is_concrete(found[place]) for place in form.indices)
        arrays = plain_arrays([found[place] for place in form.tensors], form.by_element) if known else None
        if arrays is None:
            of_one_type(self.name, [found[place] for place in form.tensors])
            made = self._general(form, found)
        else:
            for place, array in zip(form.tensors, arrays, strict=True):
                found[place] = array
            made = quietly(form.compute, np, *found)
        return made if isinstance(made, tuple) else (made,)

    def _general(self, form: Form, found: list) -> Any:
        """The results for several tensors, tables of numbers, or arrays of JAX."""
        made: list[Any] = []

        def run(library: Any, *arrays: Any) -> Any:
            for place, array in zip(form.tensors, arrays, strict=True):
                found[place] = array
            made.append(form.compute(library, *found))
            return made[0][0] if isinstance(made[0], tuple) else made[0]

        fit = (lambda arrays: same_count(self.name, arrays)) if form.by_element else list
        computed(run, [found[place] for place in form.tensors], fit)
        return made[0]

    def _wrong(self, args: tuple) -> TypeError:
        usage = " or ".join(f"({', '.join(map(_word, form.letters))})" for form in self.forms)
        given = ", ".join(map(described, args))
        return TypeError(f"torch.{self.name}: expected {usage}, after tensors for the results if any, got ({given})")


def _word(letter: str) -> str:
    return f"[{WORDS[letter.lower()]}]" if letter.isupper() else WORDS[letter]


def _axis(name: str, dimension: float, size: tuple) -> int:
    if not 1 <= dimension <= len(size):
        raise IndexError(f"torch.{name}: dimension {dimension} out of range of a tensor of size {sizes_text(size)}")
    return int(dimension) - 1


def _one_or_all(results: list) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _made(array: Any, kind: Any, like: Any, x: Any) -> Any:
    if isinstance(array, np.generic):
        array = np.asarray(array)
    if kind is NUMBER:
        return (
            array.item()
            if type(array) is np.ndarray
            else np.asarray(array).item()
            if is_concrete(array)
            else like.of(array)
        )
    dtype = (x.dtype if hasattr(x, "dtype") else default_dtype()) if kind is SAME else kind
    if array.dtype is dtype or array.dtype == dtype:
        return like.of(array)
    is_mask = type(array) is np.ndarray and array.dtype == np.bool_ and dtype is BYTE
    return like.of(array.view(BYTE) if is_mask else array.astype(dtype))


def _into(result: Any, array: Any) -> Any:
    return result.resize(*array.shape)._written(array)


# Formulas -------------------------------------------------------------------------------------------------------------


def _comparison(name: str) -> tuple[Form, ...]:
    def compare(m: Any, x: Any, other: Any) -> Any:
        return getattr(m, name)(x, other)

    return Form("xn", compare, (BYTE,)), Form("xt", compare, (BYTE,), True)


def _reduction(function: Callable) -> tuple[Form, ...]:
    def along(m: Any, x: Any, axis: int) -> Any:
        return function(m, x, axis, True)

    return Form("x", lambda m, x: function(m, x, None, False), (NUMBER,)), Form("xd", along)


def _spread(name: str) -> tuple[Form, ...]:
    def spread(m: Any, x: Any, axis: int | None, biased: bool | None) -> Any:
        return getattr(m, name)(x, axis, ddof=0 if biased else 1, keepdims=axis is not None)

    return (
        Form("xB", lambda m, x, biased: spread(m, x, None, biased), (NUMBER,)),
        Form("xdB", spread),
    )


def _norm(m: Any, x: Any, p: float | None, axis: int | None = None) -> Any:
    p = 2 if p is None else p
    if p == 0:
        return (x != 0).sum(axis, keepdims=axis is not None)
    return (m.abs(x) ** p).sum(axis, keepdims=axis is not None) ** (1 / p)


def _extreme(name: str) -> tuple[Form, ...]:
    def along(m: Any, x: Any, axis: int) -> tuple[Any, Any]:
        return getattr(x, name)(axis, keepdims=True), getattr(m, f"arg{name}")(x, axis, keepdims=True) + 1

    return Form("x", lambda m, x: getattr(x, name)(), (NUMBER,)), Form("xd", along, (SAME, LONG))


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
    k, axis = int(k or 1), _last(x, axis)
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
    return m.take_along_axis(x, indices("gather", at, x.shape[axis]), axis)


def _bounds(x: Any, low: float | None, high: float | None) -> tuple:
    bounds = (low or 0, high or 0)
    if bounds[0] == bounds[1]:
        bounds = (x.min(), x.max())
    return bounds if bounds[0] != bounds[1] else (bounds[0] - 1, bounds[1] + 1)


def _histogram(m: Any, x: Any, bins: int | None, low: float | None, high: float | None) -> Any:
    return m.histogram(x.reshape(-1), int(bins or 100), _bounds(x, low, high))[0].astype(x.dtype)


def _histograms(m: Any, x: Any, bins: int | None, low: float | None, high: float | None) -> Any:
    return m.stack([_histogram(m, row, bins, *_bounds(x, low, high)) for row in x])


def _cross(m: Any, x: Any, t: Any, axis: int | None) -> Any:
    axis = x.shape.index(3) if axis is None else axis
    return m.cross(x, t, axis=axis)


def _diagonal(m: Any, x: Any, k: float | None) -> Any:
    return m.diag(x, int(k or 0))


ROWS = {
    name: Row(name, forms, words)
    for name, (forms, words) in {
        "eq": (_comparison("equal"), "1 where elements are equal, else 0"),
        "ne": (_comparison("not_equal"), "1 where elements differ, else 0"),
        "lt": (_comparison("less"), "1 where x is less, else 0"),
        "le": (_comparison("less_equal"), "1 where x is not greater, else 0"),
        "gt": (_comparison("greater"), "1 where x is greater, else 0"),
        "ge": (_comparison("greater_equal"), "1 where x is not less, else 0"),
        "sum": (_reduction(lambda m, x, axis, keep: x.sum(axis, keepdims=keep)), "the sum"),
        "prod": (_reduction(lambda m, x, axis, keep: x.prod(axis, keepdims=keep)), "the product"),
        "mean": (_reduction(lambda m, x, axis, keep: x.mean(axis, keepdims=keep)), "the mean"),
        "std": (_spread("std"), "the standard deviation, over n - 1, or n if biased"),
        "var": (_spread("var"), "the variance, over n - 1, or n if biased"),
        "norm": ((Form("xN", _norm, (NUMBER,)), Form("xnd", _norm)), "the p-norm, p = 2 unless it is given"),
        "dist": (
            (Form("xtN", lambda m, x, t, p: _norm(m, x - t, p), (NUMBER,), True),), "the p-norm of the difference"
        ),
        "dot": ((Form("xt", lambda m, x, t: m.vdot(x, t), (NUMBER,), True),), "the sum of the products of elements"),
        "trace": ((Form("x", lambda m, x: m.trace(x), (NUMBER,)),), "the sum of a matrix's diagonal"),
        "min": (_extreme("min"), "the least, and along a dimension where it is"),
        "max": (_extreme("max"), "the greatest, and along a dimension where it is"),
        "cumsum": ((Form("xD", lambda m, x, axis: x.cumsum(axis or 0)),), "the sums so far"),
        "cumprod": ((Form("xD", lambda m, x, axis: x.cumprod(axis or 0)),), "the products so far"),
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
        "tril": ((Form("xI", lambda m, x, k: m.tril(x, int(k or 0))),), "what is on and below the k-th diagonal"),
        "triu": ((Form("xI", lambda m, x, k: m.triu(x, int(k or 0))),), "what is on and above the k-th diagonal"),
        "diag": ((Form("xI", _diagonal),), "the k-th diagonal of a matrix, or a matrix with this one"),
        "histc": ((Form("xINN", _histogram),), "how many elements are in each of n bins, between bounds if given"),
        "bhistc": ((Form("xINN", _histograms),), "how many elements of each row are in each of n bins"),
        "cross": ((Form("xtD", _cross, by_element=True),), "the cross product along a dimension of size 3"),
    }.items()
}  # fmt: skip
"""The operations by name."""
