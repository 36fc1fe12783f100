"""Torch's operations that fill a tensor: one table, of which methods, functions and operators are made.

The table gives each operation its forms: a letter for each argument, and the formula. `x` and `t` are tensors, `n` is a
number, `v` a number that may be left out (1). From one form follow `y.f(...)` (y in place of x, in place),
`y.f(x, ...)` (the result goes into y), `torch.f(x, ...)` (a new tensor) and `torch.f(y, x, ...)` (into y).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import chain
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...core import host_device, is_concrete
from ...losses.tables import as_arrays
from .arguments import described, in_type, is_number, letters, of_one_type, places_of, plain_arrays, sizes_text
from .quiet import quietly
from .storage import precision

Forms = dict[str, Callable]
"""Formulas (of NumPy or jax.numpy, and the arguments) by form."""


@dataclass(frozen=True)
class Operation:
    """An operation: its name, its forms, what the arguments must have in common, and its formula in words."""

    name: str
    forms: Forms
    fit: Callable[[str, list], list]
    formula: str

    def usage(self) -> str:
        """The forms as an error message shows them."""
        words = {"x": "tensor", "t": "tensor", "n": "number", "v": "[number]"}
        return " or ".join("(" + ", ".join(words[letter] for letter in form) + ")" for form in self.forms)

    def without_result(self, args: tuple) -> tuple[str, list] | None:
        """(form, arguments) of a call that leaves no argument out; None if there is no such form."""
        found = self._match(letters(args), True)
        return None if found is None else (found[0], [1 if at is None else args[at] for at in found[1]])

    def of_method(self, tensor: Any, args: tuple) -> tuple[str, list] | None:
        """(form, arguments) of a method's call: the tensor itself is `x`, or, if nothing is left out, the result."""
        given = letters(args)
        found = self._match(given, False) or self._match(given, True)
        if found is None:
            return None
        args = (*args, tensor)  # the last one, -1
        return found[0], [1 if at is None else args[at] for at in found[1]]

    @cached_property
    def _matches(self) -> dict[tuple[str, bool], tuple[str, tuple] | None]:
        return {}

    def _match(self, given: str, with_x: bool) -> tuple[str, tuple] | None:
        """The form of a call, and the places of its arguments among those given; None for a number that is left out."""
        key = (given, with_x)
        if key not in self._matches:
            self._matches[key] = next(
                (
                    (form, places)
                    for form in self.forms
                    if (places := places_of(form, given, with_x)) is not None and (with_x or "x" in form)
                ),
                None,
            )
        return self._matches[key]

    def of_numbers(self, args: tuple) -> Any:
        """The result for numbers alone, of the functions that Torch has for these; None otherwise."""
        if self.name not in OF_NUMBERS or not all(map(is_number, args)):
            return None
        return next((f(np, *map(float, args)) for form, f in self.forms.items() if len(form) == len(args)), None)

    def wrong(self, args: tuple) -> TypeError:
        """The error for arguments that are none of the forms."""
        given = ", ".join(described(each) for each in args)
        return TypeError(f"torch.{self.name}: expected {self.usage()}, after a result if one is given, got ({given})")

    def computed(self, form: str, args: list) -> Any:
        """The result as an array. Raises TypeError for tensors of different types."""
        arrays = plain_arrays(args, self.fit is same_count)
        if arrays is None:
            of_one_type(self.name, args)
            found = computed(self.forms[form], args, lambda arrays: self.fit(self.name, arrays))
        else:
            if self.fit is not same_count:
                self.fit(self.name, arrays)
            found = quietly(self.forms[form], np, *arrays)
            if type(arrays[0]) is np.ndarray and found.dtype is arrays[0].dtype:
                return found
        dtype = next((each.dtype for each in args if hasattr(each, "storage_")), found.dtype)
        return found.astype(dtype) if found.dtype != dtype and dtype.kind in "iu" else found  # NumPy widens sums


# Arrays ---------------------------------------------------------------------------------------------------------------


