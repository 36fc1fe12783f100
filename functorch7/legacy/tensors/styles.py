"""Whose operators tensors have: Torch7's or, inside modules in PyTorch's style, PyTorch's."""

from contextlib import AbstractContextManager
from contextvars import ContextVar

from ...core.contexts import during

_PYTORCH: ContextVar[bool] = ContextVar("pytorch", default=False)

has_pytorch_operators = _PYTORCH.get
"""Whether code runs that has PyTorch's operators: a user's `forward`, or a hook."""


def counted(dimension: float, count: int) -> float:
    """A dimension, which counts from 1; in PyTorch's style a negative one counts from the last, -1."""
    return dimension + count + 1 if dimension < 0 and has_pytorch_operators() else dimension


def pytorch_operators(on: bool = True) -> AbstractContextManager[object]:
    """A block in which, if `on`, `a * b` is element by element and dimensions of size 1 repeat."""
    return during(_PYTORCH, on)
