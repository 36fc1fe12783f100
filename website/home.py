"""The home page of the site: a text of its own, with the code and the table of the README."""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]


def page() -> str:
    """The page, as Markdown."""
    speed = _section("Speed").replace("](docs/", "](")
    blocks = {"functional": _code("The functional interface"), "torch": _code("Torch7's interface")}
    return Path(__file__).with_suffix(".md").read_text().format(**blocks, speed=speed)


def _section(title: str) -> str:
    """What stands under a heading of the README."""
    text = (ROOT / "README.md").read_text()
    return re.split(r"^## ", text.split(f"## {title}\n", 1)[1], maxsplit=1, flags=re.M)[0].strip()


def _code(title: str) -> str:
    """The first example under it, as it stands in a tab."""
    return textwrap.indent(re.findall(r"```python\n.*?```", _section(title), re.DOTALL)[0], "    ")
