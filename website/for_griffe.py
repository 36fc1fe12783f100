"""What griffe, which reads the code for mkdocstrings, does not see: our docstrings' form, and what constructors take.

A description's constructor is made when its class is, from its fields, so that it stands in no file.
"""

import importlib
import inspect
from typing import Any

import griffe

from website.docstrings import markdown


class Docstrings(griffe.Extension):
    """Gives mkdocstrings the Markdown of every docstring, and the constructor of every description."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        described: Any = getattr(importlib.import_module(cls.module.path), cls.name, None)
        if hasattr(described, "torch_name") and "__init__" not in cls.members:
            cls.set_member("__init__", _constructor(described, cls))


def _constructor(described: type, parent: griffe.Class) -> griffe.Function:
    first = griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
    given = [_parameter(each) for each in inspect.signature(described).parameters.values()]
    return griffe.Function("__init__", parameters=griffe.Parameters(first, *given), parent=parent)


def _parameter(parameter: inspect.Parameter) -> griffe.Parameter:
    empty = inspect.Parameter.empty
    return griffe.Parameter(
        parameter.name,
        annotation=None if parameter.annotation is empty else inspect.formatannotation(parameter.annotation),
        kind=griffe.ParameterKind[parameter.kind.name.lower()],
        default=None if parameter.default is empty else repr(parameter.default),
    )
