"""Builds objects of a file from fields, where Torch composes layers and a description is one piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.types import Indices, Value
from ..t7 import T7Object, T7Storage


class Later(NamedTuple):
    """A field that needs the objects of nodes, and refers to itself: made(object_of) returns it when it is written."""

    made: Callable[[Callable[[Any], T7Object]], Any]


def storage(values: Indices) -> T7Storage:
    """Numbers as a LongStorage."""
    return T7Storage(np.array(values, np.int64))


def module(class_name: str, version: int = 1, **fields: Value) -> T7Object:
    """An object with these fields and those that all modules have."""
    return T7Object(class_name, version, {"output": np.zeros(0), "gradInput": np.zeros(0)} | fields)


def container(class_name: str, *modules: T7Object, **fields: Value) -> T7Object:
    """A container of these objects, or of nodes that become objects."""
    return module(class_name, modules=list(modules), **fields)
