"""How much a function computes, reads and writes, counted operation by operation in its program."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import jax

from ..core.backend import tracing_for
from ..core.types import Input, Value

FREE = {
    "bitcast_convert_type", "broadcast_in_dim", "concatenate", "convert_element_type", "copy", "dynamic_slice",
    "dynamic_update_slice", "expand_dims", "gather", "iota", "optimization_barrier", "pad", "reshape", "rev",
    "select_n", "slice", "squeeze", "stop_gradient", "transpose",
}  # fmt: skip
"""Operations that only move numbers."""


def flops(function: Callable, *args: Value) -> int:
    """The FLOPs of function(*args), counted as in `summary`, without computing it; also for training steps.

    Those of forms for one backend alone, such as planes of zeros that are faster on CPUs, are not among them.
    """
    with tracing_for(()):
        return _counted(jax.make_jaxpr(function)(*args).jaxpr, _flops)


def accessed(function: Callable, *args: Input) -> int:
    """The bytes that the operations of function(*args) read and write, as if each ran alone."""
    return _counted(jax.make_jaxpr(function)(*args).jaxpr, _bytes)


def _counted(jaxpr: Any, count: Callable[[Any], int]) -> int:
    return sum(_of_equation(equation, count) for equation in jaxpr.eqns)


def _of_equation(equation: Any, count: Callable[[Any], int]) -> int:
    """An operation's count, or that of its inner programs times the number of their runs."""
    name, params = equation.primitive.name, equation.params
    if name == "scan":
        return params["length"] * _counted(params["jaxpr"].jaxpr, count)
    inner = [_counted(getattr(each, "jaxpr", each), count) for each in _programs(params)]
    if inner:
        return max(inner) if name == "cond" else sum(inner)
    return count(equation)


def _bytes(equation: Any) -> int:
    return sum(each.aval.size * each.aval.dtype.itemsize for each in (*equation.invars, *equation.outvars))


def _flops(equation: Any) -> int:
    name, params = equation.primitive.name, equation.params
    sizes = [math.prod(each.aval.shape) for each in equation.outvars]
    if name == "dot_general":
        contracted = params["dimension_numbers"][0][0]
        return 2 * sizes[0] * math.prod(equation.invars[0].aval.shape[axis] for axis in contracted)
    if name == "conv_general_dilated":
        kernel = equation.invars[1].aval.shape
        return 2 * sizes[0] * math.prod(kernel) // kernel[params["dimension_numbers"].rhs_spec[0]]
    if name in FREE:
        return 0
    reduced = [math.prod(each.aval.shape) for each in equation.invars] if name.startswith("reduce") else []
    return max([*sizes, *reduced], default=0)  # jax.debug.print and the like have no outputs


def _programs(params: dict[str, Any]) -> Iterator[Any]:
    """The programs among an operation's parameters."""
    for value in params.values():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if hasattr(each, "eqns") or hasattr(each, "jaxpr"):
                yield each
