"""PyTorch's Parameter: a tensor that a module learns as soon as it is one of the module's attributes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...checks.foreign import foreign, is_foreign
from .changes import changed
from .kinds import Numbers
from .tensor import Tensor
from .zeros import of_zeros


class Parameter(Tensor):
    """A learnable tensor that shares the elements of `data`; a list's numbers become float32.

    A module's `backward` adds the gradient to `grad`, unless `requires_grad` is False. `grad` is the same tensor
    wherever the parameter is used. Setting it copies numbers; None stands for zeros.
    Raises: TypeError for integers, and for anything but tensors; ValueError for a gradient of other sizes.
    Source: PyTorch, the Modules note.
    """

    __slots__ = ("_grad", "_requires_grad")

    def __init__(self, data: Numbers, requires_grad: bool = True):
        if not isinstance(data, (list, tuple)) and (not hasattr(data, "dtype") or is_foreign(data)):
            raise TypeError(f"nn.Parameter: expected a tensor, an array or a list of numbers, got {foreign(data)}")
        array: Any = data
        tensor = data if isinstance(data, Tensor) else Tensor.of(array) if hasattr(data, "dtype") else Tensor(data)
        if tensor.dtype.kind in "iub":
            raise TypeError(f"nn.Parameter: expected a floating-point tensor, got {tensor.dtype}")
        self._bind(tensor.storage_, tensor.offset, tensor.shape, tensor.strides_)
        self._requires_grad = requires_grad
        self.add_up_in(of_zeros(self.shape, self.dtype))

    # What is computed from a parameter is a plain tensor.
    of = Tensor.of  # type: ignore[assignment]
    viewing = Tensor.viewing  # type: ignore[assignment]

    @property
    def data(self) -> Tensor:
        """The same elements as a plain tensor."""
        return Tensor.viewing(self.storage_, self.offset, self.shape, self.strides_)

    @property
    def grad(self) -> Tensor:
        """The gradient."""
        return self._grad

    @grad.setter
    def grad(self, value: Numbers | None) -> None:
        if value is None:
            self._grad.zero()
            return
        given = value if isinstance(value, Tensor) else Tensor.of(np.asarray(value))
        if given.shape != self.shape:
            raise ValueError(f"nn.Parameter: expected a gradient of shape {self.shape}, got {given.shape}")
        self._grad.copy(given)

    def add_up_in(self, gradient: Tensor) -> None:
        """Makes this tensor the one to which the gradient is added."""
        self._grad = gradient

    @property
    def requires_grad(self) -> bool:
        """Whether it gets a gradient."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if value != self._requires_grad:
            self._requires_grad = value
            changed(self)

    def requires_grad_(self, requires_grad: bool = True) -> Parameter:
        """Says whether it gets a gradient."""
        self.requires_grad = requires_grad
        return self

    def __deepcopy__(self, memo: dict) -> Parameter:
        made = Parameter(super().__deepcopy__(memo), self._requires_grad)
        made.add_up_in(copy.deepcopy(self.grad, memo))
        return made

    def __reduce__(self):
        return _parameter, (self.data, self._requires_grad, self.grad)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


def _parameter(data: Tensor, requires_grad: bool, grad: Tensor) -> Parameter:
    made = Parameter(data, requires_grad)
    made.add_up_in(grad)
    return made
