"""Errors that name the module, and the only place where 1-based dimensions become axes."""

import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.experimental import checkify

from .declared import whole_number
from .foreign import foreign, is_foreign

MISUSE = (TypeError, ValueError, AttributeError, LookupError, ZeroDivisionError, OverflowError, Warning)
"""The errors of code that is given the wrong arguments. FloatingPointError is not among them: it is about results."""


class Signal(Exception):
    """Raised and caught inside this package to leave a computation; nothing has failed."""


class Described(Protocol):
    """A module's description, as far as errors name it."""

    package: ClassVar[str]

    @classmethod
    def torch_name(cls) -> str: ...


def title(module: object) -> str:
    """A module in one line, as Torch prints it, without the tree of a container."""
    return str(module).split(" {")[0].split("\n")[0].removesuffix("(")


def describe(value: object) -> str:
    """What was given, in a few words: a shape, a table's length, an object's first line, or the value itself."""
    if hasattr(value, "functional"):
        return title(value)
    if isinstance(value, (list, tuple)):
        return f"a table of {len(value)}: " + ", ".join(map(describe, value[:4])) if value else "an empty table"
    if isinstance(value, dict):
        return f"a table with keys {list(value)}"
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple):
        return reprlib.repr(value)
    return foreign(value) if is_foreign(value) else f"shape {shape}"


def no_description(given: object) -> str:
    """What is said of anything but the description of a module."""
    return f"expected the description of a module, such as functorch7.Tanh(), got {with_hint(given)}"


def with_hint(given: object) -> str:
    """What was given in the place of a description, with how to get that of an object of `legacy`, or of a class."""
    if isinstance(given, type):
        return f"the class {given.__name__}; call it: {given.__name__}(...)"
    return describe(given) + ("; take its functional()" if hasattr(given, "functional") else "")


def expected(module: object, what: str, given: object) -> ValueError:
    """The error for bad input: `nn.Linear(10 -> 5): expected <what>, got <given>`."""
    return ValueError(f"{title(module)}: expected {what}, got {describe(given)}")


def check_floating(module: object, input: jax.Array) -> None:
    """Refuses integers, which have no gradient.

    Raises: TypeError naming the module and the type.
    """
    if not jnp.issubdtype(input.dtype, jnp.inexact):
        raise TypeError(f"{title(module)}: expected a floating-point tensor, got {input.dtype}")


def in_dtype_of(module: object, input: jax.Array, weight: jax.Array) -> jax.Array:
    """Floating-point input in the dtype of the parameters; integers are refused."""
    check_floating(module, input)
    return input if input.dtype == weight.dtype else input.astype(weight.dtype)


def check_dimension(module: object, dimension: object, n_input_dims: int | None = None) -> int:
    """Checks a dimension at construction: it has to be a whole number, and not 0.

    If `n_input_dims`, the number of dimensions of one example, is given, 0 is allowed: it is that of the batch.
    Raises: ValueError naming the module and what was given.
    """
    whole = whole_number(dimension)
    if whole is None or (whole == 0 and n_input_dims is None):
        raise expected(module, "a dimension counted from 1 (or from -1, backwards)", dimension)
    return whole


def check_positive(module: Described, **sizes: int | None) -> None:
    """Refuses sizes that are not whole numbers above 0.

    Raises: ValueError naming the argument.
    """
    for name, size in sizes.items():
        if (whole_number(size) or 0) < 1:
            raise ValueError(f"{module.torch_name()}: expected {name} >= 1, got {size!r}")


