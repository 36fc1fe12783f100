"""Operations whose results are other tensors, or numbers: rows from which methods and functions are made.

A form has a letter for each argument after `x`, a capital one if it may be left out: `d` is a dimension, `i` a whole
number, `n` a number, `b` true or false, `t` a tensor, `k` a LongTensor of indices, `c` a letter of the form's
`choices`. One row makes `x.f(...)` and `torch.f(x, ...)` (new tensors), and `r.f(x, ...)` and `torch.f(r, x, ...)`
(into r, which gets the result's sizes; for two results, two tensors; for elements and their places, one is enough).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

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
from .styles import counted
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

    If it combines tensors element by element, it checks that they have as many elements; if it needs fractions, that
    they are not of whole numbers. `choices` are the letters allowed for each argument `c`, `left_out` is what stands
    for an argument that is not given.
    """

    letters: str
    compute: Callable
    results: tuple[Any, ...] = (SAME,)
    by_element: bool = False
    of_fractions: bool = False
    choices: tuple[str, ...] = ()
    left_out: object = None

    @cached_property
    def tensors(self) -> tuple[int, ...]:
        """The places of the tensors."""
        return places_of_letters(self.letters, "xt")

    @cached_property
    def dimensions(self) -> tuple[int, ...]:
        """The places of the dimensions."""
        return places_of_letters(self.letters, "dD")

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The places of the numbers of the tensors' type."""
        return places_of_letters(self.letters, "nN")

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """The places of the LongTensors of indices."""
        return places_of_letters(self.letters, "k")

    @cached_property
    def wanted(self) -> tuple[str | tuple[str, ...], ...]:
        """Each argument's letter, or the texts that it may be."""
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
        """How many result tensors a call may give: all or, for elements and their places, only one."""
        count = len(self.results)
        return () if NUMBER in self.results else (count, 1) if LONG in self.results[1:] else (count,)

    def places(self, args: tuple, without_x: bool = False) -> tuple[int | None, ...] | None:
        """Where `compute`'s arguments are among a call's: None for one left out, -1 for the tensor of a method.

        None if the call is not of this form.
        """
        if len(args) > len(self.letters):
            return None
        found, at = [], 0
        for letter, wanted in zip(self.letters, self.wanted, strict=True):
            if without_x and letter == "x":
                found.append(-1)
            elif at < len(args) and _is(wanted, args[at]):
                found.append(at)
                at += 1
            elif letter.isupper():
                found.append(None)
            else:
                return None
        return tuple(found) if at == len(args) else None

    def arguments(self, places: tuple[int | None, ...], args: tuple, tensor: object = None) -> list:
        """The arguments of `compute`, taken from these places of a call."""
        given = (*args, tensor)  # the last one, -1
        return [self.left_out if at is None else given[at] for at in places]

    def is_told_by_classes(self, places: tuple[int | None, ...], args: tuple) -> bool:
        """Whether all calls with arguments of these classes are of this form.

        This holds for tensors and plain numbers, unless a number's value decides whether it counts as whole.
        """
        whole = [at for at, letter in zip(places, self.letters, strict=True) if letter in "dDiI"]
        is_told = float not in map(type, args) or all(at is not None and type(args[at]) is int for at in whole)
        return is_told and all(map(_is_plain, args)) and not self.indices


def _is_plain(value: Any) -> bool:
    return type(value) in (int, float, bool) or (hasattr(value, "storage_") and bool(value.shape))


def _is(wanted: str | tuple[str, ...], value: Any) -> bool:
    if isinstance(wanted, tuple):
        return isinstance(value, str) and value in wanted
    if wanted == "b":
        return isinstance(value, bool)
    if wanted in "xtk":
        return is_tensor(value)
    return not isinstance(value, bool) and is_number(value) and (wanted == "n" or float(value).is_integer())


class Known(NamedTuple):
    """What is known of a call: its plan, what makes its results, its form and its arguments' places."""

    plan: Plan
    makers: tuple[Callable, ...]
    form: Form
    places: tuple[int | None, ...]


Calls = dict[tuple[type, ...], Known]
"""What is known of calls, by the types of their arguments."""


@dataclass(frozen=True)
class Formed:
    """An operation with forms: its name, the forms, and its results in words."""

    name: str
    forms: tuple[Form, ...]
    words: str
    after: ClassVar[str] = "after tensors for the results if any"

    @cached_property
    def calls(self) -> Calls:
        """What is known of its calls."""
        return {}

    def planned(self, form: Form, places: tuple[int | None, ...]) -> Plan:
        """The plan of calls of a form."""
        with_fractions = form.of_fractions or bool(form.numbers)
        return planned(form.compute, places, form.left_out, form.letters, form.by_element, with_fractions)

    def matched(self, calls: Calls, args: tuple, without_x: bool = False) -> tuple[Form, tuple[int | None, ...]] | None:
        """(form, places of its arguments) of a call, or None; calls like it are known from then on."""
        for form in self.forms:
            places = form.places(args, without_x)
            if places is not None and not (without_x and -1 not in places):
                if form.is_told_by_classes(places, args):
                    plan = self.planned(form, places)
                    calls[types_of(args)] = Known(plan, tuple(map(_maker_of, form.results)), form, places)
                return form, places
        return None

    def wrong(self, args: tuple, named: Mapping[str, Value] | None = None) -> TypeError:
        """The error for arguments that fit no form, or have names."""
        wanted = " or ".join(form.usage for form in self.forms)
        return TypeError(f"torch.{self.name}: expected {wanted}, {self.after}, got {given_as(args, named)}")


