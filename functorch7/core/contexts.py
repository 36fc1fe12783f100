"""What is set within a block alone, in this thread or asynchronous task."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def during(variable: ContextVar, value: Value) -> Iterator[Value]:
    """A block in which a variable has this value."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
