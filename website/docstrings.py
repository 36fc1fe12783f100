"""Docstrings as Markdown: their formula, and a definition list of their labelled parts.

A docstring of this project is plain text: what is computed, perhaps some sentences, and then parts such as "Shape: ..."
and "Raises: ...", each at the beginning of a sentence. mkdocstrings takes it as Markdown, where `*`, `_` and `<` mean
something else, and line breaks nothing.
"""

import html
import inspect
import re
import textwrap

from .formulas import mathml, parted

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
    blocks = [block for paragraph in re.split(r"\n\s*\n", before) for block in _with_formulas(paragraph)]
    for name, content in labelled.items():
        first, *others = _blocks(content)  # what stands after an empty line is no part of it
        blocks += [f"{name}\n:   " + textwrap.indent(first, "    ").lstrip(), *others]
    return "\n\n".join(blocks)


def _with_formulas(paragraph: str) -> list[str]:
    """A paragraph of what is computed: the formulas with which it begins, and its prose."""
    found, rest = ([], paragraph) if _is_code(paragraph) else parted(paragraph)
    return [*(f'<div class="formula">{mathml(each)}</div>' for each in found), *([_block(rest)] if rest else [])]


def _blocks(text: str) -> list[str]:
    return [_block(block) for block in re.split(r"\n\s*\n", text)]


def _is_code(text: str) -> bool:
    return text.startswith("    ") or text.lstrip().startswith(">>>")


def _block(text: str) -> str:
    """A paragraph: indented lines and examples as code, prose without what Markdown would see in it."""
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
