"""Torch's operations that fill a tensor: one table, of which methods, functions and operators are made.

The table gives each operation its forms, as in `rows.py`: a letter for each argument, and the formula. A number that
is left out is 1. One form makes `y.f(...)` (in place, y is x), `y.f(x, ...)` (into y), `torch.f(x, ...)` (a new tensor)
and `torch.f(y, x, ...)` (into y).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import jax.numpy as jnp
import numpy as np

from ...core import is_concrete
from ...core.types import Value
from .arguments import fractions_only, is_number, of_one_type, plain_arrays, sized, sizes_text
from .casting import as_type
from .computing import computed, conforming, named, same_count, wide
from .kinds import Elements
from .plans import Plan, planned, types_of
from .quiet import quietly
from .rows import Calls, Form, Formed, have_dimensions

Formulas = dict[str, Callable]
"""Formulas (of NumPy or jax.numpy, and the arguments) by form."""


@dataclass(frozen=True)
class Operation(Formed):
    """An operation that fills a tensor; sizes are as in an einsum's signature, or of as many elements."""

    signature: str = ""
    after: ClassVar[str] = "after a result if one is given"

    @classmethod
    def of(cls, name: str, formulas: Formulas, words: str, signature: str = "") -> Self:
        """The operation with these forms and their formulas."""
        of_fractions = name in OF_FRACTIONS
        forms = (Form(form, f, (), not signature, of_fractions, left_out=1) for form, f in formulas.items())
        return cls(name, tuple(forms), words, signature)

    @cached_property
    def method_calls(self) -> Calls:
        """What is known of calls of its method."""
        return {}

    def planned(self, form: Form, places: tuple[int | None, ...]) -> Plan:
        check = partial(conforming, self.name, self.signature) if self.signature else None
        return planned(form.compute, places, form.left_out, form.letters, form.by_element, True, check)

    def result(self, args: tuple, tensor: object = None, named: Mapping[str, Value] | None = None) -> Elements | None:
        """The result as an array, of a function or a method of the tensor; None for arguments of no form.

        Most calls are of NumPy's arrays of one type, and numbers. Of a method the tensor itself is `x`, or, if nothing
        is left out, the result. Raises TypeError as `computed`, and for arguments by name.
        """
        if named:
            raise self.wrong(args, named)
        calls = self.calls if tensor is None else self.method_calls
        known = calls.get(types_of(args))
        matched = None
        if known is not None:
            found = known.plan(args, tensor)
            if found is not None:
                return found
            matched = known[2:] if have_dimensions(args) else None
        if matched is None and tensor is not None:
            matched = self.matched(calls, args, without_x=True)
        matched = matched or self.matched(calls, args)
        return None if matched is None else self.computed(matched[0], matched[0].arguments(matched[1], args, tensor))

    def of_numbers(self, args: tuple) -> float | None:
        """The result for numbers alone, of the functions that Torch has for these; None otherwise."""
        if self.name not in OF_NUMBERS or not all(map(is_number, args)):
            return None
        formula = next((form.compute for form in self.forms if len(form.letters) == len(args)), None)
        return None if formula is None else quietly(formula, np, *map(float, args))

    def _fitting(self, arrays: list) -> list:
        if not self.signature:
            return same_count(self.name, arrays)
        conforming(self.name, self.signature, tuple([each.shape for each in arrays if getattr(each, "shape", ())]))
        return arrays

    def computed(self, form: Form, args: list) -> Elements:
        """The result as an array. Raises TypeError for tensors of different types, or of whole numbers if need be."""
        if form.of_fractions:
            fractions_only(self.name, args)
        arrays = plain_arrays(args, not self.signature)
        if arrays is None:
            of_one_type(self.name, args)
            found: Any = computed(form.compute, args, self._fitting)
        else:
            if self.signature:
                arrays = self._fitting(arrays)
            found = quietly(form.compute, np, *arrays)
            if type(arrays[0]) is np.ndarray and found.dtype is arrays[0].dtype:
                return found
        dtype = next((each.dtype for each in args if hasattr(each, "storage_")), found.dtype)
        return found if dtype.kind == "f" else as_type(found, dtype)  # NumPy widens sums, and much of bfloat16


class Addition(Operation):
    """An operation that adds to x what it makes of two tensors; into a result, which has the elements of x at first."""

    def result(self, args: tuple, tensor: object = None, named: Mapping[str, Value] | None = None) -> Elements | None:
        """The same; a given tensor that is the result counts with the elements of x, as C copies these there first."""
        if (
            tensor is not None
            and any(each is tensor for each in args[1:])
            and sum(not is_number(each) for each in args) == 3
        ):
            args = tuple(args[0] if each is tensor else each for each in args)
        return super().result(args, tensor, named)


# The table ------------------------------------------------------------------------------------------------------------


def _bits(name: str, function: str) -> Callable:
    def bits(m: Any, x: Any, y: Any) -> Any:
        if not jnp.issubdtype(x.dtype, jnp.integer):
            raise TypeError(f"torch.{name}: expected a tensor of whole numbers, got {x.dtype}")
        return getattr(m, function)(x, y)

    return bits


