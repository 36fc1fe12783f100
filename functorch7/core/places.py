"""Where the modules inside a module are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module

Path = tuple[int | str, ...]


def dotted(path: Path) -> str:
    """A path as text: (2, "weight") is "2.weight"."""
    return ".".join(map(str, path))


def places(module: Module, path: Path = ()) -> Iterator[tuple[Path, Module]]:
    """The module and all inside it, outer ones first, each with its path; positions count from 0."""
    yield path, module
    children = module.children()
    for name, child in enumerate(children) if isinstance(children, tuple) else children.items():
        yield from places(child, (*path, name))
