"""Networks as compiled programs (StableHLO) for serving: bytes that JAX runs without functorch7."""

import os
import re
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import checkify
from jax.typing import DTypeLike

from ..core import Module, tracing_for
from ..core.types import Input, Output, Params, Tree, Value
from ..network import check_module, check_variables
from ..network.shapes import shaped
from .packages import package
from .remote import reading, replacing

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
"""JAX's own names; plugins may have others."""


def export(
    module: Module, params: Params, buffers: Tree, input: Input, dtype: DTypeLike = jnp.float32,
    platforms: Sequence[str] | None = None,
) -> bytes:  # fmt: skip
    """The network in evaluation as a program `input -> output` that contains its arrays.

    The program does not check values (classes, indices). `input` is a shape, such as ("batch", 1, 28, 28) or
    ("time", "batch", 3), or a table of shapes: a size given by a name may be any number above 0 in each call, the same
    for equal names. An array (or a jax.ShapeDtypeStruct) stands for its own shape and dtype. `platforms` lists where
    the program can run, such as ("cpu", "cuda"); by default where JAX runs now. Without functorch7,
    `jax.export.deserialize(bytearray(data)).call(input)` runs it.
    Raises: ImportError without flatbuffers; TypeError for wrong shapes or platforms; ValueError for arrays that are
    not the module's, shapes that the network refuses, layers that need a number in place of a named size, and modules
    that draw random numbers in evaluation, call the host, or have an output whose size depends on values.
    """
    _check_platforms(platforms)
    check_module("export", module)
    check_variables("export", module, params, buffers)
    if not module.traits.traceable:
        raise ValueError(f"export: {module.torch_name()}: the size of an output depends on values")
    if module.traits.draws(False):
        raise ValueError(f"export: {module.torch_name()} draws random numbers in evaluation, too")
    package("flatbuffers")  # JAX needs it to write and read

    def output(input: Any) -> Any:
        return module.apply(params, buffers, input)[0]

    def serve(input: Any) -> Any:
        # Drops the checks of values: `checked` turns them into errors, which an exported program cannot contain.
        return checkify.checkify(output, errors=frozenset())(input)[1]

    inputs = _described(input, dtype)
    try:
        with nullcontext() if platforms is None else tracing_for(platforms):
            return bytes(jax.export.export(jax.jit(serve), platforms=platforms)(inputs).serialize())
    except ValueError:
        raise
    except NotImplementedError as error:  # calls of the host, such as PrintSize's
        raise ValueError(f"export: {module.torch_name()} cannot be exported: {error}") from error
    except Exception as error:  # JAX's, or Python's where a named size is used as a number
        if not (names := sorted({n for n in jax.tree.leaves(input) if isinstance(n, str)})):
            raise
        raise _needs_number(module, names, error) from error


def _check_platforms(given: Sequence[str] | None) -> None:
    """Refuses what JAX has no platform of: a program for it would be made, and run nowhere."""
    if given is None:
        return
    known = dict.fromkeys((*PLATFORMS, jax.default_backend().replace("gpu", "cuda")))
    if (
        isinstance(given, str)
        or not isinstance(given, Sequence)
        or not given
        or any(each not in known for each in given)
    ):
        example = f'such as ("cpu", "cuda"), of {", ".join(known)}'
        raise TypeError(f"export: expected a list of platforms, {example}, got {given!r}")


def _needs_number(module: Module, names: list[str], error: Exception) -> ValueError:
    """The error for a layer that needs named sizes as numbers: those that the error mentions, or all."""
    text = str(error).partition("\n")[0]
    blamed = [name for name in names if re.search(rf"\b{name}\b", text)] or names
    why = "a layer computes with it as a number" if "_DimExpr" in text else text
    told = ValueError(
        f"export: {module.torch_name()} needs a number in place of {' or '.join(map(repr, blamed))}: {why}"
    )
    for place in getattr(error, "__notes__", ()):
        if place.startswith("In "):  # others are about JAX's traceback
            told.add_note(place)
    return told


def _described(input: Input, dtype: DTypeLike) -> Tree:
    """The shapes and dtypes of an input whose sizes may be names. Raises: TypeError for other values."""
    scope = jax.export.SymbolicScope()

    def described(leaf: Any) -> jax.ShapeDtypeStruct:
        if hasattr(leaf, "shape"):
            return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
        if isinstance(leaf, tuple) and "" in leaf:
            raise TypeError(f"export: expected a name such as 'batch' for a size, got '' in {leaf}")
        numbers = tuple(1 if isinstance(n, str) else n for n in leaf) if isinstance(leaf, tuple) else leaf
        shaped(numbers, dtype)  # raises unless it is a shape
        shape = tuple(jax.export.symbolic_shape(n, scope=scope)[0] if isinstance(n, str) else n for n in leaf)
        return jax.ShapeDtypeStruct(shape, dtype)

    return jax.tree.map(described, input, is_leaf=lambda leaf: isinstance(leaf, tuple))


def save_exported(
    path: str | os.PathLike, module: Module, params: Params, buffers: Tree, input: Input,
    dtype: DTypeLike = jnp.float32, platforms: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Writes `export`'s result, whole or not at all, to a path or a URL for fsspec. Raises: as `export`; OSError."""
    data = export(module, params, buffers, input, dtype, platforms)
    with replacing(path) as draft:
        draft.write_bytes(data)


def load_exported(source: str | os.PathLike | bytes) -> "Served":
    """The function that `export` made, from a path, a URL for fsspec, or bytes.

    Raises: ImportError without flatbuffers; FileNotFoundError; ValueError for anything but an exported program.
    """
    package("flatbuffers")
    if isinstance(source, bytes):
        data = source
    else:
        with reading(source) as file:
            data = file.read_bytes()
    try:
        return Served(jax.export.deserialize(bytearray(data)))
    except Exception as error:  # whatever the bytes lead the reader to
        where = "the bytes" if isinstance(source, bytes) else os.fspath(source)
        raise ValueError(f"load_exported: no exported program in {where}: {error}") from error


class Served:
    """A loaded program: call it with the input, in NumPy or JAX arrays. Its StableHLO is `exported.mlir_module()`."""

    def __init__(self, exported: jax.export.Exported):
        self.exported = exported
        self._run = jax.jit(exported.call)

    def __call__(self, input: Input) -> Output:
        """The output. Raises ValueError unless the input's structure, shapes and dtypes are those of the export."""
        given, structure = jax.tree.flatten(((input,), {}))
        wanted = self.exported.in_avals
        fits = structure == self.exported.in_tree and all(map(_fits, given, wanted))
        if not fits:
            got = jax.tree.map(lambda leaf: f"{jnp.shape(leaf)} {getattr(leaf, 'dtype', type(leaf).__name__)}", input)
            raise ValueError(f"{self}: got {got}")
        return self._run(input)

    def __repr__(self) -> str:
        (input,), _ = jax.tree.unflatten(self.exported.in_tree, [_shown(a) for a in self.exported.in_avals])
        return f"exported program for input {input}"


def _shown(leaf: Value) -> str:
    return f"({', '.join(map(str, leaf.shape))}) {leaf.dtype}"


def _fits(given: Value, wanted: Value) -> bool:
    if getattr(given, "dtype", None) != wanted.dtype or len(given.shape) != len(wanted.shape):
        return False
    return all(size == n if isinstance(n, int) else size > 0 for size, n in zip(given.shape, wanted.shape, strict=True))
