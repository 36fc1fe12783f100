"""Tensors of zeros."""

from jax.typing import DTypeLike

from .storage import Storage
from .tensor import Tensor


def of_zeros(shape: tuple[int, ...], dtype: DTypeLike) -> Tensor:
    """A tensor of zeros, which are not made before somebody reads them."""
    return Tensor.viewing(Storage.zeros(shape, dtype), 0, shape)
