"""The recurrent layers of cudnn, with the fields and methods that its programs use."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import Any

from ... import recurrent
from ...core.types import Value
from ...interop.torch7.cudnn import WORDS, value_of
from ...layers.initializers import shapes_of
from ...recurrent.cudnn import KINDS
from ..tensors.tensor import Tensor
from ..tensors.values import wrapped
from .recurrent import AbstractSequencer, Coupled, coupling, initial_gradient


def _setting(name: str, what: str) -> property:
    """A setting of the description, in Torch's words; parameters of another size are drawn anew."""

    def get(self: Any) -> str:
        return WORDS[name][1][getattr(self._spec, name)]

    def put(self: Any, word: str) -> None:
        self._turn(**{name: value_of(name, word)})

    return property(get, put, doc=what)


def _last(name: str) -> property:
    def get(self: Any) -> Any:
        call = self.remembered_call()
        if call is None:
            return self._made()
        return wrapped(self._values(call.plan, call.state_after())[id(self), name])

    return property(get, doc=f"The {name} after the last step of the last call, by layer and direction.")


class RNN(Coupled, AbstractSequencer, describes=recurrent.CudnnRNN):
    """cudnn.RNN.

    hiddenInput, cellInput: the state before the first step, numLayers * numDirections x batch x hiddenSize, for all
    calls until they are None; after a whole backward, gradHiddenInput and gradCellInput are the gradients there.
    gradHiddenOutput and gradCellOutput: gradients that flow into the last state.
    """

    hiddenInput = coupling("state", "hidden", "The initial output of each layer.")
    cellInput = coupling("state", "cell", "The initial cell of each layer.")
    gradHiddenOutput = coupling("gradient", "hidden", "The gradient that flows into the last output of each layer.")
    gradCellOutput = coupling("gradient", "cell", "The gradient that flows into the last cell of each layer.")
    gradHiddenInput = initial_gradient("hidden")
    gradCellInput = initial_gradient("cell")
    hiddenOutput = _last("hidden")
    cellOutput = _last("cell")

    mode = _setting("kind", "The kind of recurrence: CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM or CUDNN_GRU.")
    bidirectional = _setting("bidirectional", "CUDNN_BIDIRECTIONAL or CUDNN_UNIDIRECTIONAL.")
    inputMode = _setting("skip_input", "CUDNN_LINEAR_INPUT, or CUDNN_SKIP_INPUT: the first layer has no W.")

    @property
    def numDirections(self) -> int:
        """2 if bidirectional, else 1."""
        return self._spec.directions

    @numDirections.setter
    def numDirections(self, directions: int) -> None:
        self._turn(bidirectional={1: False, 2: True}.get(directions, directions))

    def _turn(self, **changes: Value) -> None:
        """Changes the description; parameters of another size are drawn anew."""
        self._respecify(self._spec.replace(**changes))
        size = shapes_of(self._spec)["weight"].shape
        if self.weight.shape != size:
            for tensor in (self.weight, self.gradWeight):
                tensor.resize(*size)
            self.zeroGradParameters()
            self.reset()

    def weights(self) -> list[list[Tensor]]:
        """The matrices in `weight`, flat and in its memory: of each layer and direction those for x, then those for h,
        one for each gate.
        """
        return self._gates(biases=False)

    def biases(self) -> list[list[Tensor]]:
        """The biases in `weight`, likewise."""
        return self._gates(biases=True)

    def _gates(self, biases: bool) -> list[list[Tensor]]:
        shapes, gates = self._spec.shapes(), len(KINDS[self._spec.kind].gates)
        sizes = [prod(shape) // gates for shape in shapes for _ in range(gates)]
        starts = accumulate(sizes, initial=1)
        parts = [self.weight.narrow(1, *part) if part[1] else None for part in zip(starts, sizes, strict=False)]
        pairs = [parts[i : i + 2 * gates] for i in range(0, len(parts), 2 * gates)]
        half = len(pairs) // 2
        return [[part for part in pair if part is not None] for pair in (pairs[half:] if biases else pairs[:half])]

    def resetStates(self) -> None:
        """Drops the state: remembered, given, and the gradients that were given for it."""
        self.forget()
        self.hiddenInput = self.cellInput = self.gradHiddenOutput = self.gradCellOutput = None

    def setSync(self, sync: bool) -> None:
        """Does nothing: JAX waits for results when they are looked at."""

    def _described_elsewhere(self, *given: Value) -> None:
        """Does nothing: XLA needs no descriptions of sizes."""

    resetDropoutDescriptor = resetRNNDescriptor = resetWeightDescriptor = clearDesc = _described_elsewhere
    resetInputDescriptor = resetOutputDescriptor = _described_elsewhere
    resetHiddenDescriptors = resetCellDescriptors = _described_elsewhere
