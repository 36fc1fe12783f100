"""nn.BatchNormalization and classes below it, which may say for how many dimensions they are."""

from __future__ import annotations

from dataclasses import fields

from ... import core, layers
from .module import Given, Module

BY_DIMENSIONS: dict[float, type[layers.BatchNormalization]] = {
    kind.ndim: kind
    for kind in (layers.BatchNormalization, layers.SpatialBatchNormalization, layers.VolumetricBatchNormalization)
}
"""The layers, by the number of dimensions of their inputs."""


class BatchNormalization(Module, describes=layers.BatchNormalization):
    """nn.BatchNormalization; a program's class below it with `nDim = 4` normalizes feature maps."""

    @property
    def nDim(self) -> int:
        """The number of dimensions of its input."""
        return self._spec.ndim

    def _take(self, spec: core.Module, given: Given) -> None:
        kind = BY_DIMENSIONS.get(getattr(type(self), "nDim"))  # noqa: B009  # a property, where no program has set it
        if kind is not None and isinstance(spec, layers.BatchNormalization) and kind.ndim != spec.ndim:
            spec = kind(*(getattr(spec, field.name) for field in fields(spec)))
        super()._take(spec, given)
