"""Networks written as ONNX graphs."""

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ...checks.errors import expected
from ...core import Module
from ...core.tree import Path, dotted, named_children, split
from ...core.types import Input, Params, Tree
from ...layers import Concat, ConcatTable, FireModule, Graph, Inception, ParallelTable, Sequential
from ...layers.decorators import Decorator
from ...network import Shared, check_module, check_variables
from ...network.shapes import shaped, shapes_by_path
from ..packages import package
from ..remote import replacing
from .program import Call, Program, Value
from .rules import DIMENSIONS, RULES, refusal

OPSET, IR = 20, 9
"""Versions of ONNX's operators and files that runtimes have supported since 2023."""

AROUND = (Sequential, Concat, ConcatTable, ParallelTable, Graph, Decorator, Inception, FireModule, Shared)
"""Modules that are written as the modules inside them."""


def export(module: Module, params: Params, buffers: Tree, input: Input, dtype: DTypeLike = jnp.float32) -> bytes:
    """The network in evaluation mode as an ONNX model, whose initializers have the names of `state_dict`.

    `input` is its shape, such as ("batch", 1, 28, 28), or a table of shapes; only the first size, the batch's, may have
    a name, and a batch is required. An array (or a jax.ShapeDtypeStruct) may stand for its shape and dtype. Inputs are
    called "input" (for a table "input1", "input2", ...), outputs likewise. Recurrent layers start without state.
    Raises: ImportError without onnx; ValueError that lists all layers that cannot be written, for several names, shapes
    that the network refuses, images without a batch, sizes other than the first that follow the batch's, types of
    numbers that an operator of ONNX does not support (bfloat16 for a Conv), and arrays that do not fit the module.

    >>> import functorch7 as f7, jax
    >>> network = f7.Sequential(f7.Linear(3, 2), f7.Tanh())
    >>> model = f7.interop.onnx.export(network, *network.init(jax.random.key(0)), ("batch", 3))
    """
    check_module("onnx.export", module)
    check_variables("onnx.export", module, params, buffers)
    wrong = [
        f"{each.torch_name()}{f' (at {dotted(path)})' if path else ''} {why}" for path, each, why in _wrong(module)
    ]
    if wrong:
        raise ValueError(f"onnx: {module.torch_name()}: " + "; ".join(wrong))
    onnx = package("onnx", "functorch7[onnx]")
    shapes = shaped(_numbered(input, 2), dtype)
    name = _batch_name(input)
    given, gives = shapes_by_path(module, params, buffers, shapes)
    more = gives if name is None else shapes_by_path(module, params, buffers, shaped(_numbered(input, 3), dtype))[1]
    _check_sizes(module, gives, more)
    program = Program(onnx)
    names = _named("input", shapes)
    results = _results(program, _Writer(program, given, gives).write(module, params, buffers, names))
    graph = onnx.helper.make_graph(
        program.nodes, module.torch_name(),
        _declared(onnx, names, shapes, [_first(leaf, name) for leaf in _leaves(input)]),
        _declared(onnx, results, gives[()], _firsts(gives[()], more[()], name)), program.arrays,
    )  # fmt: skip
    opset = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=IR, producer_name="functorch7")
    try:
        onnx.checker.check_model(model, full_check=True)
    except onnx.shape_inference.InferenceError as error:
        said = str(error).removeprefix("[ShapeInferenceError] ")
        raise ValueError(f"onnx: {module.torch_name()} has types that ONNX refuses: {said}") from error
    return model.SerializeToString()


def save(
    path: str | os.PathLike, module: Module, params: Params, buffers: Tree, input: Input, dtype: DTypeLike = jnp.float32
) -> None:  # fmt: skip
    """Writes the model of `export`, whole or not at all, to a path or an fsspec URL. Raises: as `export`; OSError."""
    data = export(module, params, buffers, input, dtype)
    with replacing(path) as draft:
        draft.write_bytes(data)


def _wrong(module: Module, path: Path = ()) -> Iterator[tuple[Path, Module, str]]:
    """Everything that cannot be written, and why."""
    if type(module) in AROUND:
        for name, child in named_children(module):
            yield from _wrong(child, (*path, name))
    elif why := refusal(module):
        yield path, module, why


def _batch_name(input: Input) -> str | None:
    """The name of the batch's size, if it has one. Raises: ValueError for an empty one, and several: it is one size."""
    names = list(dict.fromkeys(leaf for leaf in jax.tree.leaves(input) if isinstance(leaf, str)))
    if len(names) > 1 or "" in names:
        raise ValueError(
            f"onnx: expected one name of the batch's size, such as 'batch', got {', '.join(map(repr, names))}"
        )
    return names[0] if names else None


def _numbered(input: Input, number: int) -> Value:
    """Shapes with a number in place of a name; only the first size may be a name."""

    def numbered(leaf: Any) -> Any:
        if not isinstance(leaf, tuple):
            return leaf
        if any(isinstance(size, str) for size in leaf[1:]):
            raise ValueError(f"onnx: only the first size, the batch's, may have a name, got {leaf}")
        return tuple(number if isinstance(size, str) else size for size in leaf)

    return jax.tree.map(numbered, input, is_leaf=lambda leaf: isinstance(leaf, tuple))


