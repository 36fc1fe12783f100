"""Converts a graph's description to the nodes that nngraph saves: forward and backward nodes that refer to others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.types import Value
from ...layers import Graph
from ...layers.graph_places import places_of
from ..t7 import T7Object
from ..t7.values import Fields, indexed
from .build import Later
from .node import Node
from .record import is_harmless
from .schema import Schema, constant


class _Drawn:
    """The nodes of a graph as in Torch: one table of data each, with a forward and a backward node."""

    def __init__(self, node: Node, object_of: Callable[[Node], T7Object]):
        self.data: list[dict[str, Any]] = []
        self.inputs: list[tuple[int, ...]] = []
        for place in places_of(node.spec):  # type: ignore[arg-type]
            module = None if place.module is None else object_of(node.children[place.module])
            fields = {"nSplitOutputs": place.splits, "selectindex": place.entry, "module": module}
            noted = node.annotations.get(place.gives, {})
            self._add(place.inputs, noted, **{name: value for name, value in fields.items() if value is not None})
        count = len(self.data)
        consumers = [[j for j in range(count) if i in self.inputs[j]] for i in range(count)]
        self.forward, self.fg = self._graph(consumers)
        self.backward, self.bg = self._graph(self.inputs)

    def _add(self, inputs: tuple[int, ...], noted: Fields, **fields: Value) -> None:
        mapindex = indexed([self.data[i] for i in inputs])
        number = len(self.data)
        annotations = {"_debugLabel": f"[functorch7]:{number + 1}"} | (noted if is_harmless(noted) else {})
        self.data.append({"mapindex": mapindex, "annotations": annotations, "reverseMap": {}, "input": [], **fields})
        self.data[-1]["forwardNodeId"] = number + 1
        self.inputs.append(inputs)

    def _graph(self, children: Sequence[Sequence[int]]) -> tuple[list[T7Object], T7Object]:
        nodes = [
            T7Object("nngraph.Node", 1, {"data": data, "visited": False, "marked": False, "id": i})
            for i, data in enumerate(self.data, 1)
        ]
        for node, others in zip(nodes, children, strict=True):
            node.fields["children"] = indexed([nodes[i] for i in others])
        edges = [
            T7Object("graph.Edge", 1, {"from": node, "to": nodes[i]})
            for node, others in zip(nodes, children, strict=True)
            for i in others
        ]
        return nodes, T7Object("graph.Graph", 1, {"nodes": indexed(nodes), "edges": indexed(edges)})

    def fields(self) -> Fields:
        """The parts of the nodes that a gModule keeps."""
        return {
            "fg": self.fg, "bg": self.bg, "forwardnodes": self.forward, "backwardnodes": self.backward[::-1],
            "innode": self.forward[0], "outnode": self.backward[-1],
        }  # fmt: skip


def _more(node: Node, fields: Fields) -> Fields:
    spec: Any = node.spec
    drawn: list[dict[str, Any]] = []

    def field(name: str) -> Later:
        def made(object_of: Callable[[Node], T7Object]) -> Any:
            if not drawn:
                drawn.append(_Drawn(node, object_of).fields())
            return drawn[0][name]

        return Later(made)

    names = ("fg", "bg", "forwardnodes", "backwardnodes", "innode", "outnode")
    return {"nInputs": spec.n_inputs, "verbose": False, "name": spec.name} | {name: field(name) for name in names}


SCHEMAS = [
    Schema(Graph, {name: constant(None) for name in ("sources", "outputs", "n_inputs", "name")}, more=_more),
]