def have_dimensions(args: tuple) -> bool:
    """Whether every tensor among arguments has dimensions; one without them could be a number."""
    return all([getattr(each, "shape", True) for each in args])


class Row(Formed):
    """An operation that returns new tensors or numbers, or writes them to tensors that it is given."""

    def call(self, args: tuple, like: Maker[Made], named: Mapping[str, Value] | None = None) -> Result[Made]:
        """A call's results, in tensors given for them or new ones, which `like` makes. Names are a TypeError."""
        if named:
            raise self.wrong(args, named)
        known = self.calls.get(types_of(args))
        if known is None:
            return self._call(self.matched(self.calls, args), args, like)
        plan, makers, form, places = known
        found = plan(args)
        if found is None:
            matched = (form, places) if have_dimensions(args) else self.matched(self.calls, args)
            return self._call(matched, args, like)
        if len(makers) == 1:
            return makers[0](found, like, args[0])
        return tuple([make(each, like, args[0]) for make, each in zip(makers, found, strict=True)])

    def _call(self, matched: Any, args: tuple, like: Any) -> Any:
        if matched is None:
            return self._into_given(args, like)
        form, places = matched
        found = form.arguments(places, args)
        x, arrays = found[0], self._computed(form, found)
        return _one_or_all([_made(each, like, x, kind) for each, kind in zip(arrays, form.results, strict=True)])

    def _into_given(self, args: tuple, like: Any) -> Any:
        """The results, in tensors given before the other arguments."""
        for form in self.forms:
            for count in form.counts:
                given, rest = args[:count], args[count:]
                places = form.places(rest)
                if places is not None and all(hasattr(each, "storage_") for each in given):
                    found = form.arguments(places, rest)
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
        """The tensors for results, None for one to be made: a single one is for the places if it has their type.

        Raises TypeError for tensors of other types.
        """
        if len(given) < len(form.results):
            given = (None, *given) if given[0].dtype == LONG != _dtype_of(x) else (*given, None)
        for result, kind in zip(given, form.results, strict=True):
            if result is not None:
                self._check(result, kind, x)
        return given

    def _check(self, result: Any, kind: Any, x: Any) -> None:
        """Raises TypeError for a result of another type; a comparison's may also have x's type."""
        if kind in (SAME, COLUMNS) or (kind is BYTE and result.dtype != BYTE):
            of_one_type(self.name, (x, result))
        elif result.dtype != kind:
            raise TypeError(f"torch.{self.name}: expected a {type_name_of(kind)} for the result, got a {result.type()}")

    def _computed(self, form: Form, found: list) -> tuple:
        self._make_fit(form, found)
        known = all(is_concrete(found[place]) for place in form.indices)
        arrays = plain_arrays([found[place] for place in form.tensors], form.by_element) if known else None
        if arrays is None:
            of_one_type(self.name, [found[place] for place in form.tensors])
            made = self._general(form, found, not known)
        else:
            for place, array in zip(form.tensors, arrays, strict=True):
                found[place] = array
            made = quietly(form.compute, np, *found)
        return made if isinstance(made, tuple) else (made,)

    def _make_fit(self, form: Form, found: list) -> None:
        """Checks the arguments; dimensions then count from 0, numbers have the tensor's type, indices are arrays."""
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

    def _general(self, form: Form, found: list, is_traced: bool) -> Any:
        """The results for several tensors, tables of numbers, or arrays of JAX."""
        made: list[Any] = []

        def run(library: Any, *arrays: Any) -> Any:
            for place, array in zip(form.tensors, arrays, strict=True):
                found[place] = array
            results = form.compute(library, *found)
            made.append(library.taken_along(results) if isinstance(library, Noting) else results)
            return made[0][0] if isinstance(made[0], tuple) else made[0]

        fit = (lambda arrays: same_count(self.name, arrays)) if form.by_element else list
        computed(run, [found[place] for place in form.tensors], fit, is_traced=is_traced)
        return made[0]


def _axis(name: str, dimension: float, size: tuple) -> int:
    place = counted(dimension, len(size))
    if not 1 <= place <= len(size):
        raise IndexError(f"torch.{name}: dimension {dimension} out of range of a tensor of size {sizes_text(size)}")
    return int(place) - 1


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
