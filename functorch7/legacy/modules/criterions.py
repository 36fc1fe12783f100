"""Criterions whose objects do more in Torch than their descriptions say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import jax
import numpy as np

from ... import core, losses, recurrent, reinforce
from ...core.types import Value
from ..objects.described import Described
from ..objects.generated import object_of
from ..objects.given import Given
from ..tensors.devices import precision
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import Input, Output, as_tensors, unwrapped, wrapped
from .criterion import Criterion
from .module import Module


class OfClasses(Criterion):
    """A criterion of classes with weights; in Lua, `forward` also returns the total weight, as in Torch."""

    def __len__(self) -> int:
        return 0 if self.weights is None else self.weights.nElement()

    def __bool__(self) -> bool:
        return True

    @property
    def total_weight_tensor(self) -> Tensor:
        """The sum of the weights of the last forward's targets."""
        return Tensor([self._total_weight()])

    def _total_weight(self) -> float:
        """The same as a number."""
        kept = self._kept
        if kept is None:
            return 0.0
        targets = np.asarray(unwrapped(kept.target)).reshape(-1)
        if np.ndim(kept.input) == 1:
            targets = targets[:1]  # of several classes one example has the first
        counted = targets != getattr(kept.spec, "ignore_index", None)
        if kept.spec.weights is None:
            return float(np.count_nonzero(counted))
        return float(np.asarray(kept.spec.weights)[targets[counted].astype(int) - 1].sum())


class ClassNLLCriterion(OfClasses, describes=losses.ClassNLLCriterion):
    """nn.ClassNLLCriterion; `weights` is a tensor or None, and `len(criterion)` its size."""


class SpatialClassNLLCriterion(OfClasses, describes=losses.SpatialClassNLLCriterion):
    """nn.SpatialClassNLLCriterion; `weights` is a tensor or None, and `len(criterion)` its size."""


def _squeezed(value: Value) -> Value:
    given = as_tensors(value)
    return given.squeeze() if isinstance(given, Tensor) else given


class CrossEntropyCriterion(Criterion, describes=losses.CrossEntropyCriterion):
    """nn.CrossEntropyCriterion; the fields `nll` and `lsm` are its parts, and `nll`'s fields count."""

    def _take_children(self, spec: core.Module, given: Given) -> None:
        super()._take_children(spec, given)
        for name, part in (("nll", spec.nll), ("lsm", spec.lsm)):  # type: ignore[attr-defined]
            if name not in self.__dict__:
                self.__dict__[name] = object_of(part)

    def _array_fields(self) -> list[str]:
        return []

    def _hold(self, given: Mapping[str, Any]) -> None:
        self.nll._hold(given)

    def _respecify(self, spec: Any) -> bool:
        for field in ("weights", "size_average"):
            if getattr(spec, field) != getattr(self._spec, field):
                setattr(self.nll, field, getattr(spec, field))
        return super()._respecify(spec)

    def _parts_described(self) -> list[Any]:
        return [] if self.nll.is_foreign() else [self.nll]

    def is_foreign(self) -> bool:
        """Whether it has to be run, also because `nll` does more than its description says."""
        return super().is_foreign() or self.nll.is_foreign()

    def updateOutput(self, input: Value, target: Value = None) -> Value:
        """The loss; as in Torch by `lsm` and `nll`, if `nll` is a user's."""
        if not self.nll.is_foreign():
            return super().updateOutput(input, target)
        scores, classes = _squeezed(input), _squeezed(target)
        self.output = self.nll.updateOutput(self.lsm.updateOutput(scores), classes)
        return self.output

    def updateGradInput(self, input: Value, target: Value = None) -> Value:
        """The gradient, likewise."""
        if not self.nll.is_foreign():
            return super().updateGradInput(input, target)
        scores, classes = _squeezed(input), _squeezed(target)
        gradient = self.nll.updateGradInput(self.lsm.output, classes)
        self.gradInput = self.lsm.updateGradInput(scores, gradient).viewAs(as_tensors(input))
        return self.gradInput

    def _described(self, of: Callable[[Criterion], Any]) -> Any:
        nll = self.nll.own_description()
        return self._spec.replace(**{name: getattr(nll, name) for name in ("weights", "size_average", "ignore_index")})


class VarianceReducedReward(Criterion, describes=reinforce.VarianceReducedReward):
    """nn.VRClassReward and nn.BinaryClassReward (module, scale, criterion): backward rewards `module`'s samples."""

    _own_effects = True
    module: Value

    def __init__(self, module: Module, scale: float | None = None, criterion: Criterion | None = None):
        if not hasattr(module, "reinforce"):
            raise TypeError(f"{self.typename()}: expected a module to reward, got {module!r}")
        super().__init__(*((scale, criterion) if criterion is not None else (scale,)))
        self.__dict__["module"] = module

    def updateGradInput(self, input: Value, target: Value) -> Output:
        """[zeros, the baseline's gradient]; the reward goes to the stochastic modules."""
        gradient = super().updateGradInput(input, target)
        given = jax.tree.map(np.asarray, unwrapped(input))
        with precision(given[1].dtype):
            self.module.reinforce(self.own_description().advantage(given, unwrapped(target)))
        return gradient


