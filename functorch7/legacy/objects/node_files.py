"""Nodes of graphs in files, as Torch has them: each with its data and the nodes before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...interop.by_identity import ByIdentity
from ...interop.t7.values import Fields, from_1, indexed
from ...layers.graph_nodes import Node, Part, Split
from .torch_object import InFiles

NODE = "nngraph.Node"

KNOWN = ("module", "inputs", "annotations", "consumers", "whole", "index")
"""A node's own attributes; others are a program's."""

OF_TORCH = ("annotations", "mapindex", "reverseMap", "input", "gradOutput", "selectindex", "nSplitOutputs")
"""Torch's own entries in a node's data, beside the module and what a program has put there."""


def before(node: Node | Split) -> Sequence[Node | Split]:
    """The nodes before a node, as in Torch, where a node that splits a table comes before the table's entries."""
    if isinstance(node, Split):
        return [node.of]
    return [node.whole] if isinstance(node, Part) else node.inputs


class NodesForFiles:
    """Makes the records of nodes, with one table of data for each."""

    def __init__(self) -> None:
        self._data: ByIdentity[Node | Split, Fields] = ByIdentity()

    def fields(self, node: Node | Split) -> Fields:
        """The fields of a node."""
        self._note(node)
        return {
            "data": self._data[node], "children": indexed(before(node)),
            "visited": False, "marked": False, "id": 0,
        }  # fmt: skip

    def _note(self, node: Node | Split) -> None:
        """Makes the data of a node, and of all before it."""
        waiting, new = [node], []
        while waiting:
            each = waiting.pop()
            if each not in self._data:
                self._data[each] = _data_of(each)
                new.append(each)
                waiting += before(each)
        for each in new:
            self._data[each]["mapindex"] = indexed([self._data[other] for other in before(each)])


def _data_of(node: Node | Split) -> Fields:
    if isinstance(node, Split):
        return {"annotations": {"_debugLabel": node.declared}, "nSplitOutputs": len(node.parts)}
    of_program = {k: value for k, value in vars(node).items() if k not in KNOWN and not k.startswith("_")}
    made = of_program | {"annotations": node.annotations, "module": node.module}
    if isinstance(node, Part):
        made["selectindex"] = node.index + 1
    return {name: value for name, value in made.items() if value is not None}


class NodeOfFile(InFiles):
    """The record of nodes in files; the objects are those of graphs."""

    @classmethod
    def typename(cls) -> str:
        """Torch's name of the class."""
        return NODE

    @classmethod
    def blank(cls, fields: Fields) -> object:
        data = fields.get("data", {})
        return object.__new__(Split if "nSplitOutputs" in data else Part if "selectindex" in data else Node)

    def take_saved(self) -> None:
        node: Any = self
        fields: dict[str, Any] = vars(node)
        data, inputs = fields["data"], from_1(fields.get("children", []))
        said = {name: fields[name] for name in ("consumers", "parts") if name in fields}  # by nodes that came before
        annotations = data.get("annotations") or {}
        fields.clear()
        if isinstance(node, Split):
            fields.update(said, of=inputs[0], declared=str(annotations.get("_debugLabel", "")))
            _take_parts(node, int(data["nSplitOutputs"]))
        else:
            of_program = {name: each for name, each in data.items() if name not in OF_TORCH}
            fields.update(_node(annotations) | of_program | said)
        if isinstance(node, Part):
            fields.update(whole=inputs[0], index=int(data["selectindex"]) - 1)
            _parts_of(node.whole, node.index + 1)[node.index] = node
            return
        if not isinstance(node, Split):
            fields["inputs"] = inputs
        for each in inputs:
            vars(each).setdefault("consumers", []).append(node)


def _take_parts(split: object, count: int) -> None:
    """Makes the entries that were not kept."""
    parts = _parts_of(split, count)
    for index in range(count):
        if parts[index] is None:
            parts[index] = object.__new__(Part)
            vars(parts[index]).update(_node({}) | {"whole": split, "index": index})


def _node(annotations: Fields) -> Fields:
    return {"module": None, "inputs": [], "annotations": annotations, "consumers": []}


def _parts_of(split: object, count: int) -> list[Any]:
    """The entries of a node that splits a table, at least `count` of them."""
    parts = vars(split).setdefault("parts", [])
    parts.extend([None] * (count - len(parts)))
    return parts
