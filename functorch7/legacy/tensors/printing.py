"""Numbers as Torch prints them: in columns, with a common scale where they are large or small."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

WIDTH = 80
"""How many characters a line has at most; what is wider goes on below."""


class Style(NamedTuple):
    """The width of numbers, the digits after the point, "f", "e" or "d" (whole), and the scale they are divided by."""

    width: int
    digits: int
    kind: str
    scale: float = 1

    def lines(self, rows: np.ndarray) -> list[str]:
        """The numbers of each row of a matrix, right-justified."""
        form = " ".join([f"%{self.width}.{self.digits}{self.kind}"] * rows.shape[1])
        with np.errstate(all="ignore"):  # the scale's, for numbers that are almost 0
            return [form % tuple(row) for row in (rows / self.scale).tolist()]

    def heading(self) -> str:
        """The scale, if there is one."""
        return "" if self.scale == 1 else f"{self.scale:g} *\n"


def style_of(numbers: np.ndarray) -> Style:
    """One style for all numbers, by their largest and smallest, and whether all are whole.

    Infinities count as large whole numbers; if any is NaN, nothing is aligned.
    """
    sizes = np.abs(numbers)
    if np.isnan(sizes).any():
        return Style(0, 6, "f")
    least, most = (_figures(each) for each in (sizes.min(initial=math.inf), sizes.max(initial=0)))
    if np.all(numbers == np.floor(numbers)):
        return Style(11, 4, "e") if most > 9 else Style(int(most) + 1, 0, "d")
    if most - least > 4:
        return Style(12 if max(abs(most), abs(least)) > 99 else 11, 4, "e")
    if most > 5 or most < 0:
        return Style(7, 4, "f", 10.0 ** (most - 1))
    return Style(int(most) + 6 if most else 7, 4, "f")


def _figures(size: float) -> float:
    """The number of digits before the point; 1 for 0, less for small numbers."""
    if size == math.inf:
        return size
    return math.floor(math.log10(size)) + 1 if size else 1


def column(numbers: np.ndarray) -> str:
    """One number on each line."""
    numbers = np.asarray(numbers, np.float64).reshape(-1)
    style = style_of(numbers)
    return style.heading() + "".join(f"{line}\n" for line in style.lines(numbers[:, None]))


def printed(numbers: np.ndarray) -> str:
    """A column, a matrix, or matrices one below the other, all in one style."""
    numbers = np.asarray(numbers, np.float64)
    if numbers.ndim < 2:
        return column(numbers)
    style = style_of(numbers)
    if numbers.ndim == 2:
        return _matrix(numbers, style)
    places = (each[::-1] for each in np.ndindex(numbers.shape[-3::-1]))  # the first dimension changes first
    return "\n".join(
        f"({''.join(f'{each + 1},' for each in place)}.,.) = \n{_matrix(numbers[place], style, ' ')}"
        for place in places
    )


def _matrix(rows: np.ndarray, style: Style, indent: str = "") -> str:
    """Rows of a matrix, in groups of as many columns as fit on a line."""
    count = rows.shape[1]
    room = max((WIDTH - len(indent)) // (style.width + 1), 1) if style.width else count
    parts = []
    for first in range(0, count, room):
        last = min(first + room, count)
        title = f"Columns {first + 1} to {last}\n{indent}" if room < count else ""
        margin = indent if style.scale == 1 else f"{indent} "
        heading = style.heading()
        lines = f"\n{margin}".join(style.lines(rows[:, first:last]))
        parts.append(f"{title}{heading}{f' {indent}' if heading else ''}{lines}\n")
    return indent + "\n".join(parts)
