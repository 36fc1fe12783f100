"""`nn.utils` and `nn.rnn`: the same operation on a tensor, or on all tensors of nested tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np

from ...interop.pytorch_elsewhere import instead
from ...losses.tables import map_leaves
from ..tensors.kinds import Numbers, Sizes
from ..tensors.tensor import Tensor
from .casting import cast_tensor
from .described import Described

Nested: TypeAlias = "Tensor | Sequence[Nested] | Mapping[str, Nested] | Mapping[int, Nested]"
"""A tensor, or a table of tensors, at any depth."""

Tensors = TypeVar("Tensors", bound=Nested)
Held = TypeVar("Held")  # modules, or tables of them and of tensors


def __getattr__(name: str) -> Any:
    raise AttributeError(f"nn.utils has no {name!r}{instead(f'utils.{name}')}")


def recursiveType(param: Held, type: str, tensorCache: dict | None = None) -> Held:
    """Casts a tensor, module, criterion, or a table of them; what shared a storage before still does.

    Modules and tables are changed in place, tensors are returned.
    """
    cache = {} if tensorCache is None else tensorCache
    if isinstance(param, Described):
        return param.type(type, cache)  # type: ignore[attr-defined]
    if isinstance(param, Tensor):
        if param.type() == type:
            return param
        return cast_tensor(param, type, cache)
    table: Any = param
    for key in _keys(table):
        table[key] = recursiveType(table[key], type, cache)
    return param


def _keys(table: Any) -> list:
    """The keys of a table, those where there is something: states of networks have None for modules without one."""
    if isinstance(table, dict):
        return [key for key, value in table.items() if value is not None]
    return [key for key, value in enumerate(table) if value is not None] if isinstance(table, list) else []


def table_type(table: list | dict) -> type:
    """Whether a table is a list or a dict, of whatever class below these it is."""
    return dict if isinstance(table, dict) else list


def _wrong(t1: Any, t2: Any) -> TypeError:
    return TypeError(f"expecting nested tensors or tables. Got {type(t1).__name__} and {type(t2).__name__} instead")


def recursiveResizeAs(t1: object, t2: Tensors) -> tuple[Tensors, Tensors]:
    """(t1, t2), t1 with t2's structure and sizes; missing tensors are made.

    Raises: TypeError unless t2 is a tensor or a table of tensors.
    """
    return _matched(t1, t2, lambda mine, theirs: mine.resize(*theirs.shape)), t2


def _matched(t1: Any, t2: Any, change: Callable[[Tensor, Tensor], Tensor]) -> Any:
    """t1 with t2's structure; each tensor in it, or a new one, is changed by the corresponding one of t2."""
    if isinstance(t2, Tensor):
        return change(t1 if isinstance(t1, Tensor) else _new(t2), t2)
    if not isinstance(t2, (list, dict)):
        raise _wrong(t1, t2)
    old = t1 if isinstance(t1, table_type(t2)) else table_type(t2)()
    known = _keys(old)
    made = {key: _matched(old[key] if key in known else None, t2[key], change) for key in _keys(t2)}
    old.clear()
    old.update(made) if isinstance(old, dict) else old.extend(made.get(key) for key in range(len(t2)))
    return old


def recursiveFill(t1: Tensors, val: float) -> Tensors:
    """Fills every tensor with a value."""
    for tensor in _tensors(t1):
        tensor.fill(val)
    return t1


@overload
def recursiveAdd(t1: Tensors, t2: Nested, /) -> tuple[Tensors, Nested]: ...


@overload
def recursiveAdd(t1: Tensors, val: float, t2: Nested, /) -> tuple[Tensors, Nested]: ...


def recursiveAdd(t1: Nested, *more: Any) -> tuple:
    """recursiveAdd(t1, t2) or recursiveAdd(t1, val, t2): t1 += val * t2; returns (t1, t2).

    Raises: TypeError for other than two nested tensors of one structure.
    """
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


def recursiveCopy(t1: object, t2: Tensors) -> tuple[Tensors, Tensors]:
    """(t1, t2), t1 with copies of t2's values; resized and made where needed."""
    return _matched(t1, t2, lambda mine, theirs: mine.resize(*theirs.shape).copy(theirs)), t2


def recursiveSet(t1: object, t2: Tensors) -> tuple[Tensors, Tensors]:
    """(t1, t2), t1 with t2's structure, and with tensors that share t2's elements; missing ones are made."""
    return _matched(t1, t2, lambda mine, theirs: mine.set(theirs)), t2