def computed(function: Callable, args: Any, fit: Callable[[list], list], are_typed: bool = True) -> Any:
    """A function of arrays, on the accelerator where they are there or not known yet, else by NumPy.

    `fit` checks the arrays' shapes and may reshape them. With `are_typed` numbers are of the tensors' type. Infinite
    and undefined results are no error, as in Torch.
    """
    args = [as_arrays(each) if isinstance(each, (list, tuple)) else each for each in args]
    dtype = _dtype_among(args)
    with precision(dtype), np.errstate(all="ignore"):
        arrays = [_operand(each, dtype) for each in args]
        arrays = fit([in_type(each, dtype) for each in arrays] if are_typed else arrays)
        library = _library(arrays)
        if library is np:
            arrays = [np.asarray(each) if isinstance(each, jax.Array) else each for each in arrays]
        found = function(library, *arrays)
        return np.asarray(found) if isinstance(found, np.generic) else found


@cache
def _is_floating(dtype: np.dtype) -> bool:
    return jnp.issubdtype(dtype, jnp.floating)


def _dtype_among(args: list) -> np.dtype:
    """The dtype to compute in: the first floating-point one, else the first, of tensors; without them, of arrays."""
    dtypes = [each.dtype for each in args if hasattr(each, "storage_")]
    dtypes = dtypes or [each.dtype for each in args if hasattr(each, "dtype")]
    return next(filter(_is_floating, dtypes), dtypes[0])


def _operand(value: Any, dtype: np.dtype) -> Any:
    """A tensor, array or number as what is computed with, beside tensors of a dtype.

    NumPy's float64 is only how NumPy writes numbers, and whole numbers beside floating-point ones are such.
    """
    if isinstance(value, np.generic):
        return value.item()
    array = value.array if hasattr(value, "storage_") else value
    if not hasattr(array, "dtype") or array.dtype == dtype or not _is_floating(dtype):
        return array
    is_written = isinstance(value, np.ndarray) and _is_floating(value.dtype)
    return array.astype(dtype) if is_written or not _is_floating(array.dtype) else array


def _library(arrays: list) -> Any:
    """NumPy where all arrays are known and on the host, else jax.numpy."""
    for each in arrays:
        if isinstance(each, jax.Array) and not (is_concrete(each) and each.devices() == {host_device()}):
            return jnp
    return np


def same_count(name: str, arrays: list) -> list:
    """The arrays in the first one's shape; those without dimensions, and numbers, combine with anything.

    Raises ValueError for different numbers of elements: tensors are never repeated to fit.
    """
    shapes = [getattr(each, "shape", ()) for each in arrays]
    first = next(filter(None, shapes), ())
    for shape in shapes:
        if shape and shape != first and math.prod(shape) != math.prod(first):
            raise ValueError(
                f"torch.{name}: expected tensors of as many elements, got sizes {sizes_text(first)} and "
                f"{sizes_text(shape)}; expandAs repeats a tensor"
            )
    return [
        each.reshape(first) if shape and shape != first else each for each, shape in zip(arrays, shapes, strict=True)
    ]


def conforming(signature: str) -> Callable[[str, list], list]:
    """The check that the tensors among the arguments have sizes as in an einsum's signature."""

    @lru_cache(1024)
    def check(name: str, shapes: tuple) -> None:
        inputs, output = signature.split("->")
        letters = inputs.split(",")
        if len(shapes) > len(letters):  # what the product is added to
            letters = [output, *letters]
        pairs = set(zip("".join(letters), chain(*shapes), strict=False))
        if list(map(len, shapes)) != list(map(len, letters)) or len(pairs) != len(dict(pairs)):
            given, wanted = " and ".join(map(sizes_text, shapes)), " and ".join(map("x".join, letters))
            raise ValueError(f"torch.{name}: expected tensors of sizes {wanted}, got {given}")

    def fit(name: str, arrays: list) -> list:
        check(name, tuple([each.shape for each in arrays if getattr(each, "shape", ())]))
        return arrays

    return fit


# The table ------------------------------------------------------------------------------------------------------------


def _bits(name: str) -> Callable:
    def bits(m: Any, x: Any, y: Any) -> Any:
        if not jnp.issubdtype(x.dtype, jnp.integer):
            raise TypeError(f"torch.{name}: expected a tensor of whole numbers, got {x.dtype}")
        return getattr(m, name)(x, y)

    return bits


def _named(name: str) -> Callable:
    return lambda m, *args: getattr(m, name)(*args)


