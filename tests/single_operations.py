"""Small programs of operations whose results are fixed to the bit, computed by NumPy: XLA takes 10 ms to compile one.

Most of the programs that the suite asks for are single operations, of many shapes, which run once: what tests do to
their numbers, and what layers do where they are not compiled. Only what IEEE 754 or the operation itself leaves no
choice about is here (`test_single_operations.py` compares each with XLA): no quotients, as XLA multiplies by inverses.
All else is compiled, and what runs often.
"""

import operator
import weakref

import jax
import numpy as np
from jax._src import config, pjit
from jax._src.interpreters import pxla
from jax.extend.core import Var
from jax.sharding import SingleDeviceSharding

MOST_OPERATIONS, MOST_NUMBERS, MOST_RUNS = 40, 20_000, 20
COMPILED = "/jax/core/compile/backend_compile_duration"

call_compiled = pjit._pjit_call_impl_python
_plans = weakref.WeakKeyDictionary()


class CannotCompute(Exception):
    """These numbers are left to XLA."""


# What operations give ------------------------------------------------------------------------------------------------


def exact(function):
    """Rounded once; XLA takes numbers that are nearly 0 for 0, so they are left to it."""

    def compute(*args):
        result = function(*args)
        for each in (*args, result):
            if each.dtype.kind != "f":  # extensions of NumPy's, such as bfloat16, too
                if each.dtype.kind == "V":
                    raise CannotCompute
            elif ((each != 0) & (abs(each) < np.finfo(each.dtype).tiny)).any():
                raise CannotCompute
        return result

    return compute


def chosen(function):
    """The larger or smaller number: which zero, where both are zeros of different signs, is left to XLA."""

    def compute(x, y):
        if x.dtype.kind == "V":
            raise CannotCompute
        if x.dtype.kind == "f" and ((x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y))).any():
            raise CannotCompute
        return function(x, y)

    return compute


def plain(function):
    """An operation that is given arrays alone."""
    return lambda *args, **_: function(*args)


def broadcast_in_dim(x, *, shape, broadcast_dimensions, **_):
    places = [1] * len(shape)
    for size, place in zip(x.shape, broadcast_dimensions, strict=True):
        places[place] = size
    return np.broadcast_to(x.reshape(places), shape)


def converted(x, *, new_dtype, **_):
    """Conversions that cannot overflow, of and to types that round once."""
    if {x.dtype.name, new_dtype.name} == {"float32", "bfloat16"}:
        return x.astype(new_dtype)
    if not {x.dtype.kind, new_dtype.kind} <= set("biuf") or np.float16 in (x.dtype, new_dtype):
        raise CannotCompute
    if x.dtype.kind == "f" and new_dtype.kind in "iu":
        most = min(np.iinfo(new_dtype).max, 2**24)
        if not ((x < most) & (x > (-most if new_dtype.kind == "i" else -1))).all():
            raise CannotCompute
    if x.dtype == np.float64 and new_dtype == np.float32:
        return exact(lambda x: x.astype(new_dtype))(x)
    return x.astype(new_dtype)


def reshaped(x, *, new_sizes, dimensions, sharding):
    return (x if dimensions is None else x.transpose(dimensions)).reshape(new_sizes)


def places(x, starts, lengths):
    """Where a slice of these lengths is: starts that would lead out are moved."""
    starts = [min(max(int(start), 0), size - n) for start, size, n in zip(starts, x.shape, lengths, strict=True)]
    return tuple(slice(start, start + length) for start, length in zip(starts, lengths, strict=True))


def dynamic_slice(x, *starts, slice_sizes, **_):
    return x[places(x, starts, slice_sizes)]


def dynamic_update_slice(x, part, *starts):
    written = x.copy()
    written[places(x, starts, part.shape)] = part
    return written


def gathered(x, indices, *, dimension_numbers, slice_sizes, **_):
    """A slice for each row of the indices, all of which have to be within the array."""
    numbers = dimension_numbers
    if numbers.operand_batching_dims or indices.shape[-1] != len(numbers.start_index_map):
        raise CannotCompute
    rows, starts = indices.shape[:-1], np.zeros((indices[..., 0].size, x.ndim), int)
    starts[:, numbers.start_index_map] = indices.reshape(-1, indices.shape[-1])
    if not len(starts) or not ((starts >= 0) & (starts + slice_sizes <= x.shape)).all():
        raise CannotCompute
    found = np.stack([x[tuple(map(slice, start, start + slice_sizes))] for start in starts])
    found = found.squeeze(tuple(dimension + 1 for dimension in numbers.collapsed_slice_dims))
    found = found.reshape(rows + found.shape[1:])
    return np.moveaxis(found, range(len(rows), found.ndim), numbers.offset_dims)


