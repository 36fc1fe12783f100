"""The codes by which terminals change how they write."""

from __future__ import annotations

import sys

from ....legacy.sys import COLORS

_STYLES = {"bright": 1, "dim": 2, "underline": 4, "blink": 5, "reverse": 7, "hidden": 8}

colors = {**COLORS, **{name: f"\x1b[{code}m" for name, code in _STYLES.items()}}
"""By name those of `sys.COLORS`, and of styles. Where a program does not print to a terminal they are empty texts."""

if not sys.stdout.isatty():
    colors = dict.fromkeys(colors, "")
