"""Torch's names for the types of elements."""

from contextlib import AbstractContextManager
from functools import cache

import numpy as np
from jax.typing import DTypeLike

from ...layers.tensor_types import TYPES
from .devices import precision

_NAMES = {dtype: name for name, dtype in reversed(TYPES.items())} | {np.dtype(bool): "torch.ByteTensor"}


def dtype_of(type_name: str) -> np.dtype:
    """The dtype behind a Torch type name, such as "torch.FloatTensor"."""
    try:
        return TYPES[type_name]
    except KeyError:
        raise ValueError(f"unknown type {type_name!r}; expected one of {', '.join(TYPES)}") from None


@cache
def type_name_of(dtype: DTypeLike, on_gpu: bool = False) -> str:
    """Torch's name for a dtype: "torch.FloatTensor", or "torch.CudaTensor" on a GPU."""
    dtype = np.dtype(dtype)
    name = _NAMES.get(dtype, f"torch.{dtype.name.capitalize()}Tensor")
    return on_gpu_named(name) if on_gpu else name


def on_gpu_named(name: str) -> str:
    """The GPU's type for one of the host: CudaTensor for FloatTensor."""
    return "torch.CudaTensor" if name == "torch.FloatTensor" else name.replace("torch.", "torch.Cuda")


def is_of_gpu(name: str) -> bool:
    """Whether a type is a GPU's."""
    return name.startswith("torch.Cuda")


def precision_of(type_name: str) -> AbstractContextManager:
    """The context in which JAX keeps 64-bit numbers, if a Torch type has them."""
    return precision(dtype_of(type_name))
