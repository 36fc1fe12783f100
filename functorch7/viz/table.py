"""Tables of a network's modules, as text and in notebooks."""

import html
from collections.abc import Collection
from typing import ClassVar

from ..core import Module, title
from ..core.display import table_of
from ..core.tree import Path, dotted
from ..core.types import Value

Cells = tuple[str, ...]


class Table:
    """Rows of text under a head, and totals below a line; printed as text, and shown as a table in notebooks."""

    HEAD: ClassVar[Cells]
    LEFT: ClassVar[int] = 1
    """How many columns are aligned left; the others, numbers, are aligned right."""

    def body(self) -> list[Cells]:
        """The rows."""
        raise NotImplementedError

    def totals(self) -> list[Cells]:
        """The rows below the line."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Lines below the table."""
        return []

    def __str__(self) -> str:
        body, totals = self.body(), self.totals()
        rows = [self.HEAD, *body, *totals]
        widths = [max(len(row[i]) for row in rows) for i in range(len(self.HEAD))]

        def line(row: Cells) -> str:
            sides = "<" * self.LEFT + ">" * (len(row) - self.LEFT)
            return "  ".join(f"{c:{side}{w}}" for c, side, w in zip(row, sides, widths, strict=True)).rstrip()

        rule = "-" * max(len(line(row)) for row in rows)
        lines = [line(self.HEAD), rule, *map(line, body), rule, *map(line, totals)]
        return "\n".join([*lines, *self.notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes())
        return table_of(self.HEAD, [*self.body(), *self.totals()]) + notes


def in_tree(path: Path, module: Module, places: Collection[Path] = ()) -> str:
    """A module's name inside the innermost of `places` around it, its own name if any, and its title, indented."""
    own_name = f"{module.own_name}: " if module.own_name else ""
    around = [path[:end] for end in range(len(path)) if path[:end] in places]
    name = f"{'  ' * len(around)}{dotted(path[len(around[-1]) :]) if around else ''} {own_name}{title(module)}"
    return name.rstrip() if around else name.strip()


def sizes(tree: Value) -> str:
    """The shapes of a tree's arrays."""
    if isinstance(tree, (list, tuple)):
        return f"[{', '.join(map(sizes, tree))}]"
    if isinstance(tree, dict):
        return f"{{{', '.join(f'{name}: {sizes(each)}' for name, each in tree.items())}}}"
    if tree is None:
        return "None"
    return "x".join(map(str, tree.shape)) or "1"


def metric(count: float) -> str:
    """A count with three digits and a unit: 3.36k."""
    amount, unit = float(count), ""
    for larger in ("k", "M", "G", "T", "P"):
        if round(amount) < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.3g}{unit}" if unit and round(amount) < 1000 else f"{amount:.0f}{unit}"
