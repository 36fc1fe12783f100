"""Errors of methods and functions name the call: "torch.narrow: index 4 out of range of dimension 1 of size 3"."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from types import FrameType, FunctionType, TracebackType
from typing import Any, Self

from ...checks.given import MISUSE
from ...checks.tracebacks import shorten
from ...core.types import Value
from .arguments import described

LIBRARIES = {"functorch7", "jax", "jaxlib", "matplotlib", "numpy", "PIL", *sys.stdlib_module_names}
"""Whose code fails for arguments that a function does not take; errors of other code, such as a callback's, stay."""


def name_errors(kind: type, besides: Container[str] = ()) -> None:
    """Lets the errors of a class's methods, and of those that it inherits, name the call.

    `besides` are the names of those that do so by themselves; methods without arguments have no such errors.
    """
    for base in reversed(kind.__mro__):
        for name, method in public_methods(base):
            if name not in besides:
                setattr(base, name, naming(f"torch.{name}", method, first=1))


def name_errors_in(names: dict[str, Value], besides: Container[str] = ()) -> None:
    """The same for the functions of one of the packages beside torch, among the global names of its module."""
    package = names["__name__"].rpartition(".")[2]
    for name, function in _public_functions(names):
        if name not in besides and function.__module__.startswith(names["__name__"]):
            names[name] = naming(f"{package}.{name}", function)


def _public_functions(names: Mapping[str, Any]) -> list[tuple[str, FunctionType]]:
    return [(name, each) for name, each in names.items() if isinstance(each, FunctionType) and not name.startswith("_")]


def public_methods(kind: type) -> list[tuple[str, FunctionType]]:
    """A class's own methods that take arguments; properties, and what is called on the class, are none."""
    return [(name, method) for name, method in _public_functions(vars(kind)) if _takes_arguments(method)]


def _takes_arguments(method: FunctionType) -> bool:
    return method.__code__.co_argcount > 1 or bool(method.__code__.co_flags & inspect.CO_VARARGS)


def naming(name: str | Callable[[Value], str], function: Callable, first: int = 0) -> Callable:
    """The function, whose errors begin with this name, or what gives it of a method's object.

    Arguments count from the `first` on.
    """

    @wraps(function)
    def named(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except MISUSE as error:
            told = _told(name if isinstance(name, str) else name(args[0]), function, args, options, first, error)
            if told is error:
                shorten(error)
                raise
            raise told from (error if isinstance(told, Misuse) else None)  # which says more than its own words

    return named


class Misuse(TypeError):
    """A call that was given what it does not take: "nn.Linear: expected (inputSize, outputSize, [bias]), got (3)".

    A caller may put its own in its place; Lua's border tells it in Lua's words (`told`).
    """

    def __init__(self, message: str, parts: tuple[str, str, Sequence, Mapping[str, Value]] | None = None):
        super().__init__(message)
        self.parts = parts

    @classmethod
    def of(cls, name: str, usage: str, given: Sequence, named: Mapping[str, Value] | None = None) -> Self:
        """The error of a call by its name, what it takes, and what it was given by position and by name."""
        parts = name, usage, given, named or {}
        return cls(_told_by(described, *parts), parts)

    def told(self, show: Callable[[Value], str]) -> str:
        """The message, in which this shows what was given."""
        return str(self) if self.parts is None else _told_by(show, *self.parts)

    def __reduce__(self) -> tuple:  # what was given may be anything
        return type(self), (str(self),)


Misuse.__name__ = Misuse.__qualname__ = "TypeError"


def _told_by(show: Callable[[Value], str], name: str, usage: str, given: Sequence, named: Mapping[str, Value]) -> str:
    shown = [*map(show, given), *(f"{each}={show(value)}" for each, value in named.items())]
    return f"{name}: expected {usage}, got ({', '.join(shown)})"


def _told(
    name: str, function: Callable, args: tuple, options: Mapping[str, Value], first: int, error: Exception
) -> Exception:
    """The error, if it names a call or is not of these libraries; its words with the name; or one of our own."""
    frames = [*_frames(error.__traceback__)][1:]
    if any(_package(frame) not in LIBRARIES for frame, _ in frames):
        return error
    text = getattr(error, "without_name", None)
    if isinstance(error, Misuse) or (text is None and not _is_raised_here(frames)):
        return Misuse.of(name, _usage(name, function, first), args[first:], options)
    owners = name.split(".")[:-1]  # of which functions beneath may have named the last alone
    is_named = text is None and str(error).startswith((f"{owners[0]}.", f"{owners[-1]}.", f"{owners[-1]}: "))
    if is_named or type(error).__module__ != "builtins":  # libraries' own are made of more than a text
        return error
    text = text or str(error).removeprefix(f"{name.rpartition('.')[2]}: ")  # which functions beneath may have named
    told = type(error)(f"{name}: {text}")
    told.without_name = text  # type: ignore[attr-defined]
    return told


def _frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).split(".")[0]


def _is_raised_here(frames: list[tuple[FrameType, int]]) -> bool:
    """Whether the error is raised by a statement of this package's, and not by what the interpreter could not do.

    What is asked of a tensor that it does not have (`no_method`) is of the second kind.
    """
    if not frames or frames[-1][0].f_code.co_name == "__getattr__":
        return False
    frame, at = frames[-1]
    return _package(frame) == "functorch7" and dis.opname[frame.f_code.co_code[at]] == "RAISE_VARARGS"


def is_pythons_own(error: BaseException) -> bool:
    """Whether the interpreter raised an error in this package's code, which says nothing about what the call takes."""
    if not isinstance(error, MISUSE) or error.__cause__ is not None or getattr(error, "__notes__", None):
        return False  # which users' code or JAX raised, or a layer has spoken about
    frames = [*_frames(error.__traceback__)]
    return _package(frames[-1][0]) == "functorch7" and not _is_raised_here(frames)


def _usage(name: str, function: Callable, first: int) -> str:
    """The arguments: the beginning of the documentation where the signature does not say."""
    short = name.rpartition(".")[2]
    told, *_ = (inspect.getdoc(function) or "").partition("): ")
    if told.startswith(f"{short}("):
        return f"{told.removeprefix(short)})"
    return f"({', '.join(words_of(function, first))})"


def words_of(function: Callable, first: int = 0) -> list[str]:
    """A function's arguments from the `first` on, as error messages show them."""
    return words_of_parameters(inspect.signature(function).parameters.values())[first:]


def words_of_parameters(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """Arguments as error messages show them: those that may be left out in brackets."""
    return [*map(_word, parameters)]


def _word(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"{parameter.name}..."
    return parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"
