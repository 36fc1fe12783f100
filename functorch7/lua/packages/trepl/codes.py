"""Codes for a terminal's colours and styles."""

from __future__ import annotations

import sys

from ....legacy.sys import COLORS

_STYLES = {"bright": 1, "dim": 2, "underline": 4, "blink": 5, "reverse": 7, "hidden": 8}

colors = {**COLORS, **{name: f"\x1b[{code}m" for name, code in _STYLES.items()}}
"""The codes of `sys.COLORS` and of styles, by name; empty texts if the output is not a terminal."""

if not sys.stdout.isatty():
    colors = dict.fromkeys(colors, "")
