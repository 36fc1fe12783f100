"""Whose operators tensors have: Torch7's or, inside what is written in PyTorch's style, PyTorch's."""

from contextlib import AbstractContextManager
from contextvars import ContextVar

from ...core.contexts import during

_PYTORCH: ContextVar[bool] = ContextVar("pytorch", default=False)

has_pytorch_operators = _PYTORCH.get
"""Whether code runs that has PyTorch's operators: a user's `forward`, or a hook."""


def pytorch_operators(on: bool = True) -> AbstractContextManager[object]:
    """A block in which `a * b` is by elements, and dimensions of size 1 repeat; or, if not `on`, not."""
    return during(_PYTORCH, on)
