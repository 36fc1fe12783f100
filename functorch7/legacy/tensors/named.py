"""Classes with the same names in Torch and here, and functions that are made from tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


class Named:
    """The base of classes of `torch` itself, or of another package that is neither nn nor the user's."""

    __slots__ = ()
    _package = "torch"

    @classmethod
    def typename(cls) -> str:
        """Torch's name of the class, such as "torch.Timer"."""
        return f"{cls._package}.{cls.__name__}"

    @classmethod
    def _class_name(cls) -> str:
        return cls.typename()

    def __repr__(self) -> str:
        return self.typename()


class Written:
    """The base of classes whose text Torch's programs may ask for by `x:__tostring__()`."""

    __slots__ = ()

    def __tostring__(self) -> str:
        return repr(self)

    def __str__(self) -> str:
        return self.__tostring__()  # which a program's class below may define


def under_name(name: str, function: Function, says: str, of: str = "") -> Function:
    """Gives a generated function its name (`of` a class, if it is a method) and its docstring."""
    function.__name__, function.__qualname__, function.__doc__ = name, f"{of}{name}", says
    return function
