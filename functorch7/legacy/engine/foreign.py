"""Modules whose `updateOutput` a user wrote, inside the networks of this package."""

import builtins
import itertools
import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ... import core
from ...core import hooks
from ...core.contexts import during
from ...core.types import Array, Key, Output, Tree, Value
from ..tensors.lua_values import CARRIED, Carried
from ..tensors.marked import note
from ..tensors.random import refusing
from ..tensors.styles import pytorch_operators
from ..tensors.tensor import Tensor
from ..tensors.values import as_table, as_tensors, shapes, shown, unwrapped, wrapped
from .cut import user_call
from .known_users import output_of
from .layout import Layout
from .moments import Moment, called_at, on_copies, settle
from .objects import Object, Parametrised
from .running_calls import anchor
from .unfit import Unfit, as_given, as_zeros
from .user_calls import Left, Signature, inexact, shapes_of
from .views import put


class InMode(core.Proxy, abstract=True):
    """A module that stays in its own mode, whatever that of the network around it (a frozen normalisation)."""

    train: bool

    def draws(self, train: bool) -> bool:
        return self.module.traits.draws(self.train)

    @property
    def inner(self) -> core.Module:
        """The module, with the hooks that were handed on to it."""
        return hooks.attached(self.module, self._hooks + self.module._hooks) if self._hooks else self.module

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        return self.inner.apply(params, buffers, input, key=key, train=self.train)


def in_mode(spec: core.Module, module: Object, mode: bool) -> core.Module:
    """The description of an object in a network of this mode."""
    return spec if module.in_training == mode else InMode(spec, bool(module.in_training))


_objects: ContextVar[list[Object]] = ContextVar("objects")


def calling(objects: list[Object]) -> AbstractContextManager:
    """A block in which these are the users' objects that a network's places stand for."""
    return during(_objects, objects)


