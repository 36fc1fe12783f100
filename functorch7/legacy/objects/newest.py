"""The newest of the classes that users have written under one name."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ...core.types import Value

_numbers = itertools.count(1)


class Numbered:
    """What has subclasses that know in which order they were made."""

    _made_as = 0

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        cls._made_as = next(_numbers)


def newest(base: type[Numbered], fits: Callable[[Value], bool]) -> Value:
    """The subclass of a class, at any depth, that was made last among those that fit; None without one."""
    return max(filter(fits, _subclasses(base)), key=lambda kind: kind._made_as, default=None)


def _subclasses(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from _subclasses(kind)
