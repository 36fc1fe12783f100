"""`nn.utils`: the same operation on a tensor, or on all tensors of nested tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .described import Described, cast_tensor
from .tensor import Tensor


def recursiveType(param: Any, type: str, tensorCache: dict | None = None) -> Any:
    """Casts a tensor, module, criterion, or a table of them; what shared a storage before still does.

    Modules and tables are changed in place, tensors are returned.
    """
    cache = {} if tensorCache is None else tensorCache
    if isinstance(param, Described):
        return param.type(type, cache)  # type: ignore[attr-defined]
    if isinstance(param, Tensor):
        if param.type() == type:
            return param
        return cast_tensor(Tensor.viewing(param.storage_, param.offset, param.shape, param.strides_), type, cache)
    for key in _keys(param):
        param[key] = recursiveType(param[key], type, cache)
    return param


def _keys(table: Any) -> list:
    return list(table) if isinstance(table, dict) else list(range(len(table))) if isinstance(table, list) else []


def _wrong(t1: Any, t2: Any) -> TypeError:
    return TypeError(f"expecting nested tensors or tables. Got {type(t1).__name__} and {type(t2).__name__} instead")


def recursiveResizeAs(t1: Any, t2: Any) -> tuple[Any, Any]:
    """(t1, t2), t1 with t2's structure and sizes; tensors are made where there are none."""
    if isinstance(t2, (list, dict)):
        old = t1 if isinstance(t1, type(t2)) else type(t2)()
        known = _keys(old)
        made = {key: recursiveResizeAs(old[key] if key in known else None, t2[key])[0] for key in _keys(t2)}
        old.clear()
        old.update(made) if isinstance(old, dict) else old.extend(made.values())
        return old, t2
    if isinstance(t2, Tensor):
        t1 = t1 if isinstance(t1, Tensor) else Tensor().type(t2.type())
        return t1.resize(*t2.shape), t2
    raise _wrong(t1, t2)


def recursiveFill(t1: Any, val: float) -> Any:
    """Fills every tensor with a value."""
    if isinstance(t1, Tensor):
        return t1.fill(val)
    if not isinstance(t1, (list, dict)):
        raise TypeError(f"expecting tensor or table thereof. Got {type(t1).__name__} instead")
    for key in _keys(t1):
        recursiveFill(t1[key], val)
    return t1


def recursiveAdd(t1: Any, *more: Any) -> tuple[Any, Any]:
    """recursiveAdd(t1, t2) or recursiveAdd(t1, val, t2): t1 += val * t2; returns (t1, t2)."""
    if not more:
        raise TypeError("expecting at least two arguments")
    val, t2 = (1, more[0]) if len(more) == 1 else more
    if isinstance(t1, Tensor) and isinstance(t2, Tensor):
        t1.add(val, t2)
    elif isinstance(t1, (list, dict)) and isinstance(t2, (list, dict)):
        for key in _keys(t1):
            recursiveAdd(t1[key], val, t2[key])
    else:
        raise _wrong(t1, t2)
    return t1, t2


def recursiveCopy(t1: Any, t2: Any) -> tuple[Any, Any]:
    """(t1, t2), t1 with copies of t2's values; resized and made where needed."""
    t1, _ = recursiveResizeAs(t1, t2)
    if isinstance(t2, Tensor):
        return t1.copy(t2), t2
    for key in _keys(t2):
        recursiveCopy(t1[key], t2[key])
    return t1, t2


def addSingletonDimension(*args: Any) -> Tensor:
    """addSingletonDimension([view,] t, dim=1): a view of t with a dimension of size 1 at `dim`."""
    tensors = [arg for arg in args if isinstance(arg, Tensor)]
    if not tensors:
        raise TypeError("input tensor expected")
    rest = args[len(tensors) :]
    t, dim = tensors[-1], (rest[0] if rest else 1)
    if not 1 <= dim <= t.dim() + 1:
        raise ValueError(f"invalid dimension: {dim}. Tensor is of {t.dim()} dimensions.")
    shape = (*t.shape[: dim - 1], 1, *t.shape[dim - 1 :])
    stride = (*t.strides_[: dim - 1], 1, *t.strides_[dim - 1 :])
    made = Tensor.viewing(t.storage_, t.offset, shape, stride)
    return tensors[0].set(made) if len(tensors) > 1 else made


def contiguousView(output: Tensor, input: Tensor, *sizes: Any) -> Tensor:
    """`output` as the input's elements with other sizes; copied if the input is not contiguous."""
    return output.set(input.contiguous().view(*sizes))


def clear(module: Any, *fields: Any) -> Any:
    """Empties the named fields: tensors in place, tables anew, anything else becomes None. Returns the module."""
    names = fields[0] if len(fields) == 1 and isinstance(fields[0], (list, tuple)) else fields
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, Tensor):
            value.set()
        elif isinstance(value, (list, dict)):
            setattr(module, name, type(value)())
        elif value is not None and not isinstance(value, np.ndarray):
            setattr(module, name, None)
    return module
