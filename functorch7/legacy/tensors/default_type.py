"""The type of tensors and modules that are made without naming one."""

from typing import Any

import numpy as np

from .storage import dtype_of


class _Default:
    name = "torch.FloatTensor"


def setdefaulttensortype(name: str) -> None:
    """The type of what is made from now on; "torch.FloatTensor" at first (Torch's is "torch.DoubleTensor").

    Raises ValueError for names of no type, TypeError for types of whole numbers.
    """
    dtype = dtype_of(name)
    if dtype.kind in "iub":
        raise TypeError(f"torch.setdefaulttensortype: expected a floating-point type, got {name}")
    _Default.name = name


def getdefaulttensortype() -> str:
    """The name of this type."""
    return _Default.name


def default_dtype() -> np.dtype[Any]:
    """Its dtype."""
    return dtype_of(_Default.name)
