"""How much arithmetic a function is: its program, counted operation by operation."""

import math
from collections.abc import Iterator
from typing import Any

import jax

FREE = {
    "bitcast_convert_type", "broadcast_in_dim", "concatenate", "convert_element_type", "copy", "dynamic_slice",
    "dynamic_update_slice", "expand_dims", "gather", "iota", "optimization_barrier", "pad", "reshape", "rev",
    "select_n", "slice", "squeeze", "stop_gradient", "transpose",
}  # fmt: skip
"""Operations that move numbers without computing any."""


def flops(function: Any, *args: Any) -> int:
    """The FLOPs of function(*args), counted as `summary` does; nothing is computed. For training steps, too."""
    return _counted(jax.make_jaxpr(function)(*args).jaxpr)


def _counted(jaxpr: Any) -> int:
    return sum(map(_of_equation, jaxpr.eqns))


def _of_equation(equation: Any) -> int:
    name, params = equation.primitive.name, equation.params
    sizes = [math.prod(each.aval.shape) for each in equation.outvars]
    if name == "dot_general":
        contracted = params["dimension_numbers"][0][0]
        return 2 * sizes[0] * math.prod(equation.invars[0].aval.shape[axis] for axis in contracted)
    if name == "conv_general_dilated":
        kernel = equation.invars[1].aval.shape
        return 2 * sizes[0] * math.prod(kernel) // kernel[params["dimension_numbers"].rhs_spec[0]]
    if name == "scan":
        return params["length"] * _counted(params["jaxpr"].jaxpr)
    inner = [_counted(getattr(each, "jaxpr", each)) for each in _programs(params)]
    if inner:
        return max(inner) if name == "cond" else sum(inner)
    if name in FREE:
        return 0
    return max([*sizes, *(math.prod(each.aval.shape) for each in equation.invars if name.startswith("reduce"))])


def _programs(params: dict[str, Any]) -> Iterator[Any]:
    """The programs among an operation's parameters."""
    for value in params.values():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if hasattr(each, "eqns") or hasattr(each, "jaxpr"):
                yield each
