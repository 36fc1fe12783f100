"""The arguments of every method of optim: a point x, and a function for the loss and its gradient there."""

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from ...checks.foreign import foreign
from ...checks.kinds import fault_of_real
from ...core.types import Array, Value
from ..tensors.casting import is_floating
from ..tensors.devices import has_others, precision
from ..tensors.findings import tell
from ..tensors.noted import Noted
from ..tensors.notes import notes_of
from ..tensors.tensor import Tensor
from ..tensors.together import place_among
from ..tensors.values import unwrapped

Point: TypeAlias = Tensor | np.ndarray | jax.Array
"""The parameters: a tensor or NumPy array, which is changed in place, or a JAX array, which cannot be."""
ARRAYS: Any = (np.ndarray, jax.Array, Noted)
"""What needs no look at its numbers if their type is that of the parameters."""


def held(who: str, x: Point) -> Value:
    """The array of a tensor (or what is noted of it), of NumPy or of JAX; anything else is refused."""
    array = x.noted if isinstance(x, Tensor) else x
    if not isinstance(array, (np.ndarray, jax.Array, Noted)):
        raise TypeError(f"optim.{who}: expected a tensor or an array x, got {foreign(x)}")
    if not is_floating(array.dtype):
        raise TypeError(f"optim.{who}: expected floating-point numbers in x, got {array.dtype}")
    if isinstance(array, np.ndarray) and not isinstance(x, Tensor) and not array.flags.writeable:
        raise ValueError(
            f"optim.{who}: expected an array x that can be written to, which np.array(x) is, got a read-only"
        )
    return array


def stored(x: Point, array: Value) -> Value:
    """x with these elements: changed in place, or a new array if it is JAX's, which cannot change."""
    if isinstance(x, Tensor):
        x.array = array
    elif isinstance(x, np.ndarray):
        x[...] = np.asarray(array)
    else:
        with precision(x.dtype):
            return jnp.asarray(array)
    return x


def table(who: str, name: str, given: object) -> dict:
    """Torch's table, here a dict; a new one for None."""
    if given is not None and not isinstance(given, dict):
        hint = "; an empty table of a file is a list, and {} what it may have been" if given == [] else ""
        raise TypeError(f"optim.{who}: expected a dict {name}, got {given!r}{hint}")
    return {} if given is None else given


def fitted(who: str, what: str, value: Value, like: Value) -> Value:
    """An array in another's shape and dtype; it must have as many elements."""
    array = value.noted if isinstance(value, Tensor) else unwrapped(value)
    if isinstance(array, ARRAYS) and not isinstance(array, np.ma.MaskedArray) and array.dtype == like.dtype:
        if array.shape == like.shape:
            return array
    elif (fault := fault_of_real(array, what)) is not None:
        raise type(fault)(f"optim.{who}: {fault}")
    if np.size(array) != like.size:
        raise ValueError(f"optim.{who}: expected {what} of shape {like.shape}, as x, got shape {np.shape(array)}")
    with precision(like.dtype):
        return array.reshape(like.shape).astype(like.dtype)


def called(who: str, opfunc: Callable, x: Point) -> Value:
    """opfunc(x). Raises TypeError for anything but a function."""
    if not callable(opfunc):
        raise TypeError(f"optim.{who}: expected a function of x that gives loss and gradient, got {opfunc!r}")
    return opfunc(x)


def evaluated(who: str, opfunc: Callable, x: Point) -> tuple[Value, Array]:
    """opfunc(x): the loss as returned, and the gradient in the shape of x."""
    result = called(who, opfunc, x)
    if not isinstance(result, (tuple, list)) or len(result) < 2:
        raise TypeError(
            f"optim.{who}: expected opfunc to return the loss and the gradient, got {type(result).__name__}"
        )
    return result[0], fitted(who, "a gradient", result[1], held(who, x))


def computed(function: Callable, *args: Any) -> Value:
    """A function's result for these arguments; only noted if some of them are on an accelerator."""
    place = next(filter(None, map(place_among, jax.tree.leaves(args))), None) if has_others() else None
    return function(*args) if place is None else notes_of(place).note(function, *args)


def loss_of(result: Value) -> float:
    """The loss in a function's result: alone, or with the gradient after it."""
    return np.asarray(result[0] if isinstance(result, (tuple, list)) else result).item()


class Objective:
    """opfunc as a function of flat NumPy vectors, for methods that compute on the host. It moves x."""

    def __init__(self, who: str, opfunc: Callable, x: Point):
        self.who, self.opfunc, self.x = who, opfunc, x

    @property
    def point(self) -> np.ndarray:
        """A flat copy of x."""
        return np.array(held(self.who, self.x)).reshape(-1)

    def move(self, point: np.ndarray) -> Value:
        """Makes x this point, and returns it."""
        array = held(self.who, self.x)
        self.x = stored(self.x, point.reshape(array.shape).astype(array.dtype))
        return self.x

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and the gradient at a point."""
        loss, gradient = evaluated(self.who, self.opfunc, self.move(point))
        tell()
        return np.asarray(loss).item(), np.array(gradient).reshape(-1)

    def value(self, point: np.ndarray) -> float:
        """The loss alone; opfunc need not give a gradient."""
        result = called(self.who, self.opfunc, self.move(point))
        tell()
        return loss_of(result)
