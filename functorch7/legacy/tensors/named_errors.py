"""Lets errors of methods and functions name the call: "torch.narrow: index 4 out of range of dimension 1 of size 3"."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache, partial, wraps
from types import FunctionType
from typing import Any, Self

from ...checks.errors import MISUSE
from ...checks.making import words_of as words_of_parameters
from ...checks.raised import OURS, frames_of, is_of_libraries, is_raised_here, package_of
from ...checks.tracebacks import shorten
from ...core.types import Value
from ...programs import ended
from .arguments import described


def name_errors(kind: type, besides: Container[str] = ()) -> None:
    """Lets the errors of a class's own and inherited methods name the call.

    `besides` are the names of methods that already do. Methods without arguments are called often and stay as they
    are: if they are given some, Python's own message names them.
    """
    for base in reversed(kind.__mro__):
        for name, method in _methods_with_arguments(base):
            if name not in besides:
                setattr(base, name, naming(f"torch.{name}", method, first=1))


def name_errors_in(names: dict[str, Value], besides: Container[str] = ()) -> None:
    """The same for the functions among a package's global names."""
    package = names["__name__"].rpartition(".")[2]
    for name, function in public_functions(names):
        if name not in besides and function.__module__.startswith(names["__name__"]):
            names[name] = naming(f"{package}.{name}", function)


def name_function_errors(kind: type) -> None:
    """The same for the functions that are called on a class: "nn.Module.flatten: expected (tensors), got ()"."""
    for name, each in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(each, classmethod):
            method = naming(partial(_of_class, name), each.__func__, first=1)
            setattr(kind, name, classmethod(method))
        elif isinstance(each, staticmethod):
            setattr(kind, name, _NamedFunction(each.__func__))


class _NamedFunction(staticmethod):
    """A function that is named after the class through which it is called."""

    def __get__(self, instance: Value, kind: type | None = None) -> Callable:
        function: Any = self.__func__
        return _named_in(type(instance) if kind is None else kind, function)


@lru_cache(1024)
def _named_in(kind: type, function: FunctionType) -> Callable:
    return naming(_of_class(function.__name__, kind), function)


def _of_class(name: str, kind: Any) -> str:
    """A function's name after that of its class, which may be Torch's."""
    return f"{kind._class_name() if hasattr(kind, '_class_name') else f'nn.{kind.__name__}'}.{name}"


def public_functions(names: Mapping[str, Value]) -> list[tuple[str, FunctionType]]:
    """The public functions among names, such as a class's methods, without properties, class and static methods."""
    return [(name, each) for name, each in names.items() if isinstance(each, FunctionType) and not name.startswith("_")]


def _methods_with_arguments(kind: type) -> list[tuple[str, FunctionType]]:
    return [(name, method) for name, method in public_functions(vars(kind)) if _takes_arguments(method)]


def _takes_arguments(method: FunctionType) -> bool:
    return method.__code__.co_argcount > 1 or bool(method.__code__.co_flags & inspect.CO_VARARGS)


def naming(
    name: str | Callable[[Value], str],
    function: Callable,
    first: int = 0,
    takes: Callable[[Value], str] | None = None,
) -> Callable:
    """The function, whose errors begin with this name; for a method, `name` may be a function of the object.

    Arguments count from the `first` on. `takes(object)` describes them, if the signature does not.
    """

    @wraps(function)
    def named(*args: Any, **options: Any) -> Any:
        try:  # without a dict for options, as hardly any call has some
            return function(*args, **options) if options else function(*args)
        except MISUSE as error:
            short = name if isinstance(name, str) else name(args[0])
            usage = partial(takes, args[0]) if takes else partial(_usage, short, function, first)
            told = _told(short, usage, args[first:], options, error)
            if told is error:
                shorten(error)
                raise
            raise told from (error if isinstance(told, Misuse) else None)  # which says more than its own words

    return named


def naming_calls(name: Callable[[Value], str], function: Callable, first: int = 0) -> Callable:
    """As `naming`, but only for too few, too many or wrong arguments: other errors are the function's own.

    What a signal has interrupted in it is closed.
    """

    @wraps(function)
    def named(*args: Any, **options: Any) -> Any:
        around = ended.trace.value
        try:  # as above
            return function(*args, **options) if options else function(*args)
        except BaseException as error:
            ended.close(around)
            begun = error.__traceback__ is None or error.__traceback__.tb_next is not None
            if begun or type(error) is not TypeError:
                shorten(error)
                raise
            short = name(args[0])
            raise Misuse.of(short, _usage(short, function, first), args[first:], options) from None

    return named