def quotient(_: object, x: Elements, y: Elements) -> Elements:
    """x / y; for whole numbers the fraction is dropped, as in C."""
    if not (_is_whole(x) and _is_whole(y)):
        return x / y
    down = x // y
    return down + ((down < 0) & (down * y != x)).astype(down.dtype)


def _with_room(x: Any) -> Any:
    """Small whole numbers as ints, since C computes with them as such."""
    return x.astype(np.int32) if x.dtype.kind in "iu" and x.dtype.itemsize < 4 else x


def _is_whole(value: Any) -> bool:
    return value.dtype.kind in "iu" if hasattr(value, "dtype") else type(value) is int


def _remainder(m: Any, x: Any, y: Any) -> Any:
    """The remainder, with y's sign; for fractions, what the rounded quotient leaves, as in C."""
    return m.remainder(x, y) if _is_whole(x) and _is_whole(y) else x - y * m.floor(x / y)


def _power(m: Any, x: Any, y: Any) -> Any:
    """x ** y; for whole numbers the fraction is dropped, which is all that a negative y leaves (NumPy: an error)."""
    if not (_is_whole(x) and _is_whole(y)):
        return m.power(x, y)
    return m.power(x, abs(y)) * ((y >= 0) | (abs(x) == 1))


def _clamped(m: Any, x: Any, low: Any, high: Any) -> Any:
    """x within the numbers; where the first is the larger, it counts only for what is below it, as in Torch."""
    if is_concrete(low) and is_concrete(high) and low <= high:
        return m.clip(x, low, high)  # thirty times as fast as choosing by a condition
    return m.where(x < low, low, m.minimum(x, high))


def _larger(m: Any, x: Any, y: Any) -> Any:
    """x where it is larger, else y, also where one is NaN. A tenth of the time of choosing by a condition."""
    return m.maximum(m.fmax(x, y), y)


def _smaller(m: Any, x: Any, y: Any) -> Any:
    return m.minimum(m.fmin(x, y), y)


def _shifted(m: Any, x: Any, n: Any, by: int) -> Any:
    """x * 2^n or x / 2^n; for whole numbers the bits are shifted."""
    if jnp.issubdtype(x.dtype, jnp.floating):
        return x * 2.0 ** (by * n)
    if by > 0:
        return m.left_shift(x, n)
    unsigned = np.dtype(f"u{x.dtype.itemsize}")  # as in C: zeros come in from the left, so that none stays negative
    return m.right_shift(x.view(unsigned), m.asarray(n, unsigned)).view(x.dtype)


def _rounded(m: Any, x: Any) -> Any:
    """To the nearest whole number; of two equally near, the one further from 0, as in C."""
    whole = m.trunc(x)
    return whole + m.where(m.abs(x - whole) >= 0.5, m.sign(x), m.zeros_like(x))


def _sigmoid(m: Any, x: Any) -> Any:
    # By the logarithm its derivative is finite everywhere, which NumPy's arrays do not need.
    return 1 / (1 + m.exp(-x)) if m is np else m.exp(-m.logaddexp(-x, 0.0))


def _renormed(m: Any, x: Any, p: float, dim: float, most: float) -> Any:
    if not 1 <= dim < x.ndim + 1:  # 1.5 is 1
        raise IndexError(f"torch.renorm: dimension {dim} out of range of a tensor of size {sizes_text(x.shape)}")
    sized("renorm", "two dimensions or more", x, x.ndim > 1)
    if p <= 0:
        raise ValueError(f"torch.renorm: expected a norm's p above 0, got {p}")
    others = tuple(axis for axis in range(x.ndim) if axis != int(dim) - 1)
    norms = (m.abs(wide(m, x)) ** p).sum(others, keepdims=True) ** (1 / p)
    return x * m.where(norms > most, most / (norms + 1e-7), 1).astype(x.dtype)


MAPS = {
    "abs": "|x|", "sqrt": "the square root of x", "exp": "exp(x)", "log": "log(x)", "log1p": "log(1 + x)",
    "tanh": "tanh(x)", "sin": "sin(x)", "cos": "cos(x)", "floor": "x rounded down", "ceil": "x rounded up",
    "trunc": "x without its fraction", "tan": "tan(x)", "cosh": "cosh(x)",
    "sinh": "sinh(x)",
}  # fmt: skip
"""Functions of one number that NumPy has by the same name, with their formulas."""

