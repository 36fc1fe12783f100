"""What a network consists of, as a table: layers, the sizes of their outputs, parameters, and arithmetic."""

import html
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from .core import Module, named_parameters, title
from .core.recording import Path, recording
from .recurrent import Sequencer, over_time

FREE = {
    "bitcast_convert_type", "broadcast_in_dim", "concatenate", "convert_element_type", "copy", "dynamic_slice",
    "dynamic_update_slice", "expand_dims", "gather", "iota", "optimization_barrier", "pad", "reshape", "rev",
    "select_n", "slice", "squeeze", "stop_gradient", "transpose",
}  # fmt: skip
"""Operations that move numbers without computing any."""


@dataclass(frozen=True)
class Row:
    """One module: its place, what it is, its output's sizes, how many parameters of its own it has, and FLOPs."""

    path: Path
    module: Module
    output: Any
    parameters: int
    flops: int

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row as text."""
        name = f"{'  ' * len(self.path)}{self.path[-1] if self.path else ''} {title(self.module)}"
        own = f"{self.parameters:,}" if self.parameters else ""
        return name.rstrip() if self.path else name.strip(), _sizes(self.output), own, _metric(self.flops)


@dataclass(frozen=True)
class Summary:
    """A table of modules, outer ones first; printed as text, and shown as a table in notebooks."""

    rows: tuple[Row, ...]
    parameters: int
    """All numbers that are learned; those that several places share count once."""
    flops: int
    """Operations of one forward call."""

    HEAD = ("layer", "output", "parameters", "FLOPs")

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [row.cells for row in self.rows] + [("total", "", f"{self.parameters:,}", _metric(self.flops))]

    def __str__(self) -> str:
        table = [self.HEAD, *self._cells()]
        widths = [max(len(row[i]) for row in table) for i in range(4)]
        lines = [
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}".rstrip() for a, b, c, d in table
        ]
        rule = "-" * max(map(len, lines))
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(cells: tuple, tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}><pre>{html.escape(cell)}</pre></{tag}>" for cell in cells) + "</tr>"

        return f"<table>{row(self.HEAD, 'th')}{''.join(row(cells, 'td') for cells in self._cells())}</table>"


def summary(module: Module, input: Any, dtype: Any = jnp.float32, train: bool = False) -> Summary:
    """A table of a network's modules with the sizes of their outputs, for input of this shape. Nothing is computed.

    `input` is a shape, (32, 1, 28, 28), or a table of shapes; an array or jax.ShapeDtypeStruct stands for its own.
    FLOPs are those of one forward call: a matrix product or convolution of n multiplications counts 2 n, any other
    operation 1 for each number that it gives or reduces; loops count as often as they run. Inside the
    module of a Sequencer, sizes and FLOPs are those of one step.
    Raises: what the network raises for such an input.

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
    given = jax.tree.map(lambda leaf: _described(leaf, dtype), input, is_leaf=lambda leaf: isinstance(leaf, tuple))
    key = jax.random.key(0)
    params, buffers = jax.eval_shape(module.init, key)

    def run(params: Any, buffers: Any, input: Any) -> Any:
        with recording() as seen:
            output, _ = module.apply(params, buffers, input, key=key, train=train)
        return output, seen.inputs, seen.outputs

    output, inputs, outputs = jax.eval_shape(run, params, buffers, given)
    inputs, outputs = {(): given} | inputs, {(): output} | outputs
    own: dict[Path, int] = {}
    for path, array in named_parameters(module, params):
        own[path[:-1]] = own.get(path[:-1], 0) + (0 if array is None else array.size)
    rows = [
        Row(path, child, outputs[path], own.get(path, 0), _flops(child, way, inputs[path], key, train))
        for path, child, way in _modules(module, type(module).apply)
        if path in outputs
    ]
    return Summary(tuple(rows), sum(own.values()), rows[0].flops)


def _described(leaf: Any, dtype: Any) -> jax.ShapeDtypeStruct:
    shape, dtype = (leaf, dtype) if isinstance(leaf, tuple) else (leaf.shape, leaf.dtype)
    return jax.ShapeDtypeStruct(shape, dtype)


def _modules(module: Module, way: Callable, path: Path = ()) -> Iterator[tuple[Path, Module, Callable]]:
    """Every module with its place and how it is run."""
    yield path, module, way
    children = module.children()
    for name, child in enumerate(children) if isinstance(children, tuple) else children.items():
        below = over_time if isinstance(module, Sequencer) else type(child).apply
        yield from _modules(child, below, (*path, name))


def _flops(module: Module, way: Callable, input: Any, key: Any, train: bool) -> int:
    def run(params: Any, buffers: Any, input: Any) -> Any:
        return way(module, params, buffers, input, key=key, train=train)[0]

    return _counted(jax.make_jaxpr(run)(*jax.eval_shape(module.init, key), input).jaxpr)


def _counted(jaxpr: Any) -> int:
    return sum(map(_of_equation, jaxpr.eqns))


def operations(function: Any, *args: Any) -> int:
    """The FLOPs of function(*args), counted as `summary` does; nothing is computed. For training steps, too."""
    return _counted(jax.make_jaxpr(function)(*args).jaxpr)


def _of_equation(equation: Any) -> int:
    name, params = equation.primitive.name, equation.params
    sizes = [math.prod(each.aval.shape) for each in equation.outvars]
    if name == "dot_general":
        contracted = params["dimension_numbers"][0][0]
        return 2 * sizes[0] * math.prod(equation.invars[0].aval.shape[axis] for axis in contracted)
    if name == "conv_general_dilated":
        kernel = equation.invars[1].aval.shape
        return 2 * sizes[0] * math.prod(kernel) // kernel[params["dimension_numbers"].rhs_spec[0]]
    if name == "scan":
        return params["length"] * _counted(params["jaxpr"].jaxpr)
    inner = [_counted(getattr(each, "jaxpr", each)) for each in _programs(params)]
    if inner:
        return max(inner) if name == "cond" else sum(inner)
    if name in FREE:
        return 0
    return max([*sizes, *(math.prod(each.aval.shape) for each in equation.invars if name.startswith("reduce"))])


def _programs(params: dict[str, Any]) -> Iterator[Any]:
    """The programs among an operation's parameters."""
    for value in params.values():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if hasattr(each, "eqns") or hasattr(each, "jaxpr"):
                yield each


def _sizes(tree: Any) -> str:
    if isinstance(tree, (list, tuple)):
        return f"[{', '.join(map(_sizes, tree))}]"
    return "x".join(map(str, tree.shape)) or "1"


def _metric(count: int) -> str:
    amount, unit = float(count), ""
    for larger in ("k", "M", "G", "T", "P"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{count}" if not unit else f"{amount:.3g}{unit}"
