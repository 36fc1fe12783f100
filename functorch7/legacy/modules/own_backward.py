"""Which methods make the gradient of a user's class: its own `backward`, or updateGradInput and accGradParameters."""

from __future__ import annotations

from typing import Any

from ... import layers
from ...core.types import Scalar
from ...layers import BatchNormalization
from ...recurrent import SAdd, SeqGRU, SeqLSTM
from ..engine.foreign import gradient_by
from ..engine.walk import HANDING_ON
from ..objects.described import Described
from ..tensors.tensor import Tensor
from ..tensors.values import Input, Output, as_tensors
from .by_output import BY_OUTPUT

PACKAGE = __name__.partition(".")[0]

GOING_BACK = (*HANDING_ON, BatchNormalization, SeqGRU, SeqLSTM)
"""What has a `backward` in Torch; that of all others calls their updateGradInput and accGradParameters."""


WITHHOLDING = (
    layers.Add, layers.Bilinear, layers.CMul, layers.Cosine, layers.Euclidean, layers.Linear, layers.MulConstant,
    layers.PartialLinear, SAdd, layers.SpatialAveragePooling, layers.SpatialConvolution,
    layers.SpatialConvolutionLocal, layers.SpatialConvolutionMM, layers.SpatialDepthWiseConvolution,
    layers.SpatialDilatedConvolution, layers.SpatialFullConvolution, layers.SpatialSubSampling, layers.SplitTable,
    layers.TemporalConvolution, layers.TemporalDynamicKMaxPooling, layers.TemporalMaxPooling,
    layers.TemporalRowConvolution, layers.TemporalSubSampling, layers.VolumetricConvolution,
    layers.VolumetricDilatedConvolution, layers.WeightedEuclidean,
)  # fmt: skip
"""What Torch gives no gradInput where a program has set it to nil."""


def is_written(method: object) -> bool:
    """Whether a method is a user's, in Python or in Lua."""
    return hasattr(method, "lua") or not str(getattr(method, "__module__", "")).startswith(f"{PACKAGE}.")


class OwnBackward(Described):
    """The part of Module that knows whether a user defines the gradient, and goes back by the user's `backward`."""

    def withholds_gradient(self) -> bool:
        """Whether a program has set gradInput to nil, and Torch then gives none."""
        held = self.__dict__.get("_grad_input")
        return held is not None and held[1] is None and isinstance(self._spec, WITHHOLDING)

    def has_own_gradient(self) -> bool:
        """Whether the user defines the gradient."""
        return self._has_parts() or self._writes_backward()

    def _has_parts(self) -> bool:
        """Whether the user defines methods that nn.Module's `backward` calls."""
        adds = self.overrides("accGradParameters") and not self.adds_nothing()
        return adds or self.overrides("updateGradInput") or self._keeps_gradient()

    def adds_nothing(self) -> bool:
        """Whether a user has frozen the layer, by an accGradParameters that does nothing."""
        kind: Any = type(self)
        method = vars(self).get("accGradParameters", kind.accGradParameters)
        is_layer = self.is_described and not isinstance(self._spec, GOING_BACK) and not self.children()  # type: ignore[attr-defined]
        return is_layer and getattr(method, "does_nothing", False)

    def _keeps_gradient(self) -> bool:
        """Whether a user's `updateOutput` leaves the object the gradient of the class above.

        That of a recurrence's step is this, which alone knows the steps before.
        """
        if not (self.overrides("updateOutput") and self.is_described):
            return False
        keeps = getattr(vars(self).get("updateOutput"), "keeps_gradient", False)
        return keeps or self.goes_by_steps()  # type: ignore[attr-defined]

    def without_call(self, input: Input, gradOutput: Input | None) -> Output | None:
        """gradInput where the description's call does not give it; None where it does."""
        if not self.is_described and self.has_own_gradient():  # of the parameters alone, or it asks the class above
            return self._gradient_of_output(input, gradOutput)  # type: ignore[attr-defined]
        return self.by_output(gradOutput)

    def by_output(self, gradOutput: Input | None) -> Output | None:
        """gradInput where Torch's class above computes it from the output that a user's `updateOutput` has left."""
        if not self.overrides("updateOutput") or (formula := BY_OUTPUT.get(type(self._spec))) is None:
            return None
        output, gradient = self.output, as_tensors(gradOutput)
        if not self._has_parts() or not (isinstance(output, Tensor) and isinstance(gradient, Tensor)):
            return None
        self.gradInput = formula(self, output, gradient.viewAs(output))
        return self.gradInput

    def _writes_backward(self) -> bool:
        """Whether `backward` is the user's, of the class or of the object."""
        kind: Any = type(self)
        return "backward" in vars(self) or is_written(kind.backward)

    def goes_back_by_parts(self) -> bool:
        """Whether Torch's `backward` of the object calls a user's updateGradInput and accGradParameters."""
        held = self.__dict__.get("_spec")  # without asking for a description that its fields do not make at present
        return not isinstance(held, GOING_BACK) and self._has_parts()

    def goes_back_itself(self) -> bool:
        """Whether a call of `backward` is more than those two."""
        return self._writes_backward() or isinstance(self._spec, GOING_BACK)

    def gone_back(
        self, input: Input, gradOutput: Input, scale: Scalar | None
    ) -> tuple[Output, list[tuple[Tensor, Tensor]] | None]:
        """gradInput, and what is added to each of the parameters' gradients, which is taken back.

        By `backward` with this scale; without one by updateGradInput, and None for the latter: accGradParameters adds.
        """
        if scale is None or not self.goes_back_itself():
            return gradient_by(self, input, gradOutput), None
        gradients = {(id(each.storage_), each.offset): each for each in self.parameters()[1]}.values()
        before = [each.clone() for each in gradients]
        for each in gradients:
            each.zero()
        found = gradient_by(self, input, gradOutput, lambda *given: self.backward(*given, scale))
        added = [(each, each.clone()) for each in gradients]
        for each, value in zip(gradients, before, strict=True):
            each.copy(value)
        return found, added
