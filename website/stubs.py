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
from functorch7.legacy import beside, nn
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
    ("..core.types", "Value"),
    ("..layers.pooling", "Record"), ("..optim.regularizers", "L1L2Regularizer"), (".tensors.kinds", "Numbers"),
    (".tensors.values", "Output"),
)  # fmt: skip
"""Other types of arguments, and their files."""
IN_FRONT = {nn.Module: "_BigDL, _PyTorch", nn.Container: "_Appending"}
"""What is put in front of a class's bases when it is used: here it is there at once."""
LAYERS = (
    "from .bigdl import BigDL as _BigDL",
    "from .pytorch import PyTorch as _PyTorch",
    "from .pytorch.containers import Appending as _Appending",
)
WRITTEN = {
    nn.Module: ("updateOutput", "updateGradInput", "accGradParameters", "forward", "__call__"),
    nn.Criterion: ("updateOutput", "updateGradInput"),
}
"""Methods that users' classes define, with arguments of their own: to a type checker these take anything."""
WIDTH = 118


def stub() -> str:
    """The file's text."""
    kinds = [getattr(nn, name.removeprefix("nn.")) for name in sorted(modules()) if name.startswith("nn.")]
    described = {kind.__name__: kind for kind in kinds if signature_of(kind)}
    handed_on = {kind.__name__: _imported(kind.__module__, kind.__name__) for kind in kinds} | dict(_handed_on())
    plain = {name: kind for name in handed_on if _is_module(kind := getattr(nn, name)) and name not in described}
    lines = {line for name, line in handed_on.items() if name not in (*described, *plain)} | {*LAYERS}
    lines |= {_imported(kind.__module__) for kind in plain.values()}
    classes = [_class(kind, _bases(kind), name, _written_by_users(kind)) for name, kind in sorted(plain.items())]
    for kind in sorted(described.values(), key=_rank):  # after their bases
        base = kind if not is_generated(kind) else kind.__mro__[1]
        known = base is not kind and base.__name__ in handed_on
        lines |= set() if known else {_imported(base.__module__)}
        bases = base.__name__ if known else _bases(base)
        classes.append(_class(kind, bases, kind.__name__, _methods(kind)))
    imports, aliases = zip(*(f"{line}\n".split("\n")[:2] for line in lines), strict=True)
    known = {f"from {file} import {name}" for file, name in KNOWN}
    ordered = sorted({*imports, *known}, key=lambda line: (not line.startswith("from .."), line))
    return HEADER + "\n".join([*ordered, "", *sorted(filter(None, aliases)), "", *classes])


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
    for name, file in beside.FILES.items():
        yield name, f"from .{file} import {name} as {name}"


def _rank(kind: Any) -> tuple:
    return sum(map(_is_module, kind.__mro__)), kind.__name__


def _is_module(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, nn.Module)


def _bases(kind: Any) -> str:
    """A class that is written by hand, what is put in front of its bases, and the next of them that is in `nn`."""
    above = [base.__name__ for base in kind.__mro__[1:] if getattr(nn, base.__name__, None) is base][:1]
    home = f"_{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
    return ", ".join([home, *([IN_FRONT[kind]] if kind in IN_FRONT else []), *above])


def _class(kind: Any, bases: str, name: str, methods: Iterable[str]) -> str:
    said, labelled = parts(kind.__doc__)
    shape = f"Shape: {labelled['Shape']}" if "Shape" in labelled else ""
    text = "\n\n".join(filter(None, [said.split("\n\n")[0], shape])).replace("\\", "\\\\")
    body = [f'"""{text}"""' if "\n" not in text else f'"""{text}\n"""', *methods]
    return f"class {name}({bases}):\n" + textwrap.indent("\n".join(body), "    ") + "\n"


def _written_by_users(kind: Any) -> Iterator[str]:
    for name in WRITTEN.get(kind, ()):
        gives = "Value" if name == "__call__" else "Output"  # of a node of a graph, nodes
        yield f"def {name}(self, *given: Any, **named: Any) -> {gives}: ..."


def _methods(kind: Any) -> Iterator[str]:
    """The constructor, and the methods that change the description."""
    yield _method("__init__", inspect.signature(kind).parameters.values(), "None")
    inherited = {name for base in kind.spec_class.__mro__[1:] if base in registry.values() for name in dir(base)}
    for name, member in inspect.getmembers(kind.spec_class, lambda member: getattr(member, "is_builder", False)):
        spelled = torch_spelling(kind.spec_class, name)
        if name not in inherited and not hasattr(kind, spelled):
            yield _method(spelled, _written(member), "Self")
    for name, member in vars(kind).items() if is_generated(kind) else ():  # what is in no file to be imported
        if inspect.isfunction(member) and not name.startswith("_"):
            yield _method(name, _written(member), member.__annotations__.get("return", "Any"))
        elif not name.startswith("_") and name != "spec_class":
            yield f"{name}: Any"


def _written(method: Any) -> list[inspect.Parameter]:
    """What a method takes, but for the object."""
    taken = list(inspect.signature(method).parameters.values())[1:]
    return [each.replace(annotation=written(each.annotation)) for each in taken]


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
