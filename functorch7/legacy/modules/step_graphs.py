"""The step of a FastLSTM as an nngraph graph, which has a picture."""

from __future__ import annotations

from typing import Any

from ... import core, layers
from ...layers import Node
from ..objects.described import Described
from ..objects.generated import class_of, object_of


def graph_of(cell: Described) -> Described:
    """[x, h, c] -> [h', c']: a FastLSTM's step without dropout, around the cell's own layers."""

    def node(spec: core.Module, *inputs: Any) -> Node:
        return Node(object_of(spec).type(cell.type()), *inputs)

    x, h, c = (node(layers.Identity()) for _ in "xhc")
    of_input, of_output, shown = Node(cell.i2g, x), Node(cell.o2g, h), None
    if cell._spec.bn:
        of_x, of_h, bias, of_c = (cell.modules[i] for i in (1, 3, 4, 5))
        of_input, of_output, shown = Node(of_x, of_input), Node(bias, Node(of_h, of_output)), of_c
    sums = node(layers.CAddTable(), of_input, of_output)
    i, g, f, o = node(layers.SplitTable(1, 2), node(layers.Reshape(4, cell.outputSize), sums)).split(4)
    i, f, o = (node(layers.Sigmoid(), gate) for gate in (i, f, o))
    new = node(layers.CMulTable(), i, node(layers.Tanh(), g))
    cells = node(layers.CAddTable(), node(layers.CMulTable(), f, c), new)
    output = node(layers.CMulTable(), o, node(layers.Tanh(), cells if shown is None else Node(shown, cells)))
    made = class_of(layers.Graph)([x, h, c], [output, cells])
    made.__dict__["_type"] = cell.type()  # which its modules have already: a cast would take tensors out of others
    return made
