"""Containers with one module inside, to which they add something."""

import re
from typing import Any

from ..core import Container, Module


class Decorator(Container):
    """The module inside, as it is; subclasses add something.

    Shape, parameters and buffers: those of the module, one level down.
    Raises: TypeError unless it is given a module.
    Source: dpnn/README.md#nn.Decorator.
    """

    def __init__(self, module: Module):
        self._set(modules=(module,))
        self.__post_init__()

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        output, buffer = self.call(0, params, buffers, input, key=key, train=train)
        return output, [buffer]

    def printed(self) -> str:
        return f"{self.torch_name()} @ {self.modules[0]}"


class Serial(Decorator):
    """The module inside; in `legacy` it says how that is saved (heavySerial, mediumSerial, lightSerial, tensortype).

    Shape, parameters and buffers: those of the module, one level down.
    Raises: ValueError for a tensortype that is no "torch.*Tensor".
    Source: dpnn/README.md#nn.Serial.
    """

    tensortype: str | None

    def __init__(self, module: Module, tensortype: str | None = None):
        self._set(modules=(module,), tensortype=tensortype)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tensortype is not None and not re.fullmatch(r"torch\.\w*Tensor", self.tensortype):
            raise ValueError(
                f"nn.Serial: expecting tensortype (e.g. torch.LongTensor) at arg 2, got {self.tensortype!r}"
            )
