"""Operations whose results are other tensors, or numbers, as rows of which methods and functions are made.

A form has a letter for each argument after `x`, a capital one if it may be left out: `d` is a dimension, `i` a whole
number, `n` a number, `b` true or false, `t` a tensor, `k` a LongTensor of indices,
`c` a letter of the form's `choices`. From one row follow `x.f(...)` and
`torch.f(x, ...)` (new tensors), and `r.f(x, ...)` and `torch.f(r, x, ...)` (into r, which gets the result's sizes; two
tensors where there are two results, of elements and their places one alone, too).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...core import is_concrete, lookable
from ...core.types import Value
from .arguments import (
    fractions_only,
    given_as,
    in_type,
    is_number,
    is_tensor,
    of_one_type,
    plain_arrays,
    plain_letters,
    sizes_text,
)
from .casting import as_type
from .computing import computed, same_count
from .default_type import default_dtype
from .devices import precision
from .kinds import Made, Maker, Result
from .notes import Noting
from .number import only_element
from .plans import Plan, places_of_letters, planned, types_of
from .quiet import quietly
from .type_names import type_name_of

WORDS = {
    "x": "tensor", "t": "tensor", "d": "dimension", "i": "whole number", "n": "number", "b": "true or false",
    "k": "LongTensor",
}  # fmt: skip
SAME, LONG, BYTE, NUMBER = "the type of x", np.dtype(np.int64), np.dtype(np.uint8), "a number"
COLUMNS = "the type of x, column after column"
"""What results are; LAPACK leaves matrices column after column in the storage, which strides show."""


@dataclass(frozen=True)
class Form:
    """A call: its letters, `compute(library, x, ...)` of arrays (dimensions as axes), and what the results are.

    One that combines tensors element by element checks that they have as many elements; one of fractions, that they
    are not of whole numbers. `choices` has the letters that each argument `c` may be.
    """

    letters: str
    compute: Callable
    results: tuple[Any, ...] = (SAME,)
    by_element: bool = False
    of_fractions: bool = False
    choices: tuple[str, ...] = ()

    @cached_property
    def tensors(self) -> tuple[int, ...]:
        """The places of the arguments that are tensors."""
        return places_of_letters(self.letters, "xt")

    @cached_property
    def dimensions(self) -> tuple[int, ...]:
        """The places of those that are dimensions."""
        return places_of_letters(self.letters, "dD")

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The places of those that are numbers of the tensors' type."""
        return places_of_letters(self.letters, "nN")

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """The places of those that are LongTensors of indices."""
        return places_of_letters(self.letters, "k")

    @cached_property
    def wanted(self) -> tuple[str | tuple[str, ...], ...]:
        """For each argument its letter, or the texts that it may be."""
        choices = iter(self.choices)
        return tuple(tuple(next(choices)) if letter in "cC" else letter.lower() for letter in self.letters)

    @cached_property
    def usage(self) -> str:
        """The arguments as an error message shows them."""
        words = [WORDS[wanted] if isinstance(wanted, str) else " or ".join(map(repr, wanted)) for wanted in self.wanted]
        each = zip(words, self.letters, strict=True)
        return f"({', '.join(f'[{word}]' if letter.isupper() else word for word, letter in each)})"

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many tensors for results a call may give: all, or of elements and their places only one, too."""
        count = len(self.results)
        return () if NUMBER in self.results else (count, 1) if LONG in self.results[1:] else (count,)

    def places(self, given: str) -> tuple | None:
        """The places of the arguments among those with these letters; None if the call is not of this form."""
        found, at = [], 0
        for letter in self.letters:
            if at < len(given) and given[at] in TAKES[letter.lower()]:
                found.append(at)
                at += 1
            elif letter.isupper() and given[at : at + 1] != WHOLE.get(letter):
                found.append(None)
            else:
                return None
        return tuple(found) if at == len(given) else None

    def matched(self, args: tuple) -> list | None:
        """The arguments of `compute`, None for those that are left out; None if the call is not of this form."""
        found, rest = [], list(args)
        for letter, wanted in zip(self.letters, self.wanted, strict=True):
            if rest and _is(wanted, rest[0]):
                found.append(rest.pop(0))
            elif letter.isupper():
                found.append(None)
            else:
                return None
        return None if rest else found


TAKES = {"x": "t", "t": "t", "k": "t", "b": "b", "c": "c", "n": "in", "d": "i", "i": "i"}
"""The letters of arguments, as `_letter` gives them, that an argument of a form may have."""

WHOLE = {"I": "n", "D": "n"}
"""The letter of a fraction, which only its value tells from a whole number that might be left out."""


def _is(wanted: str | tuple[str, ...], value: Any) -> bool:
    if isinstance(wanted, tuple):
        return isinstance(value, str) and value in wanted
    if wanted == "b":
        return isinstance(value, bool)
    if wanted in "xtk":
        return is_tensor(value)
    return not isinstance(value, bool) and is_number(value) and (wanted == "n" or float(value).is_integer())


@dataclass(frozen=True)
class Row:
    """An operation: its name, its forms, and what it gives in words."""

    name: str
    forms: tuple[Form, ...]
    words: str

    def call(self, args: tuple, like: Maker[Made]) -> Result[Made]:
        """Results of a call without tensors for them, or with; `like` makes tensors."""
        known = self._plans.get(types_of(args)) or self._plan(args)
        if known is None:
            return self._call(args, like)
        plan, makers = known
        found = plan(args)
        if found is None:
            return self._call(args, like)
        if len(makers) == 1:
            return makers[0](found, like, args[0])
        return tuple([make(each, like, args[0]) for make, each in zip(makers, found, strict=True)])

    @cached_property
    def _plans(self) -> dict[Any, tuple[Plan, tuple]]:
        """Plans, and how their results become tensors or numbers, by the types of arguments."""
        return {}

    def _plan(self, args: tuple) -> tuple[Plan, tuple] | None:
        given = plain_letters(args)
        form, places = next(((f, p) for f in self.forms if (p := f.places(given)) is not None), (None, ()))
        if form is None or "?" in given or "c" in given or form.indices:
            return None
        with_fractions = form.of_fractions or bool(form.numbers)
        plan = planned(form.compute, places, None, form.letters, form.by_element, with_fractions)
        known = self._plans[types_of(args)] = plan, tuple(map(_maker_of, form.results))
        return known

    def _call(self, args: tuple, like: Any) -> Any:
        for form in self.forms:
            found = form.matched(args)
            if found is not None:
                x, arrays = found[0], self._computed(form, found)
                return _one_or_all(
                    [_made(each, like, x, kind) for each, kind in zip(arrays, form.results, strict=True)]
                )
        for form in self.forms:
            for count in form.counts:
                given, found = args[:count], form.matched(args[count:])
                if found is not None and all(hasattr(each, "storage_") for each in given):
                    x, results = found[0], self._results(form, given, found[0])
                    arrays = self._computed(form, found)
                    return _one_or_all(
                        [
                            _made(array, like, x, kind) if result is None else _into(result, array, kind)
                            for result, array, kind in zip(results, arrays, form.results, strict=True)
                        ]
                    )
        raise self.wrong(args)

    def _results(self, form: Form, given: tuple, x: Any) -> tuple:
        """The tensors for results, None for one that is to be made: one alone is for the places if it is of their type.

        Raises TypeError for tensors of other types.
        """
        if len(given) < len(form.results):
            given = (None, *given) if given[0].dtype == LONG != _dtype_of(x) else (*given, None)
        for result, kind in zip(given, form.results, strict=True):
            if result is not None:
                self._check(result, kind, x)
        return given

    def _check(self, result: Any, kind: Any, x: Any) -> None:
        """Raises TypeError for a result of another type: a comparison's may be of x's, too."""
        if kind in (SAME, COLUMNS) or (kind is BYTE and result.dtype != BYTE):
            of_one_type(self.name, (x, result))
        elif result.dtype != kind:
            raise TypeError(f"torch.{self.name}: expected a {type_name_of(kind)} for the result, got a {result.type()}")

    def _computed(self, form: Form, found: list) -> tuple:
        if form.dimensions and np.shape(found[0]) == (0,):
            raise ValueError(f"torch.{self.name}: expected a tensor with dimensions, got an empty one")
        if form.of_fractions:
            fractions_only(self.name, [found[place] for place in form.tensors])
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
            results = form.compute(library, *found)
            made.append(library.taken_along(results) if isinstance(library, Noting) else results)
            return made[0][0] if isinstance(made[0], tuple) else made[0]

        fit = (lambda arrays: same_count(self.name, arrays)) if form.by_element else list
        computed(run, [found[place] for place in form.tensors], fit)
        return made[0]

    def wrong(self, args: tuple, named: Mapping[str, Value] | None = None) -> TypeError:
        """The error for arguments that are none of the forms, or have names."""
        wanted = " or ".join(form.usage for form in self.forms) + ", after tensors for the results if any"
        return TypeError(f"torch.{self.name}: expected {wanted}, got {given_as(args, named)}")


def _axis(name: str, dimension: float, size: tuple) -> int:
    if not 1 <= dimension <= len(size):
        raise IndexError(f"torch.{name}: dimension {dimension} out of range of a tensor of size {sizes_text(size)}")
    return int(dimension) - 1


def _one_or_all(results: list) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _made(array: Any, like: Any, x: Any, kind: Any) -> Any:
    """A result of this kind, a tensor or a number."""
    if kind is NUMBER:
        return only_element(array) if is_concrete(array) else like.of(array)
    if kind is COLUMNS:
        return _made(array, like, x, SAME) if array.ndim < 2 else _made(array.T, like, x, SAME).t()
    if isinstance(array, np.generic):
        array = np.asarray(array)
    dtype = _dtype_of(x) if kind is SAME else kind
    if array.dtype == dtype:
        return like.of(array)
    with precision(dtype):
        return like.of(as_type(array, dtype))


def _dtype_of(x: Any) -> np.dtype:
    return x.dtype if hasattr(x, "dtype") else default_dtype()


def _number(array: Any, like: Any, x: Any) -> Any:
    return array.item()  # NumPy's


def _bytes(array: Any, like: Any, x: Any) -> Any:
    return like.of(array.view(BYTE))


def _same(array: Any, like: Any, x: Any) -> Any:
    return like.of(array) if array.dtype is x.dtype else _made(array, like, x, SAME)


def _maker_of(kind: Any) -> Callable:
    """`_made` of this kind, for NumPy's arrays."""
    return {NUMBER: _number, BYTE: _bytes, SAME: _same}.get(kind) or partial(_made, kind=kind)


def _into(result: Any, array: Any, kind: Any) -> Any:
    if kind is COLUMNS and array.ndim == 2 and (result.shape != array.shape or result.isContiguous()):
        result.resize(*array.shape[::-1])
        result.rebind(result.storage_, result.offset, array.shape, (1, len(array)))
    return result.resize(*array.shape)._written(array)