_POINTWISE: dict[str, tuple[Formulas, str]] = {
    **{name: ({"x": named(name)}, formula) for name, formula in MAPS.items()},
    "sigmoid": ({"x": _sigmoid}, "1 / (1 + exp(-x))"),
    "acos": ({"x": named("arccos")}, "the angle in [0, pi] whose cosine is x"),
    "asin": ({"x": named("arcsin")}, "the angle in [-pi/2, pi/2] whose sine is x"),
    "atan": ({"x": named("arctan")}, "the angle in (-pi/2, pi/2) whose tangent is x"),
    "atan2": ({"xt": named("arctan2")}, "the angle of the point (tensor, x)"),
    "sign": ({"x": lambda m, x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)}, "-1, 0 or 1"),
    "rsqrt": ({"x": lambda m, x: 1 / m.sqrt(x)}, "1 / sqrt(x)"),
    "round": ({"x": _rounded}, "x rounded, halves away from 0"),
    "frac": ({"x": lambda m, x: x - m.trunc(x)}, "the fraction of x, of x's sign"),
    "neg": ({"x": lambda m, x: -x}, "-x"),
    "cinv": ({"x": lambda m, x: 1 / x}, "1 / x"),
    "add": (
        {"xn": lambda m, x, n: x + n, "xt": lambda m, x, t: x + t, "xnt": lambda m, x, n, t: x + n * t},
        "x + number, or x + number * tensor",
    ),
    "csub": (
        {"xn": lambda m, x, n: x - n, "xt": lambda m, x, t: x - t, "xnt": lambda m, x, n, t: x - n * t},
        "x - number, or x - number * tensor",
    ),
    "mul": ({"xn": lambda m, x, n: x * n}, "x * number"),
    "div": ({"xn": quotient}, "x / number, of whole numbers without its fraction"),
    **{name: ({"xn": named("fmod")}, "the remainder of x / number, of x's sign") for name in ("fmod", "mod")},
    "remainder": ({"xn": _remainder}, "the remainder of x / number, of the number's sign"),
    **{name: ({"xt": named("fmod")}, "the remainder of x / tensor, of x's sign") for name in ("cfmod", "cmod")},
    "cremainder": ({"xt": _remainder}, "the remainder of x / tensor, of the tensor's sign"),
    "lerp": ({"xtn": lambda m, x, t, n: x + n * (t - x)}, "x + number * (tensor - x)"),
    "pow": ({"xn": _power, "nt": _power}, "x ** number, or number ** x"),
    "clamp": (
        {"xnn": _clamped},
        "x, no less than the first number and no more than the second",
    ),
    "cmul": ({"xt": lambda m, x, t: x * t}, "x * tensor, element by element"),
    "cdiv": ({"xt": quotient}, "x / tensor, element by element"),
    "cpow": ({"xt": _power}, "x ** tensor, element by element"),
    "cmax": ({"xn": _larger, "xt": _larger}, "the larger of x and a number or tensor, the latter where x is NaN"),
    "cmin": ({"xn": _smaller, "xt": _smaller}, "the smaller of x and a number or tensor, the latter where x is NaN"),
    **{
        f"{prefix}{name}": ({form: _bits(f"{prefix}{name}", function)}, f"the bits of x {word} those of a {other}")
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
}

_ADDITIONS = {
    "addcmul": (lambda m, x, v, a, b: x + v * (a * b), "x + number * tensor * tensor"),
    "addcdiv": (lambda m, x, v, a, b: x + quotient(m, v * _with_room(a), b), "x + number * tensor / tensor"),
}

OF_NUMBERS = {*MAPS, "sigmoid", "acos", "asin", "atan", "atan2", "rsqrt", "round", "frac", "lerp", "pow"}
"""Those that are functions of numbers, too."""

OF_FRACTIONS = {
    "sqrt", "exp", "log", "log1p", "tanh", "sin", "cos", "tan", "cosh", "sinh", "sigmoid", "acos", "asin", "atan",
    "atan2", "rsqrt", "cinv", "lerp", "renorm",
}  # fmt: skip
"""Those that whole numbers have no results of."""

_PRODUCTS = {
    "mm": ("ij,jk->ik", named("dot")),
    "mv": ("ij,j->i", named("dot")),
    "ger": ("i,j->ij", lambda m, a, b: a[:, None] * b[None]),
    "bmm": ("bij,bjk->bik", named("matmul")),
}

_ADDED = {
    "addmm": _PRODUCTS["mm"],
    "addmv": _PRODUCTS["mv"],
    "addr": _PRODUCTS["ger"],
    "baddbmm": _PRODUCTS["bmm"],
    "addbmm": ("bij,bjk->ik", lambda m, a, b: m.tensordot(a, b, ((0, 2), (0, 1)))),
}


def _added(product: Callable) -> Formulas:
    return {
        "xNtt": lambda m, x, v, a, b: x + v * product(m, a, b),
        "nxNtt": lambda m, n, x, v, a, b: n * x + v * product(m, a, b),
    }


OPERATIONS = {
    operation.name: operation
    for operation in (
        *(Operation.of(name, formulas, words) for name, (formulas, words) in _POINTWISE.items()),
        *(Addition.of(name, {"xNtt": formula}, words) for name, (formula, words) in _ADDITIONS.items()),
        *(
            Operation.of(name, {"tt": product}, f"the product {signature} of two tensors", signature)
            for name, (signature, product) in _PRODUCTS.items()
        ),
        *(
            Operation.of(name, _added(product), f"number * x + number * the product {signature}", signature)
            for name, (signature, product) in _ADDED.items()
        ),
    )
}
"""Torch's operations by name."""

METHODS_OF_PRODUCT = {(2, 1): "mv", (2, 2): "mm"}
"""What `*` of two tensors is, by their numbers of dimensions; of vectors it is the dot product."""
