"""The pages of the reference: one for each package, with the public names of its files."""

import inspect
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

import functorch7

from .docstrings import markdown
from .public import below, home_of


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
    return {name: f"reference/{package.split('.')[1]}.md" for package in packages() for name in below(package)}


def _page(package: str) -> str:
    files = sorted({home_of(value) for value in below(package).values()})
    said = inspect.getdoc(import_module(package)) or ""
    return "\n".join([f"# {package}", "", markdown(said), "", *map(_file, files)])


def _file(home: str) -> str:
    """One file: what its docstring says, and its names."""
    package = ".".join(home.split(".")[:2])
    names = sorted(value.__name__ for value in below(package).values() if home_of(value) == home)
    path = Path(str(import_module(home).__file__)).relative_to(Path(functorch7.__file__).parents[1])
    options = [f"members: [{', '.join(names)}]", f"heading: {path}", f"toc_label: {path.stem}"]
    return "\n".join([f"::: {home}", "    options:", *(f"      {option}" for option in options), ""])
