"""The layout of pictures of networks: boxes below each other, side by side, in frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

LETTER, LINE, PADDING, ACROSS, DOWN = 6.6, 15, 12, 22, 26

Point = tuple[float, float]


class Box(NamedTuple):
    """A layer: its corner, its size and its text; `learned` says whether it has parameters."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    learned: bool
    about: str


class Frame(NamedTuple):
    """A frame around other parts, with a title."""

    x: float
    y: float
    width: float
    height: float
    title: str


class Arrow(NamedTuple):
    """An arrow from one point down to another; without a tip it is a line that another one continues."""

    start: Point
    end: Point
    tip: bool = True


@dataclass(frozen=True)
class Block:
    """A part of a picture, from (0, 0) to its size.

    Arrows enter at `entries`: one group of points, or one for each tensor of a table that the part takes apart. They
    leave at `exits`, one point for each tensor.
    """

    width: float
    height: float
    entries: tuple[tuple[Point, ...], ...]
    exits: tuple[Point, ...]
    boxes: tuple[Box, ...] = ()
    frames: tuple[Frame, ...] = ()
    arrows: tuple[Arrow, ...] = ()

    def moved(self, x: float, y: float) -> Block:
        """The same part at another place."""

        def at(point: Point) -> Point:
            return point[0] + x, point[1] + y

        return replace(
            self,
            entries=tuple(tuple(map(at, group)) for group in self.entries),
            exits=tuple(map(at, self.exits)),
            boxes=tuple(box._replace(x=box.x + x, y=box.y + y) for box in self.boxes),
            frames=tuple(frame._replace(x=frame.x + x, y=frame.y + y) for frame in self.frames),
            arrows=tuple(Arrow(at(arrow.start), at(arrow.end), arrow.tip) for arrow in self.arrows),
        )


def box(lines: Sequence[str], learned: bool = False, about: str = "") -> Block:
    """A layer."""
    width = max(map(len, lines)) * LETTER + 2 * PADDING
    height = len(lines) * LINE + PADDING
    return Block(
        width, height, (((width / 2, 0.0),),), ((width / 2, height),),
        (Box(0, 0, width, height, tuple(lines), learned, about),),
    )  # fmt: skip


@dataclass
class _Sheet:
    """The parts of a block that is being composed."""

    boxes: list[Box] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)

    def put(self, block: Block) -> None:
        self.boxes += block.boxes
        self.frames += block.frames
        self.arrows += block.arrows

    def block(self, width: float, height: float, entries: tuple, exits: tuple) -> Block:
        return Block(width, height, entries, exits, tuple(self.boxes), tuple(self.frames), tuple(self.arrows))


def arrows(exits: Sequence[Point], entries: Sequence[Sequence[Point]]) -> list[Arrow]:
    """Arrows from tensors to entries: each to its own group if there are equally many, otherwise all to all."""
    if len(entries) == len(exits) > 1:
        return [Arrow(start, end) for start, group in zip(exits, entries, strict=True) for end in group]
    return [Arrow(start, end) for start in exits for group in entries for end in group]


def stacked(parts: Sequence[Block]) -> Block:
    """Parts below each other; the output of each is the input of the next."""
    width, y, sheet = max(part.width for part in parts), 0.0, _Sheet()
    placed: list[Block] = []
    for part in parts:
        placed.append(part.moved((width - part.width) / 2, y))
        y += part.height + DOWN
        sheet.put(placed[-1])
        if len(placed) > 1:
            sheet.arrows += arrows(placed[-2].exits, placed[-1].entries)
    return sheet.block(width, y - DOWN, placed[0].entries, placed[-1].exits)