def quotient(_: Any, x: Any, y: Any) -> Any:
    """x / y; of whole numbers as in C, without the fraction, by which they stay whole numbers."""
    if not jnp.issubdtype(getattr(x, "dtype", type(x)), jnp.integer) or not _is_whole(y):
        return x / y
    down = x // y
    return down + ((down < 0) & (down * y != x))


def _with_room(x: Any) -> Any:
    """Small whole numbers as C computes with them, as ints."""
    return x.astype(np.int32) if x.dtype.kind in "iu" and x.dtype.itemsize < 4 else x


def _is_whole(value: Any) -> bool:
    return jnp.issubdtype(value.dtype, jnp.integer) if hasattr(value, "dtype") else float(value).is_integer()


def _shifted(m: Any, x: Any, n: Any, by: int) -> Any:
    """x * 2^n or x / 2^n; of whole numbers the bits move."""
    if jnp.issubdtype(x.dtype, jnp.floating):
        return x * 2.0 ** (by * n)
    if by > 0:
        return m.left_shift(x, n)
    unsigned = np.dtype(f"u{x.dtype.itemsize}")  # as in C: zeros come in from the left, so that none stays negative
    return m.right_shift(x.view(unsigned), m.asarray(n, unsigned)).view(x.dtype)


def _rounded(m: Any, x: Any) -> Any:
    """To the nearest whole number; away from 0 where there are two, as C does."""
    whole = m.trunc(x)
    return whole + m.sign(x) * (m.abs(x - whole) >= 0.5)


def _renormed(m: Any, x: Any, p: float, dim: float, most: float) -> Any:
    if not 1 <= dim <= x.ndim:
        raise IndexError(f"torch.renorm: dimension {dim} out of range of a tensor of size {sizes_text(x.shape)}")
    others = tuple(axis for axis in range(x.ndim) if axis != dim - 1)
    norms = (m.abs(x) ** p).sum(others, keepdims=True) ** (1 / p)
    return x * m.where(norms > most, most / (norms + 1e-7), 1)


MAPS = {
    "abs": "|x|", "sqrt": "the square root of x", "exp": "exp(x)", "log": "log(x)", "log1p": "log(1 + x)",
    "tanh": "tanh(x)", "sin": "sin(x)", "cos": "cos(x)", "floor": "x rounded down", "ceil": "x rounded up",
    "sign": "-1, 0 or 1", "trunc": "x without its fraction", "tan": "tan(x)", "cosh": "cosh(x)",
    "sinh": "sinh(x)",
}  # fmt: skip
"""Functions of one number that NumPy has by the same name, with their formulas."""

