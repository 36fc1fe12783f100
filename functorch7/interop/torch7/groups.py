"""cudnn's convolutions in groups: nn has no such layer, but what they compute is a Concat of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...layers import Concat, Narrow, Sequential
from .node import Node
from .reader import Reader, readers
from .record import Record


def in_groups(reader: Reader, record: Record) -> Node:
    """The convolution, or for each group one of its planes; the weights are views of the file's.

    Raises: T7ModuleError for planes that cannot be divided into the groups.
    """
    groups = record.get("groups", 1)
    if groups == 1:
        return reader.described(record)
    planes = {name: record.need(name) for name in ("nInputPlane", "nOutputPlane")}
    if any(count % groups for count in planes.values()):
        raise record.error(f"expected planes in {groups} groups, got {planes}")
    inputs, outputs = (count // groups for count in planes.values())

    def part(value: Any, group: int) -> Any:
        whole = isinstance(value, np.ndarray) and value.ndim and value.shape[0] == groups * outputs
        return value[group * outputs : (group + 1) * outputs] if whole else value

    def branch(group: int) -> Node:
        own = {name: part(record.fields.get(name), group) for name in ("weight", "bias", "gradWeight", "gradBias")}
        fields = record.fields | own | {"groups": 1, "nInputPlane": inputs, "nOutputPlane": outputs}
        convolution = reader.described(Record(record.object, record.class_name, fields, record.path))
        slice_ = Node(Narrow(2, group * inputs + 1, inputs))
        return Node(Sequential(slice_.spec, convolution.spec), children=[slice_, convolution])

    branches = [branch(group) for group in range(groups)]
    return Node(Concat(2, *(each.spec for each in branches)), children=branches)


readers["cudnn.SpatialConvolution"] = in_groups
readers["cudnn.VolumetricConvolution"] = in_groups
