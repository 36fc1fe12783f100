"""The rules of functorch7.optim with Torch's calls: x changes in place, and a table holds the memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from inspect import signature
from numbers import Number
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from ...core.precision import at_least_float32, widened
from ...optim.arguments import check_numbers
from ...programs import Compiled
from ..tensors.devices import has_others, precision
from ..tensors.foreseen import foreseen
from ..tensors.noted import looked_at
from ..tensors.number import plain
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from .objective import Point, computed, evaluated, fitted, held, stored, table

COMPARED = {float, int, bool, type(None)}
"""Types of config's values of which equal ones are the same settings."""


@dataclass
class Step:
    """A step: the number of steps before it, the gradient, x before and after, the state under Torch's names before
    (empty before the first step) and after, and config's numbers.
    """

    count: int
    gradient: Any
    before: Any
    after: Any
    earlier: dict[str, Any]
    memory: dict[str, Any]
    settings: dict[str, Any]


class Between(NamedTuple):
    """A result that Torch also keeps in the state but never reads again: computed when somebody looks.

    `looks_at` are the step's arrays that it needs: the others are not kept until then. It has x's type (or `dtype`) and
    x's sizes, after `rows`. It exists if config has the setting `of`.
    """

    find: Callable[[Step], Tensor]
    looks_at: tuple[str, ...] = ("memory",)
    dtype: str | None = None
    rows: int | None = None
    of: str | None = None


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule, and Torch's names for its state's fields and for the count of its calls.

    Torch needs the results `between` to go on with a state that was saved here. With no other argument than the one
    that `along` names, x takes this times the gradient off.
    """

    make: Callable[..., optax.GradientTransformation]
    fields: dict[str, str]
    counter: str = "evalCounter"
    notice: str = ""
    between: dict[str, Between] = field(default_factory=dict)
    along: str = ""

    @property
    def name(self) -> str:
        """Torch's name for the rule."""
        return self.make.__name__

    @cached_property
    def keys(self) -> dict[str, str]:
        """The argument behind each key of config: learningRate stands for learning_rate."""
        names = signature(self.make).parameters
        return {re.sub("_(.)", lambda m: m[1].upper(), name).rstrip("_"): name for name in names}


def descend(rule: Rule, opfunc: Callable, x: Point, config: dict | None, state: dict | None) -> tuple[Point, list]:
    """One step: (x, [loss before the step]). State defaults to config, and config to a new table."""
    config, state = tables(rule, config, state)
    settings = settings_of(rule, config, x)
    loss, gradient = evaluated(rule.name, opfunc, x)
    params = held(rule.name, x)
    count, known = int(state.get(rule.counter, 0)), _known(rule, state, params)
    moved, memory = _moved(rule, settings, x, params, gradient, count, known)
    state.update({name: _like(x, array) for name, array in memory.items()})
    if settings.between and isinstance(x, Tensor):
        earlier = known if known.keys() >= settings.remembered else {}
        found = Step(count, gradient, params, moved, earlier, memory, settings.all)
        state.update({name: _pending(between, found) for name, between in settings.between.items()})
    if rule.counter:
        state[rule.counter] = count + 1
    return stored(x, moved), [loss]


