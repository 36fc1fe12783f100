"""The type of tensors and modules that are made without naming one."""

import numpy as np

from .casting import is_floating
from .devices import gpu
from .kinds import Made
from .type_names import dtype_of, is_of_gpu


class _Default:
    name = "torch.FloatTensor"
    is_of_gpu = False


def setdefaulttensortype(name: str) -> None:
    """Sets the type of new tensors and modules; at first "torch.FloatTensor" (Torch's is "torch.DoubleTensor").

    Raises ValueError for unknown names, RuntimeError for a GPU's type without a GPU.
    """
    dtype_of(name)
    if is_of_gpu(name):
        gpu(f"torch.setdefaulttensortype: {name}")
    _Default.name, _Default.is_of_gpu = name, is_of_gpu(name)


def getdefaulttensortype() -> str:
    """The name of this type."""
    return _Default.name


def type_of_modules() -> str:
    """The name of the type of modules that are made now. Raises TypeError if it has no fractions."""
    if not is_floating(default_dtype()):
        raise TypeError(f"modules need a default tensor type of floating-point numbers, and it is {_Default.name}")
    return _Default.name


def default_dtype() -> np.dtype:
    """Its dtype."""
    return dtype_of(_Default.name)


def placed(tensor: Made) -> Made:
    """Moves a new tensor of the host, with the default type's elements, to where tensors of that type are."""
    return tensor.type(_Default.name) if _Default.is_of_gpu else tensor  # type: ignore[attr-defined]
