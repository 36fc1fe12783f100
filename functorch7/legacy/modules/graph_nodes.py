"""The nodes of a gModule for programs: `forwardnodes`, `innode`, `node.data`, `node.children`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from ...core.types import Value
from ...layers.graph import Source
from ...layers.graph_places import Place, backwards, consumers_of, places_of
from ..tensors.tensor import Tensor
from ..tensors.values import Output, wrapped
from .directed import Edge, Graph, Members, Node
from .module import Module

if TYPE_CHECKING:
    from ...viz import Picture


class NodeData:
    """A node's data, forwards and backwards: module, annotations, nSplitOutputs, selectindex, forwardNodeId.

    mapindex: the data of the nodes that its input comes from. input: the list of their outputs in the last call (in the
    first node, the graph's inputs). gradOutput: the gradients from the nodes that use its output, whose sum counts;
    empty before backward.
    """

    def __init__(self, nodes: Nodes, position: int, place: Place, annotations: dict):
        self._nodes, self._position, self._place = nodes, position, place
        self.annotations, self.forwardNodeId = annotations, position + 1
        self.nSplitOutputs, self.selectindex = place.splits, place.entry

    @property
    def module(self) -> Module | None:
        """The module, or None; assigning one replaces it in the graph."""
        return None if self._place.module is None else self._nodes.graph.modules[self._place.module]

    @module.setter
    def module(self, module: Module) -> None:
        if self._place.module is None:
            raise AttributeError(f"{self._nodes.graph.title()}: node {self.forwardNodeId} has no place for a module")
        self._nodes.graph.modules[self._place.module] = module

    @property
    def mapindex(self) -> list[NodeData]:
        """The data of the nodes that its input comes from, in order."""
        return [self._nodes.data[i] for i in self._place.inputs]

    @property
    def input(self) -> list[Value]:
        """The outputs of these nodes."""
        return self._nodes.shown([self._nodes.output_of(i) for i in self._place.inputs] or self._nodes.given())

    @property
    def gradOutput(self) -> list[Value]:
        """The gradients at its output."""
        return self._nodes.shown(self._nodes.gradients_at(self._position))


class GraphNode(Node):
    """A node of the graph forwards or backwards; its children are the nodes after it in that direction."""

    def __init__(self, data: NodeData):
        super().__init__(data)
        self.id = data.forwardNodeId

    @classmethod
    def typename(cls) -> str:
        """Torch's name of the class."""
        return "nngraph.Node"

    def label(self) -> str:
        """Its text in pictures."""
        noted = [str(self.data.annotations[name]) for name in ("name", "description") if name in self.data.annotations]
        module = self.data.module
        return "\n".join([*noted, *([] if module is None else [module.title()])])


class ModuleGraph(Graph):
    """The graph of a gModule's nodes, forwards or backwards; its picture is the gModule's."""

    def __init__(self, nodes: list[GraphNode], draw: Callable[[], Picture]):
        super().__init__()
        self._draw = draw
        for node in nodes:
            self.nodes.add(node)
            for child in node.children:
                self.edges.add(Edge(node, child))

    @classmethod
    def typename(cls) -> str:
        """Torch's name of the class."""
        return Graph.typename()

    def picture(self, title: str | None = None) -> Picture:
        """The gModule's picture."""
        return replace(self._draw(), title=title or "")


class Nodes:
    """All nodes of a gModule, from its description."""

    def __init__(self, graph: Value, annotations: dict[Source, dict]):
        self.graph = graph
        places = places_of(graph._spec)
        noted = [{} if place.gives is None else annotations.setdefault(place.gives, {}) for place in places]
        self.data = [NodeData(self, i, *pair) for i, pair in enumerate(zip(places, noted, strict=True))]
        self.inputs = [place.inputs for place in places]
        self.consumers = consumers_of(self.inputs)
        self.forward = Members(_linked(self.data, self.consumers))
        linked = _linked(self.data, self.inputs)
        self.backward = Members([linked[i] for i in backwards(self.consumers)])

    def _call(self) -> Any:
        return self.graph._newest_call()

    def given(self) -> list[Value]:
        """The graph's inputs in the last call."""
        call = self._call()
        if call is None:
            return []
        input = call.given if call.plan.members[0] is self.graph else call.input_of(self.graph)
        return [input] if self.graph.nInputs == 1 else list(input)

    def output_of(self, position: int) -> Output:
        """A node's output in the last call."""
        data = self.data[position]
        if self._call() is None:
            return None
        if data.module is not None:
            return data.module.output
        given = [self.output_of(i) for i in self.inputs[position]] or self.given()
        value = given[0] if len(given) == 1 else given
        return value if data.selectindex is None else value[data.selectindex - 1]

    def gradients_at(self, position: int) -> list[Value]:
        """The gradients at a node in the last backward, from each node that uses its output."""
        call = self._call()
        if call is None or call.cotangents is None:
            return []
        if not self.consumers[position]:
            if call.plan.members[0] is self.graph:
                return [call.given_gradient]
            return [wrapped(jax.tree.map(lambda values: values[0], call.frames_of(self.graph, "output", True)))]
        consumers = sorted(self.consumers[position], key=lambda each: self.data[each].selectindex or 0)
        parts = [self._handed_back(consumer, position) for consumer in consumers]
        if self.data[consumers[0]].selectindex is not None:  # the entries of a split make one table
            return [parts]
        return parts

    def _handed_back(self, consumer: int, position: int) -> Any:
        """The gradient that one node passes back to another."""
        data, inputs = self.data[consumer], self.inputs[consumer]
        gradient = _total(self.gradients_at(consumer)) if data.module is None else data.module.gradInput
        return gradient if len(inputs) == 1 else gradient[inputs.index(position)]

    def shown(self, values: list[Value]) -> list[Value]:
        """The values in the graph's type."""
        return [None if value is None else jax.tree.map(self._in_type, value) for value in values]

    def _in_type(self, value: Any) -> Any:
        if isinstance(value, Tensor) and np.issubdtype(value.dtype, np.floating) and value.type() != self.graph.type():
            return value.clone().type(self.graph.type())
        return value


def _linked(data: list[NodeData], children: list[Any]) -> list[GraphNode]:
    nodes = [GraphNode(each) for each in data]
    for node, others in zip(nodes, children, strict=True):
        node.add([nodes[i] for i in others])
    return nodes


def _total(gradients: list[Any]) -> Any:
    """The sum of gradients with the same structure."""
    first, *others = gradients
    return jax.tree.map(lambda one, *more: sum(more, start=one.clone()), first, *others) if others else first