def sliced(x, *, start_indices, limit_indices, strides):
    strides = strides or (1,) * x.ndim
    return x[tuple(map(slice, start_indices, limit_indices, strides))]


def select(which, *cases):
    if which.dtype != bool:
        raise CannotCompute
    return np.where(which, cases[1], cases[0])


def padded(x, value, *, padding_config):
    if any(low < 0 or high < 0 or inner for low, high, inner in padding_config):
        raise CannotCompute
    return np.pad(x, [each[:2] for each in padding_config], constant_values=value.item())


def power(x, *, y):
    if y != 2:
        raise CannotCompute
    return exact(np.square)(x)


def parts(x, *, sizes, axis):
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def counted(*, dtype, shape, dimension, **_):
    """Without rounding."""
    if dtype.kind not in "iuf" or shape[dimension] > 100:
        raise CannotCompute
    places = [1] * len(shape)
    places[dimension] = -1
    return np.broadcast_to(np.arange(shape[dimension], dtype=dtype).reshape(places), shape)


def remainder(x, y):
    if x.dtype.kind != "f":
        raise CannotCompute
    return np.fmod(x, y)


def total(x, *, axes, **_):
    """Of whole numbers, for which the order does not count."""
    if x.dtype.kind not in "iu":
        raise CannotCompute
    return x.sum(axis=tuple(axes), dtype=x.dtype)


def reduced(function):
    def compute(x, *, axes, **_):
        if not x.size:
            raise CannotCompute
        result = function(x, axis=tuple(axes))
        if result.dtype.kind in "fV" and (result == 0).any():  # of which sign
            raise CannotCompute
        return result

    return compute


COMPARED = {name: plain(getattr(operator, name)) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert}
OPERATIONS = {
    "add": plain(exact(np.add)),
    "add_any": plain(exact(np.add)),
    "sub": plain(exact(np.subtract)),
    "mul": plain(exact(np.multiply)),
    "rem": plain(exact(remainder)),
    "neg": plain(np.negative),
    "abs": plain(np.abs),
    "sqrt": plain(exact(np.sqrt)),
    "square": plain(exact(np.square)),
    "floor": plain(np.floor),
    "ceil": plain(np.ceil),
    "is_finite": plain(np.isfinite),
    "max": plain(chosen(np.maximum)),
    "min": plain(chosen(np.minimum)),
    "integer_pow": power,
    "select_n": plain(select),
    "copy": plain(np.copy),
    "broadcast_in_dim": broadcast_in_dim,
    "convert_element_type": converted,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "gather": gathered,
    "slice": sliced,
    "reshape": reshaped,
    "squeeze": lambda x, *, dimensions: np.squeeze(x, tuple(dimensions)),
    "transpose": lambda x, *, permutation: x.transpose(permutation),
    "rev": lambda x, *, dimensions: np.flip(x, tuple(dimensions)),
    "pad": padded,
    "iota": counted,
    "split": parts,
    "concatenate": lambda *xs, dimension: np.concatenate(xs, dimension),
    "stack": lambda *xs, axis: np.stack(xs, axis),
    "unstack": lambda x, *, axis: list(np.moveaxis(x, axis, 0)),
    "stop_gradient": plain(np.asarray),
    "reduce_sum": total,
    "reduce_max": reduced(np.max),
    "reduce_min": reduced(np.min),
    "reduce_and": reduced(np.all),
    "reduce_or": reduced(np.any),
    "argmax": lambda x, *, axes, index_dtype: np.argmax(x, *axes).astype(index_dtype),
    "argmin": lambda x, *, axes, index_dtype: np.argmin(x, *axes).astype(index_dtype),
    **COMPARED,
    **{name: plain(function) for name, function in BITS.items()},
}
ROUNDING = {"add", "add_any", "sub", "mul", "rem", "sqrt", "square", "integer_pow", "convert_element_type"}
"""Of which a program may have one with floating-point results: XLA joins several, and rounds once."""
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "remat2": "jaxpr", "custom_jvp_call": "call_jaxpr"}
"""The parameter that has the program."""


# Programs ------------------------------------------------------------------------------------------------------------


def inside(equation):
    """The program of a call, and its constants."""
    program = equation.params[CALLS[equation.primitive.name]]
    return getattr(program, "jaxpr", program), getattr(program, "consts", ())


def rounds(equation):
    """Conversions do between two floating-point types, in whichever direction: XLA leaves some pairs out."""
    kinds = {atom.aval.dtype for atom in (*equation.invars, *equation.outvars)}
    floating = [jax.numpy.issubdtype(kind, np.inexact) for kind in kinds]
    return equation.primitive.name in ROUNDING and sum(floating) > (equation.primitive.name == "convert_element_type")


