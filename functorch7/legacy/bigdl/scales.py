"""Changes to gradients as they accumulate: scales, regularizers, freezing."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Self

from ...core.types import Value
from ..engine.terms import Term
from ..objects.described import Described
from ..tensors.changes import changed

if TYPE_CHECKING:
    from ...optim.regularizers import L1L2Regularizer


class Scales(Described):
    """Module's methods for what backward adds to the gradients' tensors.

    gradWeight += scaleW * (dL/dweight + the gradient of wRegularizer), gradBias += scaleB * (dL/dbias + that of
    bRegularizer), times the scale given to backward. Parameters with names that end in "bias" are biases, all others
    weights. This is part of the network's compiled call; with all scales 1 and no regularizers, the program is the same
    as without any. Modules with their own accGradParameters do this themselves.
    """

    _scales: tuple[float, float] = (1.0, 1.0)
    _scales_before: tuple[float, float]
    _regularizers: Value = (None, None)

    def term_of(self, name: str) -> Term:
        """What is added to the gradient of one of this module's own parameters."""
        which = 1 if name.lower().endswith("bias") else 0
        return Term(self._scales[which], self._regularizers[which])

    def setScaleW(self, w: float) -> Self:
        """Sets the scale of weights' gradients, in all modules inside, too; 0: no gradient, and no regularizer."""
        return self._scaled(0, w)

    def setScaleB(self, b: float) -> Self:
        """Sets the scale of biases' gradients, in all modules inside, too; 0: no gradient, and no regularizer."""
        return self._scaled(1, b)

    def _scaled(self, which: int, value: float) -> Self:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"{self.title()}: expected a number as scale, got {value!r}")
        for module in self._members():
            scales = list(module._scales)
            scales[which] = float(value)
            module.__dict__["_scales"] = tuple(scales)
            changed(module)
        return self

    def getScaleW(self) -> float:
        """The scale of the weight's gradient, by default 1."""
        return self._scales[0]

    def getScaleB(self) -> float:
        """The scale of the bias's gradient, by default 1."""
        return self._scales[1]

    scaleW = property(getScaleW, setScaleW, doc="The scale of the weight's gradient.")
    scaleB = property(getScaleB, setScaleB, doc="The scale of the bias's gradient.")

    @property
    def wRegularizer(self) -> L1L2Regularizer | None:
        """The regularizer of the weight's gradient, such as an optim.L2Regularizer; None: no regularizer."""
        return self._regularizers[0]

    @wRegularizer.setter
    def wRegularizer(self, regularizer: L1L2Regularizer | None) -> None:
        self._regularized(0, regularizer)

    @property
    def bRegularizer(self) -> L1L2Regularizer | None:
        """The regularizer of the bias's gradient; None: no regularizer."""
        return self._regularizers[1]

    @bRegularizer.setter
    def bRegularizer(self, regularizer: L1L2Regularizer | None) -> None:
        self._regularized(1, regularizer)

    def _regularized(self, which: int, regularizer: Any) -> None:
        if regularizer is not None and not callable(getattr(regularizer, "gradient", None)):
            raise TypeError(f"{self.title()}: expected a regularizer, such as optim.L2Regularizer, got {regularizer!r}")
        both = list(self._regularizers)
        both[which] = regularizer
        self.__dict__["_regularizers"] = tuple(both)
        changed(self)

    def freeze(self, *names: str) -> Self:
        """Sets the scales of this module, or of the named ones in it, and of all inside these, to 0.

        Raises ValueError for an unknown name.
        """
        for module in self._chosen(names):
            before = module.__dict__.get("_scales_before", module._scales)
            pairs = zip(module._scales, before, strict=True)
            module.__dict__["_scales_before"] = tuple(now or then for now, then in pairs)
            module.__dict__["_scales"] = (0.0, 0.0)
            changed(module)
        return self

    def unFreeze(self, *names: str) -> Self:
        """Restores the scales from before `freeze`. Raises ValueError for an unknown name."""
        for module in self._chosen(names):
            if "_scales_before" in module.__dict__:
                module.__dict__["_scales"] = module.__dict__.pop("_scales_before")
                changed(module)
        return self

    def _chosen(self, names: tuple[str, ...]) -> list[Any]:
        found = {name: self.find(name) for name in names}
        for name, module in found.items():
            if module is None:
                raise ValueError(f"{self.title()}: cannot match module named {name}")
        return [inner for module in (found.values() if names else [self]) for inner in module._members()]