class OfUser(core.Module, abstract=True):
    """What a user's object is in a description: a module that calls the object's methods.

    If the class defines `updateGradInput` or `accGradParameters`, these are the gradients; else `updateOutput`
    is differentiated, with respect to the input and to what `parameters()` gives.
    """

    traceable: ClassVar[bool] = False

    def user(self) -> Object:
        """The object."""
        raise NotImplementedError

    def field(self, name: str, reader: type) -> Value:
        """What the object has under a name, for a `forward` around it, of this class."""
        return getattr(self.user(), name)

    def learned(self, params: Tree) -> dict[str, Array]:
        """The parameters that are fields of the object, by name."""
        numbers = {id(tensor): str(number) for number, tensor in enumerate(self.user().call_tensors())}
        named = {name: numbers.get(id(value)) for name, value in vars(self.user()).items()}
        return {name: params[number] for name, number in named.items() if number in params}

    @property
    def is_reached(self) -> bool:
        """Whether the network's `backward` calls the object's."""
        return False

    @property
    def keeps_steps(self) -> bool:
        """Whether the object keeps what its steps have left itself."""
        return self.user().keeps_steps

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        by_hand = self.user().has_own_gradient()
        if by_hand:
            params = {"anchor": anchor()}  # so that gradients reach it, whatever its input depends on
        output = user_call(self, params, input)
        if output is not None:
            return output, buffers
        run = self._by_hand if by_hand else self._by_autodiff
        with refusing(None), pytorch_operators(False):
            return run(params, input), buffers

    def expected(self, params: Tree, input: Value) -> Signature:
        """What a call is taken to give as long as none has been made: what it is given."""
        leaves, tree = jax.tree.flatten(input)
        return Signature(tree, shapes_of(leaves))

    def called(self, params: Tree, input: Value) -> Left:
        """Calls the object's updateOutput, at arrays."""
        given = shapes_of(jax.tree.leaves((params, input)))
        with refusing(None), pytorch_operators(False):
            if self.user().has_own_gradient():
                output, moment = called_at(self.user(), lambda: self._output(self._given(input)))
                return Left(output, lambda gradient: (params, self._gradient(moment, input, gradient)), given)
            if not inexact(given):
                return Left(self._by_autodiff(params, input), tuple, given)
            return Left(*jax.vjp(self._by_autodiff, params, input), given)

    def _by_autodiff(self, params: Tree, input: Value) -> Value:
        user = self.user()
        cells = Layout(user.call_tensors())
        kept = cells.stored()
        arrays = [array if isinstance(array, jax.Array) else jax.device_put(array) for array in kept]
        for i, view in enumerate(cells.views):
            put(arrays, view, params[str(i)])
        try:
            cells.store(arrays)
            return self._output(self._given(input))
        except jax.errors.TracerArrayConversionError as error:
            raise TypeError(
                f"{user}: its updateOutput uses NumPy, so that it has no gradient of itself; "
                "define updateGradInput(input, gradOutput), or compute with jax.numpy"
            ) from error
        finally:
            cells.store(kept)
            if not all(map(core.is_concrete, jax.tree.leaves((params, input)))):
                settle(user)

    def pulled_back(self, input: Value, gradient: Value) -> Value:
        """The gradient at an input of what updateOutput computes, by differentiation."""
        tensors = self.user().call_tensors()
        params = {str(number): tensor.array for number, tensor in enumerate(tensors)}
        with refusing(None), pytorch_operators(False), on_copies(self.user()):  # which may write in place
            _, pull = jax.vjp(partial(self._by_autodiff, params), input)
        return pull(gradient)[0]

    def _given(self, input: Value) -> Value:
        return _of_type(self.user(), input)

    def _output(self, input: Value) -> Value:
        """What updateOutput gives, which the field `output` has then, too."""
        output = output_of(self.user(), type(self.user()), input)
        arrays = jax.tree.map(lambda a: a if isinstance(a, Carried) else jnp.asarray(a), unwrapped(output))
        note(output, arrays)
        concrete = all(map(core.is_concrete, jax.tree.leaves(arrays)))
        # While updateOutput is differentiated its values come with their tangents, which the field is not to keep.
        self.user().output = output if concrete else wrapped(lax.stop_gradient(arrays))
        return arrays

    def _by_hand(self, params: Tree, input: Value) -> Value:
        user = self.user()

        @jax.custom_vjp
        def call(params: Tree, input: Any) -> Any:
            return self._output(self._given(input))

        def forward(params: Tree, input: Any) -> tuple[Any, Any]:
            output, moment = called_at(user, lambda: self._output(self._given(input)))
            return output, (params, input, moment)

        def backward(residuals: Any, gradient: Any) -> tuple:
            params, input, moment = residuals
            return params, as_zeros(self._gradient(moment, input, gradient), input)

        call.defvjp(forward, backward)
        return call(params, input)

    def _gradient(self, moment: Moment, input: Value, gradient: Value) -> Value:
        """What updateGradInput gives, or `backward`, where the network's calls that.

        What is added to the parameters' gradients is added when the other parameters get theirs.
        """
        user = moment.user
        with refusing(None), pytorch_operators(False):
            if not moment.returned():  # it has seen other inputs since, when nothing was to be expected of this one
                user.updateOutput(_of_type(user, input))
            tensors, gradient = _of_type(user, input), _of_type(user, as_given(gradient))
            scale = user.pending_pull_backs.scale if self.is_reached else None
            given, moment.added = user.gone_back(tensors, gradient, scale)
        user.pending_pull_backs.append((tensors, gradient, moment))
        found = input_gradient(user, input, unwrapped(given))
        note(given, found)
        return found

    def printed(self) -> str:
        return str(self.user())


def _of_type(user: Object, arrays: Value) -> Value:
    """Arrays as tensors for the user: of double precision if the object is, whatever the network around it is of.

    Gradients of integers are zeros, as Torch has them, in place of JAX's.
    """

    def given(value: Any) -> Any:
        if isinstance(value, (list, dict)):
            return as_table(given, value)
        if value.dtype == jax.dtypes.float0:
            return shown(np.zeros(value.shape, np.int32))
        is_single = core.is_concrete(value) and value.dtype == np.float32
        return shown(np.asarray(value, np.float64) if is_single and user._type == "torch.DoubleTensor" else value)

    return given(arrays)


