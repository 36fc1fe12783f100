"""Directed graphs: nodes with their successors, edges, and graphs of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...core.types import Value
from ..tensors.named import Named

if TYPE_CHECKING:
    from ...viz import Picture

Visitor = Callable[["Node"], Any]


class Members(list):
    """A list that also finds its members, as Torch's tables do: nodes[node] is a position from 1, or None."""

    def __init__(self, members: Value = ()):
        super().__init__()
        self._positions: dict[int, int] = {}
        for member in members:
            self.add(member)

    def add(self, member: object) -> int:
        """Appends a new member; returns its position."""
        if id(member) not in self._positions:
            super().append(member)
            self._positions[id(member)] = len(self)
        return self._positions[id(member)]

    append = add  # type: ignore[assignment]

    def __getitem__(self, key: object) -> Value:
        return super().__getitem__(key) if isinstance(key, (int, slice)) else self._positions.get(id(key))

    def get(self, key: object) -> Value:
        """The member at a position from 1, or the position of a member; None if there is none."""
        if isinstance(key, int):
            return self[key - 1] if 1 <= key <= len(self) else None
        return self[key]

    def put(self, position: int, member: object) -> None:
        """Sets the member at a position from 1, including the next one; None removes it."""
        self[position - 1 : position] = [] if member is None else [member]
        self._positions = {id(each): i for i, each in enumerate(self, 1)}


class OfGraph(Named):
    """The base of the package's classes."""

    _package = "graph"


class Node(OfGraph):
    """graph.Node(data): a node and its `children`, to which edges lead.

    Fields: data; id, its position in the graph it was added to (0 in none); children; visited and marked, which walks
    set and clear.
    Source: torch/graph, Node.lua.
    """

    def __init__(self, data: Value = None, *_: object):
        self.data, self.id = data, 0
        self.children = Members()
        self.visited = self.marked = False

    def add(self, child: Node | list[Node]) -> None:
        """Adds an edge to a node, or to each of a list, unless there is one."""
        for each in child if isinstance(child, (list, tuple)) else [child]:
            self.children.append(each)

    def label(self) -> str:
        """Its text in pictures."""
        return str(self.data)

    def visit(self, pre_func: Visitor | None = None, post_func: Visitor | None = None) -> None:
        """Calls pre_func(node), then visits the children, then calls post_func(node); not for nodes that are `visited`,
        which the functions have to set."""
        waiting = [iter([self])]
        on_the_way: list[Node] = []
        while waiting:
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
                if on_the_way:
                    done = on_the_way.pop()
                    if post_func:
                        post_func(done)
            elif not node.visited:
                if pre_func:
                    pre_func(node)
                on_the_way.append(node)
                waiting.append(iter(list(node.children)))

    def dfs_dirty(self, func: Visitor) -> list[Node]:
        """As `dfs`, but returns the nodes and leaves `visited` set in them."""
        found: list[Node] = []

        def pre(node: Node) -> None:
            node.visited = True

        def post(node: Node) -> None:
            func(node)
            found.append(node)

        self.visit(pre, post)
        return found

    def dfs(self, func: Visitor) -> None:
        """Calls func(node) for all reachable nodes, depth first: for each after its children."""
        for node in self.dfs_dirty(func):
            node.visited = False

    def bfs_dirty(self, func: Visitor) -> list[Node]:
        """As `bfs`, but returns the nodes and leaves `marked` set in them."""
        found: list[Node] = [self]
        self.marked = True
        for node in found:  # which grows
            func(node)
            for child in node.children:
                if not child.marked:
                    child.marked = True
                    found.append(child)
        return found

    def bfs(self, func: Visitor) -> None:
        """Calls func(node) for all reachable nodes, nearest first."""
        for node in self.bfs_dirty(func):
            node.marked = False

    def graph(self) -> Graph:
        """The graph of all reachable nodes."""
        made = Graph()
        self.bfs(lambda node: made.add([Edge(node, child) for child in node.children]))
        return made

    def hasCycle(self) -> bool:
        """Whether there is a cycle among the reachable nodes."""
        return _has_cycle([self])


class Edge(OfGraph):
    """graph.Edge(from, to, weight): an edge between two nodes; `from` is a field of this name.

    Source: torch/graph, Edge.lua.
    """

    to: Node

    def __init__(self, start: Node, to: Node, weight: float | None = None):
        vars(self).update({"from": start, "to": to, "weight": weight})

    @property
    def start(self) -> Node:
        """The field `from`, whose name is a keyword in Python."""
        return vars(self)["from"]