def recursiveTensorEq(t1: Nested, t2: Nested) -> bool:
    """Whether both have one structure and the same sizes, and no element differs by 0.00001 or more.

    Raises: TypeError for anything but nested tensors.
    """
    if isinstance(t2, (list, dict)):
        same = isinstance(t1, table_type(t2)) and _keys(t1) == _keys(t2)
        return same and all(recursiveTensorEq(t1[key], t2[key]) for key in _keys(t2))
    if not (isinstance(t1, Tensor) and isinstance(t2, Tensor)):
        raise _wrong(t1, t2)
    return t1.shape == t2.shape and bool((np.abs(t1.numpy() - t2.numpy()) < 1e-5).all())


def recursiveNormal(t2: Tensors) -> Tensors:
    """Draws every element from the standard normal distribution."""
    for tensor in _tensors(t2):
        tensor.normal()
    return t2


def recursiveSum(t2: Nested) -> float:
    """The sum of all elements."""
    return float(sum(tensor.sum() for tensor in _tensors(t2)))


def recursiveNew(t2: Tensors) -> Tensors:
    """Empty tensors of the same types, in the same structure."""
    return map_leaves(lambda each: _new(next(_tensors(each))), t2)


def getZeroMaskBatch(batch: Nested, zeroMask: Tensor | None = None) -> Tensor:
    """A byte tensor (B): 1 for each example whose part of the table's first tensor is all zeros."""
    first = next(_tensors(batch))
    return _zero_mask(first, 1, zeroMask)


def getZeroMaskSequence(sequence: Tensor, zeroMask: Tensor | None = None) -> Tensor:
    """A byte tensor (T x B): 1 where the examples of a sequence (T x B x ...) are all zeros.

    Raises: TypeError unless the sequence is a tensor, ValueError for fewer than 2 dimensions.
    """
    if not isinstance(sequence, Tensor):
        raise TypeError(f"nn.utils.getZeroMaskSequence expecting tensor for arg 1, got {type(sequence).__name__}")
    if sequence.dim() < 2:
        raise ValueError(
            "nn.utils.getZeroMaskSequence expecting seqlen x batchsize [x ...] tensor for arg 1, "
            f"got {sequence.dim()} dimensions"
        )
    return _zero_mask(sequence, 2, zeroMask)


def setZeroMask(modules: Described | Sequence[Described], zeroMask: Numbers, cuda: bool = False) -> None:
    """Calls setZeroMask of every module or criterion of a table, or of one; `cuda` is accepted."""
    for module in [modules] if isinstance(modules, Described) else modules:
        module.setZeroMask(zeroMask)


def _zero_mask(tensor: Tensor, kept: int, into: Tensor | None) -> Tensor:
    """1 where all elements beyond the first `kept` dimensions are zeros; written into a tensor, if given."""
    zero = (tensor.numpy() == 0).all(tuple(range(kept, tensor.dim())))
    made = Tensor.of(np.zeros(zero.shape, np.uint8)) if into is None else into.resize(*zero.shape)
    return made.copy(zero)


def _new(tensor: Tensor) -> Tensor:
    return Tensor().type(tensor.type())


def _tensors(tree: Any) -> Iterator[Tensor]:
    """All tensors of nested tables, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (list, dict)):
        for key in _keys(tree):
            yield from _tensors(tree[key])
    else:
        raise TypeError(f"expecting tensor or table thereof. Got {type(tree).__name__} instead")


@overload
def addSingletonDimension(t: Tensor, dim: int = 1, /) -> Tensor: ...


@overload
def addSingletonDimension(view: Tensor, t: Tensor, dim: int = 1, /) -> Tensor: ...


def addSingletonDimension(*args: Any) -> Tensor:
    """addSingletonDimension([view,] t, dim=1): a view of t with a dimension of size 1 at `dim`.

    Raises: TypeError without a tensor, ValueError for a dim outside 1 to t's dimensions + 1.
    """
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


def contiguousView(output: Tensor, input: Tensor, *sizes: Sizes) -> Tensor:
    """`output` as the input's elements with other sizes; copied if the input is not contiguous."""
    return output.set(input.contiguous().view(*sizes))


def clear(module: Held, *fields: str | Sequence[str]) -> Held:
    """Empties the named fields: tensors in place, tables anew, anything else becomes None. Returns the module."""
    names: Any = fields[0] if len(fields) == 1 and isinstance(fields[0], (list, tuple)) else fields
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, Tensor):
            value.set()
        elif isinstance(value, (list, dict)):
            setattr(module, name, table_type(value)())
        elif value is not None and not isinstance(value, np.ndarray):
            setattr(module, name, None)
    return module
