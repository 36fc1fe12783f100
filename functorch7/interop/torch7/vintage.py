"""Former classes of nn and related packages, by the modules that compute the same."""

from __future__ import annotations

from ...layers import Bottle, Sequential, Transpose
from ..t7 import T7Object
from .node import Node
from .reader import Reader, readers
from .record import Record


def _at_each_pixel(reader: Reader, record: Record) -> Node:
    """nn.SpatialClassifier: a classifier of rows, at each pixel of an image of K planes.

    Raises: T7ModuleError for one whose output has a row for each pixel, since the shape is lost.
    """
    if not record.get("spatialOutput", True):
        raise record.error("expected spatialOutput to be true")
    classifier = record.need("classifier", "module")
    if not isinstance(classifier, T7Object):
        raise record.error(f"expected a module as classifier, got {type(classifier).__name__}")
    inner = reader.node(classifier, f"{record.path}.classifier")
    rows = Node(Bottle(inner.spec, 2, 2), children=[inner])
    last, first = (Node(Transpose(*pairs)) for pairs in (((1, 2), (2, 3)), ((2, 3), (1, 2))))
    chain = [last, rows, first]
    return Node(Sequential(*(each.spec for each in chain)), children=chain, settings=record.settings())


readers["nn.SpatialClassifier"] = _at_each_pixel
