"""Buffers that several places of a network share: each place goes on from what the place before has left."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial

from jax._src.core import get_opaque_trace_state  # the same as in jax.extend.core, which would import Pallas

from .contexts import during
from .traits import Declared
from .tree import join, split
from .types import Array, Output, Tree, Value


class _Tied:
    """What the places have left of the arrays that they share, in one trace: loops have their own."""

    def __init__(self, arrays: list[Array], around: "_Tied | None"):
        self._shared = {id(array): array for array in arrays}  # as long as they are held, nothing else has their ids
        self._left: dict[int, Value] = {}
        if around is not None:
            self._shared, self._left = self._shared | around._shared, around._left
        self._trace = get_opaque_trace_state()

    def run(
        self, way: Callable, module: Declared, params: Tree, buffers: Tree, input: Tree, **options: Value
    ) -> tuple[Output, Tree]:
        """`way(module, params, buffers, ...)`, with what earlier places have left in the place of its own buffers."""
        if get_opaque_trace_state() != self._trace:
            return way(module, params, buffers, input, **options)
        own, inner = split(module, buffers)
        given = {name: self._left.get(id(value), value) for name, value in own.items()}
        output, new = way(module, params, join(module, given, inner), input, **options)
        left, _ = split(module, new)
        self._left |= {id(value): left[name] for name, value in own.items() if id(value) in self._shared}
        return output, new


_open: ContextVar[_Tied | None] = ContextVar("tied", default=None)


def tying(arrays: list[Array]) -> AbstractContextManager[object]:
    """A block whose calls hand these arrays on from place to place; each is the same object at all its places."""
    here = _open.get()
    return during(_open, _Tied(arrays, here) if arrays else here)


def handing_on(way: Callable) -> Callable:
    """The way of running a module in such a block; the same way elsewhere."""
    here = _open.get()
    return way if here is None else partial(here.run, way)
