"""A table of a network's layers, with the sizes of their outputs, parameters and arithmetic."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core import Module
from ..core.tree import Path
from ..core.types import Input, Value
from ..network import check_module, named_parameters
from ..network.shapes import shaped
from .flops import flops
from .table import Cells, Table, in_tree, metric, sizes
from .visits import Visit, innermost, visits


@dataclass(frozen=True)
class Row:
    """One module: its place, its output's sizes, the number of its own parameters, and FLOPs.

    Its own parameters include those of inner modules that are never called (the gates of a cell).
    """

    path: Path
    module: Module
    output: Value
    parameters: int
    flops: int


@dataclass(frozen=True, repr=False)
class Summary(Table):
    """A table of modules, outer ones first; printed as text, and shown as a table in notebooks."""

    HEAD = ("layer", "output", "parameters", "FLOPs")
    LEFT = 2

    rows: tuple[Row, ...]
    parameters: int
    """The number of learned numbers; shared ones count once."""
    flops: int
    """Operations of one forward call."""

    def body(self) -> list[Cells]:
        places = {row.path for row in self.rows}
        return [
            (in_tree(row.path, row.module, places), sizes(row.output), _count(row.parameters), metric(row.flops))
            for row in self.rows
        ]

    def totals(self) -> list[Cells]:
        return [("total", "", f"{self.parameters:,}", metric(self.flops))]


def summary(module: Module, input: Input, dtype: DTypeLike = jnp.float32, train: bool = False) -> Summary:
    """A table of a network's modules with the sizes of their outputs, for an input of this shape. Nothing is computed.

    `input` is a shape, (32, 1, 28, 28), or a table of shapes; an array or jax.ShapeDtypeStruct stands for its shape.
    FLOPs are those of one forward call: a matrix product or convolution with n multiplications counts 2 n, any other
    operation 1 for each number that it returns or reduces; loops count as often as they run. Inside a Sequencer, sizes
    and FLOPs are those of one step.
    Raises: TypeError unless given a description and shapes; the network's errors for such an input.

    >>> import functorch7 as f7
    >>> print(f7.summary(f7.Sequential(f7.Linear(10, 5), f7.Tanh()), (32, 10)))
    layer                   output  parameters  FLOPs
    -------------------------------------------------
    nn.Sequential           32x5                3.52k
      0 nn.Linear(10 -> 5)  32x5            55  3.36k
      1 nn.Tanh             32x5                  160
    -------------------------------------------------
    total                                   55  3.52k
    """
    check_module("summary", module)
    given = shaped(input, dtype)
    key = jax.random.key(0)
    params, buffers = jax.eval_shape(module.init, key)

    found = visits(module, params, buffers, given, key, train)
    own = {each.path: 0 for each in found}
    for path, array in named_parameters(module, params):
        own[innermost(path, own)] += 0 if array is None else array.size
    rows = [Row(each.path, each.module, each.output, own[each.path], _flops(each)) for each in found]
    return Summary(tuple(rows), sum(own.values()), rows[0].flops)


def _count(parameters: int) -> str:
    return f"{parameters:,}" if parameters else ""


def _flops(visit: Visit) -> int:
    variables = jax.eval_shape(visit.module.init, jax.random.key(0))
    return flops(visit.run, *variables, visit.input)
