"""Runs Lua files from Python, or loads them for what they define, also for the classes of a .t7 file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from ..core.contexts import during
from ..interop import t7
from ..layers.dropout import SAYS_LAZY
from ..legacy import cutorch, torch
from ..legacy.objects import files
from ..legacy.objects.parameters import GATHERS_KEPT, IS_DPNNS
from .constructing import HAS_RNN
from .files import LoadedToLua
from .kinds import Crossing
from .runtime import Loaded, Runtime


def run(
    path: str | os.PathLike,
    args: Sequence[str] = (),
    *,
    python: bool = False,
    cuda_on_cpu: bool = False,
    functions_of_files: bool = False,
) -> Crossing:
    """Runs a Torch7 program in a Lua of its own, and returns its result. Tensors are doubles unless it says otherwise.

    Of a notebook of iTorch (.ipynb) it runs the cells, and prints what they answer.
    `args` become its `arg`. With `python` it has a table `python`, whose `import` returns any Python package. With
    `cuda_on_cpu` the CPU does the work of a GPU if there is none. With `functions_of_files` it may call functions that
    it loads from .t7 files: code of whoever wrote the files.
    Raises: LuaError for an error in it; SystemExit if it calls os.exit; ImportError without lupa; ValueError for a
    notebook in Python.
    """
    with started(python=python, cuda_on_cpu=cuda_on_cpu, functions_of_files=functions_of_files) as runtime:
        return runtime.run(os.fspath(path), args)


@contextlib.contextmanager
def started(*, python: bool = False, cuda_on_cpu: bool = False, functions_of_files: bool = False) -> Iterator[Runtime]:
    """A Lua of its own for a Torch program, as long as the block lasts, with what `run` says of it."""
    runtime = Runtime(python=python, functions_of_files=functions_of_files)
    try:
        cutorch.standIn(cuda_on_cpu)
        with torch_default():
            yield runtime
    finally:
        cutorch.standIn(False)
        runtime.close()


@contextlib.contextmanager
def torch_default() -> Iterator[None]:
    """A block with the defaults of a Torch program: new tensors are doubles, getParameters is not yet dpnn's, and
    Dropout not yet rnn's.
    """
    before = torch.getdefaulttensortype()
    torch.setdefaulttensortype("torch.DoubleTensor")
    try:
        of_packages = GATHERS_KEPT, IS_DPNNS, SAYS_LAZY, HAS_RNN
        with contextlib.ExitStack() as stack:
            for each in of_packages:
                stack.enter_context(during(each, False))
            yield
    finally:
        torch.setdefaulttensortype(before)


@cache
def _shared() -> Runtime:
    """The Lua of all loaded files: each may use what the others define."""
    made, state = Runtime(), torch.getRNGState()
    made.execute("require 'nn'")
    torch.setRNGState(state)  # what nn draws at first is none of Python's numbers
    return made


def load(path: str | os.PathLike) -> Loaded:
    """Loads a Lua file: an object with its classes, its functions and the entries of a table that it returns.

    Classes below nn.Module and nn.Criterion are Python classes, too: `model.MyLayer(3)` makes a module.
    Raises: LuaError for an error in it; ImportError without lupa.
    """
    return _shared().load(os.fspath(path))


def load_t7(
    path: str | os.PathLike, *, allow_unknown: bool | Collection[str] = False, all: bool = False,
    lua: Sequence[str | os.PathLike] = (),
) -> Crossing:  # fmt: skip
    """As `functorch7.legacy`'s load_t7, after running the Lua files in `lua`, which define some of its classes.

    Objects of classes without a Python parent stay in Lua: their fields are attributes, and their methods are called as
    in Python. The file itself never runs Lua.
    """
    if not lua:
        return files.load_t7(path, allow_unknown=allow_unknown, all=all)
    for each in lua:
        load(each)
    loading = LoadedToLua(_shared().border, allow_unknown=allow_unknown)
    return loading.value(t7.read(path, all=all, own=loading.reads_itself))