def gradient_by(user: Object, input: Value, gradient: Value, method: Callable | None = None) -> Value:
    """What a user's method gives, updateGradInput at first, which gradInput is then, or what it leaves there: in Torch
    this counts.

    A table in which gradInput is itself does not take its place.
    """
    given = (method or user.updateGradInput)(input, gradient)
    if given is None:
        return user.gradInput
    is_around = isinstance(given, (list, tuple)) and any(each is user.gradInput for each in given)
    given = as_tensors(given)
    if not is_around:
        user.gradInput = given
    return given


def input_gradient(user: Object, input: Value, given: Value) -> Value:
    """What updateGradInput gave as the gradient at an input: of its types and shapes, that of integers none.

    None passes no gradient: of indices, or after dontBackward(); so do zeros of any size, and what a table does not
    have. What it has beyond the input's entries is left out, as Torch's containers never look at it. A table of a
    tensor's rows is the tensor. For what fits no input stands an `Unfit`.
    """
    if isinstance(input, (list, tuple, dict)) and given is not None:
        if isinstance(input, list) and isinstance(given, dict):  # a table with gaps
            given = [given.get(place) for place in range(1, len(input) + 1)]
        if not isinstance(given, type(input)):
            return _unfit(user, input, given)
        if isinstance(input, dict) and isinstance(given, dict):
            return type(input)((name, input_gradient(user, each, given.get(name))) for name, each in input.items())
        pairs = itertools.zip_longest(input, given[: len(input)])
        return type(input)(input_gradient(user, each, gradient) for each, gradient in pairs)
    if isinstance(given, list) and given and shapes(input) == (len(given), *shapes(given[0])):
        given = jnp.stack(given)
    if isinstance(given, (list, dict)):
        return _unfit(user, input, given)
    return jax.tree.map(lambda array: _array_gradient(user, array, given), input)


def _array_gradient(user: Object, input: Array, gradient: Value) -> Value:
    if not jnp.issubdtype(input.dtype, jnp.inexact):
        return np.zeros(input.shape, jax.dtypes.float0)
    if input.dtype == CARRIED:
        return np.zeros((), CARRIED)
    if gradient is not None and np.size(gradient) == input.size:
        return jnp.asarray(gradient, input.dtype).reshape(input.shape)
    if gradient is None or (core.is_concrete(gradient) and not np.any(gradient)):
        return jnp.zeros_like(input)
    return _unfit(user, input, gradient)


def _unfit(user: Object, input: Value, gradient: Value) -> Value:
    unfit = Unfit(str(user), input, gradient)
    return jax.tree.map(lambda _: unfit, input)


class Foreign(OfUser, abstract=True):
    """The place of one object, equal only to itself."""

    object: Object

    def user(self) -> Object:
        return self.object

    def __hash__(self) -> int:
        return hash((id(self.object), self._hooks))

    def __eq__(self, other: builtins.object) -> bool:
        return isinstance(other, Foreign) and self.object is other.object and self._hooks == other._hooks


class Place(OfUser, abstract=True):
    """The place of the object of this number among those that are `calling`: networks that are equal share programs."""

    number: int
    kind: type
    by_hand: bool
    reached: bool

    @property
    def is_reached(self) -> bool:
        return self.reached

    def user(self) -> Object:
        return _objects.get()[self.number]


# The parameters of users' objects ----------------------------------------------------------------------------------


def given_by(module: Parametrised) -> list[Tensor]:
    """What a user's `parameters` gives: parameters and gradients."""
    return [tensor for tensors in module.parameters()[:2] for tensor in tensors]


def are(found: Sequence[object], expected: Sequence[object]) -> bool:
    """Whether these are the same objects as those."""
    return len(found) == len(expected) and all(map(operator.is_, found, expected))


def has_plain_parameters(user: Object) -> bool:
    """Whether `parameters` gives what a user's object and all inside it have, each with its gradient."""
    params, grads = user.parameters()[:2]
    return len(params) == len(grads) and not (user.children() and user.overrides("parameters"))


def can_be_cut(spec: core.Module) -> bool:
    """Whether a network could be compiled but for the users' modules in it."""
    if spec.traits.traceable or isinstance(spec, OfUser):
        return True
    follows = type(spec).traceable is core.Module.traceable
    return follows and not hasattr(spec, "form") and all(map(can_be_cut, spec.child_modules()))
