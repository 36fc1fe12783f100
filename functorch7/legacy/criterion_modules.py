"""Modules that compute a criterion."""

from __future__ import annotations

from typing import Any

from .. import core, losses
from .criterion import Criterion
from .described import Given, taken_from
from .generated import object_of
from .members import OfObject
from .module import Module


class _Computing(Module):
    """What CriterionTable and ModuleFromCriterion have in common: the object `criterion` is what counts."""

    def __init__(self, criterion: Criterion):
        if not isinstance(criterion, Criterion):
            raise TypeError(f"{self.typename()}: expected a criterion, got {criterion!r}")
        super().__init__(criterion)

    def _take(self, spec: core.Module, given: Given) -> None:
        described: Any = spec.criterion  # type: ignore[attr-defined]
        self.__dict__["criterion"] = taken_from(given, described) or object_of(described, given)
        super()._take(spec, given)

    def own_description(self) -> core.Module:
        """The description, with the criterion as it stands, or the object where that does more than it says."""
        criterion = self.__dict__["criterion"]
        described = OfObject(criterion) if criterion.is_foreign() else criterion.description()
        return self._spec.replace(criterion=described)

    def own_attributes(self) -> core.Module:
        """What counts beside the description, and changes without notice: the criterion, its tensors' values too."""
        return self.own_description()

    def description(self) -> Any:
        """The description, with the criterion as it stands."""
        return self._spec.replace(criterion=self.__dict__["criterion"].description())


class CriterionTable(_Computing, describes=losses.CriterionTable):
    """nn.CriterionTable."""


class ModuleFromCriterion(_Computing, describes=losses.ModuleFromCriterion):
    """nn.ModuleFromCriterion."""
