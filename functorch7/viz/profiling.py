"""Each module's share of the time of a compiled call, forward and backward, with FLOPs and memory."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import jax
import jax.numpy as jnp

from ..checks.kinds import check_kinds
from ..checks.numbers import check_whole
from ..core import Module
from ..core.precision import cast_floating, is_inexact
from ..core.tree import Path, dotted, found_at
from ..core.types import Input, Key, Params, Tree
from ..network import check_module
from .flops import accessed, flops
from .scopes import SCOPE
from .table import Cells, Table, in_tree, metric
from .trace import Operation, operations
from .visits import Visit, innermost, visits

OPERATIONS_APART = {"xla_gpu_enable_command_buffer": ""}
"""XLA's options for a GPU's profiler, which cannot see single operations that are started together."""

COLUMNS = ("forward", "backward", "own", "flops", "accessed", "memory")


@dataclass(frozen=True)
class Row:
    """One module: the seconds of its operations in a call, FLOPs, and bytes."""

    path: Path
    module: Module
    forward: float
    backward: float
    own: float
    """Forward and backward, without the modules inside."""
    flops: float
    """Of a forward call, by XLA's cost analysis, or else counted in its program; tanh and the like count 1."""
    accessed: float
    """Bytes that the operations of a forward call read and write, from the same source."""
    memory: int
    """Bytes of its parameters, buffers and output."""
    loops: bool
    """Whether it has loops, whose bodies XLA counts only once in `flops` and `accessed`."""


@dataclass(frozen=True, repr=False)
class Profile(Table):
    """The result of `profile`: `rows`, outer modules first, and the whole call. Times in seconds, memory in bytes."""

    HEAD = ("layer", "forward", "backward", "own", "share", "FLOPs", "accessed", "memory")

    rows: tuple[Row, ...]
    call: float
    """The median wall-clock time of a call without the profiler."""
    unattributed: float
    """Time of operations that belong to no module."""
    temporary: int | None
    """Bytes that the compiled program needs beside arguments and results; None if JAX does not know."""
    shown: tuple[Row, ...] | None = None
    """The rows shown, if the table was sorted or cut."""

    def table(self, sort_by: str | None = None, row_limit: int | None = None) -> "Profile":
        """The first `row_limit` rows, sorted by a column, largest first.

        Columns are "forward", "backward", "own", "flops", "accessed" and "memory". Raises: ValueError for others, and
        for a limit below 0; TypeError for one that is no whole number.
        """
        if row_limit is not None:
            check_whole("table", 0, row_limit=row_limit)
        if sort_by is not None and sort_by not in COLUMNS:
            raise ValueError(f"table: expected sort_by among {', '.join(COLUMNS)}, got {sort_by!r}")
        rows = self.rows if sort_by is None else sorted(self.rows, key=lambda row: -getattr(row, sort_by))
        return Profile(self.rows, self.call, self.unattributed, self.temporary, tuple(rows)[:row_limit])

    @property
    def total(self) -> float:
        """The sum of the times of all operations; they may run at the same time on several cores."""
        return sum(row.own for row in self.rows) + self.unattributed

    def _share(self, seconds: float) -> str:
        return f"{100 * seconds / self.total:.1f}%" if self.total else ""

    def body(self) -> list[Cells]:
        rows, whole = (self.rows, True) if self.shown is None else (self.shown, self.shown == self.rows)
        places = {row.path for row in self.rows}

        def place(row: Row) -> str:
            if whole:
                return in_tree(row.path, row.module, places)
            return f"{dotted(row.path)} {in_tree((), row.module)}".strip()

        return [
            (
                place(row), *map(seconds, (row.forward, row.backward, row.own)), self._share(row.own),
                metric(row.flops) + "*" * row.loops, metric(row.accessed) + "B" + "*" * row.loops,
                metric(row.memory) + "B",
            )
            for row in rows
        ]  # fmt: skip

    def totals(self) -> list[Cells]:
        none = ("", "", "")
        return [
            ("not attributed", "", "", seconds(self.unattributed), self._share(self.unattributed), *none),
            ("total", "", "", seconds(self.total), self._share(self.total), *none),
        ]

    def notes(self) -> list[str]:
        temporary = "" if self.temporary is None else f"; {metric(self.temporary)}B of temporary memory"
        loops = ["* one step of each loop"] if any(row.loops for row in self.rows) else []
        return [f"a call, forward and backward, takes {seconds(self.call)}{temporary}", *loops]


def profile(
    module: Module, params: Params, buffers: Tree, input: Input, *, key: jax.Array | None = None, train: bool = True,
    repeats: int = 10, trace: str | os.PathLike | None = None,
) -> Profile:  # fmt: skip
    """A table of a network's modules with the time of each, forward and backward, FLOPs and memory.

    The network and its gradient (by parameters and input) are compiled as one program and run `repeats` times under
    JAX's profiler. The time of each operation counts for the module that it comes from, according to XLA's metadata, or
    else to the weights that it reads. The time of fused operations is divided among their modules by the amount of
    computation. Times of parallel threads are added, so the total may exceed the wall-clock time of a call (`call`).
    FLOPs and bytes accessed come from XLA's cost analysis of each module's forward call before fusion, or from a count
    of its operations if the backend has none; inside a Sequencer these and the memory are those of one step. `trace` is
    a folder in which the profiler's files are kept, for TensorBoard and Perfetto.
    Raises: ValueError for modules that cannot be compiled and for repeats below 1; the network's errors; RuntimeError
    if a trace is being taken already, or if JAX's profiler yields no readable operations on this device.
    """
    check_module("profile", module)
    if not module.traits.traceable:
        raise ValueError(f"profile: {module.torch_name()} cannot be compiled: an output's size depends on values")
    check_whole("profile", 1, repeats=repeats)
    check_kinds(module, input)
    key = jax.random.key(0) if key is None else key
    found = visits(module, params, buffers, input, key, train)
    lowered, arguments = _lowered(module, params, buffers, input, key, train)
    program = lowered.compile()
    call = _timed(program, arguments, repeats)
    apart = lowered.compile(OPERATIONS_APART) if jax.default_backend() == "gpu" else program
    if trace is None:
        with tempfile.TemporaryDirectory() as folder:
            ran = _traced(apart, arguments, repeats, FilePath(folder))
    else:
        ran = _traced(apart, arguments, repeats, FilePath(trace))
    rows, unattributed = _rows(found, params, buffers, ran)
    memory: Any = program.memory_analysis()
    return Profile(rows, call, unattributed, None if memory is None else memory.temp_size_in_bytes)


