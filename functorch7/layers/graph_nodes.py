"""Nodes of graphs under construction: a module, its inputs and its output."""

import copy
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..checks.tables import as_dict
from ..core import Module, title
from ..core.types import Value
from ..core.user_line import user_line


def _declared() -> str:
    """Where in the user's code a node is being made: "[model.py]:12"."""
    path, number = user_line()
    return f"[{os.path.basename(path)}]:{number}"


class Node:
    """A place in a graph under construction: a module, and the nodes whose outputs are its input.

    The input is the output of one node, or a table of the outputs of several; without nodes, the place is an input of
    the graph. A node is one place: everything that uses it gets the same output. `annotations` label it in pictures:
    name, description, graphAttributes.
    Raises: TypeError for anything but a node; ValueError for the same node twice.
    Source: nngraph, README.md, node.lua.
    """

    def __init__(self, module: object, *inputs: "Node"):
        held = module.get("module") if isinstance(module, Mapping) else module  # Torch's nngraph.Node({module = m})
        self.module: Any = held  # a description, an object of the legacy interface, or None
        self.inputs: list[Node] = []
        self.annotations: dict[str, Any] = {"_debugLabel": _declared()}
        self.consumers: list[Node | Split] = []
        for node in inputs:
            self.add(node)

    def typename(self) -> str:
        """Torch's name of the class."""
        return "nngraph.Node"

    def __repr__(self) -> str:
        return self.typename()

    def add(self, node: "Node") -> None:
        """Adds an input, after the existing ones."""
        check_node(node, "inputs", len(self.inputs) + 1)
        if any(node is each for each in self.inputs):
            raise ValueError("Don't pass the same input twice.")
        self.inputs.append(node)
        node.consumers.append(self)

    @property
    def declared(self) -> str:
        """Where it was made; Torch's annotation of this name."""
        return self.annotations["_debugLabel"]

    @property
    def data(self) -> "Node":
        """Data that Torch keeps of a node in a separate table: `node.data.module`, `node.data.annotations`."""
        return self

    @property
    def children(self) -> list["Node"]:
        """Torch's name of the nodes whose outputs are its input."""
        return self.inputs

    def split(self, count: int) -> list["Part"]:
        """A node for each entry of the output, a table with this many entries; all must be used."""
        return Split(self, count).parts

    def annotate(self, annotations: dict[str, object] | list[object]) -> "Node":
        """The same node, with more annotations; those of a list are under their numbers, as in a table."""
        self.annotations.update(as_dict(annotations))
        return self

    def label(self) -> str:
        """The text in pictures: the name and description, if any, and the module."""
        return labelled(self.annotations, self.module)

    def __sub__(self, module: Module) -> "Node":
        """`node - module`: a node of the module, with this node as its input."""
        return Node(module, self)

    def __deepcopy__(self, memo: dict) -> "Node":
        return _copied(self, memo)


def name_after_variables(variables: Iterable[tuple[str, object]]) -> None:
    """Names the nodes among variables after these; nodes with a name keep it."""
    for name, value in variables:
        if isinstance(value, Node) and "name" not in value.annotations:
            value.annotate({"name": name})


class Split:
    """A node's output taken apart."""

    def __init__(self, of: Node, count: int):
        self.of = of
        self.declared = f"{of.declared} split at {_declared()}"
        self.parts = [Part(self, i) for i in range(count)]
        of.consumers.append(self)

    def __deepcopy__(self, memo: dict) -> "Split":
        return _copied(self, memo)


class Part(Node):
    """One entry of a node's table."""

    def __init__(self, whole: Split, index: int):
        super().__init__(None)
        self.whole, self.index = whole, index
        self.annotations["_debugLabel"] = f"{whole.of.declared}-{index + 1}"

    @property
    def selectindex(self) -> int:
        """Torch's name of its position in the table, from 1."""
        return self.index + 1

    def label(self) -> str:
        return f"entry {self.index + 1}"


def _copied(start: Any, memo: dict) -> Any:
    """A copy of a node, and of everything connected with it, which may be more than the depth of calls permits."""
    waiting, found = [start], []
    while waiting:
        each = waiting.pop()
        if id(each) not in memo:
            memo[id(each)] = object.__new__(type(each))
            found.append(each)
            values = (value if isinstance(value, list) else [value] for value in vars(each).values())
            waiting += (other for value in values for other in value if isinstance(other, (Node, Split)))
    for each in found:
        vars(memo[id(each)]).update((name, copy.deepcopy(value, memo)) for name, value in vars(each).items())
    return memo[id(start)]


def labelled(annotations: dict[str, object], module: object) -> str:
    """A node's text in pictures: its label, or its name and description, if any, and the module."""
    own = [str(annotations[name]) for name in ("name", "description") if name in annotations]
    return str(annotations.get("label", "\n".join([*own, title(module)])))


def check_node(node: object, what: str, position: int) -> None:
    """Refuses anything but a node."""
    if isinstance(node, Node):
        return
    hint = "" if node is not None else " (typo / bad index?)"
    if _is_module(node):
        hint = " Did you forget a second set of parens, which convert a nn.Module to a nngraph.Node?"
    raise TypeError(f"{what}[{position}]: expected a node, got {node!r}.{hint}")


def nodes_among(given: tuple[Value, ...]) -> list[Node] | None:
    """The nodes with which a module is called, possibly none; None if it is called with something else.

    Raises: TypeError for something else among nodes, or a module in place of a node; ValueError for an empty table.
    """
    if len(given) == 0:
        return []
    if isinstance(given[0], Node) and len(given) > 1:
        raise TypeError("Use [input1, input2] to pass multiple inputs.")
    entries = list(given[0]) if isinstance(given[0], (list, tuple)) else [given[0]]
    if not entries:
        raise ValueError(
            "cannot pass an empty table of inputs. To indicate no incoming connections, leave the second set of parens "
            "blank."
        )
    if not any(entry is None or isinstance(entry, Node) or _is_module(entry) for entry in entries):
        return None
    for i, entry in enumerate(entries, 1):
        check_node(entry, "inputs", i)
    return entries


def _is_module(value: Any) -> bool:
    return isinstance(value, Module) or hasattr(value, "updateOutput")
