"""Signatures and docstrings of classes: those of their descriptions, under Torch's names.

Both are made when they are asked for, so that importing does not take longer.
"""

import inspect
import re
from dataclasses import fields
from functools import cache
from keyword import iskeyword

from ... import core
from ...core.types import Value
from ...interop.torch7.table import schema_of

DESCRIBED = {
    "functorch7.core.module.Module": "Module",
    "functorch7.layers.pooling.MaxPooling": "Module",
    "functorch7.layers.pooling.Record": "Record",
    "functorch7.losses.base.Criterion": "Criterion",
}
"""Types of descriptions, with those of the objects that are given instead; our other types (Const) become Any."""

PLAIN = (bool, int, float, str)


class ConstructorSignature:
    """A class's attribute `__signature__`, made when it is asked for; none if its `__init__` names all arguments."""

    def __get__(self, instance: object, kind: type) -> inspect.Signature:
        found = signature_of(kind) if instance is None else None
        if found is None:
            raise AttributeError("__signature__")
        return found


@cache
def signature_of(kind: Value) -> inspect.Signature | None:
    """A class's signature; None if nothing is described, or if its `__init__` names all arguments."""
    maker = next(base for base in kind.__mro__ if "__init__" in vars(base))
    own = list(inspect.signature(kind.__init__).parameters.values())[1:]
    names_all = maker.spec_class is kind.spec_class and not any(each.kind is each.VAR_KEYWORD for each in own)
    if kind.spec_class is None or names_all:
        return None
    described = in_torchs_words(kind.spec_class)
    more = [each for each in own if each.kind is each.KEYWORD_ONLY]
    return inspect.Signature(sorted([*described, *more], key=lambda each: each.kind))


def in_torchs_words(spec_class: type[core.Module]) -> list[inspect.Parameter]:
    """A description's parameters, under Torch's names."""
    return [_parameter(spec_class, each) for each in inspect.signature(spec_class).parameters.values()]


def _parameter(spec_class: type[core.Module], parameter: inspect.Parameter) -> inspect.Parameter:
    """A field under Torch's name, except `lambda`, which is not possible in Python."""
    name = schema_of(spec_class).spell(parameter.name)
    kind = parameter.annotation if parameter.annotation in PLAIN else written(parameter.annotation)
    if parameter.default is None and "None" not in str(kind):
        kind = f"{written(kind)} | None" if kind != "Any" else kind
    return parameter.replace(name=parameter.name if iskeyword(name) else name, annotation=kind)


def written(annotation: object) -> str:
    """A type as text, with objects in place of descriptions."""
    text = "Any" if annotation is inspect.Parameter.empty else inspect.formatannotation(annotation)
    text = text.replace("list[typing.Any] | tuple[typing.Any, ...]", "list | tuple")
    text = text.replace("functorch7.core.arrays.Const | typing.Any", "Numbers")
    text = re.sub(r"functorch7(\.\w+)+", lambda match: DESCRIBED.get(match[0], "Any"), text)
    text = re.sub(r"\b(typing|collections\.abc)\.", "", text).strip("'")
    return "Any" if "Any" in text.split(" | ") else text


class Documentation:
    """The attribute `__doc__` of a class, made when it is asked for.

    It is the description's, under Torch's names and without its functional examples, followed by the class's own.
    """

    def __init__(self, spec_class: type[core.Module], own: str | None = None):
        self.spec_class, self.own = spec_class, inspect.cleandoc(own or "")

    def __get__(self, instance: object, kind: type) -> str:
        spell, names = schema_of(self.spec_class).spell, {each.name for each in fields(self.spec_class)}  # type: ignore[arg-type]
        blocks = re.split(r"\n\s*\n", inspect.cleandoc(self.spec_class.__doc__ or ""))
        said = "\n\n".join(block for block in blocks if not block.startswith(">>>"))
        said = re.sub(r"\b[a-z]\w+\b", lambda match: spell(match[0]) if match[0] in names else match[0], said)
        return said if self.own in ("", f"{self.spec_class.torch_name()}.") else f"{said}\n\n{self.own}"
