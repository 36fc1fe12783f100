"""Tensors of zeros."""

from jax.typing import DTypeLike

from ...core.types import Device
from .storage import Storage
from .tensor import Tensor


def of_zeros(shape: tuple[int, ...], dtype: DTypeLike, device: Device | None = None) -> Tensor:
    """A tensor of zeros on a device (None: the host); they are made only when somebody reads them."""
    storage = Storage.zeros(shape, dtype)
    return Tensor.viewing(storage if device is None else storage.cast(dtype, device), 0, shape)