def beside(parts: Sequence[Block], apart: bool = False) -> Block:
    """Parts side by side, all with the same input, or, if `apart`, each with its own tensor of a table."""
    height, x, sheet = max(part.height for part in parts), 0.0, _Sheet()
    groups, exits = [], []
    for part in parts:
        here = part.moved(x, 0)
        sheet.put(here)
        x += part.width + ACROSS
        groups.append(tuple(point for group in here.entries for point in group))
        for point in here.exits:  # extended to the end of the tallest part
            if point[1] < height:
                sheet.arrows.append(Arrow(point, (point[0], height), tip=False))
            exits.append((point[0], height))
    entries = tuple(groups) if apart else (tuple(point for group in groups for point in group),)
    return sheet.block(x - ACROSS, height, entries, tuple(exits))


def framed(title: str, part: Block, through: bool = True) -> Block:
    """A part in a frame; with `through`, arrows lead to the part inside, otherwise only to the frame."""
    inner = max(part.width, len(title) * LETTER)
    width, top = inner + 2 * PADDING, LINE + PADDING
    height = part.height + top + PADDING
    here = part.moved((width - part.width) / 2, top)
    sheet = _Sheet()
    sheet.frames.append(Frame(0, 0, width, height, title))
    sheet.put(here)
    if through:
        return sheet.block(width, height, here.entries, here.exits)
    return sheet.block(width, height, (((width / 2, 0.0),),), ((width / 2, height),))


def layered(parts: Sequence[Block], sources: Sequence[Sequence[int]], outputs: Sequence[int]) -> Block:
    """Parts with arbitrary connections, each below all its sources; source -1 is the input.

    A connection that passes rows of parts gets a place in these rows, so that it does not cross boxes.
    """
    depths: list[int] = []
    for own in sources:
        depths.append(1 + max((depths[source] for source in own if source >= 0), default=-1))
    rows: list[dict[tuple[int, int], list[tuple[int, int]]]] = [{} for _ in range(max(depths) + 1)]
    for i, own in enumerate(sources):
        for source in own:
            for depth in range(depths[source] + 1, depths[i]) if source >= 0 else ():
                rows[depth][source, depth] = [(source, depth - 1)]
        rows[depths[i]][i, depths[i]] = [(source, depths[i] - 1) for source in own if source >= 0]
    placed: dict[tuple[int, int], Block] = {}
    y, sheet = 0.0, _Sheet()
    width = max(_width([_part(parts, depths, key, 0) for key in row]) for row in rows)
    for row in rows:
        height = max(parts[i].height for i, depth in row if depths[i] == depth)
        order = sorted(row, key=lambda key: _middle([placed[source] for source in row[key]]))
        blocks = [_part(parts, depths, key, height) for key in order]
        x = (width - _width(blocks)) / 2
        for (i, depth), block in zip(order, blocks, strict=True):
            here = placed[i, depth] = block.moved(x, y)
            sheet.put(here)
            x += block.width + ACROSS
            tip = depths[i] == depth
            exits = [placed[source].exits[0] for source in row[i, depth]]
            sheet.arrows += [each._replace(tip=tip) for each in arrows(exits, here.entries)]
        y += height + 1.5 * DOWN
    first = [placed[i, depths[i]].entries for i, own in enumerate(sources) if min(own) < 0]
    entries = tuple(point for groups in first for group in groups for point in group)
    return sheet.block(
        width, y - 1.5 * DOWN, (entries,), tuple(placed[i, depths[i]].exits[0] for i in outputs if i >= 0)
    )


def _part(parts: Sequence[Block], depths: Sequence[int], key: tuple[int, int], height: float) -> Block:
    """What to put into a row: the part itself, or, in lower rows, a line that continues its output."""
    i, depth = key
    if depths[i] == depth:
        return parts[i]
    start, end = (LETTER / 2, 0.0), (LETTER / 2, height)
    return Block(LETTER, height, ((start,),), (end,), arrows=(Arrow(start, end, tip=False),))


def _width(blocks: Sequence[Block]) -> float:
    return sum(block.width + ACROSS for block in blocks) - ACROSS


def _middle(blocks: Sequence[Block]) -> float:
    """The mean position of the blocks' exits."""
    return sum(block.exits[0][0] for block in blocks) / len(blocks) if blocks else 0.0
