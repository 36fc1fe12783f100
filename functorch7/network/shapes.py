"""Sizes of outputs, without computing anything."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ..checks.errors import title
from ..core.module import Module
from ..core.recording import recording
from ..core.tree import Path
from ..core.types import Input, Key, Params, Tree, Value
from .fitting import check_module


def output_shape(module: Module, input: Input, dtype: DTypeLike = jnp.float32, *, train: bool = False) -> Value:
    """The shape of a module's output for input of this shape, or the table of its outputs' shapes.

    `input` is a shape, (32, 1, 28, 28), or a table of shapes; an array or jax.ShapeDtypeStruct stands for its shape.
    Nothing is computed, and no parameters are made.
    Raises: the errors of `apply` for such an input; TypeError for anything but a shape; ValueError if an output's size
    depends on values.
    Source: BigDL, computeOutputShape.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Sequential(f7.SpatialConvolution(1, 6, 5, 5), f7.View(6 * 24 * 24)), (32, 1, 28, 28))
    (32, 3456)
    >>> f7.output_shape(f7.ConcatTable(f7.Identity(), f7.Linear(3, 2)), (4, 3))
    [(4, 3), (4, 2)]
    """
    check_module("output_shape", module)
    if not module.traits.sized:
        raise ValueError(f"{title(module)}: the size of the output depends on values, not only on the input's shape")
    key = jax.random.key(0)

    def run(input: Any) -> Any:
        return module.apply(*module.init(key), input, key=key, train=train)[0]

    return jax.tree.map(lambda leaf: tuple(leaf.shape), jax.eval_shape(run, _in_known_types(shaped(input, dtype))))


def shapes_by_path(
    module: Module, params: Params, buffers: Tree, input: Input, *, key: Key = None, train: bool = False
) -> tuple[dict[Path, Value], dict[Path, Value]]:
    """The input and output of each module that a call runs, by path, as shapes; those of the last step if several."""

    def run(params: Tree, buffers: Tree, input: Value) -> Value:
        with recording() as seen:
            output, _ = module.apply(params, buffers, input, key=key, train=train)
        return output, seen.inputs, seen.outputs

    output, inputs, outputs = jax.eval_shape(run, params, buffers, _in_known_types(input))
    return {(): input} | inputs, {(): output} | outputs


def _in_known_types(shapes: Value) -> Value:
    """Shapes in the types in which JAX would compute: without 64-bit numbers it warns of others."""
    known = jax.dtypes.canonicalize_dtype
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, known(leaf.dtype)), shapes)


def shaped(input: Input, dtype: DTypeLike) -> Value:
    """A shape, or a table of shapes, with placeholders of arrays."""
    return jax.tree.map(lambda leaf: _shaped(leaf, dtype), input, is_leaf=lambda leaf: isinstance(leaf, tuple))


def _shaped(leaf: Any, dtype: DTypeLike) -> jax.ShapeDtypeStruct:
    if not isinstance(leaf, tuple) and not hasattr(leaf, "shape"):
        raise TypeError(f"expected a shape, such as (32, 10), or a table of shapes, got {leaf!r}")
    shape, dtype = (leaf, dtype) if isinstance(leaf, tuple) else (leaf.shape, leaf.dtype)
    if not all(isinstance(size, (int, np.integer)) and size >= 0 for size in shape):
        raise ValueError(f"expected a shape of whole numbers that are not negative, such as (32, 10), got {shape}")
    return jax.ShapeDtypeStruct(shape, dtype)
