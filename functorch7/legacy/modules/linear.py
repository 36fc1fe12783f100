"""nn.Linear with the arguments of BigDL's constructor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import layers
from ..tensors.kinds import Numbers
from ..tensors.tensor import Tensor
from .module import Module

if TYPE_CHECKING:
    from ...optim.regularizers import L1L2Regularizer


class Linear(Module, describes=layers.Linear):
    """nn.Linear(inputSize, outputSize, bias), with BigDL's keywords.

    withBias is bias; wRegularizer and bRegularizer (such as optim.L1Regularizer) add their gradients when gradients
    are accumulated; initWeight, initBias, initGradWeight and initGradBias are copied into the tensors.
    Raises: ValueError for values of other shapes, and for a bias's values without a bias.
    Source: nn/doc/simple.md#nn.Linear; BigDL, Linear.
    """

    def __init__(
        self, *args: Any, wRegularizer: L1L2Regularizer | None = None, bRegularizer: L1L2Regularizer | None = None,
        initWeight: Numbers | None = None, initBias: Numbers | None = None, initGradWeight: Numbers | None = None,
        initGradBias: Numbers | None = None, **kwargs: Any,
    ):  # fmt: skip
        if "withBias" in kwargs:
            kwargs["bias"] = kwargs.pop("withBias")
        super().__init__(*args, **kwargs)
        if wRegularizer is not None:
            self.wRegularizer = wRegularizer
        if bRegularizer is not None:
            self.bRegularizer = bRegularizer
        given = {"weight": initWeight, "bias": initBias, "gradWeight": initGradWeight, "gradBias": initGradBias}
        given = {name: values for name, values in given.items() if values is not None}
        missing = [name for name in given if self.__dict__.get(name) is None]
        if missing:
            raise ValueError(f"{self.title()}: has no {' and '.join(missing)} to take values")
        if given:
            self._copy_all([(name, self.__dict__[name], values) for name, values in given.items()])

    def updateAddBuffer(self, input: Tensor) -> None:
        """Makes `addBuffer` ones, one for each row of the input, by which Torch's layers add the bias."""
        rows = input.size(1)
        if getattr(self, "addBuffer", None) is None or self.addBuffer.nElement() != rows:
            self.addBuffer = input.new(rows).fill(1)