def _lowered(module: Module, params: Tree, buffers: Tree, input: Input, key: Key, train: bool) -> tuple[Any, tuple]:
    """The program of forward and backward, and its arguments, in the form that `Scopes` expects."""
    leaves, structure = jax.tree.flatten(input)
    smooth = [is_inexact(leaf) for leaf in leaves]

    def forward(params: Tree, moving: list, fixed: list, buffers: Tree, key: Key) -> tuple[list, Any]:
        parts = iter(moving), iter(fixed)
        input = structure.unflatten([next(parts[0] if each else parts[1]) for each in smooth])
        with jax.named_scope(SCOPE):
            output, new = module.apply(params, buffers, input, key=key, train=train)
        return [leaf for leaf in jax.tree.leaves(output) if is_inexact(leaf)], (output, new)

    # The gradients of the outputs are arguments, since XLA would simplify computations with constants.
    def profiled(params: Tree, moving: list, fixed: list, buffers: Tree, key: Key, gradients: list) -> Any:
        def run(params: Tree, moving: list) -> tuple[list, Any]:
            return forward(params, moving, fixed, buffers, key)

        _, pull, results = jax.vjp(run, params, moving, has_aux=True)
        return *pull(gradients), results

    split = [[leaf for leaf, each in zip(leaves, smooth, strict=True) if each == wanted] for wanted in (True, False)]
    outputs, _ = jax.eval_shape(forward, params, *split, buffers, key)
    arguments = (params, *split, buffers, key, [jnp.ones(like.shape, like.dtype) for like in outputs])
    return jax.jit(profiled).lower(*arguments), arguments


def _timed(program: Callable, arguments: tuple, repeats: int) -> float:
    """The median time of a call in seconds, after a first one that is not counted."""
    jax.block_until_ready(program(*arguments))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(program(*arguments))
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _traced(program: Any, arguments: tuple, repeats: int, folder: FilePath) -> list[Operation]:
    with jax.profiler.trace(folder):
        for _ in range(repeats):
            jax.block_until_ready(program(*arguments))
    newest = max(folder.rglob("*.xplane.pb"), key=lambda path: path.stat().st_mtime)
    parameters = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(arguments[0])]
    try:
        found = operations(newest, program.as_text(), parameters, repeats)
    except ValueError as error:
        raise RuntimeError(f"profile: {newest}: {error}") from error
    if not found:
        raise RuntimeError(f"profile: JAX's profiler gives no operations on {jax.default_backend()}")
    return found


def _rows(found: list[Visit], params: Tree, buffers: Tree, ran: list[Operation]) -> tuple[tuple[Row, ...], float]:
    """The table's rows, and the time that belongs to none."""
    times = {visit.path: {"forward": 0.0, "backward": 0.0, "own": 0.0} for visit in found}
    ways = {path[:end] for path in times for end in range(len(path) + 1)}
    unattributed = 0.0
    for operation in ran:
        path = operation.place(ways)
        if path is None:
            unattributed += operation.seconds
            continue
        times[innermost(path, times)]["own"] += operation.seconds
        for around in {innermost(path[:end], times) for end in range(len(path) + 1)}:
            times[around]["backward" if operation.backward else "forward"] += operation.seconds

    rows = []
    for visit in found:
        held = [found_at(tree, visit.path) for tree in (params, buffers)]
        memory = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves([held, visit.output]))
        rows.append(Row(visit.path, visit.module, **times[visit.path], **_cost(visit, params), memory=memory))
    return tuple(rows), unattributed


def _cost(visit: Visit, params: Tree) -> dict[str, Any]:
    floating = (leaf.dtype for leaf in jax.tree.leaves(params) if is_inexact(leaf))
    dtype = next(floating, jnp.float32)
    variables = jax.eval_shape(lambda: cast_floating(visit.module.init(jax.random.key(0)), dtype))
    lowered = jax.jit(visit.run).lower(*variables, visit.input)
    cost: Any = lowered.cost_analysis()
    if not cost:  # some backends have no cost analysis
        given = (*variables, visit.input)
        return {"flops": flops(visit.run, *given), "accessed": accessed(visit.run, *given), "loops": False}
    loops = "stablehlo.while" in lowered.as_text()
    arithmetic = cost.get("flops", 0.0) + cost.get("transcendentals", 0.0)
    return {"flops": arithmetic, "accessed": cost.get("bytes accessed", 0.0), "loops": loops}


def seconds(time: float) -> str:
    """A time with three digits and a unit: 1.25ms."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if time >= 0.9995 * size:  # would be rounded to 1
            amount = time / size
            return f"{amount:.3g}{unit}" if amount < 1000 else f"{amount:.0f}{unit}"
    return f"{time / 1e-9:.3g}ns" if time else "0"
