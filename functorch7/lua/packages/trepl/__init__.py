"""trepl, with which `th` reads and prints. The prompt does this itself, so only the colours remain."""

from __future__ import annotations

from . import colorize as colorize
from .codes import colors as colors

__all__ = ["colorize", "colors"]
