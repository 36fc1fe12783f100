"""nngraph names nodes after the local variables that hold them; here those are Lua's."""

from __future__ import annotations

from collections.abc import Callable

from ..layers.graph_nodes import Node
from .border import Border


def annotator_of(border: Border) -> Callable[..., None]:
    """The function for one Lua."""

    def annotateNodes(stackLevel: int = 1) -> None:
        """Names the nodes in the caller's local variables after these; a node that has a name keeps it."""
        for name, value in border.answered(border.ask.local_objects(stackLevel)):
            if isinstance(value, Node) and "name" not in value.annotations:
                value.annotate({"name": name})

    return annotateNodes
