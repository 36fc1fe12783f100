"""The operations in a trace of JAX's profiler, and their modules."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path as FilePath

from ..core.tree import Path
from .scopes import SCOPE, Scopes
from .xplane import events


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
    """The operations of a compiled program, given as text, in a trace of `repeats` runs; `parameters` as for `Scopes`.

    An operation that runs others (a fusion, loop, branch or call) is left out if these have times of their own;
    otherwise its time is divided among them. Raises: ValueError for files that are not traces.
    """
    scopes = Scopes(program, parameters)
    module = re.search(r"HloModule ([\w.\-]+)", program)
    ours = module[1] if module else None
    times: dict[str, float] = defaultdict(float)
    for event in events(FilePath(trace).read_bytes()):
        name = event.about.get("hlo_op")
        if name and event.about.get("hlo_module") == ours:
            times[name] += event.duration_ps * 1e-12
    return [
        Operation(scope, part * time / repeats)
        for name, time in times.items()
        if times.keys().isdisjoint(scopes.inside(name))
        for scope, part in scopes.shares(name).items()
    ]
