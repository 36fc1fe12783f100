"""Files that hold networks, in all forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import jax
import jax.numpy as jnp
import numpy as np

from functorch7 import checked, core
from functorch7.checks.errors import describe
from functorch7.core.precision import cast_floating
from functorch7.interop import orbax, safetensors, stablehlo, t7
from functorch7.interop.torch7.entries import network_of
from functorch7.interop.torch7.node import Node, functional
from functorch7.interop.torch7.reader import Reader
from functorch7.interop.writing import refuse_special

from .command import refuse
from .progress import progress

ENDINGS = {".safetensors": "safetensors", ".stablehlo": "stablehlo", ".orbax": "orbax"}
"""Of the forms that are read, other than Torch's."""

PYTORCH = (b"PK", b"\x80\x02")
"""How PyTorch's files begin: they are zip archives or pickles."""


class Network(NamedTuple):
    """A description and its arrays."""

    module: core.Module
    params: Any
    buffers: Any
    asked: str | None = None
    """The precision that was asked for."""

    @property
    def dtype(self) -> Any:
        """The type that was asked for, else the parameters'; float32 where there are none."""
        if self.asked is not None:
            return np.dtype(self.asked)
        floats = [p.dtype for p in jax.tree.leaves(self.params) if jnp.issubdtype(p.dtype, jnp.inexact)]
        return max(floats, key=lambda each: each.itemsize, default=np.dtype("float32"))


def form_of(path: str) -> str:
    """What a file is, by its name: "t7", "safetensors", "stablehlo", or "orbax", which all other folders are, too."""
    return "orbax" if Path(path).is_dir() else ENDINGS.get(Path(path).suffix.lower(), "t7")


def read_t7(path: str) -> t7.T7File:
    """A Torch7 file, with a bar if it takes long. Raises ValueError for files of other kinds."""
    refuse_special(path)
    with open(path, "rb") as file:
        start = file.read(2)
    if start in PYTORCH:
        raise ValueError(f"{path}: no Torch7 file, but one of PyTorch; there, save its state_dict as .safetensors")
    with progress(f"reading {Path(path).name}", Path(path).stat().st_size) as done:
        try:
            return t7.read_file(path, done)
        except t7.T7FormatError as error:
            if error.offset == 0:
                raise ValueError(f"{path}: expected a file of Torch7, safetensors or StableHLO: {error}") from error
            raise


def node_in(path: str, entry: str | None = None) -> Node:
    """The network in a Torch7 file, or in a table that is in it. Raises TypeError if it holds something else."""
    value = network_of(path, read_t7(path).value, entry)
    if not isinstance(value, t7.T7Object):
        raise TypeError(f"{path}: expected a network, the file holds {describe(value)}; see functorch7 inspect")
    return Reader().read(value)


@contextmanager
def network_in(path: str, like: str | None, dtype: str | None, entry: str | None = None) -> Iterator[Network]:
    """The network in a file, in the file's own precision if no other is given; float64 where it is needed.

    `like` is the Torch7 file with the network itself, for files that have its arrays only; `entry` its place in a
    table.
    """
    form = form_of(path)
    if form == "stablehlo":
        raise TypeError(f"{path}: expected a network, this is a compiled program, which can only be inspected and run")
    if form == "t7":
        refuse(f"{path} holds the network itself", like=like)
    elif like is None:
        raise click.UsageError(f"{path} has arrays only; name the network that they belong to: --like model.t7")
    node = node_in(path if form == "t7" else str(like), entry)
    with jax.enable_x64(True):
        module, variables = functional(node)
        if form == "safetensors":
            variables = safetensors.load(path, module)
        elif form == "orbax":
            variables = core.Variables(*orbax.load(path, module)[:2])
        params, buffers = variables if dtype is None else cast_floating(variables, dtype)
        network = Network(module, params, buffers, dtype)
    with jax.enable_x64(network.dtype == np.float64):
        yield network


@contextmanager
def function_in(
    path: str, like: str | None, dtype: str | None, entry: str | None = None
) -> Iterator[tuple[Callable[[Any], Any], Any]]:
    """What a file computes, in evaluation mode, as a function of its input; and the input's precision."""
    if form_of(path) == "stablehlo":
        refuse(f"{path} is one compiled program", entry=entry, like=like, dtype=dtype)
        program = stablehlo.load_exported(path)
        given = program.exported.in_avals[0].dtype
        with jax.enable_x64(given.itemsize == 8):
            yield program, given
        return
    with network_in(path, like, dtype, entry) as network:
        apply = network.module.apply
        if network.module.traceable:  # a program by itself does not look at values, such as classes and indices
            apply = checked(apply) if network.module.traits.checks_values else jax.jit(apply)
        key = jax.random.key(0)
        yield lambda input: apply(network.params, network.buffers, input, key=key)[0], network.dtype


@contextmanager
def written_in_lua(
    path: str, classes: Sequence[str], entry: str | None = None
) -> Iterator[tuple[Callable[[Any], Any], Any]]:
    """What a Torch7 file computes whose classes are defined in files of Lua's, which it says that it runs."""
    import functorch7
    from functorch7.legacy import Tensor, nn
    from functorch7.lua import LuaError

    from .lua import text_of

    for each in classes:
        click.echo(f"running {each}", err=True)
    try:
        value = functorch7.load_t7(path, lua=classes)
    except LuaError as error:
        raise ValueError(text_of(error)) from error
    network = network_of(path, value, entry, lambda each: isinstance(each, nn.Module))
    network.evaluate()
    parameters = network.parameters()[0]
    yield (
        lambda input: jax.tree.map(np.asarray, network.forward(input), is_leaf=lambda each: isinstance(each, Tensor)),
        parameters[0].dtype if parameters else np.dtype("float32"),
    )
