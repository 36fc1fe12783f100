"""Programs that call users' methods: traced as one, cut at these calls, and compiled between them.

A call of a user's method is an operation of the traced program (`user_calls.py`). So neither the containers around it
nor JAX's differentiation need know of it, and when the program is traced, what is between two calls is one compiled
function. The shapes of what a call gives are not known before it has happened: they are taken to be those of an earlier
call, or of its input. Where this is wrong the program is traced again, and no call that has happened is repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import eval_jaxpr
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from ... import programs
from ...checks.errors import Signal, looking, places_around
from ...core.contexts import during
from ...core.types import Array, Structure, Tree, Value
from ...layers.graph import postponed, tell
from ..tensors.lua_values import CARRIED, Carried
from .known_users import OtherwiseThanPlanned, calls_done
from .running_calls import answers, apart, note_call
from .unfit import check_fits, noting_zeros, put_back
from .user_calls import Left, Signature, forward_p, is_user_call, shapes_of

MOST = 16
"""So many programs are kept for a function."""

NUMBERS = np.arange(124, dtype=np.uint8).view(CARRIED)
"""What stands for values that are no tensors where a network runs operation by operation: all positive numbers."""

VARIANTS = 8
"""A user's method that gives other shapes more often than this, for arguments of one kind, is not worth compiling."""


class Place(Protocol):
    """The place of a user's object in a network."""

    def expected(self, params: Tree, input: Value) -> Signature:
        """What a call is taken to give as long as none has been made."""
        ...

    def called(self, params: Tree, input: Value) -> Left:
        """Calls the object's updateOutput."""
        ...


class Unexpected(Signal):
    """A user's method gave something of other shapes than the program was traced for."""


class Reached(Signal):
    """A network that is run as far as a certain call has come to it."""


# What is known when a network's code runs ----------------------------------------------------------------------------


@dataclass
class _Tracing:
    """Users' calls in a program that is being traced."""

    known: tuple[Signature, ...]  # of the first calls
    earlier: dict[tuple, Signature]  # of other calls, by place and what they were given
    answers: dict[int, Signature]  # of calls that are answered by what earlier ones have left
    made: list[Signature] = field(default_factory=list)

    def call(self, place: Place, leaves: list, tree: Structure) -> Value:
        given = answers()
        answer = [] if given is None else [next(given)]
        number = len(self.made)
        if answer:
            out = self.answers[id(answer[0])]
        elif number < len(self.known):
            out = self.known[number]
        else:
            out = self.earlier.get((place, shapes_of(leaves))) or place.expected(*tree.unflatten(leaves))
        if not answer:
            self.made.append(out)
        *outputs, left = forward_p.bind(
            *answer, *leaves, place=place, tree=tree, out=out, again=bool(answer), places=places_around()
        )
        note_call(left)
        return out.tree.unflatten(outputs)


@dataclass
class _Probing:
    """A network that is run operation by operation until a user's method is called that was not called yet."""

    done: list[Left]
    passed: int = 0
    carried: list[Carried] = field(default_factory=list)

    def number(self, leaf: Value) -> Value:
        """A number in the place of a value that is carried through."""
        if not isinstance(leaf, Carried):
            return leaf
        if leaf not in self.carried:
            self.carried.append(leaf)
        return jnp.asarray(NUMBERS[self.carried.index(leaf)])

    def _meant(self, leaf: Array) -> Value:
        """What a number stands for, if it is one of these."""
        return self.carried[np.asarray(leaf).view(np.uint8)] if leaf.dtype == CARRIED else leaf

    def call(self, place: Place, leaves: list, tree: Structure) -> Value:
        if self.passed == len(self.done):
            self.done.append(place.called(*tree.unflatten(map(self._meant, leaves))))
            raise Reached
        self.passed += 1
        left = self.done[self.passed - 1]
        return left.signature.tree.unflatten(map(self.number, left.outputs))


_running: ContextVar[_Tracing | _Probing | None] = ContextVar("running", default=None)


def user_call(place: Place, params: Tree, input: Value) -> Value:
    """What a user's module gives, in a program that is cut at such calls; None outside of one."""
    running = _running.get()
    return None if running is None else running.call(place, *jax.tree.flatten((params, input)))


# Programs ------------------------------------------------------------------------------------------------------------


class Segment(NamedTuple):
    """A compiled part of a program: the values that it takes, and those that it gives."""

    run: Callable
    inputs: list
    outputs: list


