"""Programs of noted calls: how the calls are connected, and what is compiled together."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax._src.lax.lax import _convert_element_type as as_weak  # which has no public name

from ... import programs
from ...core.types import Structure, Value
from .noted import Cell, Noted
from .quiet import quietly


class Varies:
    """Stands for an array, or for a number that may differ next time."""


class Step(NamedTuple):
    """A function, the structure of its arguments, those that are not arrays, and whether it keeps 64-bit numbers."""

    function: Callable
    structure: Structure
    fixed: tuple
    types: tuple  # of what is fixed: 1 and True are equal
    is_wide: bool

    def __call__(self, *given: Value) -> Value:
        arrays = iter(given)
        leaves = [next(arrays) if each is Varies else each for each in self.fixed]
        args, kwargs = self.structure.unflatten(leaves)
        with jax.enable_x64(self.is_wide):
            return self.function(*args, **kwargs)

    def results(self, given: list) -> list:
        """Its results for arrays."""
        return jax.tree.leaves(self(*given))


class Prepared:
    """A compiled function, the structure of its arguments, and its results: a network's call, as it is noted.

    Results of the classes `whole` are passed on as they are. `work` is the number of its operations.
    """

    __slots__ = ("avals", "function", "is_wide", "layout", "size", "structure", "work")

    def __init__(self, function: Callable, structure: Structure, given: list, whole: tuple[type, ...], is_wide: bool):
        self.function, self.structure, self.is_wide = function, structure, is_wide
        with jax.enable_x64(is_wide):
            traced = function.trace(*structure.unflatten(given))
        found, self.work = traced.out_info, _equations(traced.jaxpr)
        self.avals, self.layout = jax.tree.flatten(found, is_leaf=lambda node: isinstance(node, whole))
        self.size = sum(math.prod(np.shape(leaf)) for leaf in jax.tree.leaves((given, found)))

    def results(self, given: list) -> list:
        """Its results for arrays."""
        with jax.enable_x64(self.is_wide):
            return self.layout.flatten_up_to(self.function(*self.structure.unflatten(given)))


def _equations(jaxpr: Any) -> int:
    """The number of operations to compile, including those of inner functions."""
    inside = [each for equation in jaxpr.eqns for each in jax.tree.leaves(list(equation.params.values()))]
    return len(jaxpr.eqns) + sum(_equations(each) for each in inside if hasattr(each, "eqns"))


def prepared(
    function: Callable, structure: Structure, leaves: list, whole: tuple[type, ...], is_wide: bool
) -> Prepared:
    """The prepared call of a compiled function with arguments like these; equal networks share it."""
    given, layout = jax.tree.flatten([leaf._cell.aval if type(leaf) is Noted else leaf for leaf in leaves])
    with jax.enable_x64(is_wide):
        outlines = tuple([_as_jax_has_it(outline(each)) for each in given])
    return _prepared(function, structure, layout, outlines, whole, is_wide)


@programs.kept
def _prepared(
    function: Callable, structure: Structure, layout: Structure, given: tuple, whole: tuple[type, ...], is_wide: bool
) -> Prepared:
    examples = [each() if isinstance(each, type) else each for each in given]
    return Prepared(function, structure, layout.unflatten(examples), whole, is_wide)


def outline(value: Value) -> Value:
    """Shape and type of an array; the class of a plain number."""
    if type(value) in (float, int, bool):
        return type(value)
    return jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=getattr(value, "weak_type", False))


def _as_jax_has_it(outline: Value) -> Value:
    """With 32 bits instead of 64 if JAX does not use 64."""
    return outline if isinstance(outline, type) else outline.update(dtype=jax.dtypes.canonicalize_dtype(outline.dtype))


class Call(NamedTuple):
    """A step that was noted."""

    step: Step | Prepared
    inputs: tuple  # cells, and what is there already
    outputs: list[Cell]  # what stands for its results


def laid_out(calls: list[Call]) -> tuple[list, tuple]:
    """(arrays that calls take from outside, the places of each call's arguments).

    Place n is the nth result, and ~n the nth array; an array for several calls occurs once.
    """
    arguments: list = []
    places: dict[int, int] = {}
    taken, results = [], 0
    for call in calls:
        found = []
        for each in call.inputs:
            value = each.value if type(each) is Cell else each
            known = id(each if value is None else value)
            if known not in places:
                places[known] = ~len(arguments)
                arguments.append(value)
            found.append(places[known])
        taken.append(tuple(found))
        for cell in call.outputs:
            places[id(cell)] = results
            results += 1
    return arguments, tuple(taken)


OFTEN = 8
"""What is repeated more often before results are read is compiled."""


class Program:
    """Consecutive noted calls: run one by one in a loop's first round, and as one program later.

    A network's call that is alone is a program already.

    A program returns all results that were ever wanted: results that a garbage collector (Lua's) has not collected yet
    are wanted in one round and not in the next, which is no reason to compile again. If the set changes again, it
    returns all results, and is compiled for the last time.
    """

    def __init__(self, steps: tuple, taken: tuple, count: int):
        self.steps, self.taken, self.count = steps, taken, count  # of results
        self.given: tuple = ()  # which of them were wanted so far: these the compiled program gives
        self.compiled: programs.Compiled | None = None
        self.times_compiled = 0
        self.is_wide = any(step.is_wide for step in steps)
        self.fractions = np.float64 if self.is_wide else np.float32
        self.is_a_program = len(steps) == 1 and type(steps[0]) is Prepared
        self.first_round: int | None = None
        self.times = 0  # that it ran in that round

    def __call__(self, arguments: list, wanted: tuple, round: int) -> list:
        """The wanted results, in a round of a loop."""
        if self.is_a_program:
            return self.one_by_one(arguments, wanted)
        if not self._is_worth_compiling(round):
            self.given = tuple(sorted({*self.given, *wanted}))
            return self.one_by_one(arguments, wanted)
        compiled = self._compiled_for(wanted)
        arrays = [None if type(each) is float else each for each in arguments]
        numbers = quietly(np.array, [each for each in arguments if type(each) is float], self.fractions)
        with jax.enable_x64(self.is_wide):
            found = compiled(arrays, numbers)
        if wanted == self.given:
            return found
        results = dict(zip(self.given, found, strict=True))
        return [results[at] for at in wanted]

    def _is_worth_compiling(self, round: int) -> bool:
        """Whether it is repeated in another round, or often in the first, which should not wait for compilation."""
        if self.first_round is None:
            self.first_round = round
        self.times += round == self.first_round
        return self.compiled is not None or round != self.first_round or self.times > OFTEN

    def _compiled_for(self, wanted: tuple) -> programs.Compiled:
        if self.compiled is None or not set(wanted) <= set(self.given):
            self.times_compiled += 1
            self.given = tuple(range(self.count) if self.times_compiled > 2 else sorted({*self.given, *wanted}))
            self.compiled = programs.Compiled(jax.jit(partial(self._together, self.given)))
        return self.compiled

    def _together(self, wanted: tuple, arrays: list, numbers: jax.Array) -> list:
        """The wanted results; for None in place of an array, the next number is taken.

        Numbers come as one array, since each array on the host is a transfer, which takes an accelerator longer than
        adding many numbers. JAX treats them as Python's: they do not widen bfloat16.
        """
        given = iter([as_weak(each, each.dtype, weak_type=True) for each in numbers])
        return self.one_by_one([next(given) if each is None else each for each in arrays], wanted)

    def one_by_one(self, arguments: list, wanted: tuple) -> list:
        """The wanted results, computed call by call."""
        results: list = []
        for step, places in zip(self.steps, self.taken, strict=True):
            results += step.results([results[at] if at >= 0 else arguments[~at] for at in places])
        return [results[at] for at in wanted]


@programs.kept
def program_of(steps: tuple, taken: tuple, count: int) -> Program:
    """The program of these steps."""
    return Program(steps, taken, count)
