"""Chains of convolutions, poolings and linear layers: LeNet, AlexNet, VGG."""

from ..core import Module
from ..layers import (
    BatchNormalization,
    Dropout,
    Linear,
    ReLU,
    Sequential,
    SpatialConvolution,
    SpatialCrossMapLRN,
    SpatialMaxPooling,
)
from .blocks import IMAGENET, flat, rectified, square

HIDDEN = 4096
"""Units of AlexNet's and VGG's linear layers."""


def lenet(classes: int = 10, planes: int = 1) -> Sequential:
    """LeNet-5, as in Torch7's tutorials: 61,706 parameters.

    Shape: (B, planes, 32, 32) -> (B, classes), scores.
    Source: LeCun et al., 1998; torch/tutorials, Deep Learning with Torch: a 60-minute blitz.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.lenet(), (2, 1, 32, 32))
    (2, 10)
    """
    return Sequential(
        square(planes, 6, 5), ReLU(), SpatialMaxPooling(2, 2, 2, 2), square(6, 16, 5), ReLU(),
        SpatialMaxPooling(2, 2, 2, 2), flat(16 * 5 * 5), Linear(16 * 5 * 5, 120), ReLU(), Linear(120, 84), ReLU(),
        Linear(84, classes),
    )  # fmt: skip


def alexnet(classes: int = IMAGENET, batch_norm: bool = False) -> Sequential:
    """AlexNet with one tower, from "One weird trick": 61,100,840 parameters.

    Shape: (B, 3, 224, 224) -> (B, classes), scores. With `batch_norm`, every layer but the last is normalised, with
    eps 0.001.
    Source: Krizhevsky, 2014; soumith/imagenet-multiGPU.torch, models/alexnetowt.lua and alexnetowtbn.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.alexnet(), (2, 3, 224, 224))
    (2, 1000)
    """

    def stage(inputs: int, outputs: int, kernel: int = 3, stride: int = 1, pad: int = 1) -> list[Module]:
        return rectified(square(inputs, outputs, kernel, stride, pad), batch_norm, 1e-3)

    pool = SpatialMaxPooling(3, 3, 2, 2)
    return Sequential(
        *stage(3, 64, 11, 4, 2), pool, *stage(64, 192, 5, 1, 2), pool, *stage(192, 384), *stage(384, 256),
        *stage(256, 256), pool, *_dense(256 * 6 * 6, classes, batch_norm),
    )  # fmt: skip


def alexnet_two_towers(classes: int = IMAGENET) -> Sequential:
    """The original AlexNet: groups of planes in place of two GPUs, and local normalisation; 60,965,224 parameters.

    Shape: (B, 3, 227, 227) -> (B, classes), scores.
    Source: Krizhevsky, Sutskever & Hinton, 2012.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.alexnet_two_towers(), (2, 3, 227, 227))
    (2, 1000)
    """

    def halves(inputs: int, outputs: int, kernel: int, groups: int = 2) -> list[Module]:
        pad = kernel // 2
        return [SpatialConvolution(inputs, outputs, kernel, kernel, 1, 1, pad, pad, groups=groups), ReLU()]

    pool = [SpatialMaxPooling(3, 3, 2, 2)]
    norm = [SpatialCrossMapLRN(5, 1e-4, 0.75, 2)]
    return Sequential(
        square(3, 96, 11, 4), ReLU(), *norm, *pool, *halves(96, 256, 5), *norm, *pool,
        *halves(256, 384, 3, groups=1), *halves(384, 384, 3), *halves(384, 256, 3), *pool,
        *_dense(256 * 6 * 6, classes, False),
    )  # fmt: skip


VGG = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""The number of convolutions before each pooling, by depth."""


def vgg(depth: int = 16, classes: int = IMAGENET, batch_norm: bool = False) -> Sequential:
    """VGG of 11, 13, 16 or 19 layers: small convolutions, five poolings; 16 layers have 138,357,544 parameters.

    Shape: (B, 3, 224, 224) -> (B, classes), scores. With `batch_norm`, every convolution is normalised.
    Raises: ValueError for other depths.
    Source: Simonyan & Zisserman, 2014, configurations A, B, D and E.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.vgg(11), (2, 3, 224, 224))
    (2, 1000)
    """
    if depth not in VGG:
        raise ValueError(f"zoo.vgg: expected a depth of 11, 13, 16 or 19, got {depth}")
    layers: list[Module] = []
    planes = 3
    for outputs, count in zip((64, 128, 256, 512, 512), VGG[depth], strict=True):
        for _ in range(count):
            layers += rectified(square(planes, outputs, 3, 1, 1), batch_norm)
            planes = outputs
        layers.append(SpatialMaxPooling(2, 2, 2, 2))
    return Sequential(*layers, *_dense(512 * 7 * 7, classes, False))


def _dense(features: int, classes: int, batch_norm: bool) -> list[Module]:
    """Two hidden linear layers after dropout, and the scores."""
    norm = [BatchNormalization(HIDDEN, 1e-3)] if batch_norm else []

    def hidden(inputs: int) -> list[Module]:
        return [Dropout(0.5), Linear(inputs, HIDDEN), *norm, ReLU()]

    return [flat(features), *hidden(features), *hidden(HIDDEN), Linear(HIDDEN, classes)]
