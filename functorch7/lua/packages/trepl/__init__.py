"""trepl: what `th` reads and prints by. Here it is there already, so that colours are what is left of it."""

from __future__ import annotations

from . import colorize as colorize
from .codes import colors as colors

__all__ = ["colorize", "colors"]
