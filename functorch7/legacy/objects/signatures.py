"""What the constructor of a class takes, and what the class says: its description's, under Torch's names.

Both are made when somebody asks, so that they cost importing nothing.
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
"""Types of descriptions, in whose place objects are given; what else is ours (Const) may be given as anything."""

PLAIN = (bool, int, float, str)


class ConstructorSignature:
    """The attribute `__signature__` of a class, made when it is asked for; none where its `__init__` names all."""

    def __get__(self, instance: object, kind: type) -> inspect.Signature:
        found = signature_of(kind) if instance is None else None
        if found is None:
            raise AttributeError("__signature__")
        return found


@cache
def signature_of(kind: Value) -> inspect.Signature | None:
    """What a class takes; None where nothing is described, or the class has an `__init__` that names all."""
    maker = next(base for base in kind.__mro__ if "__init__" in vars(base))
    own = list(inspect.signature(kind.__init__).parameters.values())[1:]
    names_all = maker.spec_class is kind.spec_class and not any(each.kind is each.VAR_KEYWORD for each in own)
    if kind.spec_class is None or names_all:
        return None
    described = in_torchs_words(kind.spec_class)
    more = [each for each in own if each.kind is each.KEYWORD_ONLY]
    return inspect.Signature(sorted([*described, *more], key=lambda each: each.kind))


@cache
def by_position(spec_class: type[core.Module]) -> list[inspect.Parameter]:
    """What a description takes by position."""
    parameters = inspect.signature(spec_class).parameters.values()
    return [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]


def in_torchs_words(spec_class: type[core.Module]) -> list[inspect.Parameter]:
    """What a description takes, under Torch's names."""
    return [_parameter(spec_class, each) for each in inspect.signature(spec_class).parameters.values()]


def _parameter(spec_class: type[core.Module], parameter: inspect.Parameter) -> inspect.Parameter:
    """A field as Torch calls it, but for `lambda`, which no argument of Python's can be called."""
    name = schema_of(spec_class).spell(parameter.name)
    kind = parameter.annotation if parameter.annotation in PLAIN else written(parameter.annotation)
    if parameter.default is None and "None" not in str(kind):
        kind = f"{written(kind)} | None" if kind != "Any" else kind
    return parameter.replace(name=parameter.name if iskeyword(name) else name, annotation=kind)


def written(annotation: object) -> str:
    """A type as it is written, with objects in the place of descriptions."""
    text = "Any" if annotation is inspect.Parameter.empty else inspect.formatannotation(annotation)
    text = text.replace("list[typing.Any] | tuple[typing.Any, ...]", "list | tuple")
    text = text.replace("functorch7.core.arrays.Const | typing.Any", "Numbers")
    text = re.sub(r"functorch7(\.\w+)+", lambda match: DESCRIBED.get(match[0], "Any"), text)
    text = re.sub(r"\b(typing|collections\.abc)\.", "", text).strip("'")
    return "Any" if "Any" in text.split(" | ") else text


class Documentation:
    """The attribute `__doc__` of a class, made when it is asked for.

    It is what the description says, under Torch's names and without its functional examples, and then what the class
    itself says of its objects beyond that.
    """

    def __init__(self, spec_class: type[core.Module], own: str | None = None):
        self.spec_class, self.own = spec_class, inspect.cleandoc(own or "")

    def __get__(self, instance: object, kind: type) -> str:
        spell, names = schema_of(self.spec_class).spell, {each.name for each in fields(self.spec_class)}  # type: ignore[arg-type]
        blocks = re.split(r"\n\s*\n", inspect.cleandoc(self.spec_class.__doc__ or ""))
        said = "\n\n".join(block for block in blocks if not block.startswith(">>>"))
        said = re.sub(r"\b[a-z]\w+\b", lambda match: spell(match[0]) if match[0] in names else match[0], said)
        return said if self.own in ("", f"{self.spec_class.torch_name()}.") else f"{said}\n\n{self.own}"
