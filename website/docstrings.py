"""Docstrings as Markdown: a definition list of their labelled parts, and signatures as Python sees them.

A docstring of this project is plain text: what is computed, perhaps some sentences, and then parts such as "Shape: ..."
and "Raises: ...", each at the beginning of a sentence. mkdocstrings takes it as Markdown, where `*`, `_` and `<` mean
something else, and line breaks nothing.
"""

import html
import importlib
import inspect
import re
import textwrap
from typing import Any

import griffe

LABEL = re.compile(
    r"(?:^|(?<=\.[ \n])|(?<=\.  ))((?:Shape|Parameters|Buffers|Exposes|Raises|Source|Differs from)\b[^:.;\n]{0,40}):\s",
    re.M,
)
MARKED = re.compile(r"(`[^`\n]+`|(?<![\w*])\*[a-z]+\*(?![\w*]))")
SPECIAL = re.compile(r"([\\*_\[\]#])")


def parts(text: str) -> tuple[str, dict[str, str]]:
    """The sentences of a docstring before its first label, and what stands at each label."""
    before, *rest = LABEL.split(inspect.cleandoc(text))
    return before.strip(), dict(zip(rest[::2], (content.strip() for content in rest[1::2]), strict=True))


def markdown(text: str) -> str:
    """A docstring as Markdown."""
    before, labelled = parts(text)
    blocks = [_block(block) for block in re.split(r"\n\s*\n", before)]
    for name, content in labelled.items():
        paragraphs = [_block(block) for block in re.split(r"\n\s*\n", content)]
        blocks.append(f"{name}\n:   " + textwrap.indent("\n\n".join(paragraphs), "    ").lstrip())
    return "\n\n".join(blocks)


def _block(text: str) -> str:
    """A paragraph: indented lines and examples as code, lists as they are, prose without what Markdown would see."""
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{textwrap.dedent(text)}\n```"
    if text.startswith("    "):
        return f"```python\n{textwrap.dedent(text)}\n```"
    return escaped(text)


def escaped(text: str) -> str:
    """Plain text as Markdown; `code` and *emphasis* remain what they are."""
    pieces = MARKED.split(text)
    pieces[::2] = [SPECIAL.sub(r"\\\1", html.escape(piece, quote=False)) for piece in pieces[::2]]
    return "".join(pieces)


class Docstrings(griffe.Extension):
    """Gives mkdocstrings the Markdown of every docstring, and the constructor of every description."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        for module in [pkg, *pkg.modules.values()]:
            self._give_constructors(module)

    def _give_constructors(self, module: griffe.Module) -> None:
        for inner in module.modules.values():
            if not inner.is_alias:
                self._give_constructors(inner)
        for found in module.classes.values():
            if not found.is_alias and "__init__" not in found.members:
                described = getattr(importlib.import_module(module.path), found.name)
                if hasattr(described, "torch_name"):
                    found.set_member("__init__", _constructor(described, found))


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
