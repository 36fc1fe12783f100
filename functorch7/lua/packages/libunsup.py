"""libunsup: the C part of the Lua package unsup."""

from __future__ import annotations

from ...legacy.tensors.tensor import Tensor


def shrinkage(tensor: Tensor, limit: float) -> Tensor:
    """Moves a tensor's elements towards 0 by `limit`, in place, at most to 0. Raises ValueError for a limit below 0.

    >>> shrinkage(Tensor([-3, 0.5, 2]), 1).totable()
    [-2.0, 0.0, 1.0]
    """
    if limit < 0:
        raise ValueError(f"shrinkage: expected a limit of 0 or more, got {limit}")
    return tensor.copy(tensor.clone().abs().add(-limit).clamp(0, float("inf")).cmul(tensor.clone().sign()))


__all__ = ["shrinkage"]
