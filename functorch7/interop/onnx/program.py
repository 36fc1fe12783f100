"""A graph of ONNX that is being written."""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...core.types import ArrayLike
from ..t7.values import Fields

Value = Any
"""A module's output in a graph: a tensor's name, or a list of these for a table."""


class Program:
    """Operators in order, and the arrays among their inputs."""

    def __init__(self, onnx: ModuleType):
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.arrays: list[Any] = []
        self.place = ""
        """The dotted name of the module being written."""

    def add(self, operator: str, *inputs: str, **attributes: Value) -> str:
        """Adds an operator; returns the name of its first output."""
        output = f"{self.place or 'network'}:{operator}:{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, value: ArrayLike, name: str = "") -> str:
        """Adds an array; parameters have the names of `state_dict`."""
        name = f"{self.place}.{name}".lstrip(".") if name else f"constant:{len(self.arrays)}"
        self.arrays.append(self.onnx.numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def integers(self, *values: int) -> str:
        """A vector of whole numbers, for shapes and axes."""
        return self.constant(np.array(values, np.int64))


class Call(NamedTuple):
    """A module at its place in a network: its own arrays, and the shapes of its input and output."""

    module: Value
    arrays: Fields
    given: Value
    gives: Value
