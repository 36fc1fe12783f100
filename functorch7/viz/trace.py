"""The operations in a trace of JAX's profiler, and the modules that they come from."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass

import jax

from ..core.tree import Path
from .scopes import SCOPE, Scopes


@dataclass(frozen=True)
class Operation:
    """An operation of a compiled program: how long it takes in one run, and the scopes it was traced in."""

    scopes: str
    seconds: float

    @property
    def backward(self) -> bool:
        """Whether it belongs to a derivative's pull-back."""
        return "transpose(" in self.scopes

    def place(self, places: Set[Path]) -> Path | None:
        """The innermost of the places whose scopes it is in; None outside the network."""
        parts = self.scopes.split("/")
        starts = [i for i, part in enumerate(parts) if SCOPE in part]
        if not starts:
            return None
        path: Path = ()
        for part in parts[starts[-1] + 1 : -1]:
            name = part.rstrip(")").rpartition("(")[2]  # vmap(0) is 0
            inner = [(*path, int(name))] if name.isdigit() else []
            path = next((longer for longer in (*inner, (*path, name)) if longer in places), path)
        return path


def operations(trace: str | os.PathLike, program: str, parameters: Iterable[str], repeats: int) -> list[Operation]:
    """The operations of a compiled program, given as text, in a trace of so many runs; `parameters` as for `Scopes`.

    Loops, branches and calls are left out: their times are those of the operations inside, which have their own.
    """
    scopes = Scopes(program, parameters)
    module = re.search(r"HloModule ([\w.\-]+)", program)
    ours = module[1] if module else None
    times: dict[str, float] = defaultdict(float)
    for plane in jax.profiler.ProfileData.from_file(os.fspath(trace)).planes:
        for line in plane.lines:
            for event in line.events:
                about = dict(event.stats)
                name = str(about.get("hlo_op", ""))
                if name and about.get("hlo_module") == ours and not scopes.has_others_inside(name):
                    times[name] += event.duration_ns * 1e-9
    return [Operation(scopes.scope(name), time / repeats) for name, time in times.items()]
