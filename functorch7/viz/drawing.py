"""Pictures of networks as SVG, light or dark; no other program is needed."""

import html
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core import Module, title
from ..core.tree import Path as Place
from ..core.tree import by_position, dotted, named_children
from ..core.types import Input
from ..interop.writing import replacing
from ..layers import Concat, ConcatTable, Graph, Parallel, ParallelTable, Sequential
from ..network import check_module, named_parameters, structure_of
from ..network.shapes import shaped
from .blocks import PADDING, Arrow, Block, Box, Frame, beside, box, framed, layered, stacked
from .table import sizes
from .visits import innermost, visits

Theme = Literal["auto", "light", "dark"]

LIGHT = {"paper": "#ffffff", "ink": "#1f2933", "faint": "#7b8794", "plain": "#f5f7fa", "edge": "#9aa5b1",
         "learned": "#dceafb", "rim": "#3e7cb1"}  # fmt: skip
DARK = {"paper": "#161b22", "ink": "#e6edf3", "faint": "#8b949e", "plain": "#22272e", "edge": "#6e7681",
        "learned": "#17375e", "rim": "#58a6ff"}  # fmt: skip


@dataclass(frozen=True)
class Drawing:
    """A picture of a network: `svg()` returns its text, `write(path)` makes a file, and notebooks show it.

    Layers with parameters are blue. The theme "auto" follows the reader's browser; "light" and "dark" are fixed.
    """

    block: Block
    theme: Theme = "auto"

    @property
    def size(self) -> tuple[float, float]:
        """(width, height), in pixels."""
        return self.block.width + 4 * PADDING, self.block.height + 4 * PADDING

    def __repr__(self) -> str:
        width, height = self.size
        return f"<Drawing of {width:.0f} x {height:.0f} pixels; write(path) makes an SVG file of it>"

    def svg(self) -> str:
        """The picture as text."""
        width, height = self.size
        block = self.block.moved(2 * PADDING, 2 * PADDING)
        text = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="f7" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}">',
            f"<style>{_style(self.theme)}</style>",
            '<defs><marker id="f7-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path class="f7-tip" d="M0,1 L7,4 L0,7 z"/></marker></defs>',
            '<rect class="f7-paper" width="100%" height="100%" rx="6"/>',
        ]
        for frame in block.frames:
            text += _drawn_frame(frame)
        for arrow in block.arrows:
            text += _drawn_arrow(arrow)
        for each in block.boxes:
            text += _drawn_box(each)
        return "\n".join([*text, "</svg>"])

    _repr_html_ = svg

    def write(self, path: str | os.PathLike) -> Path:
        """Writes the picture to an SVG file, whole or not at all; returns its path.

        Raises: ValueError unless the file ends in .svg; OSError.
        """
        if Path(path).suffix.lower() != ".svg":
            raise ValueError(f"Drawing.write: pictures are SVG, expected a file that ends in .svg, got {path}")
        with replacing(path) as draft:
            draft.write_text(self.svg(), encoding="utf-8")
        return Path(path)


def draw(module: Module, input: Input | None = None, dtype: DTypeLike = jnp.float32, theme: Theme = "auto") -> Drawing:
    """A picture of a network: its layers, their connections, and, with an input, the sizes of outputs.

    `input` is a shape, (32, 1, 28, 28), or a table of shapes; an array or jax.ShapeDtypeStruct stands for its shape.
    Chains go down, branches are side by side; other modules with modules inside have a frame. Nothing is computed.
    Raises: TypeError unless `module` is a description; ValueError for an unknown theme; the network's errors for such
    an input.

    >>> import functorch7 as f7
    >>> picture = f7.draw(f7.Sequential(f7.Linear(10, 5), f7.Tanh()), (32, 10))
    >>> picture.svg().count("<g>")  # the input and the two layers
    3
    """
    check_module("draw", module)
    if theme not in ("auto", "light", "dark"):
        raise ValueError(f"draw: expected the theme 'auto', 'light' or 'dark', got {theme!r}")
    params, buffers = structure_of(module)
    gives: dict[Place, Any] = {}
    ends: list[Block] = []
    if input is not None:
        given = shaped(input, dtype)
        key = jax.random.key(0)
        gives = {each.path: each.output for each in visits(module, params, buffers, given, key, False)}
        ends = [box([f"input  {sizes(given)}"])]
    learned: dict[Place, int] = {}
    places = {path for path, _ in _leaves(module)}
    for path, array in named_parameters(module, params):
        if array is not None:
            place = innermost(path, places | {()})
            learned[place] = learned.get(place, 0) + array.size
    return Drawing(stacked([*ends, _block(module, (), gives, learned)]), theme)