def check_number(module: Described, **values: object) -> None:
    """Refuses what is no number.

    Raises: TypeError naming the argument.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise TypeError(f"{module.torch_name()}: expected a number {name}, got {value!r}")


def axis(module: object, dimension: int | None, ndim: int) -> int:
    """The 0-based axis of a 1-based (or negative) dimension of an array with `ndim` dimensions.

    Raises: ValueError for dimension 0, for what is no integer, and for dimensions that the array does not have.
    """
    dimension = check_dimension(module, dimension)
    found = dimension + ndim if dimension < 0 else dimension - 1
    if not 0 <= found < ndim:
        if ndim == 0:
            raise ValueError(f"{title(module)}: expected an input with a dimension {dimension}, got a single number")
        raise ValueError(f"{title(module)}: expected a dimension from 1 to {ndim} or -{ndim} to -1, got {dimension}")
    return found


def example_axis(module: object, dimension: int | None, ndim: int, n_input_dims: int | None) -> int:
    """As `axis`, where exactly n_input_dims + 1 dimensions are a batch: others than negative ones count after it."""
    dimension = check_dimension(module, dimension, n_input_dims)
    batch = n_input_dims is not None and ndim == n_input_dims + 1 and dimension >= 0
    return axis(module, dimension + 1 if batch else dimension, ndim)


ASKS_FOR_VALUES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)
"""What JAX raises for code that asks for values while it is traced."""


def is_concrete(value: object) -> bool:
    """True if a value is concrete (not a tracer)."""
    return not isinstance(value, Tracer)


def lookable(values: jax.Array | np.ndarray) -> jax.Array | np.ndarray:
    """Values as a NumPy array if they are known now, else unchanged: a traced JAX array, or a table."""
    return values if isinstance(values, (Tracer, list, dict)) else np.asarray(values)


class inside:
    """A block in which a module runs a child: errors raised in it get a note with the child's place.

    So do errors that a compiled program reports later. The note's text is made only when it is needed.
    """

    __slots__ = ("module", "name", "token")

    def __init__(self, module: Described, name: int | str):
        self.module, self.name = module, name

    @property
    def place(self) -> str:
        shown = self.name if isinstance(self.name, str) else self.name + 1
        return f"In {shown} module of {self.module.torch_name()}:"

    def __enter__(self) -> None:
        self.token = _places.set((*_places.get(), self))

    def __exit__(self, kind: object, error: BaseException | None, entries: object) -> None:
        _places.reset(self.token)
        if isinstance(error, Exception):
            error.add_note(self.place)


_places: ContextVar[tuple[inside, ...]] = ContextVar("places", default=())

_looking = jax.make_user_context(default_value=False)
"""Whether programs traced now are to report. A context of JAX's, so that functions compiled without are not reused."""


def places_around() -> tuple[str, ...]:
    """The places in the network around the caller, from the outside in, in the words of errors."""
    return tuple(each.place for each in _places.get())


def is_looking() -> bool:
    """Whether the program that is being traced reports what its checks of values find."""
    return _looking.value


@contextmanager
def looking() -> Iterator[None]:
    """A block in which traced programs check values. What they report leaves out the places around the block."""
    around = _places.set(())
    try:
        with _looking(True):
            yield
    finally:
        _places.reset(around)


@contextmanager
def not_looking() -> Iterator[None]:
    """A block in which traced programs check no values, because it repeats a computation whose values were checked."""
    with _looking(False):
        yield


def check_values(values: jax.Array | np.ndarray, wrong: jax.Array | np.ndarray, message: str) -> None:
    """Raises ValueError if any value is wrong; the message may name the first such `{value}` and its `{position}`.

    Traced values are checked when the program runs, if `checked` made it or it belongs to `legacy`.
    """
    values, wrong = values.reshape(-1), wrong.reshape(-1)
    if not values.size:
        return
    if is_concrete(wrong):
        if wrong.any():
            at = int(np.argmax(wrong))
            value = values[at] if is_concrete(values) else lax.stop_gradient(values[at])
            raise ValueError(message.format(value=value, position=at + 1))
    elif _looking.value:  # else not: a check in a compiled function takes it off JAX's quick way of calling
        at = jnp.argmax(wrong)
        told = "\n".join([message, *reversed(places_around())])
        # Inside a differentiation, a value is concrete without its tangent.
        correct: Any = ~wrong.any()
        checkify.debug_check(correct, told, value=lax.stop_gradient(values[at]), position=at + 1)
