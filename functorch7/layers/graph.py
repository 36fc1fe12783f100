"""Graphs of modules: nodes, and the module that runs them in order."""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import field
from typing import Any, NamedTuple

from ..checks.errors import Signal
from ..core import Container, Map, Module, TableMap, expected, title
from ..core.filming import filmed
from ..core.types import Array, Key, Table, Tree, Value
from .graph_nodes import Node, Part, Split, check_node
from .shape import Identity


class Source(NamedTuple):
    """The source of a value: input -1, -2, ... or the module at a position, and then (entry, of how many)..."""

    origin: int
    path: tuple[tuple[int, int], ...] = ()


class Wiring(NamedTuple):
    """A graph in the order in which it runs."""

    nodes: list[Node]
    sources: tuple[tuple[Source, ...], ...]
    outputs: tuple[Source, ...]
    annotations: Mapping[Source, dict[str, Any]]  # of all nodes, by their values


def wired(name: str, inputs: Table, outputs: Table) -> Wiring:
    """The nodes between inputs and outputs, each after its sources, as Torch orders them: depth first from the end.

    Raises: TypeError for anything but a node; ValueError for an input that has inputs, for cycles, and for nodes and
    parts of splits that do not lead to an output.
    """
    if not inputs:
        raise ValueError(f"{name}: no inputs are not supported")
    for what, nodes in (("outputs", outputs), ("inputs", inputs)):
        for i, node in enumerate(nodes, 1):
            check_node(node, what, i)
    for node in inputs:
        if node.inputs or isinstance(node, Part):
            raise ValueError(f"{name}: an input should have no inputs, got the node declared on {node.declared}")
    order = _in_order(name, outputs)
    reached = set(map(id, order))
    missing = sum(id(node) not in reached for node in inputs)
    if missing:
        raise ValueError(f"{name}: {missing} of {len(inputs)} inputs do not lead to an output")
    given = {id(node): -1 - i for i, node in enumerate(inputs)}
    for node in order:
        if not node.inputs and not isinstance(node, Part) and id(node) not in given:
            raise ValueError(f"{name}: the node declared on {node.declared} has no inputs, and is none of the graph's")
        _check_used(name, node, reached)
    nodes = [node for node in order if not isinstance(node, Part)]
    places = {id(node): i for i, node in enumerate(nodes)}

    def source(node: Node) -> Source:
        if isinstance(node, Part):
            whole = source(node.whole.of)
            return Source(whole.origin, (*whole.path, (node.index, len(node.whole.parts))))
        return Source(places[id(node)])

    sources = [tuple(map(source, node.inputs)) or (Source(given[id(node)]),) for node in nodes]
    annotations = {source(node): node.annotations for node in order}
    return Wiring(nodes, tuple(sources), tuple(map(source, outputs)), annotations)


def _needs(node: Node) -> list[Node]:
    return [node.whole.of] if isinstance(node, Part) else node.inputs


def _in_order(name: str, outputs: Table) -> list[Node]:
    """Depth first, without recursion, so that a graph may have any depth."""
    order: list[Node] = []
    done: set[int] = set()
    open_nodes: set[int] = set()
    for output in outputs:
        stack: list[tuple[Node, Iterator[Node]]] = [(output, iter(_needs(output)))] if id(output) not in done else []
        while stack:
            node, rest = stack[-1]
            open_nodes.add(id(node))
            following = next((each for each in rest if id(each) not in done), None)
            if following is None:
                stack.pop()
                if id(node) not in done:
                    done.add(id(node))
                    order.append(node)
            elif id(following) in open_nodes:
                raise ValueError(f"{name}: Graph has cycles, through the node declared on {following.declared}")
            else:
                stack.append((following, iter(_needs(following))))
    return order


def _check_used(name: str, node: Node, reached: set[int]) -> None:
    for consumer in node.consumers:
        ends = consumer.parts if isinstance(consumer, Split) else [consumer]
        unused = sum(id(end) not in reached for end in ends)
        if unused == len(ends):
            raise ValueError(f"{name}: node declared on {consumer.declared} does not connect to gmodule output")
        if unused:
            raise ValueError(
                f"{name}: {unused} of split({len(ends)}) outputs from the node declared at {node.declared} are unused"
            )


on_failure: list[Callable[["Graph", int], None]] = []
"""Called with a graph and the position of the module that raised (nngraph.setDebug)."""

postponed: ContextVar[list | None] = ContextVar("postponed", default=None)
"""Failures in a block that may be repeated: only those that remain are passed to `on_failure`."""


def tell(graph: "Graph", position: int) -> None:
    """Calls `on_failure`, or notes the arguments in `postponed`."""
    waiting = postponed.get()
    if waiting is not None:
        waiting.append((graph, position))
        return
    for called in on_failure:
        called(graph, position)