class Parts:
    """A traced program: segments, with users' calls between them."""

    def __init__(self, closed: ClosedJaxpr, tree: Structure, tracing: _Tracing):
        jaxpr, self.earlier = closed.jaxpr, tracing.earlier
        self.tree, self.inputs, self.outputs = tree, jaxpr.invars, jaxpr.outvars
        self.constants = dict(zip(jaxpr.constvars, closed.consts, strict=True))
        live = _live(jaxpr)
        self.calls = [equation for equation in live if is_user_call(equation)]
        self.segments = _segments(jaxpr, live)
        made = self.made = tuple(call.params["out"] for call in self.calls if _is_made(call))
        self.is_complete = len(made) == len(tracing.made)

    def run(self, leaves: list, done: list[Left]) -> list:
        """The program's results. `done` has the first calls, which have happened, and gets those that happen now."""
        given = {v: _in_type(leaf, v.aval.dtype) for v, leaf in zip(self.inputs, leaves, strict=True)}
        values = {**self.constants, **given}
        passed = 0
        for segment, call in zip(self.segments, (*self.calls, None), strict=True):
            if segment.outputs:
                needed = [values[v] for v in segment.inputs]
                check_fits(needed)
                found = segment.run(*needed)
                values.update(zip(segment.outputs, found, strict=True))
            if call is None:
                break
            operands, params = [_value(values, atom) for atom in call.invars], call.params
            if call.primitive is not forward_p:
                found = operands[0].pulled(operands[1:], params["again"])
            else:
                if params["again"]:
                    left = operands[0]
                else:
                    if passed == len(done):
                        done.append(_called(operands, **params))
                    left = done[passed]
                    passed += 1
                    self.earlier[params["place"], shapes_of(operands)] = left.signature
                if left.signature != params["out"]:
                    raise Unexpected
                found = [*left.outputs, left]
            values.update(zip(call.outvars, found, strict=True))
        return [_value(values, atom) for atom in self.outputs]


def _in_type(leaf: Value, dtype: np.dtype) -> Value:
    """An argument in the type that JAX gives it: NumPy's numbers of 64 bits are few programs' choice."""
    return leaf.astype(dtype) if isinstance(leaf, np.ndarray) and leaf.dtype != dtype else leaf


def _called(operands: list, *, place: Place, tree: Structure, places: tuple[str, ...], **_: Any) -> Left:
    """Calls a user's method. Errors say where in the network it is."""
    try:
        return place.called(*tree.unflatten(operands))
    except Exception as error:
        for each in reversed(places):
            error.add_note(each)
        raise


def _is_made(call: JaxprEqn) -> bool:
    return call.primitive is forward_p and not call.params["again"]


def _is_literal(atom: Any) -> bool:
    return hasattr(atom, "val")


def _value(values: dict, atom: Any) -> Any:
    return atom.val if _is_literal(atom) else values[atom]


def _variables(atoms: Any) -> list:
    return [atom for atom in atoms if not _is_literal(atom)]


def _live(jaxpr: Jaxpr) -> list[JaxprEqn]:
    """The equations that are users' calls, or that results or such calls depend on."""
    needed, live = set(_variables(jaxpr.outvars)), []
    for equation in reversed(jaxpr.eqns):
        if is_user_call(equation) or equation.effects or not needed.isdisjoint(equation.outvars):
            live.append(equation)
            needed.update(_variables(equation.invars))
    return live[::-1]


def _asked_by_calls(live: list[JaxprEqn]) -> set:
    """The values on which users' calls depend."""
    asked: set = set()
    for equation in reversed(live):
        if is_user_call(equation) or not asked.isdisjoint(equation.outvars):
            asked.update(_variables(equation.invars))
    return asked


def _segments(jaxpr: Jaxpr, live: list[JaxprEqn]) -> list[Segment]:
    """What is computed before each call, and after the last: everything as soon as it can be.

    But what no call asks for is computed at once, after the last: the layers behind a recurrence, at all its steps.
    """
    groups: list[list] = [[] for equation in live if is_user_call(equation)] + [[]]
    asked, passed = _asked_by_calls(live), 0
    born: dict[Any, int] = {}  # the number of the segment that a value is known to
    last: dict[Any, float] = {}  # that of the last one that asks for it, or of the call after it
    for equation in live:
        inputs = _variables(equation.invars)
        if is_user_call(equation):
            asking = passed + 0.5
            passed = stage = passed + 1
        else:
            stage = max((born.get(v, 0) for v in inputs), default=0)
            if stage and asked.isdisjoint(equation.outvars):
                stage = len(groups) - 1
            asking = stage
            groups[stage].append(equation)
        born |= dict.fromkeys(equation.outvars, stage)
        for variable in inputs:
            last[variable] = max(last.get(variable, 0), asking)
    last |= dict.fromkeys(_variables(jaxpr.outvars), len(groups))
    return [_segment(jaxpr, group, stage, last) for stage, group in enumerate(groups)]


