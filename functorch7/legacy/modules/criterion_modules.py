"""Modules that compute a criterion."""

from __future__ import annotations

from typing import Any

from ... import core, losses
from ..objects.generated import More, more
from ..objects.given import Given, taken_from
from .criterion import Criterion
from .module import Module


class _Computing(Module):
    """The base of CriterionTable and ModuleFromCriterion: their object `criterion` counts."""

    criterion: Criterion

    def __init__(self, criterion: Criterion):
        if not isinstance(criterion, Criterion):
            raise TypeError(f"{self.typename()}: expected a criterion, got {criterion!r}")
        super().__init__(criterion)

    def _take_children(self, spec: core.Module, given: Given) -> None:
        described: Any = spec.criterion  # type: ignore[attr-defined]
        self.__dict__["criterion"] = taken_from(given, described)

    def children(self) -> list[Any]:
        """The criterion."""
        return [self.__dict__["criterion"]]

    def own_description(self) -> core.Module:
        """The description, with the criterion as it stands."""
        return self.described_with([self.__dict__["criterion"].description()])

    def described_with(self, inside: list) -> Any:
        """The description with another criterion's."""
        return self._spec.replace(criterion=inside[0])


for _spec in (losses.CriterionTable, losses.ModuleFromCriterion):
    more[_spec] = More({}, base=_Computing)
