"""How Torch saves nn.WeightNorm: the module inside keeps its own weight, which v and g represent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import layers
from ..t7.values import Fields
from .build import storage
from .node import Node
from .schema import Schema


def _dimensions(node: Node, fields: Fields) -> Fields:
    spec: Any = node.spec
    inner: Node = node.parts["module"]
    outputs, *others = spec.moved_shape()
    own = {name: np.asarray(value) for name, value in node.parameters.items()}  # in an object they are tensors
    weight = np.asarray(spec.weight(own), own["v"].dtype)
    names = ["bias"] if "bias" in node.parameters else []
    inner.parameters = {"weight": weight} | {name: node.parameters[name] for name in names}
    inner.gradients = {"weight": np.zeros_like(weight)} | {name: node.gradients[name] for name in names}
    norm = np.sqrt((own["v"] ** 2).sum(1, keepdims=True) + 1e-4)
    return {
        "weight": weight, "gradWeight": inner.gradients["weight"], "otherDims": int(np.prod(others)),
        "viewIn": storage([outputs, int(np.prod(others))]), "viewOut": storage([outputs, *others]),
        "weightSize": storage(weight.shape), "_norm": norm, "_scale": own["g"] / norm, "modules": [inner],
    }  # fmt: skip


SCHEMAS = [Schema(layers.WeightNorm, children=lambda record: [], parts=("module",), more=_dimensions)]