class Graph(Container):
    """y_v = m_v(y_u, ..., y_w): the modules m of a graph without cycles, each with the outputs of others as its input.

    `Graph(inputs, outputs)` takes nodes: `x = Node(Identity()); h = Node(Linear(3, 4), x); Graph([x], [h])`. If
    several nodes have the same module, it counts as several modules.
    Shape: the input, or a table of several inputs -> the output, or a table of several.
    Parameters and buffers: a list, one entry per module, in the order in which they run (depth first from the outputs).
    Raises: TypeError for anything but a node; ValueError for nodes that lead nowhere, and for a table of another
    length.
    Source: nngraph, README.md, gmodule.lua.

    >>> import functorch7 as f7
    >>> x = f7.Node(f7.Identity())
    >>> h = f7.Node(f7.Linear(3, 4), x)
    >>> f7.output_shape(f7.Graph([x], [f7.Node(f7.JoinTable(2), x, h)]), (8, 3))
    (8, 7)
    """

    modules: tuple[Module, ...]
    sources: tuple[tuple[Source, ...], ...]
    outputs: tuple[Source, ...]
    n_inputs: int
    name: str | None = field(default=None, kw_only=True)

    def __init__(self, inputs: list[Node] | tuple[Node, ...], outputs: list[Node] | tuple[Node, ...]):
        wiring = wired(self.torch_name(), inputs, outputs)
        self._take(wiring, tuple(node.module for node in wiring.nodes), len(inputs))

    @classmethod
    def of(cls, wiring: Wiring, modules: tuple[Module, ...], n_inputs: int) -> "Graph":
        """The graph of these modules at the wiring's nodes."""
        made = object.__new__(cls)
        made._take(wiring, modules, n_inputs)
        return made

    def _take(self, wiring: Wiring, modules: tuple[Module, ...], n_inputs: int) -> None:
        self._set(modules=modules, sources=wiring.sources, outputs=wiring.outputs, n_inputs=n_inputs, name=None)
        self.__post_init__()

    @classmethod
    def torch_name(cls) -> str:
        return "nn.gModule"

    @property
    def takes_table(self) -> bool:
        if self.n_inputs > 1:
            return True
        first = [m for m, sources in zip(self.modules, self.sources, strict=True) if sources[0].origin < 0]
        return any(module.traits.takes_table for module in first)

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[list, Tree]:
        new = list(buffers)

        def run(i: int, value: Value) -> Value:
            try:
                output, new[i] = self.call(i, params, buffers, value, key=key, train=train)
            except Signal:
                raise
            except Exception:
                tell(self, i)
                raise
            return output

        return filmed("output", self.through(input, run)), new

    def through(self, input: Table, run: Callable[[int, Value], Value]) -> Value:
        """The output of the graph in which `run(i, value)` returns the output of module i."""
        given = [input] if self.n_inputs == 1 else input
        if not isinstance(given, (list, tuple)) or len(given) != self.n_inputs:
            raise expected(self, f"a table of {self.n_inputs} inputs", input)
        values: list[Value] = []
        for i, sources in enumerate(self.sources):
            values.append(run(i, self._gathered(sources, given, values)))
        return self._gathered(self.outputs, given, values)

    def _gathered(self, sources: tuple[Source, ...], given: Table, values: list) -> Value:
        found = [self._value(source, given, values) for source in sources]
        return found[0] if len(found) == 1 else found

    def _value(self, source: Source, given: Table, values: list) -> Value:
        """The value of a source: one of the given inputs, or of the modules' outputs so far."""
        value = given[-1 - source.origin] if source.origin < 0 else values[source.origin]
        for entry, count in source.path:
            if not isinstance(value, (list, tuple)):
                raise expected(self, f"a table of {count} to split", value)
            if len(value) != count:
                raise ValueError(f"{self.torch_name()}: split({count}) cannot split {len(value)} outputs")
            value = value[entry]
        return value

    def wiring(self) -> list[str]:
        """The modules line by line, each with its sources; Torch prints only the graph's name.

        >>> x = Node(Identity())
        >>> Graph([x], [Node(JustTable(), x)]).wiring()
        ['(1): nn.Identity <- input', '(2): nn.JustTable <- (1)', 'output: (2)']
        """

        def said(source: Source) -> str:
            given = "input" if self.n_inputs == 1 else f"input {-source.origin}"
            start = given if source.origin < 0 else f"({source.origin + 1})"
            return start + "".join(f"[{entry + 1}]" for entry, _ in source.path)

        rows = zip(self.modules, self.sources, strict=True)
        lines = [
            f"({i}): {title(module)} <- {', '.join(map(said, sources))}" for i, (module, sources) in enumerate(rows, 1)
        ]
        return [*lines, f"output: {', '.join(map(said, self.outputs))}"]

    def printed(self) -> str:
        return self.name or self.type_name()


class JustTable(Map):
    """x -> [x].

    Shape: any -> a table of one.
    Source: nngraph, JustTable.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> len(f7.JustTable().apply({}, {}, jnp.array([1.0]))[0])
    1
    """

    def f(self, input: Array) -> list:
        return [input]


class JustElement(TableMap):
    """[x] -> x.

    Shape: a table of one -> its entry.
    Raises: ValueError for other tables.
    Source: nngraph, JustElement.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.JustElement().apply({}, {}, [jnp.array([1.0])])[0].tolist()
    [1.0]
    """

    def f(self, input: Table) -> Array:
        if not isinstance(input, (list, tuple)) or len(input) != 1:
            raise expected(self, "a table: expecting one element", input)
        return input[0]


def nest(nodes: Value, identity: Callable = Identity, just_table: Callable = JustTable) -> Node:
    """A node for a nested structure of nodes: nest([a, [b], c]) has the output [a, [b], c].

    Raises: TypeError for anything else.
    Source: nngraph, nest.lua.
    """
    if isinstance(nodes, Node):
        return nodes
    if not isinstance(nodes, (list, tuple)) or not nodes:
        raise TypeError("Pass an input." if nodes is None else f"what is this in the nest input? {nodes!r}")
    inner = [nest(each, identity, just_table) for each in nodes]
    return Node(just_table() if len(inner) == 1 else identity(), *inner)
