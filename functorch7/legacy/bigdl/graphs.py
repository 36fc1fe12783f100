"""Networks as graphs, in BigDL's words."""

from __future__ import annotations

from typing import Any

from ... import layers
from ...core.types import Value
from ...layers.graph_nodes import Node, check_node
from ..objects.described import Described
from ..objects.generated import class_of


class Graphs(Described):
    """Module's methods for graphs."""

    def inputs(self, *nodes: Value) -> Node:
        """The node of this module whose inputs are these nodes, or (node, index) for one entry, from 1, of a table.

        Without nodes, it is an input of the graph; a list of nodes stands for its nodes. Raises TypeError for anything
        but nodes.
        """
        given = nodes[0] if len(nodes) == 1 and isinstance(nodes[0], list) else nodes
        return Node(self, *(_entry(node, i) for i, node in enumerate(given, 1)))

    def toGraph(self, *startNodes: Node) -> Described:
        """This network as a graph of the same modules: what is in Sequential, Concat, ConcatTable and ParallelTable
        becomes nodes, anything else is one. It starts from new input nodes unless they are given.
        """
        starts = list(startNodes) or [Input()]
        return Model(starts, _ends(self, starts))

    def checkDuplicate(self) -> None:
        """Raises ValueError if an object occurs more than once in this network, which Torch permits."""
        seen: set[int] = set()
        for module in self._members():
            if id(module) in seen:
                raise ValueError(f"Some module is duplicate in the current model: {module.getName()}")
            seen.add(id(module))


def _entry(node: Any, position: int) -> Any:
    if not isinstance(node, tuple) or len(node) != 2:
        return node
    check_node(node[0], "inputs", position)
    return Node(class_of(layers.SelectTable)(node[1]), node[0])


def _ends(module: Any, nodes: list[Node]) -> list[Node]:
    """The nodes of a module's output (several stand for a table), after the nodes of its input."""
    spec, inner = type(module._spec), module.children()
    plain = not module.is_foreign()
    if plain and spec is layers.Sequential:
        for each in inner:
            nodes = _ends(each, nodes)
        return nodes
    if plain and spec is layers.ParallelTable and len(inner) == len(nodes) > 1:
        return _single(module, nodes, [_ends(each, [node]) for each, node in zip(inner, nodes, strict=True)])
    if plain and spec in (layers.ConcatTable, layers.Concat) and len(inner) > 1:
        ends = _single(module, nodes, [_ends(each, nodes) for each in inner])
        if spec is layers.Concat and len(ends) > 1:
            return [Node(class_of(layers.JoinTable)(module._spec.dimension), *ends)]
        return ends
    return [Node(module, *nodes)]


def _single(module: Any, nodes: list[Node], branches: list[list[Node]]) -> list[Node]:
    """The branches' nodes, if each has one of its own; else the module as one node."""
    ends = [branch[0] for branch in branches if len(branch) == 1]
    if len(ends) == len(branches) == len(set(map(id, ends))):
        return ends
    return [Node(module, *nodes)]


def Input() -> Node:
    """A node that is an input of a graph."""
    return Node(class_of(layers.Identity)())


def Model(inputs: Value, outputs: Value) -> Described:
    """The graph between nodes, or lists of nodes: an nn.gModule. BigDL's Graph(inputs, outputs).

    Raises TypeError for anything but nodes, and nn.gModule's errors.
    """
    return class_of(layers.Graph)(
        *(list(nodes) if isinstance(nodes, (list, tuple)) else [nodes] for nodes in (inputs, outputs))
    )


Graph = Model
