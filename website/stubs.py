"""functorch7/legacy/nn.pyi, by which editors and type checkers know what the classes of `legacy.nn` take.

The classes are made from descriptions when they are asked for, so that nothing in a file says so. After a change of a
description: python -m website.stubs
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from functorch7.core import registry
from functorch7.legacy import nn
from functorch7.legacy.objects.described import torch_spelling
from functorch7.legacy.objects.generated import is_generated
from functorch7.legacy.objects.signatures import signature_of, written

from .docstrings import parts
from .public import modules

STUB = Path(str(nn.__file__)).with_suffix(".pyi")
HEADER = """\
# Made by `python -m website.stubs` from the descriptions of modules and criterions; a test compares it with them.
# fmt: off
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

"""
KNOWN = (
    ("..layers.pooling", "Record"), ("..optim.regularizers", "L1L2Regularizer"), (".tensors.kinds", "Numbers"),
)  # fmt: skip
"""Other types of arguments, and their files."""
ALIASES = ("Graph = Model", "loadModule = load", "loadTorch = load")
WIDTH = 118


def stub() -> str:
    """The file's text."""
    kinds = [getattr(nn, name.removeprefix("nn.")) for name in sorted(modules())]
    described = {kind.__name__: kind for kind in kinds if signature_of(kind)}
    handed_on = {kind.__name__: _imported(kind.__module__, kind.__name__) for kind in kinds} | dict(_handed_on())
    lines = {line for name, line in handed_on.items() if name not in described}
    classes = []
    for kind in sorted(described.values(), key=lambda kind: (len(kind.__mro__), kind.__name__)):  # after their bases
        base = kind if not is_generated(kind) else kind.__mro__[1]
        known = base is not kind and base.__name__ in handed_on
        lines |= set() if known else {_imported(base.__module__)}
        classes.append(_class(kind, base.__name__ if known else f"_{_file(base)}.{base.__name__}"))
    imports, aliases = zip(*(f"{line}\n".split("\n")[:2] for line in lines), strict=True)
    known = [f"from {file} import {name}" for file, name in KNOWN]
    found = sorted({*imports, *known}, key=lambda line: (not line.startswith("from .."), line))
    return HEADER + "\n".join([*found, "", *sorted(filter(None, aliases)), *ALIASES, "", *classes])


def _imported(file: str, name: str = "") -> str:
    """The line that imports a file of `legacy`, or a name in it."""
    package, _, last = file.removeprefix("functorch7.legacy.").rpartition(".")
    place = f".{package}.{last}" if package else f".{last}"
    return f"from {place} import {name} as {name}" if name else f"from .{package} import {last} as _{last}"


def _handed_on() -> Iterator[tuple[str, str]]:
    """What nn.py hands on of other files, with the lines that do."""
    for node in ast.parse(Path(str(nn.__file__)).read_text()).body:
        if isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            for each in node.names:
                if each.asname == each.name:
                    yield each.name, f"from {package} import {each.name} as {each.name}"
                elif each.asname:  # a stub hands on under its own name alone
                    imported = f"from {package} import {each.name} as _{each.name}"
                    yield each.asname, f"{imported}\n{each.asname} = _{each.name}"


def _file(kind: Any) -> str:
    return kind.__module__.rpartition(".")[2]


def _class(kind: Any, base: str) -> str:
    said, labelled = parts(kind.__doc__)
    shape = f"Shape: {labelled['Shape']}" if "Shape" in labelled else ""
    text = "\n\n".join(filter(None, [said.split("\n\n")[0], shape])).replace("\\", "\\\\")
    body = [f'"""{text}"""' if "\n" not in text else f'"""{text}\n"""', *map(str, _methods(kind))]
    return f"class {kind.__name__}({base}):\n" + textwrap.indent("\n".join(body), "    ") + "\n"


def _methods(kind: Any) -> Iterator[str]:
    """The constructor, and the methods that change the description."""
    yield _method("__init__", inspect.signature(kind).parameters.values(), "None")
    inherited = {name for base in kind.spec_class.__mro__[1:] if base in registry.values() for name in dir(base)}
    for name, member in inspect.getmembers(kind.spec_class, lambda member: getattr(member, "is_builder", False)):
        spelled = torch_spelling(kind.spec_class, name)
        if name not in inherited and not hasattr(kind, spelled):
            taken = list(inspect.signature(member).parameters.values())[1:]
            yield _method(spelled, [each.replace(annotation=written(each.annotation)) for each in taken], "Self")


def _method(name: str, parameters: Iterable[inspect.Parameter], gives: str) -> str:
    taken = ["self"]
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not any(one.startswith("*") for one in taken):
            taken.append("*")
        taken.append(_parameter(each))
    line = f"def {name}({', '.join(taken)}) -> {gives}: ..."
    if len(line) <= WIDTH - 4:
        return line
    inside = textwrap.fill(", ".join(taken) + ",", WIDTH - 8, break_on_hyphens=False)
    return f"def {name}(\n{textwrap.indent(inside, '    ')}\n) -> {gives}: ..."


def _parameter(parameter: inspect.Parameter) -> str:
    kind = parameter.annotation if isinstance(parameter.annotation, str) else parameter.annotation.__name__
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is parameter.empty:
        return f"{star}{parameter.name}: {kind}"
    plain = isinstance(parameter.default, bool | int | float | str | tuple | None)
    return f"{parameter.name}: {kind} = {repr(parameter.default) if plain else '...'}"


if __name__ == "__main__":
    STUB.write_text(stub())
