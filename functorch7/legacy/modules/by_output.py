"""Gradients that Torch computes from the output, whatever a class below has left there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import layers
from ...core.module import Module
from ..tensors.tensor import Tensor

CLASSES = {1: 1, 2: 2, 3: 1, 4: 2}
"""The dimension of the classes by how many there are."""


def _soft_max(layer: Any, y: Tensor, gradient: Tensor) -> Tensor:
    dimension = CLASSES[y.ndim]
    sums = gradient.clone().cmul(y).sum(dimension).expandAs(y)
    return gradient.clone().csub(sums).cmul(y)


def _log_soft_max(layer: Any, y: Tensor, gradient: Tensor) -> Tensor:
    sums = gradient.sum(CLASSES[y.ndim]).expandAs(y)
    return gradient.clone().csub(y.clone().exp().cmul(sums))


def _sqrt(layer: Any, y: Tensor, gradient: Tensor) -> Tensor:
    return gradient.clone().cdiv(y).mul(0.5).maskedFill(y.eq(0), 0)


def _soft_plus(layer: Any, y: Tensor, gradient: Tensor) -> Tensor:
    slope = y.clone().mul(-layer.beta).exp().mul(-1).add(1)
    return slope.maskedFill(y.clone().mul(layer.beta).gt(layer.threshold), 1).cmul(gradient)


def _elu(layer: Any, y: Tensor, gradient: Tensor) -> Tensor:
    return y.clone().add(layer.alpha).maskedFill(y.gt(0), 1).cmul(gradient)


BY_OUTPUT: dict[type[Module], Callable[[Any, Tensor, Tensor], Tensor]] = {
    layers.ELU: _elu,
    layers.Exp: lambda layer, y, gradient: gradient.clone().cmul(y),
    layers.LogSoftMax: _log_soft_max,
    layers.Sigmoid: lambda layer, y, gradient: y.clone().mul(-1).add(1).cmul(y).cmul(gradient),
    layers.SoftMax: _soft_max,
    layers.SoftMin: lambda layer, y, gradient: _soft_max(layer, y, gradient).mul(-1),
    layers.SoftPlus: _soft_plus,
    layers.Sqrt: _sqrt,
    layers.Tanh: lambda layer, y, gradient: y.clone().cmul(y).mul(-1).add(1).cmul(gradient),
}
"""The gradients of a layer's object, its output and its gradOutput, by the layer."""
