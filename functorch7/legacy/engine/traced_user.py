"""A user's module as part of a traced program: its methods run on a stand-in when the program is made.

Which fields the methods read turns out when they run: a class is taken to read those that its code names and never
sets; when it asks for another, the program is traced again with it. What cannot be traced is called instead (`cut.py`),
and the class is known for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import eval_jaxpr

from ... import core
from ...checks.errors import ASKS_FOR_VALUES, is_looking
from ...core.types import Array, Key, Output, Tree, Value
from ...layers import Sequential
from ..tensors.changes import Watcher
from ..tensors.indices import asking_for_checks
from ..tensors.random import refusing
from ..tensors.styles import pytorch_operators
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import as_tensors, shown, unwrapped
from .fields import Cell, Fields, Kind, Untraceable
from .foreign import input_gradient
from .known_users import OtherwiseThanPlanned, ask_for_checks, known, output_of
from .objects import Object
from .outside import Noted
from .stand_in import Run, is_same
from .unfit import Unfit
from .user_classes import users
from .user_code import METHODS

FORMS = 8
"""An object whose constants have been different more often than this is called: each time would be a new program."""


_keys: WeakKeyDictionary[Object, tuple] = WeakKeyDictionary()  # (names, what objects' fields of these names have been)


def fields_of(user: Object, around: list[Object], watcher: Watcher) -> Fields:
    """What the fields of an object are that its methods read. Raises Untraceable if it has to be called.

    `around` are the modules that it is in.
    """
    about = known(type(user))
    if about.obstacle is not None:
        raise Untraceable(about.obstacle)
    if any(type(each) in about.read_by for each in around):
        raise Untraceable("a forward around it reads its fields")
    if not METHODS.isdisjoint(user.__dict__):
        raise Untraceable("it has a method that its class has not")
    if user._spec is not None:
        raise Untraceable("it is a layer of this package with methods of the user's")
    if user.output is None or user.gradInput is None:
        raise Untraceable("it has no output or gradInput before its methods make one")
    if hasattr(type(user), "_read_code") and user.has_own_gradient() and _is_first(user, around[0]):
        raise Untraceable("the network hands on its gradInput, the very tensor")
    fields = Fields(user, about.code, about.names, watcher)
    names, keys = _keys.get(user, ((), set()))
    _keys[user] = names, keys = about.names, keys if names == about.names else set()
    keys.add((fields.key, about.code.noted()))
    if len(keys) > FORMS:
        raise Untraceable("its constants change too often")
    return fields


def _is_first(user: Object, network: Object) -> bool:
    """Whether an object is what a chain begins with: in Torch's programs the chain's gradInput is the object's."""
    if user._passes_no_gradient():
        return False
    while isinstance(network._spec, Sequential) and network.children():
        network = network.children()[0]
    return network is user


def description(fields: Fields) -> TracedUser:
    """A user's object as a module that is traced."""
    user, kind = fields.holder, type(fields.holder)
    passes = not kind._passes_no_gradient()
    return TracedUser(
        kind,
        user.has_own_gradient() and passes,
        passes,
        fields.key,
        known(kind).code.noted(),
        dtype_of(user._type).name,
        known(kind).looks,
        user.train is not None,
        user.title(),
    )


@jax.tree_util.register_dataclass
@dataclass
class _Back:
    """The way back of a call: what it needs, and what it does with it and the gradient of the output."""

    needed: list
    jaxpr: Any = field(metadata={"static": True})
    structure: Any = field(metadata={"static": True})


