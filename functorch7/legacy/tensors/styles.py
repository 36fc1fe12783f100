"""Whose operators tensors have: Torch7's or, inside what is written in PyTorch's style, PyTorch's."""

import contextlib
import threading
from collections.abc import Iterator


class _Own(threading.local):
    pytorch = False


_own = _Own()


@contextlib.contextmanager
def pytorch_operators(on: bool = True) -> Iterator[None]:
    """Inside, in the calling thread, `a * b` is by elements, and dimensions of size 1 repeat; or, if not `on`, not."""
    before = has_pytorch_operators()
    _own.pytorch = on
    try:
        yield
    finally:
        _own.pytorch = before


def has_pytorch_operators() -> bool:
    """Whether code runs that has PyTorch's operators: a user's `forward`, or a hook."""
    return _own.pytorch