class CTCCriterion(Criterion, describes=losses.CTCCriterion):
    """nn.CTCCriterion(batchFirst): `forward(input, target, sizes)` gives the loss divided by the number of sequences;
    `output` is the loss, whose gradient `backward` gives, as in Torch. `target` is a table of each sequence's labels.

    Without `sizes`, `target` has the labels as a matrix, and the sizes, and nothing is divided.
    """

    def forward(self, input: Input, target: Value = None, sizes: Value = None) -> float:
        """The loss, divided by the number of sequences."""
        return self.updateOutput(input, target, sizes)

    def updateOutput(self, input: Value, target: Value = None, sizes: Value = None) -> float:
        """The same."""
        if sizes is None:
            return super().updateOutput(input, target)
        given = [_padded([unwrapped(each) for each in target]), np.ravel(unwrapped(sizes))]
        return super().updateOutput(input, given) / len(given[1])

    def updateGradInput(self, input: Value, target: Value = None) -> Output:
        """The gradient at what forward was given last."""
        return super().updateGradInput(input, target if self._kept is None else self._kept.target)


def _padded(rows: list) -> np.ndarray:
    """Rows of numbers as a matrix, with zeros after the last of each."""
    made = np.zeros((len(rows), max(map(len, rows))), np.int32)
    for row, given in zip(made, rows, strict=True):
        row[: len(given)] = given
    return made


class ClassSimplexCriterion(Criterion, describes=losses.ClassSimplexCriterion):
    """nn.ClassSimplexCriterion."""

    @property
    def simplex(self) -> Tensor:
        """The vertices, one per row."""
        return self._made(self._spec.simplex)

    def getPredictions(self, input: Value) -> Output:
        """Each class's score for each example."""
        dtype = dtype_of(self._type)
        with precision(dtype):
            return wrapped(self._spec.predictions(np.asarray(unwrapped(input), dtype)))

    def getTopPrediction(self, input: Value) -> Tensor:
        """The class with the largest score for each example, from 1."""
        return Tensor.of(np.argmax(self.getPredictions(input), 1) + 1)


class MultiCriterion(Criterion, describes=losses.MultiCriterion):
    """nn.MultiCriterion: its Python lists `criterions` and `weights` count; `weights` may also be a storage or a
    tensor.
    """

    weights: list[float] | tuple[float, ...] | Tensor | Storage = ()

    def _take_children(self, spec: core.Module, given: Given) -> None:
        super()._take_children(spec, given)
        self.__dict__.setdefault("weights", list(spec.weights))  # type: ignore[attr-defined]

    def add(self, criterion: Criterion, weight: float = 1) -> Self:
        """Appends a criterion; returns this one. Raises TypeError for anything else."""
        if not isinstance(criterion, Criterion):
            raise TypeError(f"{self.typename()}: no criterion provided, got {criterion!r}")
        self.criterions.append(criterion)
        if not isinstance(self.weights, list):
            self.weights = list(map(float, self.weights))
        self.weights.append(weight)
        return self

    def _described(self, of: Callable[[Criterion], Any]) -> Any:
        return self._spec.replace(criterions=tuple(map(of, self.criterions)), weights=tuple(map(float, self.weights)))


class ModuleCriterion(Criterion, describes=losses.ModuleCriterion):
    """nn.ModuleCriterion: the gradients of the input module's parameters are accumulated by backward."""

    castTarget: bool

    def __init__(
        self, criterion: Criterion, inputModule: Module | None = None, targetModule: Module | None = None,
        castTarget: bool = True,
    ):  # fmt: skip
        super().__init__(criterion, inputModule, targetModule, castTarget)
        self.__dict__["castTarget"] = castTarget
        if inputModule is not None and inputModule.parameters()[0]:
            warnings.warn("nn.ModuleCriterion doesn't support parameter updates", stacklevel=2)

    def _parts(self) -> list[Described]:
        parts = self.children()
        return parts if self.castTarget else [part for part in parts if part is not self.targetModule]


class AbstractSequencerCriterion(Criterion, describes=recurrent.AbstractSequencerCriterion):
    """nn.SequencerCriterion and nn.RepeaterCriterion; `criterion` is that of every step.

    Source: rnn (2017), AbstractSequencerCriterion.lua.
    """

    def getStepCriterion(self, step: int) -> Criterion:
        """The criterion of a step: one for all."""
        if isinstance(step, bool) or not isinstance(step, int):
            raise TypeError(f"{self.typename()}: expecting step at arg 1, got {step!r}")
        return self.criterion
