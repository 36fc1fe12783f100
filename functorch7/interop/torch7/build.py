"""Objects of a file, made from fields: what Torch composes of layers where a description is one piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..t7 import T7Object, T7Storage


def storage(values: Any) -> T7Storage:
    """Numbers as a LongStorage."""
    return T7Storage(np.array(values, np.int64))


def module(class_name: str, version: int = 1, **fields: Any) -> T7Object:
    """An object with the fields that all modules have, and these."""
    return T7Object(class_name, version, {"output": np.zeros(0), "gradInput": np.zeros(0)} | fields)


def container(class_name: str, *modules: Any, **fields: Any) -> T7Object:
    """A container of these objects, or nodes that are to be objects."""
    return module(class_name, modules=list(modules), **fields)
