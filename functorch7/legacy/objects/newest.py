"""The newest of several classes that users have defined under one name."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ...core.types import Value

_numbers = itertools.count(1)


class Numbered:
    """A class whose subclasses know the order in which they were made."""

    _made_as = 0

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls._made_as = next(_numbers)


def newest(base: type[Numbered], fits: Callable[[Value], bool]) -> Value:
    """The newest subclass, at any depth, that fits; None if there is none."""
    return max(filter(fits, _subclasses(base)), key=lambda kind: kind._made_as, default=None)


def _subclasses(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from _subclasses(kind)
