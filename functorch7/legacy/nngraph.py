"""nngraph: networks as graphs. A module called with nodes makes a node; `nn.gModule(inputs, outputs)` runs them.

    x = nn.Identity()()
    h = nn.Tanh()(nn.Linear(3, 4)(x))
    network = nn.gModule([x], [nn.Linear(4, 2)(nn.CAddTable()([h, nn.Linear(3, 4)(x)]))])

Source: nngraph, README.md.
"""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from .. import layers
from ..core.types import Value
from ..layers.graph import Source, on_failure, wired
from ..layers.graph import nest as _nest
from ..layers.graph_nodes import Node as Node
from ..layers.graph_nodes import labelled, name_after_variables
from . import graph as graph
from .modules import passing as passing
from .modules.adopted import adopted
from .modules.container import Container
from .modules.graph_nodes import GraphNode, ModuleGraph, Nodes
from .objects.described import Described
from .objects.generated import class_of
from .tensors.values import Input, Output

if TYPE_CHECKING:
    from ..viz import Picture


Identity, JustTable, JustElement = map(class_of, (layers.Identity, layers.JustTable, layers.JustElement))


class gModule(Container, describes=layers.Graph):
    """nn.gModule(inputs, outputs): the graph between nodes; its `modules` are in the order in which they run.

    `fg` and `bg` are its graphs, forwards and backwards; `forwardnodes`, `backwardnodes`, `innode` and `outnode` its
    nodes; a node's `data` has the module, annotations, input and gradOutput; `name` is the name in print.
    Raises: TypeError for anything but nodes; ValueError for nodes that lead nowhere.
    """

    @property
    def _noted(self) -> dict[Source, dict]:
        """The nodes' annotations, by the nodes' outputs."""
        return self.__dict__.setdefault("_annotations", {})

    def __init__(self, inputs: list | tuple, outputs: list | tuple):
        wiring = wired(self.typename(), inputs, outputs)
        modules = [(module.description(), module) for module in (adopted(node.module) for node in wiring.nodes)]
        spec = layers.Graph.of(wiring, tuple(description for description, _ in modules), len(inputs))
        self._take(spec, list(modules))
        self.__dict__["_annotations"] = dict(wiring.annotations)  # later annotations count, too

    def add(self, module: Described) -> Self:
        """Raises TypeError: a graph cannot change after it is made."""
        raise TypeError(f"{self.title()}: a graph cannot be changed after it is made; expected nodes at construction")

    insert = remove = add  # type: ignore[assignment]

    @property
    def _nodes(self) -> Nodes:
        made = self.__dict__.get("_drawn")
        if made is None or made[0] != self._spec:
            made = self.__dict__["_drawn"] = self._spec, Nodes(self, self._noted)
        return made[1]

    @property
    def forwardnodes(self) -> list[GraphNode]:
        """The nodes in the order in which they run; the first is `innode`."""
        return self._nodes.forward

    @property
    def backwardnodes(self) -> list[GraphNode]:
        """The nodes backwards; the first is `outnode`."""
        return self._nodes.backward

    @property
    def innode(self) -> GraphNode:
        """The node that stands for the graph's input; its children take it."""
        return self._nodes.forward[0]

    @property
    def outnode(self) -> GraphNode:
        """The node that stands for the graph's output; its children, backwards, give it."""
        return self._nodes.backward[0]

    @property
    def fg(self) -> ModuleGraph:
        """The graph forwards, a graph.Graph of `forwardnodes`; `graph.dot(network.fg, title, file)` draws it."""
        return ModuleGraph(self._nodes.forward, lambda: picture_of(self._spec, self.modules, self._noted))

    @property
    def bg(self) -> ModuleGraph:
        """The graph backwards, of `backwardnodes`."""
        return ModuleGraph(self.backwardnodes, lambda: self.fg.picture().reversed())

    def _to_pull_back(self, input: Any) -> Any:
        return super()._to_pull_back(self._taken(input))

    def _to_accumulate(self, input: Any) -> Any:
        return super()._to_accumulate(self._taken(input))

    def _taken(self, input: Any) -> Any:
        """The part of the input that backward uses: Torch's does not look at it, so a table may be too long."""
        is_long = self.nInputs > 1 and isinstance(input, (list, tuple)) and len(input) > self.nInputs
        return input[: self.nInputs] if is_long else input

    def map(self, gm: gModule, func: Callable[[Value, Value], object]) -> None:
        """Calls func(module, other) for each of this graph's modules and another's at the same place."""
        same = isinstance(gm, gModule) and gm._spec.sources == self._spec.sources
        if not same or gm._spec.outputs != self._spec.outputs:
            raise ValueError(f"{self.title()}: trying to map another gModule with a different structure")
        for mine, theirs in zip(list(self.modules), list(gm.modules), strict=True):
            func(mine, theirs)

    def runForwardFunction(self, func: str | Callable[[Value, Value], Value], input: Input) -> Output:
        """The output when func(module, input), or the method of this name, runs instead of updateOutput."""
        run = (lambda module, value: getattr(module, func)(value)) if isinstance(func, str) else func
        self.output = self._spec.through(input, lambda i, value: run(self.modules[i], value))
        return self.output


