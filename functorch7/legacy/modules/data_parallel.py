"""nn.DataParallelTable: a module on several devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import jax

from ... import layers
from ...layers.data_parallel import everywhere
from ..objects.described import Described
from ..tensors.changes import changed
from .container import Container
from .module import Module


class DataParallelTable(Container, describes=layers.DataParallelTable):
    """nn.DataParallelTable."""

    def __init__(self, dimension: int, flattenParams: bool = False, usenccl: bool = False):
        """For batches whose examples are slices of `dimension`; the others are ignored, as XLA sums gradients."""
        super().__init__(dimension)

    def add(self, module: Module, gpuids: int | list[int] | tuple[int, ...] = ()) -> Self:
        """Takes the module, and the devices that share its batches (all by default); returns itself.

        A module that is added after the first one, a replica in Torch, only adds its device.
        """
        if not self.modules:
            super().add(module)
        numbers = (gpuids,) if isinstance(gpuids, int) else tuple(gpuids)
        self._respecify(self._spec.replace(devices=(*self._spec.devices, *numbers)))
        self._spread()
        return self

    def _cast(self, type_name: str, cache: dict) -> None:
        super()._cast(type_name, cache)
        self._spread()

    def _spread(self) -> None:
        """Places the module's arrays on all devices, if they are on any."""
        devices = self._spec.placed_on()
        if len(devices) == 1:
            return
        for module in self._members():
            for tensor in module._tensors().values():
                if isinstance(tensor.storage_.array, jax.Array):
                    tensor.storage_.array = jax.device_put(tensor.storage_.array, everywhere(devices))
        changed(self)

    def get(self, index: int, *more: int) -> Described:
        """The module: all replicas of Torch are one."""
        module = self.modules[0]
        return module.get(*more) if more else module

    def threads(self, initFunc: Callable | None = None) -> Self:
        """Returns itself: XLA runs all devices from one thread."""
        return self

    def syncParameters(self) -> None:
        """Does nothing: there is one set of parameters."""
