"""How Torch saves nn.SoftMaxTree: tensors of ids instead of a table of families."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import layers
from ..t7.values import Fields
from .node import Node
from .record import Record
from .schema import Rule, Schema, saved


def _families(fields: Fields) -> dict[int, tuple[int, int]]:
    """Each parent's first row, from 0, and its number of rows."""
    rows = fields["parentChildren"]
    return {parent: (int(rows[parent - 1, 0]) - 1, int(rows[parent - 1, 1])) for parent in _parents(fields)}


def _parents(fields: Fields) -> list[int]:
    return sorted(int(parent) for parent in fields["parentIds"])


def _hierarchy(record: Record) -> dict[int, np.ndarray]:
    ids = [record.need(name) for name in ("parentChildren", "parentIds", "childIds")][-1].astype(int)
    return {parent: ids[first : first + count] for parent, (first, count) in _families(record.fields).items()}


def in_order(fields: Fields) -> Fields:
    """The fields with families in the order of their parents' ids; Torch takes them in a table's order."""
    if not {"parentChildren", "parentIds", "childIds"} <= set(fields):
        return fields
    families = _families(fields).values()
    rows = np.concatenate([np.arange(first, first + count) for first, count in families]) if families else np.arange(0)
    if np.array_equal(rows, np.arange(len(rows))):
        return fields
    starts = np.cumsum([0, *(count for _, count in families)])
    placed = np.array(fields["parentChildren"])
    placed[np.array(_parents(fields)) - 1, 0] = starts[:-1] + 1
    moved = {
        name: fields[name][rows] for name in ("childIds", "weight", "bias", "gradWeight", "gradBias") if name in fields
    }
    return fields | moved | {"parentChildren": placed}


def _by_id(ids: np.ndarray, *columns: np.ndarray) -> np.ndarray:
    """A row of these numbers for each node, in the place of its number; -1 where there is none."""
    found = np.full((int(ids.max()), len(columns)), -1, np.int32)
    found[ids - 1] = np.stack(columns, 1)
    return found


def _indices(node: Node, fields: Fields) -> Fields:
    spec: Any = node.spec
    parents, children = spec.hierarchy.value.T
    ids, firsts, counts = np.unique(parents, return_index=True, return_counts=True)
    of_parent = _by_id(ids, firsts + 1, counts)
    of_child = _by_id(children, parents, np.arange(len(children)) - np.repeat(firsts, counts) + 1)
    family_of = {int(child): int(parent) for parent, child in zip(parents, children, strict=True)}
    size_of = dict(zip(ids.tolist(), counts.tolist(), strict=True))

    def way(parent: int) -> list[int]:
        found = [parent]
        while found[-1] != spec.root_id and found[-1] in family_of:
            found.append(family_of[found[-1]])
        return found

    ways = [way(parent) for parent in size_of]
    return {
        "childIds": children.astype(np.int32), "parentIds": ids.astype(np.int32), "parentChildren": of_parent,
        "childParent": of_child, "nChildNode": len(children), "nParentNode": len(ids),
        "minNodeId": int(spec.hierarchy.value.min()), "maxNodeId": int(spec.hierarchy.value.max()),
        "maxParentId": int(ids.max()), "maxChildId": int(children.max()), "maxFamily": int(counts.max()),
        "maxFamilyPath": max(sum(size_of[parent] for parent in each) for each in ways),
        "maxDept": max(map(len, ways)), "updates": {}, "batchSize": 0,
        **{name: np.zeros(0) for name in ("_nodeBuffer", "_multiBuffer", "_gradInput")},
        "_gradTarget": np.zeros(0, np.int32),
    }  # fmt: skip


SCHEMAS = [
    Schema(
        layers.SoftMaxTree,
        {
            "hierarchy": Rule(_hierarchy, lambda _: {}), "root_id": saved("rootId", 1),
            "acc_update": saved("accUpdate", False), "static": saved("static", True),
            "verbose": saved("verbose", False),
        },
        more=_indices, grad_input=list,
    )
]  # fmt: skip
