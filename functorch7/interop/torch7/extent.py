"""Measures the size of a file's network; a module may be in many places, and modules inside each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core import Const
from ..t7.values import allowed_memory, owner_of
from .node import Node, place_of

DEEPEST = 100
"""Modules inside modules; each takes several frames of Python's stack when it runs."""

MOST_PLACES = 10
"""Places of each module, on average, beyond the first ten thousand; in files of programs there are one or two."""


class Extent(NamedTuple):
    """The size of a node with everything inside it, counted as often as it occurs."""

    depth: int
    places: int
    copied: int
    """Bytes that are copied for each place: buffers and constants."""


class Extents:
    """Measures the nodes of a file, inner ones first, and reports those that are too large for it."""

    def __init__(self) -> None:
        self.known: dict[Node, Extent] = {}
        self.storages: dict[int, int] = {}  # the bytes of each, by its number
        self.parameters: dict[tuple, int] = {}  # the bytes of each, by its place

    def of(self, node: Node) -> Extent:
        """The extent of a node, including everything inside it."""
        if node not in self.known:
            parts = [each for part in node.parts.values() for each in (part if isinstance(part, list) else [part])]
            inside = [self.of(each) for each in (*node.children, *parts) if each is not None]
            self.known[node] = Extent(
                1 + max((each.depth for each in inside), default=0),
                1 + sum(each.places for each in inside),
                self._own(node) + sum(each.copied for each in inside),
            )
        return self.known[node]

    def problem(self, node: Node) -> str | None:
        """What is wrong with a node's extent, if anything is."""
        extent = self.of(node)
        if extent.depth > DEEPEST:
            return f"modules are nested more than {DEEPEST} deep"
        if extent.places > 10_000 + MOST_PLACES * len(self.known):
            return f"{len(self.known)} modules in {extent.places} places"
        needed, stored = extent.copied + sum(self.parameters.values()), sum(self.storages.values())
        if needed > allowed_memory(stored):
            return f"its arrays would take {needed} bytes, of the {stored} in the file"
        return None

    def _own(self, node: Node) -> int:
        for array in node.parameters.values():
            self._note(array)
            self.parameters[place_of(array)] = array.nbytes
        copied = [array for array in node.buffers.values() if isinstance(array, np.ndarray)]
        copied += [value.value for value in vars(node.spec).values() if isinstance(value, Const)]
        for array in copied:
            self._note(array)
        return sum(array.nbytes for array in copied)

    def _note(self, array: np.ndarray) -> None:
        owner = owner_of(array)
        self.storages[id(owner)] = owner.nbytes
