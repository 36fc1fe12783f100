"""Element-wise functions of numbers or tensors, called as in cephes and randomkit: [result,] arguments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...legacy.tensors.tensor import Tensor
from ..kinds import Crossing


def by_elements(name: str, arity: int, compute: Callable, given: tuple) -> Crossing:
    """The result of `compute(*arguments, size)`: a number for numbers, else a DoubleTensor, or the given result.

    Only a tensor's elements count, in their order; numbers, and tensors of one element, are combined with all elements.
    Raises TypeError for another number of arguments or a result that is not a tensor, ValueError for different sizes.
    """
    result = given[0] if len(given) == arity + 1 else None
    arguments = given[len(given) - arity :] if arity else ()
    if len(given) not in (arity, arity + 1) or not (result is None or isinstance(result, Tensor)):
        raise TypeError(f"{name}: expected {arity} arguments and optionally a result tensor before, got {len(given)}")
    values = [np.asarray(each, np.float64).reshape(-1) for each in arguments]
    if result is None and not any(isinstance(each, Tensor) for each in arguments):
        return np.asarray(compute(*[value[0] for value in values], None)).item()
    sizes = {len(value) for value in values} - {1} | ({result.nElement()} if result is not None else set())
    if len(sizes) > 1:
        raise ValueError(f"{name}: expected arguments, and a result, of one size, got {sorted(sizes)}")
    size = sizes.pop() if sizes else 1
    made = np.asarray(compute(*[np.broadcast_to(value, size) for value in values], size), np.float64)
    return Tensor.of(made) if result is None else result.copy(made.reshape(result.shape))
