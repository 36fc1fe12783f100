"""Weights by module name, and running statistics: read, copied, saved in files."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import Any, Self

from ...interop.torch7.schema import grad_name
from ...network import misfits
from ..objects.described import Described
from ..objects.files import load_t7
from ..tensors.kinds import Numbers
from ..tensors.tensor import Tensor
from .names import Names
from .saving import save_value

Table = dict[str, dict[str, Any]]


class Weights(Names):
    """Module's methods for weights and other arrays as lists and tables."""

    def getParametersTable(self) -> Table | None:
        """{module's name: {"weight": tensor, "bias": ..., "gradWeight": ..., "gradBias": ...}}; None without any.

        Other parameters are under their own names. Raises ValueError if two modules with parameters have the same name.
        """
        return {name: module._own_table() for name, module in self._modules_by_name().items()} or None

    def _own_table(self) -> dict[str, Tensor]:
        names = self.own_parameters()
        gradients = {grad_name(name): self.__dict__.get(grad_name(name)) for name in names}
        return {name: self.__dict__[name] for name in names} | {n: g for n, g in gradients.items() if g is not None}

    def _weights_table(self) -> Table:
        return {name: {n: module.__dict__[n] for n in module.own_parameters()}
                for name, module in self._modules_by_name().items()}  # fmt: skip

    def getWeightsBias(self) -> list[Tensor] | None:
        """The learnable tensors themselves, in the order of `parameters()`; None without any."""
        return self.parameters()[0] or None

    def setWeightsBias(self, newWeights: list[Numbers]) -> Self:
        """Copies values into the learnable tensors, in the order of `parameters()`.

        Raises ValueError, before anything changes, for no tensors, another number or other shapes; TypeError
        for None.
        """
        own = self.getWeightsBias()
        if own is None:
            raise ValueError(f"{self.title()}: this layer does not have weight/bias")
        if newWeights is None:
            raise TypeError(f"{self.title()}: expected a list of {len(own)} tensors, got None")
        wrong = "the number of input weight/bias is not consistant with number of weight/bias of this layer"
        return self._copy_list("weight", own, newWeights, wrong)

    def _copy_list(self, what: str, own: list[Tensor], given: Sequence[Numbers], wrong: str) -> Self:
        """Copies values into tensors in turn, all or none; `wrong` is BigDL's message for another number."""
        if len(own) != len(given):
            raise ValueError(f"{self.title()}: {wrong}: got {len(given)}, expected {len(own)}")
        self._copy_all([(f"{what} {i}", *pair) for i, pair in enumerate(zip(own, given, strict=True), 1)])
        return self

    def _copy_all(self, pairs: list[tuple[str, Tensor, Any]]) -> None:
        """Copies values into tensors of the same shapes, all or none."""
        wrong = [line for what, mine, theirs in pairs for line in misfits({what: mine}, {what: theirs})]
        if wrong:
            raise ValueError(f"{self.title()}: " + "; ".join(wrong))
        # The values may be other tensors of this same module.
        given = [theirs.clone() if isinstance(theirs, Tensor) else theirs for _, _, theirs in pairs]
        for (_, mine, _), theirs in zip(pairs, given, strict=True):
            mine.copy(theirs)

    def saveWeights(self, path: str | os.PathLike, overWrite: bool = False) -> None:
        """Writes {module's name: {"weight": ..., "bias": ...}} to a Torch7 file, without gradients and statistics.

        Raises FileExistsError if the file exists, unless overWrite. Modules without names are saved under `getName`'s,
        which no other object has.
        """
        save_value(self, path, self._weights_table(), overWrite)

    def loadWeights(self, weightPath: str | os.PathLike, matchAll: bool = True) -> Self:
        """Copies weights from a file of `saveWeights`, by the modules' names.

        Without matchAll, weights that the file lacks stay as they are. Raises ValueError, before anything changes, that
        lists missing names and wrong shapes.
        """
        found = load_t7(weightPath) or {}
        if not isinstance(found, dict) or not all(isinstance(each, (dict, list)) for each in found.values()):
            raise ValueError(f"{self.title()}: {weightPath}: invalid parameter table")
        return self._take_weights({name: each for name, each in found.items() if isinstance(each, dict)}, matchAll)

    def loadModelWeights(self, srcModel: Described, matchAll: bool = True) -> Self:
        """Copies the weights of another network, by the modules' names; otherwise as `loadWeights`.

        Raises TypeError for anything but a module.
        """
        if not isinstance(srcModel, Weights):
            raise TypeError(f"{self.title()}: expected a module to take weights from, got {srcModel!r}")
        return self._take_weights(srcModel._weights_table(), matchAll)

    def _take_weights(self, source: Table, match_all: bool) -> Self:
        pairs, lacking = [], []
        for name, own in self._weights_table().items():
            theirs = source.get(name, {})
            missing = [each for each in own if each not in theirs]
            if missing:
                what = "weight bias" if len(missing) == len(own) else " ".join(missing)
                lacking.append(f"module {name} cannot find corresponding {what}")
            pairs += [(f"{name} {n}", tensor, theirs[n]) for n, tensor in own.items() if n in theirs]
        if lacking and match_all:
            raise ValueError(f"{self.title()}: " + "; ".join(lacking))
        self._copy_all(pairs)
        return self

    # Running statistics --------------------------------------------------------------------------------------------

    def _own_status(self) -> list[tuple[str, Tensor]]:
        return [(name, self.__dict__[name]) for name in self._kept_buffers()]

    def getExtraParameter(self) -> list[Tensor] | None:
        """The running statistics of this module and all inside, the tensors themselves; None without any."""
        modules = {id(module): module for module in self._members()}.values()
        return [tensor for module in modules for _, tensor in module._own_status()] or None

    def setExtraParameter(self, extraParam: Sequence[Numbers]) -> Self:
        """Copies values into the running statistics, in the order of `getExtraParameter`.

        Raises ValueError, before anything changes, for another number of values, or other shapes.
        """
        own = self.getExtraParameter() or []
        return self._copy_list("state", own, extraParam or [], "state's length doesn't match")

    def copyStatus(self, src: Described) -> Self:
        """Copies the running statistics of a network of the same structure.

        Raises TypeError for a module of another class, ValueError for containers of other lengths and for other shapes,
        before anything changes.
        """
        self._copy_all(self._status_pairs(src))
        return self

    def _status_pairs(self, src: Any) -> list[tuple[str, Tensor, Tensor]]:
        if type(self) is not type(src):
            raise TypeError(f"copyStatus: type mismatch, {self.title()} is different from {_titled(src)}")
        mine, theirs = self.children(), src.children()
        if len(mine) != len(theirs):
            raise ValueError(
                f"copyStatus: container's length mismatch, {self.typename()} has {len(mine)} modules, the other "
                f"{len(theirs)}"
            )
        names = [[name for name, _ in module._own_status()] for module in (self, src)]
        if names[0] != names[1]:
            raise ValueError(f"copyStatus: {self.title()} has the statistics {names[0]}, the other {names[1]}")
        own = zip(self._own_status(), src._own_status(), strict=True)
        pairs = [(f"{self.getName()} {name}", tensor, other) for (name, tensor), (_, other) in own]
        return pairs + [pair for a, b in zip(mine, theirs, strict=True) for pair in a._status_pairs(b)]

    # Copies ----------------------------------------------------------------------------------------------------------

    def cloneModule(self) -> Self:
        """A deep copy."""
        return self.clone()

    def _cloned(self, deep: bool) -> Any:
        """A copy; unless it is deep, with all parameters shared."""
        made = copy.deepcopy(self)
        for mine, theirs in () if deep else zip(made._members(), self._members(), strict=True):
            for name in theirs._own_table():
                mine.__dict__[name].set(theirs.__dict__[name])
        return made


def _titled(value: Any) -> str:
    return value.title() if hasattr(value, "title") else repr(value)