class Graph(OfGraph):
    """graph.Graph(): `nodes` and `edges`, lists that also find the position (from 1) of their members.

    The nodes of a clone, and of `reverse`, are new and hold the same data.
    Source: torch/graph, init.lua.
    """

    def __init__(self) -> None:
        self.nodes, self.edges = Members(), Members()

    def add(self, edge: Edge | list[Edge]) -> None:
        """Adds an edge with its nodes, or each of a list. Raises TypeError for anything else."""
        if isinstance(edge, (list, tuple)):
            for each in edge:
                self.add(each)
            return
        if not isinstance(edge, Edge):
            raise TypeError(f"graph.Graph: expected a graph.Edge or a table of such, got {edge!r}")
        self.edges.append(edge)
        for node in (edge.start, edge.to):
            node.id = self.nodes.add(node)
        edge.start.add(edge.to)

    def clone(self) -> Graph:
        """A graph of new nodes and edges over the same data."""
        return self._made_anew(lambda edge, start, to: type(edge)(start, to, edge.weight))[0]

    def reverse(self) -> tuple[Graph, dict[Node, Node]]:
        """The graph with reversed edges, and its nodes by this graph's."""
        return self._made_anew(lambda edge, start, to: type(edge)(to, start, edge.weight))

    def _made_anew(self, edge_of: Callable[[Any, Node, Node], Edge]) -> tuple[Graph, dict[Node, Node]]:
        made, known = Graph(), {node: type(node)(node.data) for node in self.nodes}
        for edge in self.edges:
            made.add(edge_of(edge, known[edge.start], known[edge.to]))
        return made, known

    def hasCycle(self) -> bool:
        """Whether there is a cycle."""
        return _has_cycle(self.nodes)

    def roots(self) -> list[Node]:
        """The nodes without incoming edges."""
        entered = {edge.to for edge in self.edges}
        return [node for node in self.nodes if node not in entered]

    def leaves(self) -> list[Node]:
        """The nodes without outgoing edges."""
        left = {edge.start for edge in self.edges}
        return [node for node in self.nodes if node not in left]

    def topsort(self) -> tuple[list[Node], Graph, list[Node]]:
        """The nodes, each after all its predecessors; the reversed graph; and the reversed graph's roots.

        Raises: ValueError for a graph with cycles.
        """
        if self.hasCycle():
            raise ValueError("graph.Graph: expected no cycles, a graph with cycles has no order")
        reversed_graph, made = self.reverse()
        original = {new: old for old, new in made.items()}
        roots, found = reversed_graph.roots(), []
        start = Node()
        start.add(roots)
        start.dfs(lambda node: None if node is start else found.append(original[node]))
        return found, reversed_graph, roots

    def todot(self, title: str | None = None) -> str:
        """The graph in graphviz's language."""
        return self.picture(title).dot()

    def picture(self, title: str | None = None) -> Picture:
        """Its picture; nodes may define `graphNodeName()` and `graphNodeAttributes()`."""
        from ...viz import Picture  # which only some programs need

        edges = [(self.nodes[edge.start] - 1, self.nodes[edge.to] - 1) for edge in self.edges]
        told = [(i, getattr(node, "graphNodeAttributes", dict)()) for i, node in enumerate(self.nodes)]
        attributes = {i: {key: str(value) for key, value in each.items()} for i, each in told}
        names = {i: node.graphNodeName() for i, node in enumerate(self.nodes) if hasattr(node, "graphNodeName")}
        return Picture([_label(node) for node in self.nodes], edges, attributes, title or "", names)


def _label(node: Any) -> str:
    named = getattr(node, "graphNodeName", None)
    return node.label() if named is None else f"{named()}\n{node.label()}"


def _has_cycle(starts: Any) -> bool:
    done: set[Node] = set()
    for start in starts:
        on_the_way: dict[Node, Iterator[Node]] = {} if start in done else {start: iter(start.children)}
        while on_the_way:
            node, children = next(reversed(on_the_way.items()))
            child = next(children, None)
            if child is None:
                del on_the_way[node]
                done.add(node)
            elif child in on_the_way:
                return True
            elif child not in done:
                on_the_way[child] = iter(child.children)
    return False