def picture_of(
    spec: layers.Graph, modules: Value, annotations: Mapping[Source, dict] = MappingProxyType({})
) -> Picture:
    """A graph's picture: its inputs, its modules by name, and its outputs."""
    from ..viz import Picture  # only some programs need it

    notes = [annotations.get(Source(i), {}) for i in range(len(modules))]
    labels = [f"input {i + 1}" if spec.n_inputs > 1 else "input" for i in range(spec.n_inputs)]
    first, last = len(labels), len(labels) + len(modules)
    labels += [labelled(note, module) for module, note in zip(modules, notes, strict=True)]
    labels.append("output")
    edges = [(_place(source, first), first + i) for i, sources in enumerate(spec.sources) for source in sources]
    edges += [(_place(source, first), last) for source in spec.outputs]
    attributes = {
        first + i: {"tooltip": note["_debugLabel"], **note.get("graphAttributes", {})}
        for i, note in enumerate(notes)
        if "_debugLabel" in note
    }
    names = {first + i: str(note["name"]) for i, note in enumerate(notes) if "name" in note}
    return Picture(labels, edges, attributes, names=names)


def _place(source: Any, first: int) -> int:
    return -1 - source.origin if source.origin < 0 else first + source.origin


def nest(nodes: Value) -> Node:
    """A node for a nested structure of nodes: nest([a, [b], c])."""
    return _nest(nodes, Identity, JustTable)


def annotateNodes(stackLevel: int = 1) -> None:
    """Names the nodes in the caller's local variables after these; nodes with a name keep it."""
    name_after_variables(sys._getframe(stackLevel).f_locals.items())


def setDebug(enable: bool) -> None:
    """With True, a module that fails inside a graph is red in a picture: NAME.svg, or nngraph_2in_1out.svg."""
    if _draw_failure in on_failure:
        on_failure.remove(_draw_failure)
    if enable:
        on_failure.append(_draw_failure)


def _draw_failure(graph: layers.Graph, position: int) -> None:
    name = graph.name or f"nngraph_{graph.n_inputs}in_{len(graph.outputs)}out"
    drawn = picture_of(graph, graph.modules)
    drawn.title = name
    drawn.attributes[graph.n_inputs + position] = {"style": "filled", "fillcolor": "red"}
    if Path(f"{name}.svg").exists():
        with tempfile.NamedTemporaryFile(prefix=f"{name}_", dir=".") as other:
            name = Path(other.name).name
    print(f"saving {name}.svg", file=sys.stderr)
    drawn.write(name)


def display(gmodule: gModule) -> Path:
    """Shows a graph in the browser; returns the picture's path."""
    path = graph.dot(gmodule.fg, "", str(Path(tempfile.mkdtemp()) / "graph"))
    webbrowser.open(path.as_uri())
    return path


class simple_print:
    """Pictures of graphs: the package graph's functions."""

    todot = staticmethod(graph.todot)
    dot = staticmethod(graph.dot)
