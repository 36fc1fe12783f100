"""Pictures of graphs: text for graphviz, and SVG in graphviz's layout if it is installed, otherwise in ours."""

import html
import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..interop.writing import replacing

_WIDTH_OF_LETTER, _LINE, _GAP = 7.5, 16, 40


@dataclass
class Picture:
    """Labels, edges between their positions, and graphviz's attributes by position (fillcolor, tooltip, ...).

    `names` are the names of nodes that have one; their labels begin with it.
    """

    labels: list[str]
    edges: list[tuple[int, int]]
    attributes: dict[int, dict[str, str]] = field(default_factory=dict)
    title: str = ""
    names: dict[int, str] = field(default_factory=dict)

    def reversed(self) -> "Picture":
        """The same picture with its edges reversed."""
        return replace(self, edges=[(to, start) for start, to in self.edges])

    def dot(self) -> str:
        """The graph in graphviz's language."""
        lines = ["digraph G {"]
        if self.title:
            lines.append(f'labelloc="t"; label={_quoted(self.title)};')
        lines.append("node [shape = oval];")
        for i, label in enumerate(self.labels):
            name = self.names.get(i)
            title = f"Node{i + 1}\n{label}" if name is None else f"{name} ({i + 1}){label[len(name) :]}"
            own = {key: written(value) for key, value in self.attributes.get(i, {}).items()}
            more = sorted((own | {"label": _quoted(title)}).items())  # in Torch's order
            lines.append(f"n{i + 1}[{', '.join(f'{key}={value}' for key, value in more)}];")
        lines += [f"n{start + 1} -> n{to + 1};" for start, to in self.edges]
        return "\n".join([*lines, "}"])

    def svg(self) -> str:
        """The graph as a picture, drawn in layers from top to bottom."""
        places, width, height = self.layout()
        text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">']
        text.append(
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>'
            f'<text x="{width / 2:.0f}" y="20" text-anchor="middle">{html.escape(self.title)}</text>'
        )
        for start, to in self.edges:
            (x1, y1, _, h1), (x2, y2, _, h2) = places[start], places[to]
            down = 1 if y2 > y1 else -1
            text.append(
                f'<path d="M{x1:.0f},{y1 + down * h1:.0f} L{x2:.0f},{y2 - down * h2:.0f}" stroke="black" '
                'marker-end="url(#arrow)"/>'
            )
        for i, (x, y, half_width, half_height) in enumerate(places):
            more = self.attributes.get(i, {})
            text.append(
                f'<g><title>{html.escape(more.get("tooltip", ""))}</title><ellipse cx="{x:.0f}" cy="{y:.0f}" '
                f'rx="{half_width:.0f}" ry="{half_height:.0f}" fill="{html.escape(more.get("fillcolor", "white"))}" '
                'stroke="black"/>'
            )
            lines = self.labels[i].split("\n")
            for j, line in enumerate(lines):
                at = y + (j - (len(lines) - 1) / 2) * _LINE + 4
                text.append(
                    f'<text x="{x:.0f}" y="{at:.0f}" text-anchor="middle" font-size="12">{html.escape(line)}</text>'
                )
            text.append("</g>")
        return "\n".join([*text, "</svg>"])

    _repr_html_ = svg

    def layout(self) -> tuple[list[tuple[float, float, float, float]], float, float]:
        """(center x, center y, half width, half height) of each node, and the size of the whole."""
        depth = [0] * len(self.labels)
        for _ in self.labels:  # the longest path from a root; settled after at most one round per node
            before = list(depth)
            for start, to in self.edges:
                depth[to] = max(depth[to], depth[start] + 1)
            if before == depth:
                break
        halves = [_half_size(label) for label in self.labels]
        layers = [[i for i in range(len(depth)) if depth[i] == level] for level in range(max(depth, default=-1) + 1)]
        widths = [sum(2 * halves[i][0] + _GAP for i in layer) + _GAP for layer in layers]
        width, y = max(widths, default=0.0), float(_GAP)
        places = [(0.0, 0.0, 0.0, 0.0)] * len(depth)
        for layer, own in zip(layers, widths, strict=True):
            tallest = max(halves[i][1] for i in layer)
            x = (width - own) / 2 + _GAP
            for i in layer:
                half_width, half_height = halves[i]
                places[i] = (x + half_width, y + tallest, half_width, half_height)
                x += 2 * half_width + _GAP
            y += 2 * tallest + _GAP
        return places, width, y

    def write(self, path: str | Path) -> Path:
        """Writes PATH.dot and PATH.svg; returns the latter."""
        dot, svg = Path(f"{path}.dot"), Path(f"{path}.svg")
        with replacing(dot) as draft:
            draft.write_text(self.dot(), encoding="utf-8")
        graphviz = shutil.which("dot")
        with replacing(svg) as draft:
            if graphviz is None:
                draft.write_text(self.svg(), encoding="utf-8")
            else:
                subprocess.run([graphviz, "-Tsvg", "-o", str(draft), str(dot)], check=True)
        return svg


def written(value: str) -> str:
    """A value in graphviz's language: in quotation marks unless it is one word."""
    return value if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", value) else _quoted(value)


def _quoted(text: str) -> str:
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _half_size(label: str) -> tuple[float, float]:
    lines = label.split("\n")
    return max(map(len, lines)) * _WIDTH_OF_LETTER / 2 + 14, len(lines) * _LINE / 2 + 10
