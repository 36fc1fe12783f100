"""The methods that users call: wrong arguments are explained in terms of the module, and tracebacks are short."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import describe, title
from .tracebacks import shorten

Method = TypeVar("Method", bound=Callable)


FORWARD = "params, buffers, input, *, key, train"
"""What a module's `forward` takes, which authors write."""


def entry(method: Method) -> Method:
    """A method of modules whose errors say what users have to know.

    For missing, surplus or unknown arguments it is a TypeError, which names the module, what the method takes, and what
    was given. All other errors get a shorter traceback.
    """

    @wraps(method)
    def entered(self: Any, *given: Any, **named: Any) -> Any:
        try:
            return method(self, *given, **named)
        except Exception as error:
            own = error.__traceback__
            if isinstance(error, TypeError) and own is not None and own.tb_next is None:  # the method has not begun
                raise TypeError(_unfit_call(self, method, given, named)) from None
            shorten(error)
            raise

    return entered  # type: ignore[return-value]


def _unfit_call(module: object, method: Callable, given: tuple, named: dict[str, Any]) -> str:
    if method.__name__ == "forward" and {"key", "train"} <= named.keys():  # which `apply` gives: an author's mistake
        return f"{title(module)}: expected a class with forward({FORWARD}), got {_usage(method)}"
    shown = [*map(_brief, given), *(f"{name}={_brief(value)}" for name, value in named.items())]
    hint = next(filter(None, map(hint_of_pair, given)), "")
    usage = _usage(method)
    if method.__name__ == "forward":  # of which some take more, from modules around them
        kind: Any = type(module)
        usage = f"forward({FORWARD})"
        hint = f"; users call {_usage(getattr(kind.__call__, '__wrapped__', kind.apply))}"  # a criterion is a function
    return f"{title(module)}: expected {usage}, got ({', '.join(shown)}){hint}"


def _brief(value: object) -> str:
    """What was given, of tables their length alone."""
    if not isinstance(value, (list, tuple)):
        return describe(value)
    return type(value).__name__ if hint_of_pair(value) else f"a table of {len(value)}"


def _usage(method: Callable) -> str:
    """A method's name and arguments, as they are written in a call: `apply(params, buffers, input, *, key=None)`."""
    _, *parameters = inspect.signature(method).parameters.values()
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    name = "criterion" if method.__name__ == "__call__" else method.__name__
    return f"{name}{inspect.Signature(bare)}"


def hint_of_pair(value: object) -> str:
    """What to write in place of a value that has params and buffers, such as Variables; nothing for others."""
    if not {"params", "buffers"} <= {*getattr(value, "_fields", ())}:
        return ""
    return f"; {type(value).__name__} has both: apply(given.params, given.buffers, input)"
