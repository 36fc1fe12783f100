"""What griffe, which reads the code for mkdocstrings, does not see: our docstrings' form, and what is made in no `def`.

A description's constructor is made when its class is, from its fields; functions such as torch.abs are made of tables.
"""

import importlib
import inspect
from typing import Any

import griffe

from website.docstrings import markdown
from website.public import made_of_tables


class Docstrings(griffe.Extension):
    """Gives mkdocstrings the Markdown of every docstring, constructors of descriptions, and functions of tables."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)

    def on_module(self, *, mod: griffe.Module, **kwargs: Any) -> None:
        if "FUNCTIONS" in mod.members:
            for name, function in made_of_tables(importlib.import_module(mod.path)).items():
                mod.set_member(name, _function(name, function, mod))  # whose docstring on_object is given next

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        described: Any = getattr(importlib.import_module(cls.module.path), cls.name, None)
        if hasattr(described, "torch_name") and "__init__" not in cls.members:
            cls.set_member("__init__", _constructor(described, cls))


def _constructor(described: type, parent: griffe.Class) -> griffe.Function:
    first = griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
    return griffe.Function("__init__", parameters=griffe.Parameters(first, *_parameters(described)), parent=parent)


def _function(name: str, function: Any, parent: griffe.Module) -> griffe.Function:
    made = griffe.Function(name, parameters=griffe.Parameters(*_parameters(function)), parent=parent)
    made.docstring = griffe.Docstring(inspect.getdoc(function) or "", parent=made)
    return made


def _parameters(function: Any) -> list[griffe.Parameter]:
    return [_parameter(each) for each in inspect.signature(function).parameters.values()]


def _parameter(parameter: inspect.Parameter) -> griffe.Parameter:
    empty = inspect.Parameter.empty
    return griffe.Parameter(
        parameter.name,
        annotation=None if parameter.annotation is empty else inspect.formatannotation(parameter.annotation),
        kind=griffe.ParameterKind[parameter.kind.name.lower()],
        default=None if parameter.default is empty else repr(parameter.default),
    )