class Misuse(TypeError):
    """A call with wrong arguments: "nn.Linear: expected (inputSize, outputSize, [bias]), got (3)".

    Lua's border tells it in Lua's words (`told`).
    """

    stays = False
    """Whether no caller may replace it by its own, as of a constructor and of a user's `forward`."""

    def __init__(self, message: str, parts: tuple[str, str, Sequence, Mapping[str, Value]] | None = None):
        super().__init__(message)
        self.parts = parts

    @classmethod
    def of(cls, name: str, usage: str, given: Sequence, named: Mapping[str, Value] | None = None) -> Self:
        """The error of a call by its name, what it takes, and what it was given by position and by name."""
        parts = name, usage, given, named or {}
        return cls(_told_by(described, *parts), parts)

    def told(self, show: Callable[[Value], str]) -> str:
        """The message, with arguments as `show` writes them."""
        return str(self) if self.parts is None else _told_by(show, *self.parts)

    def __reduce__(self) -> tuple:  # what was given may be anything
        return type(self), (str(self),)


class MisusedFunction(Misuse):
    """A user's function was given arguments that it does not take."""

    stays = True


for _kind in (Misuse, MisusedFunction):
    _kind.__name__ = _kind.__qualname__ = "TypeError"


def _told_by(show: Callable[[Value], str], name: str, usage: str, given: Sequence, named: Mapping[str, Value]) -> str:
    shown = [*map(show, given), *(f"{each}={show(value)}" for each, value in named.items())]
    return f"{name}: expected {usage}, got ({', '.join(shown)})"


def _told(
    name: str, usage: Callable[[], str], given: tuple, options: Mapping[str, Value], error: Exception
) -> Exception:
    """The error itself, if it names a call or is not of these libraries; its text after the name; or a Misuse."""
    frames = frames_of(error)[1:]
    if not is_of_libraries(frames):
        return error
    text = getattr(error, "without_name", None)
    if isinstance(error, Misuse) and error.stays:
        return error
    if isinstance(error, Misuse) or (text is None and not is_raised_here(frames)):
        return Misuse.of(name, usage(), given, options)
    owners = name.split(".")[:-1]  # of which functions beneath may have named the last alone
    is_named = text is None and str(error).startswith((f"{owners[0]}.", f"{owners[-1]}.", f"{owners[-1]}: "))
    if is_named or type(error).__module__ != "builtins":  # libraries' own are made of more than a text
        return error
    text = text or str(error).removeprefix(f"{name.rpartition('.')[2]}: ")  # which functions beneath may have named
    told = type(error)(f"{name}: {text}")
    told.without_name = text  # type: ignore[attr-defined]
    return told


def is_pythons_own(error: BaseException) -> bool:
    """Whether Python itself raised an error in this package's code, which does not say what the call takes."""
    if not isinstance(error, MISUSE) or error.__cause__ is not None or getattr(error, "__notes__", None):
        return False  # which users' code or JAX raised, or a layer has spoken about
    frames = frames_of(error)
    return package_of(frames[-1][0]) == OURS and not is_raised_here(frames)


def _usage(name: str, function: Callable, first: int) -> str:
    """The arguments, from the beginning of the docstring if the signature does not name them."""
    short = name.rpartition(".")[2]
    told, *_ = (inspect.getdoc(function) or "").partition("): ")
    if told.startswith(f"{short}("):
        return f"{told.removeprefix(short)})"
    return f"({', '.join(words_of(function, first))})"


def misuse(name: str, function: Callable, given: tuple, named: Mapping[str, Value], first: int = 0) -> Misuse | None:
    """The error of a call with too few, too many or wrong arguments for a user's function; None if they fit."""
    try:
        inspect.signature(function).bind(*given, **named)
    except TypeError:
        return MisusedFunction.of(name, f"({', '.join(words_of(function, first))})", given[first:], named)
    return None


def words_of(function: Callable, first: int = 0) -> list[str]:
    """A function's arguments from the `first` on, as error messages show them."""
    return words_of_parameters(inspect.signature(function).parameters.values())[first:]
