"""Torch's packages, by the names that programs require."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from ..layers.dropout import SAYS_LAZY
from ..legacy.objects.parameters import GATHERS_KEPT, IS_DPNNS
from ..legacy.tensors.types import Constructor
from .border import Border
from .calls import Calls
from .constructing import HAS_RNN
from .kinds import Crossing
from .names import is_for_itself, names_of
from .replacements import replacements

LEGACY = "functorch7.legacy"

DATALOADS = {
    "torch": "torch", "torchx": "torchx", "paths": "paths", "xlua": "xlua", "sys": "sys", "image": "image",
    "lfs": "lua.packages.lfs",
}  # fmt: skip
"""The packages that dataload itself requires, which programs therefore find."""

ROCKS: dict[str, tuple[str, dict[str, str]]] = {
    "torch": ("torch", {"torch": "torch"}),
    "nn": ("nn", {"torch": "torch", "nn": "nn"}),
    "nngraph": ("nngraph", {"torch": "torch", "nn": "nn", "nngraph": "nngraph", "graph": "graph"}),
    "rnn": ("nn", {"torch": "torch", "nn": "nn", "rnn": "nn.rnn"}),
    "dpnn": ("nn", {"torch": "torch", "nn": "nn"}),
    "nnx": ("nn", {"torch": "torch", "nn": "nn"}),
    "stn": ("nn", {"torch": "torch", "nn": "nn"}),
    "optim": ("optim", {"torch": "torch", "optim": "optim", "xlua": "xlua"}),
    **{name: ("dl", {"dl": "dl", **DATALOADS}) for name in ("dataload", "dataload._env")},
    "cutorch": ("cutorch", {"torch": "torch", "cutorch": "cutorch"}),
    "cunn": ("cunn", {"torch": "torch", "nn": "nn", "cutorch": "cutorch", "cunn": "cunn"}),
    "cudnn": ("cudnn", {"torch": "torch", "nn": "nn", "cutorch": "cutorch", "cudnn": "cudnn"}),
    "graph": ("graph", {"torch": "torch", "graph": "graph"}),
    "torchx": ("torchx", {"torch": "torch", "torchx": "torchx"}),
    "libunsup": ("lua.packages.libunsup", {"torch": "torch", "unsup": "lua.packages.libunsup"}),
    "lfs": ("lua.packages.lfs", {"lfs": "lua.packages.lfs"}),
    **{
        name: (f"lua.packages.{name}", {"torch": "torch", name: f"lua.packages.{name}"})
        for name in ("cephes", "randomkit")
    },
    "cjson": ("lua.packages.cjson", {}),
    "socket": ("lua.packages.socket", {"socket": "lua.packages.socket"}),
    "trepl": ("lua.packages.trepl", {name: name for name in ("torch", "paths", "sys", "xlua")}),
    "loadcaffe": ("loadcaffe", {"torch": "torch", "nn": "nn", "loadcaffe": "loadcaffe"}),
    **{name: (name, {name: name}) for name in ("gnuplot", "hdf5", "image", "itorch", "paths", "sys", "tds", "xlua")},
    **{name: (name, {"torch": "torch", name: name}) for name in ("matio", "mattorch", "npy4th")},
}
"""By name: the package that `require` returns, and the global variables that it sets."""

FALLBACKS = {
    "display": "display", "graphicsmagick": "lua.packages.graphicsmagick",
    "md5": "lua.packages.md5", "mnist": "lua.packages.mnist", "nngraph.nesting": "lua.packages.nesting",
    "pl.path": "lua.packages.path",
}  # fmt: skip
"""Packages of which functorch7 has the most used parts, for when they are not on LUA_PATH."""


class Rocks:
    """The packages and their contents; `functions` says whether functions in files may be called."""

    def __init__(self, border: Border, calls: Calls, functions: bool):
        self.border, self.calls = border, calls
        self.packages: list[Any] = []
        replaced = replacements(border, functions)
        self.replaced = {(f"{LEGACY}.{package}", name): value for (package, name), value in replaced.items()}
        self.is_open = False
        """Whether Lua may use packages that are not functorch7's."""
        self._numbers: dict[int, int] = {}

    def bound(self) -> Iterator[tuple[str, Callable]]:
        """Functions for Lua, by name."""
        yield "member_of_rock", self.border.entry(self.member)
        yield "names_of_rock", self.border.entry(lambda number: names_of(self.packages[number]))
        yield "import", self.border.entry(self.imported)
        yield "gather_kept", self.border.entry(self._take_dpnns)
        yield "has_rnn", self.border.entry(lambda _: SAYS_LAZY.set(True) and HAS_RNN.set(True) and None)

    @staticmethod
    def _take_dpnns(_: int) -> None:
        """Replaces nn's getParameters by dpnn's in a program; in files that Python loads it stays Python's."""
        if not GATHERS_KEPT.get():
            GATHERS_KEPT.set(True)
            IS_DPNNS.set(True)

    def number(self, name: str) -> int:
        """The number of a package by its name in functorch7.legacy, or here."""
        if name.startswith("lua."):
            return self._number(import_module(f"functorch7.{name}"))
        first, *rest = name.split(".")
        package = import_module(f"{LEGACY}.{first}")
        for each in rest:
            package = getattr(package, each)
        return self._number(package)

    def _number(self, package: Any) -> int:
        number = self._numbers.get(id(package))
        if number is None:
            number = self._numbers[id(package)] = len(self.packages)
            self.packages.append(package)
        return number

    def imported(self, _: int, name: str) -> int:
        """The number of a Python package. Raises PermissionError if Lua may not use them."""
        if not self.is_open:
            raise PermissionError("Python is closed to this program")
        return self._number(import_module(name))

    def member(self, number: int, name: str) -> tuple[str, Crossing]:
        """What a package has under a name: a "function", "package", "constant", or a "value" that may change."""
        package = self.packages[number]
        if (name.startswith("_") and name not in getattr(package, "_UNDERSCORED", ())) or is_for_itself(package, name):
            return "value", None
        found = self.replaced.get((package.__name__, name)) or getattr(package, name, None)
        if isinstance(found, types.ModuleType) and not (self.is_open or found.__name__.startswith("functorch7")):
            return "value", None  # what a package imports for itself
        if isinstance(found, types.ModuleType):
            return "package", self._number(found)
        if inspect.isclass(found):
            return ("package", self._number(found)) if _is_place(found) else ("constant", found)
        if isinstance(found, Constructor):
            return "constant", found
        if inspect.isroutine(found):
            if package.__name__ == f"{LEGACY}.optim":
                self.border.takes_dicts.add(found)
            return "function", self.calls.number(found)
        return "value", found


def _is_place(kind: type) -> bool:
    """Whether a class only groups functions."""
    is_bare = kind.__bases__ == (object,) and "__init__" not in vars(kind) and len(vars(kind)) > 3
    return is_bare and all(isinstance(each, staticmethod) for name, each in vars(kind).items() if name[0] != "_")