def _check_sizes(module: Module, two: dict[Path, Any], three: dict[Path, Any]) -> None:
    """Refuses graphs that, written for two examples, would not compute the same for three."""
    for path in two:
        one, other = jax.tree.leaves(two[path]), jax.tree.leaves(three[path])
        same = [leaf.shape[1:] for leaf in one] == [leaf.shape[1:] for leaf in other]
        if not same or any(bool(a.shape) and a.shape[0] > b.shape[0] for a, b in zip(one, other, strict=True)):
            raise ValueError(
                f"onnx: {module.torch_name()}{f', at {dotted(path)}' if path else ''}: expected outputs of which only "
                f"the first size follows the batch's, got {_sizes(one)} of 2 examples and {_sizes(other)} of 3"
            )


def _sizes(leaves: list) -> str:
    return ", ".join(str(leaf.shape) for leaf in leaves)


class _Writer(NamedTuple):
    """Adds modules to a program; `given` and `gives` are the shapes of their inputs and outputs by path."""

    program: Program
    given: dict[Path, Any]
    gives: dict[Path, Any]

    def write(self, module: Value, params: Tree, buffers: Tree, value: Value, path: Path = ()) -> Value:
        """Adds a module's operators; returns its output."""
        if isinstance(module, Shared):
            params, buffers = ([tree] for tree in module.filled(params, buffers))
        own, inner = split(module, params)
        kept, inside = split(module, buffers)
        if type(module) in RULES:
            arrays = {name: np.asarray(array) for name, array in (own | kept).items() if array is not None}
            return self._layer(module, arrays, value, path)

        def run(i: int, value: Value) -> Value:
            name, child = named_children(module)[i]
            return self.write(child, inner[i], inside[i], value, (*path, name))

        return self._container(module, run, value, path)

    def _layer(self, module: Module, arrays: dict[str, np.ndarray], value: Value, path: Path) -> Value:
        self.program.place = dotted(path)
        call = Call(module, arrays, self.given[path], self.gives[path])
        _check_dimensions(module, call.given)
        return RULES[type(module)](self.program, call, _as_computed(self.program, call, value))

    def _container(self, module: Value, run: Callable[[int, Value], Value], value: Value, path: Path) -> Value:
        """A container's output; `run(i, value)` adds the operators of module i."""
        if isinstance(module, Graph):
            return module.through(value, run)
        places = range(len(module.children()))
        if isinstance(module, Concat):
            parts = [run(i, value) for i in places]
            self.program.place = dotted(path)
            return self.program.add("Concat", *parts, axis=module.dimension - 1)
        if isinstance(module, ConcatTable):
            return [run(i, value) for i in places]
        if isinstance(module, ParallelTable):
            return [run(i, value[i]) for i in places]
        for i in places:
            value = run(i, value)
        return value


def _as_computed(program: Program, call: Call, value: Value) -> Value:
    """A layer's input in the type in which it computes: that of its arrays, if it follows them."""
    given, gives = call.given, call.gives
    kinds = {array.dtype for array in call.arrays.values() if jnp.issubdtype(array.dtype, jnp.inexact)}
    is_one = isinstance(value, str) and hasattr(gives, "dtype") and jnp.issubdtype(given.dtype, jnp.inexact)
    if not is_one or kinds != {gives.dtype} or given.dtype == gives.dtype:
        return value
    return program.add("Cast", value, to=program.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(gives.dtype)))


def _check_dimensions(module: Module, given: Value) -> None:
    wanted = DIMENSIONS.get(type(module))
    if wanted is not None and getattr(given, "ndim", None) != wanted:
        raise expected(module, f"a batch, {wanted} dimensions, to write it in ONNX", given)


def _named(what: str, tree: Value) -> Value:
    """A name for each tensor of a table: "input", or "input1", "input2", ...."""
    leaves, structure = jax.tree.flatten(tree)
    names = [what] if len(leaves) == 1 else [f"{what}{i}" for i in range(1, len(leaves) + 1)]
    return structure.unflatten(names)


def _results(program: Program, value: Value) -> Value:
    """The outputs under their names; an output that is an input, or the same as another, is copied there."""
    program.place = "output"
    return jax.tree.map(
        lambda name, inner: program.nodes.append(program.onnx.helper.make_node("Identity", [inner], [name])) or name,
        _named("output", value), value,
    )  # fmt: skip


def _leaves(input: Input) -> list[Value]:
    return jax.tree.leaves(input, is_leaf=lambda leaf: isinstance(leaf, tuple))


def _first(leaf: Value, name: str | None) -> list[str | int]:
    """The first size of an input as declared: the batch's name, or a number; none for a number."""
    shape = leaf if isinstance(leaf, tuple) else leaf.shape
    return [(name or size) if isinstance(size, str) else int(size) for size in shape[:1]]


def _firsts(two: Value, three: Value, name: str | None) -> list[list[str | int | None]]:
    """The same for outputs: a size is a number if it does not depend on the batch; otherwise it has no name."""
    pairs = zip(jax.tree.leaves(two), jax.tree.leaves(three), strict=True)
    known = {(2, 3): name}
    return [
        [a if a == b else known.get((a, b)) for a, b in zip(one.shape[:1], other.shape[:1], strict=True)]
        for one, other in pairs
    ]


def _declared(onnx: Value, names: Value, shapes: Value, firsts: list[Any]) -> list[Any]:
    """The types of inputs or outputs, with these first sizes."""
    each = zip(jax.tree.leaves(names), jax.tree.leaves(shapes), firsts, strict=True)
    return [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(np.dtype(leaf.dtype)), [*first, *leaf.shape[1:]]
        )
        for name, leaf, first in each
    ]