def _moved(
    rule: Rule, settings: Settings, x: Point, params: Any, gradient: Any, count: int, known: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """x after a step, and the memory."""
    if settings.rate is not None and isinstance(x, Tensor):
        ahead = foreseen(x.storage_, params, gradient, settings.rate)
        if ahead is not None:
            return ahead, {}
    with precision(np.float64):  # numbers', as in Torch; arrays keep their type
        given, started = settings.given(), known.keys() >= settings.remembered
        initial = {} if started else computed(_initial(rule, settings.zeros), given, params)
        step = _stepping(rule, settings.zeros)
        return computed(step, given, np.int32(count), started, {**initial, **known}, gradient, params)


def _pending(between: Between, step: Step) -> Tensor:
    """A result `between`; its elements are computed when somebody looks."""
    rows = () if between.rows is None else (between.rows,)
    shape, dtype = (*rows, *step.after.shape), between.dtype or step.after.dtype
    others = {"gradient", "before", "after", "earlier", "memory"}.difference(between.looks_at)
    kept: Any = replace(step, **dict.fromkeys(others))

    def elements() -> Any:
        seen = {name: jax.tree.map(Tensor.of, widened(getattr(kept, name))) for name in between.looks_at}
        return between.find(replace(kept, **seen)).array.astype(dtype)

    return Tensor.viewing(Storage(None, elements, shape, dtype), 0, shape)


def tables(rule: Rule, config: dict | None, state: dict | None) -> tuple[dict, dict]:
    """Both tables, with Torch's defaults for missing ones."""
    if rule.notice and config is None and state is None:
        print(rule.notice)
    config = table(rule.name, "config", config)
    return config, config if state is None else table(rule.name, "state", state)


class Settings:
    """A rule's arguments, which it may refuse: all, and those that are inputs of the compiled step.

    A rule without momentum has no velocity, so zeros are known when the step is compiled.
    """

    def __init__(self, rule: Rule, arguments: dict):
        rule.make(**{name: value for name, value in arguments.items() if _is_number(value)})
        self.all = arguments
        self.zeros = tuple((name, value) for name, value in arguments.items() if not _is_given(value))
        self._given = {name: value for name, value in arguments.items() if _is_given(value)}
        self.remembered = _remembered(rule, self.zeros, frozenset(self._given))
        self.between = {n: each for n, each in rule.between.items() if each.of is None or each.of in arguments}
        is_along = self._given.keys() == {rule.along} and not any(value for _, value in self.zeros)
        self.rate = self._given[rule.along] if is_along else None
        self._steps = 0

    def given(self) -> dict:
        """The inputs; from the second step on as JAX's numbers, into which it makes Python's in 3 microseconds each."""
        self._steps += 1
        if self._steps == 2 and not has_others():
            self._given = jax.device_put(self._given)
        return self._given


@lru_cache(256)
def _remembered(rule: Rule, zeros: tuple, others: frozenset[str]) -> frozenset[str]:
    """Torch's names for the arrays that a rule with these settings keeps from step to step."""

    def initial(given: dict) -> Any:
        return rule.make(**dict(zeros), **given).init(jnp.zeros(1))

    return frozenset(_named(rule, jax.eval_shape(initial, dict.fromkeys(others, 0.5))))


def _is_given(value: Any) -> bool:
    return not isinstance(value, bool) and (not isinstance(value, float) or value != 0)


@lru_cache(256)
def _initial(rule: Rule, zeros: tuple) -> Callable:
    """(numbers, point) -> the memory before the first step, under Torch's names."""
    return lambda given, params: _named(rule, rule.make(**dict(zeros), **given).init(params))


@lru_cache(256)
def _stepping(rule: Rule, zeros: tuple) -> Callable:
    """The compiled step of a rule."""
    return partial(_step, rule, zeros)


@Compiled
@partial(jax.jit, static_argnums=(0, 1))
def _step(
    rule: Rule, zeros: tuple, given: dict, count: Any, started: Any, memory: dict, gradient: Any, params: Any
) -> Any:
    """The new parameters and, under Torch's names, the new memory."""
    transformation = rule.make(**dict(zeros), **given)
    values = {field: memory[name] for field, name in rule.fields.items() if name in memory}
    values |= {"count": jnp.asarray(count, jnp.int32), "started": started}

    def filled(part: Any) -> Any:
        return part._replace(**{field: values[field] for field in part._fields if field in values})

    state = jax.tree.map(filled, transformation.init(params), is_leaf=_is_part)
    updates, state = transformation.update(gradient, state, params)
    return optax.apply_updates(params, updates), _named(rule, state)


def _is_part(node: Any) -> bool:
    """Whether it is a part of a chain's state; optax's are named tuples."""
    return hasattr(node, "_fields")


def _named(rule: Rule, state: Any) -> dict[str, Any]:
    parts = jax.tree.leaves(state, is_leaf=_is_part)
    return {rule.fields[f]: getattr(part, f) for part in parts for f in part._fields if f in rule.fields}


def _is_number(value: Any) -> bool:
    return type(value) is float or type(value) is int or isinstance(value, Number)  # the first of which are quicker


def _known(rule: Rule, state: dict, params: Any) -> dict[str, Any]:
    """The arrays in Torch's table. (A number of the same name is an argument: rprop's first stepsize.)

    Rules keep 16-bit numbers as float32.
    """
    values = {name: state.get(name) for name in rule.fields.values()}
    found = {name: value for name, value in values.items() if value is not None and not _is_number(value)}
    if not found:
        return found
    like = jax.ShapeDtypeStruct(params.shape, at_least_float32(params.dtype))
    return {name: fitted(rule.name, f"{name} in the state", value, like) for name, value in found.items()}


def settings_of(rule: Rule, config: dict, x: Point) -> Settings:
    """The rule's settings in config, checked; for plain numbers that come again, those that are there."""
    params, values = held(rule.name, x), list(map(config.get, rule.keys))
    if COMPARED.issuperset(map(type, values)):
        return _settings_of_numbers(rule, *values)
    return Settings(rule, _arguments(rule, map(plain, values), params))


@lru_cache(256, typed=True)
def _settings_of_numbers(rule: Rule, *values: float | None) -> Settings:
    return Settings(rule, _arguments(rule, values))


def _arguments(rule: Rule, values: Iterable[Any], params: Any = None) -> dict:
    """The arguments that config's values are."""
    found: dict[str, Any] = {}
    for (key, name), value in zip(rule.keys.items(), values, strict=True):
        if value is None or (key in rule.fields.values() and not _is_number(value)):
            continue
        if name in ("learning_rates", "weight_decays"):
            found[name] = fitted(rule.name, key, value, params)
        elif isinstance(value, bool) and name == "nesterov":
            found[name] = value
        else:
            check_numbers(rule.name, **{key: value})
            found[name] = float(value)
    return found


def _like(x: Any, array: jax.Array) -> Any:
    """An array as x's kind: a tensor, or NumPy's or JAX's array."""
    if isinstance(x, Tensor):
        return Tensor.of(array)
    return np.asarray(array) if isinstance(x, np.ndarray) else looked_at(array)
