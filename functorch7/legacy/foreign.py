"""Modules whose `updateOutput` a user wrote, inside the networks of this package."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from .. import core
from ..core import hooks
from .compiled import put
from .layout import Layout
from .random import refusing
from .styles import pytorch_operators
from .values import as_tensors, unwrapped, wrapped


class InMode(core.Proxy, abstract=True):
    """A module that stays in its own mode, whatever that of the network around it (a frozen normalisation)."""

    train: bool

    def draws(self, train: bool) -> bool:
        return self.module.traits.draws(self.train)

    @property
    def inner(self) -> core.Module:
        """The module, with the hooks that were handed on to it."""
        return hooks.attached(self.module, self._hooks + self.module._hooks) if self._hooks else self.module

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        return self.inner.apply(params, buffers, input, key=key, train=self.train)


class Foreign(core.Module, abstract=True):
    """The place of a user's object in a description; equal only to itself, and never compiled.

    If the class defines `updateGradInput` or `accGradParameters`, these are the gradients; else `updateOutput`
    is differentiated, with respect to the input and to what `parameters()` gives.
    """

    traceable: ClassVar[bool] = False  # type: ignore[assignment]

    object: Any

    def __hash__(self) -> int:
        return hash((id(self.object), self._hooks))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Foreign) and self.object is other.object and self._hooks == other._hooks

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        run = self._by_hand if self.object.has_own_gradient() else self._by_autodiff
        with refusing(None), pytorch_operators(False):
            return run(params, input), buffers

    def _by_autodiff(self, params: Any, input: Any) -> Any:
        user = self.object
        cells = Layout(user.cells())
        kept = [storage.array for storage in cells.storages]
        arrays = [array if isinstance(array, jax.Array) else jax.device_put(array) for array in kept]
        for i, view in enumerate(cells.views):
            put(arrays, view, params[str(i)])
        try:
            for storage, array in zip(cells.storages, arrays, strict=True):
                storage.array = array
            return self._output(wrapped(input))
        except jax.errors.TracerArrayConversionError as error:
            raise TypeError(
                f"{user}: its updateOutput uses NumPy, so that it has no gradient of itself; "
                "define updateGradInput(input, gradOutput), or compute with jax.numpy"
            ) from error
        finally:
            for storage, array in zip(cells.storages, kept, strict=True):
                storage.array = array

    def _output(self, input: Any) -> Any:
        """What updateOutput gives, which the field `output` has then, too."""
        output = as_tensors(self.object.updateOutput(input))
        arrays = jax.tree.map(jnp.asarray, unwrapped(output))
        concrete = all(map(core.is_concrete, jax.tree.leaves(arrays)))
        # While updateOutput is differentiated its values come with their tangents, which the field is not to keep.
        self.object.output = output if concrete else wrapped(lax.stop_gradient(arrays))
        return arrays

    def _by_hand(self, params: Any, input: Any) -> Any:
        user = self.object

        @jax.custom_vjp
        def call(input: Any) -> Any:
            return self._output(wrapped(input))

        def forward(input: Any) -> tuple[Any, Any]:
            return call(input), (input, user.calls)

        def backward(residuals: Any, grad_output: Any) -> tuple:
            input, number = residuals
            if user.calls != number:  # it has seen another input since: a step of a sequence
                user.updateOutput(wrapped(input))
                user.calls = number
            grad_output = wrapped(grad_output)
            given = user.updateGradInput(wrapped(input), grad_output)
            if given is not None:
                user.gradInput = as_tensors(given)
            grad_input = unwrapped(given)
            if grad_input is None:  # as after dontBackward(): no gradient passes
                return (jax.tree.map(jnp.zeros_like, input),)
            user.pending.append((wrapped(input), grad_output))
            like = jax.tree.map(lambda i, g: jnp.asarray(g, i.dtype).reshape(i.shape), input, grad_input)
            return (like,)

        call.defvjp(forward, backward)
        user.calls += 1
        return call(input)

    def printed(self) -> str:
        return str(self.object)
