"""Pictures of networks in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from functorch7 import viz

from .files import network_in


def draw(file: str, out: str | None, input_shape: Any, theme: Any, like: str | None, entry: str | None = None) -> str:
    """Draws the network in `file` to `out`, an SVG file, which is returned."""
    out = out or str(Path(file).with_suffix(".svg"))
    if Path(out).suffix.lower() != ".svg":
        raise click.UsageError(f"{out}: pictures are SVG; name a file that ends in .svg")
    with network_in(file, like, None, entry) as network:
        viz.draw(network.module, input_shape, network.dtype, theme).write(out)
    return out