def operations_of(jaxpr):
    """The number of a program's operations, infinity where one is not among those above, or several round."""
    if jaxpr.effects:
        return float("inf")
    count, joined = 0, MOST_OPERATIONS // 2 + 1
    for equation in jaxpr.eqns:
        if equation.primitive.name in CALLS:
            count += operations_of(inside(equation)[0])
        elif equation.primitive.name not in OPERATIONS:
            return float("inf")
        count += joined if rounds(equation) else 1
    values = [each.aval for each in (*jaxpr.invars, *jaxpr.outvars, *(v for e in jaxpr.eqns for v in e.outvars))]
    return count if all(map(is_plain, values)) else float("inf")


def is_plain(value):
    """Whether it is an array of numbers, and no large one."""
    dtype = getattr(value, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype != jax.dtypes.float0 and value.size <= MOST_NUMBERS


def run(jaxpr, consts, args):
    values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*map(np.asarray, consts), *args), strict=True))

    def value(atom):
        return values[atom] if isinstance(atom, Var) else np.asarray(atom.val, atom.aval.dtype)

    for equation in jaxpr.eqns:
        given = [value(atom) for atom in equation.invars]
        if equation.primitive.name in CALLS:
            results = run(*inside(equation), given)
        else:
            results = OPERATIONS[equation.primitive.name](*given, **equation.params)
            results = list(map(np.asarray, results if equation.primitive.multiple_results else [results]))
        values.update(zip(equation.outvars, results, strict=True))
    return [value(atom) for atom in jaxpr.outvars]


def host(arg, aval):
    """An argument's numbers, without that the array keeps them."""
    if isinstance(arg, jax.Array):
        if arg._npy_value is not None:
            return arg._npy_value
        return arg._single_device_array_to_np_array_did_copy()[0]
    return np.asarray(arg, aval.dtype)


class Plan:
    """How one program is computed: how often it was, and whether it can be."""

    def __init__(self, jaxpr):
        self.runs = 0 if operations_of(jaxpr.jaxpr) <= MOST_OPERATIONS else MOST_RUNS


def on_the_host(args, params):
    """Whether all is where NumPy finds it, and goes where JAX puts it by itself."""
    if any(params["donated_invars"]) or params["compiler_options_kvs"] or not params["ctx_mesh"].empty:
        return False
    device = jax.local_devices()[0]
    if config.default_device.value not in (None, device) or config.debug_nans.value or config.debug_infs.value:
        return False
    unspecified = (*params["in_shardings"], *params["out_shardings"])
    if not all(isinstance(each, pjit.UnspecifiedValue) for each in unspecified):
        return False
    arrays = [arg for arg in args if isinstance(arg, jax.Array)]
    lie_there = all(isinstance(arg.sharding, SingleDeviceSharding) and arg.devices() == {device} for arg in arrays)
    return device.platform == "cpu" and lie_there and not any(arg.is_deleted() for arg in arrays)


def placed(result, aval, committed):
    """A copy as an array of JAX's, of 64 bits whether or not JAX makes such by itself."""
    device, copied = jax.local_devices()[0], np.array(result, order="C")
    return pxla.batched_device_put(aval, SingleDeviceSharding(device), [copied], [device], committed, enable_x64=True)


def call(*args, jaxpr, **params):
    """What `_pjit_call_impl_python` gives."""
    plan = _plans.get(jaxpr)
    if plan is None:
        plan = _plans[jaxpr] = Plan(jaxpr)
    if plan.runs >= MOST_RUNS or not on_the_host(args, params):
        return call_compiled(*args, jaxpr=jaxpr, **params)
    try:
        with np.errstate(all="ignore"):
            results = run(jaxpr.jaxpr, jaxpr.consts, list(map(host, args, jaxpr.in_avals)))
        if [(each.dtype, each.shape) for each in results] != [(each.dtype, each.shape) for each in jaxpr.out_avals]:
            raise CannotCompute  # the type of the results may be said, too
    except CannotCompute:
        plan.runs = MOST_RUNS
        return call_compiled(*args, jaxpr=jaxpr, **params)
    if not plan.runs:  # so that those who count programs do not miss it
        jax.monitoring.record_event_duration_secs(COMPILED, 0.0)
    plan.runs += 1
    committed = any(isinstance(arg, jax.Array) and arg._committed for arg in args)
    outputs = [placed(result, aval, committed) for result, aval in zip(results, jaxpr.out_avals, strict=True)]
    return outputs, None, None, []


def compute_by_numpy() -> None:
    """For the rest of this process."""
    pjit._pjit_call_impl_python = call


def compute_by_xla(monkeypatch) -> None:
    """For one test."""
    monkeypatch.setattr(pjit, "_pjit_call_impl_python", call_compiled)
