"""What notebooks show: a network as a tree whose branches fold, and tables; and whether there is one."""

import html
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Protocol

from ..checks.errors import title
from .tree import named_children

_UNFOLDED = 2
"""How many levels are open at first."""


def in_notebook() -> bool:
    """Whether cells of a notebook are run: what is below them is no terminal, and yet somebody's to watch."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return hasattr(ask() if ask else None, "kernel")


class Named(Protocol):
    """A module, as far as it is shown."""

    own_name: ClassVar[str | None]

    def children(self) -> "tuple[Named, ...] | Mapping[str, Named]": ...


def tree_of(module: Named, name: str = "", depth: int = 0) -> str:
    """A module and those inside, as HTML; positions count from 1, as Torch prints them."""
    own_name = f"{module.own_name}: " if module.own_name else ""
    text = f"<code>{html.escape(name + own_name + title(module))}</code>"
    inner = named_children(module)
    if not inner:
        return text
    shown = [(f"({place + 1 if isinstance(place, int) else place}): ", child) for place, child in inner]
    lines = "".join(f"<li>{tree_of(child, place, depth + 1)}</li>" for place, child in shown)
    unfolded = " open" if depth < _UNFOLDED else ""
    return f'<details{unfolded}><summary>{text}</summary><ul style="list-style: none">{lines}</ul></details>'


def table_of(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text under a head, as HTML; spaces in them are kept."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}><pre>{html.escape(cell)}</pre></{tag}>" for cell in cells) + "</tr>"

    return f"<table>{row(head, 'th')}{''.join(row(cells, 'td') for cells in rows)}</table>"