_POINTWISE: dict[str, tuple[Forms, str]] = {
    **{name: ({"x": _named(name)}, formula) for name, formula in MAPS.items()},
    "sigmoid": ({"x": lambda m, x: 1 / (1 + m.exp(-x)) if m is np else jax.nn.sigmoid(x)}, "1 / (1 + exp(-x))"),
    "acos": ({"x": _named("arccos")}, "the angle in [0, pi] whose cosine is x"),
    "asin": ({"x": _named("arcsin")}, "the angle in [-pi/2, pi/2] whose sine is x"),
    "atan": ({"x": _named("arctan")}, "the angle in (-pi/2, pi/2) whose tangent is x"),
    "atan2": ({"xt": _named("arctan2")}, "the angle of the point (tensor, x)"),
    "rsqrt": ({"x": lambda m, x: 1 / m.sqrt(x)}, "1 / sqrt(x)"),
    "round": ({"x": _rounded}, "x rounded, halves away from 0"),
    "frac": ({"x": lambda m, x: x - m.trunc(x)}, "the fraction of x, of x's sign"),
    "neg": ({"x": lambda m, x: -x}, "-x"),
    "cinv": ({"x": lambda m, x: 1 / x}, "1 / x"),
    "add": ({"xn": lambda m, x, n: x + n, "xvt": lambda m, x, v, t: x + v * t}, "x + number, or x + number * tensor"),
    "csub": ({"xn": lambda m, x, n: x - n, "xvt": lambda m, x, v, t: x - v * t}, "x - number, or x - number * tensor"),
    "mul": ({"xn": lambda m, x, n: x * n}, "x * number"),
    "div": ({"xn": quotient}, "x / number, of whole numbers without its fraction"),
    **{name: ({"xn": _named("fmod")}, "the remainder of x / number, of x's sign") for name in ("fmod", "mod")},
    "remainder": ({"xn": _named("remainder")}, "the remainder of x / number, of the number's sign"),
    **{name: ({"xt": _named("fmod")}, "the remainder of x / tensor, of x's sign") for name in ("cfmod", "cmod")},
    "cremainder": ({"xt": _named("remainder")}, "the remainder of x / tensor, of the tensor's sign"),
    "lerp": ({"xtn": lambda m, x, t, n: x + n * (t - x)}, "x + number * (tensor - x)"),
    "pow": ({"xn": _named("power"), "nt": _named("power")}, "x ** number, or number ** x"),
    "clamp": ({"xnn": _named("clip")}, "x, no less than the first number and no more than the second"),
    "cmul": ({"xt": lambda m, x, t: x * t}, "x * tensor, element by element"),
    "cdiv": ({"xt": quotient}, "x / tensor, element by element"),
    "cpow": ({"xt": _named("power")}, "x ** tensor, element by element"),
    "cmax": ({"xn": _named("maximum"), "xt": _named("maximum")}, "the larger of x and a number or tensor"),
    "cmin": ({"xn": _named("minimum"), "xt": _named("minimum")}, "the smaller of x and a number or tensor"),
    **{
        f"{prefix}{name}": ({form: _bits(function)}, f"the bits of x {word} those of a {other}")
        for name, function, word in (
            ("bitand", "bitwise_and", "and"),
            ("bitor", "bitwise_or", "or"),
            ("bitxor", "bitwise_xor", "but for"),
        )
        for prefix, form, other in (("", "xn", "number"), ("c", "xt", "tensor"))
    },
    **{
        f"{prefix}{name}": ({form: partial(_shifted, by=by)}, f"x {word} 2 ** {other}")
        for name, by, word in (("lshift", 1, "*"), ("rshift", -1, "/"))
        for prefix, form, other in (("", "xn", "number"), ("c", "xt", "tensor"))
    },
    "renorm": ({"xnnn": _renormed}, "x, its slices of a p-norm above a number scaled to it; p, dimension, number"),
    "addcmul": ({"xvtt": lambda m, x, v, a, b: x + v * (a * b)}, "x + number * tensor * tensor"),
    "addcdiv": ({"xvtt": lambda m, x, v, a, b: x + quotient(m, v * _with_room(a), b)}, "x + number * tensor / tensor"),
}

OF_NUMBERS = {*MAPS, "sigmoid", "acos", "asin", "atan", "atan2", "rsqrt", "round", "frac", "lerp", "pow"} - {"sign"}
"""Those that are functions of numbers, too."""

_PRODUCTS = {
    "mm": ("ij,jk->ik", _named("matmul")),
    "mv": ("ij,j->i", _named("matmul")),
    "ger": ("i,j->ij", lambda m, a, b: a[:, None] * b),
    "bmm": ("bij,bjk->bik", _named("matmul")),
}

_ADDED = {
    "addmm": _PRODUCTS["mm"],
    "addmv": _PRODUCTS["mv"],
    "addr": _PRODUCTS["ger"],
    "baddbmm": _PRODUCTS["bmm"],
    "addbmm": ("bij,bjk->ik", lambda m, a, b: m.matmul(a, b).sum(0)),
}


def _added(product: Callable) -> Forms:
    return {
        "xvtt": lambda m, x, v, a, b: x + v * product(m, a, b),
        "nxvtt": lambda m, n, x, v, a, b: n * x + v * product(m, a, b),
    }


OPERATIONS = {
    operation.name: operation
    for operation in (
        *(Operation(name, forms, same_count, formula) for name, (forms, formula) in _POINTWISE.items()),
        *(
            Operation(name, {"tt": product}, conforming(signature), f"the product {signature} of two tensors")
            for name, (signature, product) in _PRODUCTS.items()
        ),
        *(
            Operation(name, _added(product), conforming(signature), f"number * x + number * the product {signature}")
            for name, (signature, product) in _ADDED.items()
        ),
    )
}
"""Torch's operations by name."""

METHODS_OF_PRODUCT = {(2, 1): "mv", (2, 2): "mm"}
"""What `*` of two tensors is, by their numbers of dimensions; of vectors it is the dot product."""