class TracedUser(core.Module, abstract=True):
    """A user's object that is traced with the network around it: equal for all that differ in no more than arrays."""

    kind: type
    by_hand: bool
    passes: bool  # gradients
    fields: tuple[tuple[str, Kind], ...]
    outside: Noted  # what its code reads outside
    dtype: str
    looks: bool
    has_mode: bool  # a layer of Lua's has none before `training` or `evaluate`
    text: str

    transient = ()

    @property
    def checks_values(self) -> bool:
        return self.looks

    def init_buffers(self) -> dict[str, Value]:
        return {"fields": {}}

    def field(self, name: str, reader: type) -> NoReturn:
        """Refused: a `forward` around the object reads what a program is not given, so that the object is called."""
        if name.startswith("__"):
            raise AttributeError(f"{self.text} has no attribute {name!r}")
        known(self.kind).read_by.add(reader)
        raise OtherwiseThanPlanned(self.kind, True)

    def learned(self, params: Tree) -> dict[str, Array]:
        """The parameters among its fields, by name."""
        cells = [(name, kind) for name, kind in self.fields if isinstance(kind, Cell) and not kind.is_gradient]
        return {name: params[str(kind.number)] for name, kind in cells}

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        given = buffers["fields"]
        with self._running():
            if self.by_hand:
                output, changed = self._by_hand(params, given, input, train)
            else:
                output, run = self._ran(params, given, input, train)
                changed = run.changes()
                output = output if self.passes else lax.stop_gradient(output)
        return output, {"fields": lax.stop_gradient(changed)}

    @contextmanager
    def _running(self) -> Iterator[None]:
        """A block in which the user's methods run; what turns out there, the network is planned anew with."""
        try:
            with (
                refusing(f"{self.text}: updateOutput"),
                pytorch_operators(False),
                asking_for_checks(self._ask_for_checks),
            ):
                yield
        except OtherwiseThanPlanned:
            raise
        except Exception as error:
            known(self.kind).obstacle = _told(error)
            raise OtherwiseThanPlanned(self.kind, True) from error

    def _ask_for_checks(self) -> None:
        if self.by_hand:
            raise Untraceable("it checks values, and has a gradient of its own")
        ask_for_checks(self.kind)

    def _ran(self, params: Tree, fields: dict[str, Value], input: Value, train: bool) -> tuple[Value, Run]:
        """What updateOutput gives, and the run that it was."""
        mode = train if self.has_mode else None
        run = Run(self.kind, self.fields, self.dtype, params, fields, train=mode, by_hand=self.by_hand)
        given = shown(input)
        output = output_of(run.user, self.kind, given)
        _check_unchanged(given, input)
        run.user.__dict__["output"] = output
        return jax.tree.map(jnp.asarray, unwrapped(output)), run

    def _by_hand(self, params: Tree, given: dict[str, Value], input: Value, train: bool) -> tuple[Value, Value]:
        """(output, changes), whose gradient is that of the user's methods."""
        checks = is_looking()

        def traced(params: Any, given: Any, input: Any) -> tuple[Any, _Back]:
            output, run = self._ran(params, given, input, train)
            changed = run.changes()
            back, shapes = jax.make_jaxpr(
                lambda gradient: self._pulled(run, params, input, gradient), return_shape=True
            )(output)
            # Else JAX takes what is an input of the call for another one, where values are checked (faults.py).
            needed = lax.optimization_barrier(back.consts) if checks and back.consts else back.consts
            return (output, changed), _Back(needed, back.jaxpr, jax.tree.structure(shapes))

        program, shapes = jax.make_jaxpr(traced, return_shape=True)(params, given, input)

        # Constants are arguments: others JAX refuses, where values are checked (faults.py).
        def forward(constants: Any, *arguments: Any) -> tuple[Any, _Back]:
            found = eval_jaxpr(program.jaxpr, constants, *jax.tree.leaves(arguments))
            return jax.tree.structure(shapes).unflatten(found)

        @jax.custom_vjp
        def call(constants: Any, *arguments: Any) -> Any:
            return forward(constants, *arguments)[0]

        def backward(back: _Back, gradients: Any) -> tuple:
            found = eval_jaxpr(back.jaxpr, back.needed, *jax.tree.leaves(gradients[0]))
            of_params, of_input = back.structure.unflatten(found)
            return None, of_params, None, of_input

        call.defvjp(forward, backward)
        return call(program.consts, params, given, input)

    def _pulled(self, run: Run, params: Any, input: Any, gradient: Any) -> tuple[Any, Any]:
        """The gradients of the parameters and of the input, by the user's methods."""
        before, held, user = run.changes(), run.held(), run.user
        given = shown(input), shown(gradient)
        found = user.updateGradInput(*given)
        if found is not None:
            user.__dict__["gradInput"] = as_tensors(found)
        of_input = unwrapped(user.__dict__.get("gradInput"))  # which counts, as in Torch's backward
        if params and any("accGradParameters" in vars(base) for base in users(self.kind)):
            user.accGradParameters(*given, 1)
        _check_unchanged(given, (input, gradient))
        _check_left(
            before, run.changes(), {name for name, was in run.held().items() if is_same(held.get(name, ()), was)}
        )
        gradients = {
            kind.number: user.__dict__[name].array
            for name, kind in run.fields.items()
            if isinstance(kind, Cell) and kind.is_gradient and name in user.__dict__
        }
        of_params = {name: gradients.get(int(name), jnp.zeros_like(each)) for name, each in params.items()}
        at_input = input_gradient(user, input, of_input)
        if any(isinstance(leaf, Unfit) for leaf in jax.tree.leaves(at_input)):
            raise Untraceable("its gradient does not fit its input")
        return of_params, at_input

    def printed(self) -> str:
        return self.text


def _told(error: Exception) -> str:
    if isinstance(error, Untraceable):
        return str(error)
    if isinstance(error, ASKS_FOR_VALUES):
        return "it asks for values"
    return f"tracing it raised {type(error).__name__}"


def _check_unchanged(given: Any, arrays: Any) -> None:
    """Refuses methods that write to their arguments."""
    for each, array in zip(jax.tree.leaves(given), jax.tree.leaves(arrays), strict=True):
        if isinstance(each, Tensor) and (each.storage_._array is not array or each.shape != array.shape):
            raise Untraceable("it writes to its arguments")


def _check_left(before: dict, after: dict, same: set[str]) -> None:
    """Refuses ways back that leave something in fields, which programs give for the way forward alone."""
    for name in after.keys() - same:
        taken = after[name]
        then = before.get(name)
        if then is None or (then.form, then.are_numbers) != (taken.form, taken.are_numbers):
            raise Untraceable(f"its way back sets {name}")
        if any(a is not b for a, b in zip(then.arrays, taken.arrays, strict=True)):
            raise Untraceable(f"its way back changes {name}")
