"""Which classes and functions a user has written, and what is kept of them as long as they live."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType

from ...core.types import Value

OURS = "functorch7.legacy"
"""The package whose classes are no user's."""

LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
"""Where code lies that is no user's, beside this package's."""


def is_ours(written: type | Callable) -> bool:
    """Whether a class or function is of this package, and not a user's."""
    return written.__module__.startswith(OURS)


def users(kind: type) -> Iterator[type]:
    """The classes that a user has written, of those that a class inherits from."""
    return (base for base in kind.__mro__ if not is_ours(base) and base is not object)


def package_of(written: type | FunctionType | ModuleType) -> str:
    """The name of the outermost package of a class, function or module."""
    is_function = isinstance(written, FunctionType)
    name = written.__name__ if isinstance(written, ModuleType) else written.__module__
    return str(written.__globals__.get("__name__") if is_function else name).partition(".")[0]


def is_users(written: type | FunctionType | ModuleType) -> bool:
    """Whether a class, function or module is a user's, and neither of Python, a library or this package."""
    if isinstance(written, FunctionType):
        file = written.__code__.co_filename
    else:
        file = getattr(sys.modules.get(getattr(written, "__module__", ""), written), "__file__", None)
    return package_of(written) not in ("builtins", "functorch7") and not str(file).startswith(LIBRARIES)


class _Kept(dict):
    """What is kept of `owner`; where that is pickled with its code, a copy starts without it."""

    def __init__(self, owner: object = None):
        super().__init__()
        self.owner = owner

    def __reduce__(self):
        return _Kept, ()


def kept_in(written: Value) -> dict[type, Value]:
    """What is kept of a user's class or function for as long as it lives: in itself, as it may refer to itself."""
    kept = vars(written).get("_kept_in_class")
    if kept is None or kept.owner is not written:  # functools.wraps has copied what is in a function
        kept = written._kept_in_class = _Kept(written)
    return kept


def stand_in_class(kind: type, base: type, **members: Value) -> type:
    """The class of stand-ins for objects of a class, with what `base` puts before it."""
    kept = kept_in(kind)
    if base not in kept:
        kept[base] = type(kind.__name__, (base, kind), members)
    return kept[base]
