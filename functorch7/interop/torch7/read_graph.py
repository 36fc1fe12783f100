"""Converts the nodes that nngraph saves, which refer to one another, to a graph's description."""

from __future__ import annotations

from ...layers import Graph
from ...layers.graph import Source, Wiring
from ..t7 import T7Object
from ..t7.values import Fields, from_1
from .node import Node
from .reader import Reader, readers
from .record import Record, is_harmless
from .table import schema_of


def _data(node: T7Object) -> Fields:
    return node.fields["data"]


class _Sources:
    """The source of each value of a file's nodes."""

    def __init__(self, record: Record):
        self.record = record
        self.innode = _data(record.need("innode"))
        self.dispatched = from_1(self.innode["mapindex"])  # the inputs' nodes in old files, otherwise empty
        self.n_inputs = int(record.get("nInputs", len(self.dispatched) or 1))
        self.places: dict[int, int] = {}
        self.annotations: dict[Source, Fields] = {}

    def of(self, data: Fields) -> list[Source]:
        """The sources of a node's inputs."""
        return [self._value(each, data) for each in from_1(data.get("mapindex", []))]

    def _value(self, data: Fields, reader: Fields) -> Source:
        """The source of a node's output, as a node that reads it gets it."""
        if data is self.innode:
            if self.n_inputs == 1:
                return Source(-1)
            if not self.dispatched:
                return Source(0, ((-1, self.n_inputs),))  # all inputs, which are split next
            return Source(-1 - next(i for i, each in enumerate(self.dispatched) if each is reader))
        if id(data) in self.places:
            return Source(self.places[id(data)])
        given = from_1(data.get("mapindex", []))
        if len(given) != 1:  # checked before the inputs, each of which may have several inputs
            raise self.record.error(f"a node without a module has {len(given)} inputs")
        whole = self._value(given[0], data)
        if "selectindex" not in data:
            return whole
        index = int(data["selectindex"]) - 1
        of_inputs = whole.path[-1:] == ((-1, self.n_inputs),)
        count = self.n_inputs if of_inputs else int(given[0].get("nSplitOutputs", 0))
        if not 0 <= index < count:
            raise self.record.error(f"a node is entry {index + 1} of {count}")
        return (
            Source(-1 - index) if of_inputs else self.noted(Source(whole.origin, (*whole.path, (index, count))), data)
        )

    def noted(self, gives: Source, data: Fields) -> Source:
        """The value of a node, after reading what the program has noted about it."""
        noted = data.get("annotations")
        self.annotations[gives] = noted if isinstance(noted, dict) and is_harmless(noted) else {}
        return gives


def _read(reader: Reader, record: Record) -> Node:
    found, sources, children = _Sources(record), [], []
    for node in record.need("forwardnodes"):
        data = _data(node)
        if reader.is_module(data.get("module")):
            sources.append(tuple(found.of(data)))
            if not sources[-1]:
                raise record.error(f"the module of node {len(sources)} has no inputs")
            found.places[id(data)] = len(children)
            found.noted(Source(len(children)), data)
            children.append(reader.node(data["module"], f"{record.path}.modules[{len(children) + 1}]"))
    outputs = tuple(found.of(_data(record.need("outnode"))))
    modules, name = tuple(child.spec for child in children), record.get("name")
    spec = Graph.of(Wiring([], tuple(sources), outputs, found.annotations), modules, found.n_inputs).replace(
        name=name if isinstance(name, str) else None
    )
    output = record.fields.get("output")
    spec = schema_of(Graph).named(spec, record)
    return Node(spec, children=children, settings=record.settings(), output=output, annotations=found.annotations)


readers["nn.gModule"] = _read