def _leaves(module: Module, path: Place = ()) -> list[tuple[Place, Module]]:
    """The modules that get a box."""
    if not _opened(module):
        return [(path, module)]
    return [leaf for name, child in named_children(module) for leaf in _leaves(child, (*path, name))]


def _opened(module: Module) -> bool:
    """Whether the modules inside are shown; cells, whose parts have names, are one box."""
    inner = named_children(module)
    return len(inner) == 1 or (by_position(module) and bool(inner))


def _block(module: Module, path: Place, gives: Mapping[Place, Any], learned: Mapping[Place, int]) -> Block:
    if not _opened(module):
        count = learned.get(path, 0)
        below = [sizes(gives[path])] if path in gives else []
        about = f"{dotted(path)}: {title(module)}" + (f", {count:,} parameters" if count else "")
        return box([title(module).removeprefix("nn."), *below], bool(count), about)
    inner = [_block(child, (*path, name), gives, learned) for name, child in named_children(module)]
    if isinstance(module, Sequential):
        return stacked(inner)
    if isinstance(module, (ConcatTable, ParallelTable)):
        return beside(inner, isinstance(module, ParallelTable))
    if isinstance(module, (Concat, Parallel)):
        below = [sizes(gives[path])] if path in gives else []
        return stacked([beside(inner), box([type(module).__name__, *below], about=dotted(path))])
    if isinstance(module, Graph):
        sources = [[max(source.origin, -1) for source in own] for own in module.sources]
        return framed(title(module), layered(inner, sources, [source.origin for source in module.outputs]))
    name = module.torch_name().removeprefix("nn.")
    return framed(name, inner[0]) if len(inner) == 1 else framed(name, beside(inner), through=False)


def _drawn_frame(frame: Frame) -> list[str]:
    x, y = frame.x + PADDING, frame.y + 17
    return [
        f'<rect class="f7-frame" {_place(frame)} rx="8"/>',
        f'<text class="f7-faint" x="{x:.1f}" y="{y:.1f}">{html.escape(frame.title)}</text>',
    ]


def _drawn_arrow(arrow: Arrow) -> list[str]:
    (x1, y1), (x2, y2), tip = arrow
    middle, kind = (y1 + y2) / 2, "f7-arrow" if tip else "f7-line"
    curve = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}"
    return [f'<path class="{kind}" d="{curve}"/>']


def _drawn_box(box: Box) -> list[str]:
    kind, x = "f7-learned" if box.learned else "f7-plain", box.x + box.width / 2
    lines = [f'<g><title>{html.escape(box.about)}</title><rect class="{kind}" {_place(box)} rx="5"/>']
    for i, line in enumerate(box.lines):
        style, y = ("f7-faint" if i else "f7-ink"), box.y + 19 + 15 * i
        lines.append(f'<text class="{style}" text-anchor="middle" x="{x:.1f}" y="{y:.1f}">{html.escape(line)}</text>')
    return [*lines, "</g>"]


def _place(each: Any) -> str:
    return f'x="{each.x:.1f}" y="{each.y:.1f}" width="{each.width:.1f}" height="{each.height:.1f}"'


def _style(theme: Theme) -> str:
    fixed = _colours(DARK if theme == "dark" else LIGHT)
    follows = f"@media (prefers-color-scheme: dark) {{ {_colours(DARK)} }}" if theme == "auto" else ""
    return f".f7 text {{ font: 12px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }} {fixed} {follows}"


def _colours(c: Mapping[str, str]) -> str:
    return (
        f".f7-paper {{ fill: {c['paper']}; }} .f7-ink {{ fill: {c['ink']}; }} .f7-faint {{ fill: {c['faint']}; }} "
        f".f7-plain {{ fill: {c['plain']}; stroke: {c['edge']}; }} "
        f".f7-learned {{ fill: {c['learned']}; stroke: {c['rim']}; }} "
        f".f7-frame {{ fill: none; stroke: {c['edge']}; stroke-dasharray: 4 3; }} "
        f".f7-arrow, .f7-line {{ fill: none; stroke: {c['edge']}; }} .f7-arrow {{ marker-end: url(#f7-tip); }} "
        f".f7-tip {{ fill: {c['edge']}; }}"
    )
