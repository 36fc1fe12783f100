"""The table of how classes are saved, for reading and writing."""

from __future__ import annotations

from ... import core
from . import containers, cudnn, recurrent, sampling, tree_softmax, weight_norm, write_graph
from . import layers as simple
from .schema import Schema

SCHEMAS: dict[type[core.Module], Schema] = {
    schema.spec_class: schema
    for family in (simple, sampling, containers, recurrent, cudnn, tree_softmax, weight_norm, write_graph)
    for schema in family.SCHEMAS
}


def schema_of(spec_class: type[core.Module]) -> Schema:
    """How a class is saved; classes missing from the table are saved under Torch's spelling of their fields."""
    if spec_class not in SCHEMAS:
        SCHEMAS[spec_class] = Schema(spec_class)
    return SCHEMAS[spec_class]
