"""The pages of the reference: one for each package, with the public names of its files.

Modules and criterions have pages of their own (`classes.py`).
"""

import inspect
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

import functorch7

from . import classes
from .docstrings import markdown
from .public import below, full_name, home_of


@cache
def packages() -> tuple[str, ...]:
    """The packages that have a page."""
    found = [f"functorch7.{module.name}" for module in pkgutil.iter_modules(functorch7.__path__) if module.ispkg]
    return tuple(name for name in found if below(name))


@cache
def pages() -> dict[str, str]:
    """The Markdown of each page, by its name."""
    return {package.split(".")[1]: _page(package) for package in packages()}


@cache
def places() -> dict[str, str]:
    """The page on which each class and function is described, by its full name."""
    found = {name: f"reference/{package.split('.')[1]}.md" for package in packages() for name in below(package)}
    return found | {full_name(kind): classes.place(kind) for kinds in classes.chapters().values() for kind in kinds}


def _page(package: str) -> str:
    files = sorted({home_of(value) for name, value in below(package).items() if _is_here(name)})
    said = inspect.getdoc(import_module(package)) or ""
    elsewhere = [f"[{name.rpartition('.')[2]}](../{places()[name]})" for name in below(package) if not _is_here(name)]
    listed = [f"With pages of their own: {', '.join(elsewhere)}.", ""] if elsewhere else []
    return "\n".join([f"# {package}", "", markdown(said), "", *listed, *map(_file, files)])


def _is_here(name: str) -> bool:
    """Whether a name is described in the reference, and not on a page of its own."""
    return places()[name].startswith("reference/")


def _file(home: str) -> str:
    """One file: what its docstring says, and its names."""
    package = ".".join(home.split(".")[:2])
    inside = (value for name, value in below(package).items() if home_of(value) == home and _is_here(name))
    names = sorted(value.__name__ for value in inside)
    path = Path(str(import_module(home).__file__)).relative_to(Path(functorch7.__file__).parents[1])
    options = [f"members: [{', '.join(names)}]", f"heading: {path}", f"toc_label: {path.stem}"]
    return "\n".join([f"::: {home}", "    options:", *(f"      {option}" for option in options), ""])