def _segment(jaxpr: Jaxpr, equations: list[JaxprEqn], stage: int, last: dict) -> Segment:
    made = {variable: None for equation in equations for variable in equation.outvars}
    inputs = {v: None for equation in equations for v in _variables(equation.invars) if v not in made}
    outputs = [variable for variable in made if last.get(variable, 0) > stage]
    names = jaxpr.debug_info.with_unknown_names()
    part = jaxpr.replace(constvars=[], invars=[*inputs], outvars=outputs, eqns=equations, debug_info=names)
    return Segment(programs.Compiled(jax.jit(lambda *values: eval_jaxpr(part, (), *values))), [*inputs], outputs)


class Cut:
    """A function of arrays in which users' methods are called, compiled between these calls.

    `probe` takes the same arguments and comes to the same calls, without differentiation. Without it the function goes
    on with what calls have left, or runs operation by operation, as the call before it did.
    """

    def __init__(self, function: Callable, probe: Callable | None = None):
        self.function, self.probe = function, probe
        self.programs: dict[Any, list[Parts]] = {}
        self.earlier: dict[tuple, Signature] = {}
        self.whole = True  # whether compiling has been worth it

    def __call__(self, *args: Value) -> Value:
        done: list[Left] = calls_done()
        try:
            return self._run(args, done)
        except OtherwiseThanPlanned as found:
            found.done = done
            raise

    def _run(self, args: tuple, done: list[Left]) -> Value:
        leaves, tree = jax.tree.flatten(args)
        goes_on = any(isinstance(leaf, (Left, Carried)) for leaf in leaves)  # what no other program takes
        if not goes_on and (self.probe is None or not self.whole):
            return self._apart(args)
        key = (tree, tuple(map(_kind, leaves)), jax.config.read("jax_enable_x64"))
        programs = self.programs[key] = self.programs.pop(key, [])
        if len(self.programs) > MOST:
            del self.programs[next(iter(self.programs))]
        while True:
            parts = self._parts(programs, args, done)
            if not parts.is_complete:  # calls inside loops of a program
                self.whole = False
                return self._apart(args)
            try:
                results = parts.run(leaves, done)
            except Unexpected:
                continue
            return jax.tree.unflatten(parts.tree, results)

    def _apart(self, args: tuple) -> Value:
        with apart(), noting_zeros() as noted:
            return put_back(self.function(*args), noted)

    def _parts(self, programs: list[Parts], args: tuple, done: list[Left]) -> Parts:
        """The program in which the first calls give what these have given."""
        known = tuple(each.signature for each in done)
        for i, parts in enumerate(programs):
            if parts.made[: len(known)] == known:
                programs.insert(0, programs.pop(i))
                return parts
        self.whole = len(programs) < VARIANTS
        del programs[VARIANTS:]
        parts = self._traced(args, done)
        programs.insert(0, parts)
        return parts

    def _traced(self, args: tuple, done: list[Left]) -> Parts:
        """Traces the function. Where that fails because of a wrong guess, one more call is made, and so on."""
        while True:
            tracing = _Tracing(tuple(each.signature for each in done), self.earlier, {})
            failed: list = []
            try:
                with during(postponed, failed):
                    return self._tried(args, tracing)
            except OtherwiseThanPlanned:
                raise
            except Exception:
                if len(tracing.made) <= len(done) or self.probe is None:
                    for graph, position in failed:
                        tell(graph, position)
                    raise
            probing = _Probing(done)
            with during(_running, probing), looking(), suppress(Reached):
                self.probe(*jax.tree.map(probing.number, args))

    def _tried(self, args: tuple, tracing: _Tracing) -> Parts:
        leaves, tree = jax.tree.flatten(args)

        def function(*traced: Any) -> Any:
            pairs = zip(traced, leaves, strict=True)
            tracing.answers = {id(tracer): leaf.signature for tracer, leaf in pairs if isinstance(leaf, Left)}
            return self.function(*tree.unflatten(traced))

        kinds = [jax.ShapeDtypeStruct(shape, dtype, weak_type=weak) for shape, dtype, weak, *_ in map(_kind, leaves)]
        with during(_running, tracing), looking():
            closed, shapes = jax.make_jaxpr(function, return_shape=True)(*kinds)
        return Parts(closed, jax.tree.structure(shapes), tracing)


def _kind(leaf: Any) -> tuple:
    """What a program depends on of an argument."""
    if isinstance(leaf, Left):
        return leaf.shape, leaf.dtype, False, leaf.signature
    if isinstance(leaf, Carried):
        return leaf.shape, leaf.dtype, False
    if isinstance(leaf, jax.Array):
        return leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False)  # random keys have none
    kind = jax.typeof(leaf)
    return kind.shape, kind.dtype, kind.weak_type
