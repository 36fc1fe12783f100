"""Networks whose blocks have convolutions of several sizes side by side: GoogLeNet, Inception v3, SqueezeNet."""

from typing import Literal

from ..core import Module
from ..layers import (
    Concat,
    Dropout,
    FireModule,
    ReLU,
    Sequential,
    SpatialAdaptiveAveragePooling,
    SpatialAveragePooling,
    SpatialConvolution,
    SpatialCrossMapLRN,
    SpatialMaxPooling,
)
from .blocks import IMAGENET, flat, normalized, scores, square

GOOGLENET = (
    ((192, 64, 96, 128, 16, 32, 32), (256, 128, 128, 192, 32, 96, 64)),
    ((480, 192, 96, 208, 16, 48, 64), (512, 160, 112, 224, 24, 64, 64), (512, 128, 128, 256, 24, 64, 64),
     (512, 112, 144, 288, 32, 64, 64), (528, 256, 160, 320, 32, 128, 128)),
    ((832, 256, 160, 320, 32, 128, 128), (832, 384, 192, 384, 48, 128, 128)),
)  # fmt: skip
"""Planes of the blocks between poolings: the input's; 1x1; 3x3 and 5x5, each after its 1x1; after the pooling."""


def googlenet(classes: int = IMAGENET) -> Sequential:
    """GoogLeNet, without the classifiers at its sides: 6,998,552 parameters.

    Shape: (B, 3, 224, 224) -> (B, classes), scores.
    Source: Szegedy et al., 2014, table 1.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.googlenet(), (2, 3, 224, 224))
    (2, 1000)
    """

    def convolution(inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> list[Module]:
        return [square(inputs, outputs, kernel, stride, kernel // 2), ReLU()]

    def block(inputs: int, one: int, *planes: int) -> Module:
        before_three, three, before_five, five, pooled = planes
        return Concat(
            2,
            Sequential(*convolution(inputs, one)),
            Sequential(*convolution(inputs, before_three), *convolution(before_three, three, 3)),
            Sequential(*convolution(inputs, before_five), *convolution(before_five, five, 5)),
            Sequential(SpatialMaxPooling(3, 3, 1, 1, 1, 1), *convolution(inputs, pooled)),
        )

    pool, norm = SpatialMaxPooling(3, 3, 2, 2).ceil(), SpatialCrossMapLRN(5, 1e-4, 0.75)
    low, middle, high = ([block(*planes) for planes in stage] for stage in GOOGLENET)
    return Sequential(
        *convolution(3, 64, 7, 2), pool, norm, *convolution(64, 64), *convolution(64, 192, 3), norm, pool,
        *low, pool, *middle, pool, *high, *scores(1024, classes, Dropout(0.4)).modules,
    )  # fmt: skip


def inception_v3(classes: int = IMAGENET) -> Sequential:
    """Inception v3, without the classifier at its side: 23,834,568 parameters.

    Shape: (B, 3, 299, 299) -> (B, classes), scores.
    Source: Szegedy et al., 2015; Moodstocks/inception-v3.torch.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.inception_v3(), (2, 3, 299, 299))
    (2, 1000)
    """
    return Sequential(
        *_convolution(3, 32, 3, stride=2, pad=False), *_convolution(32, 32, 3, pad=False), *_convolution(32, 64, 3),
        SpatialMaxPooling(3, 3, 2, 2), *_convolution(64, 80), *_convolution(80, 192, 3, pad=False),
        SpatialMaxPooling(3, 3, 2, 2), _of_35(192, 32), _of_35(256, 64), _of_35(288, 64), _to_17(288),
        *(_of_17(planes) for planes in (128, 160, 160, 192)), _to_8(768), _of_8(1280), _of_8(2048),
        *scores(2048, classes, Dropout(0.5)).modules,
    )  # fmt: skip


def _convolution(
    inputs: int, outputs: int, kw: int = 1, kh: int = 0, stride: int = 1, pad: bool = True
) -> list[Module]:
    """A convolution that keeps sizes if it is padded, normalised, with ReLU; as high as wide if no height is given."""
    kh = kh or kw
    padw, padh = (kw // 2, kh // 2) if pad else (0, 0)
    return [*normalized(SpatialConvolution(inputs, outputs, kw, kh, stride, stride, padw, padh), 1e-3), ReLU()]


def _pooled(inputs: int, outputs: int) -> Module:
    """Means of 3 x 3 pixels, those that are there, and a convolution."""
    return Sequential(SpatialAveragePooling(3, 3, 1, 1, 1, 1), *_convolution(inputs, outputs))


def _of_35(inputs: int, pooled: int) -> Module:
    """A block of images of 35 x 35."""
    c = _convolution
    return Concat(
        2, Sequential(*c(inputs, 64)), Sequential(*c(inputs, 48), *c(48, 64, 5)),
        Sequential(*c(inputs, 64), *c(64, 96, 3), *c(96, 96, 3)), _pooled(inputs, pooled),
    )  # fmt: skip


def _to_17(inputs: int) -> Module:
    """From 35 x 35 to 17 x 17."""
    c = _convolution
    return Concat(
        2, Sequential(*c(inputs, 384, 3, stride=2, pad=False)),
        Sequential(*c(inputs, 64), *c(64, 96, 3), *c(96, 96, 3, stride=2, pad=False)),
        SpatialMaxPooling(3, 3, 2, 2),
    )  # fmt: skip


def _of_17(planes: int) -> Module:
    """A block of images of 17 x 17, with convolutions along one axis, then along the other."""
    c, inputs = _convolution, 768
    return Concat(
        2, Sequential(*c(inputs, 192)), Sequential(*c(inputs, planes), *c(planes, planes, 7, 1), *c(planes, 192, 1, 7)),
        Sequential(
            *c(inputs, planes), *c(planes, planes, 1, 7), *c(planes, planes, 7, 1), *c(planes, planes, 1, 7),
            *c(planes, 192, 7, 1),
        ),
        _pooled(inputs, 192),
    )  # fmt: skip


def _to_8(inputs: int) -> Module:
    """From 17 x 17 to 8 x 8."""
    c = _convolution
    return Concat(
        2, Sequential(*c(inputs, 192), *c(192, 320, 3, stride=2, pad=False)),
        Sequential(*c(inputs, 192), *c(192, 192, 7, 1), *c(192, 192, 1, 7), *c(192, 192, 3, stride=2, pad=False)),
        SpatialMaxPooling(3, 3, 2, 2),
    )  # fmt: skip


def _of_8(inputs: int) -> Module:
    """A block of images of 8 x 8, wide ones."""
    c = _convolution

    def both(planes: int) -> Module:
        return Concat(2, Sequential(*c(planes, 384, 3, 1)), Sequential(*c(planes, 384, 1, 3)))

    return Concat(
        2, Sequential(*c(inputs, 320)), Sequential(*c(inputs, 384), both(384)),
        Sequential(*c(inputs, 448), *c(448, 384, 3), both(384)), _pooled(inputs, 192),
    )  # fmt: skip


SQUEEZENET = {
    "1.0": (96, 7, ((16, 16, 32), (32, 48, 48, 64), (64,))),
    "1.1": (64, 3, ((16, 16), (32, 32), (48, 48, 64, 64))),
}
"""By version: planes and kernel of the first convolution, and the planes to which blocks between poolings squeeze."""


def squeezenet(version: Literal["1.0", "1.1"] = "1.1", classes: int = IMAGENET) -> Sequential:
    """SqueezeNet of Fire blocks: as accurate as AlexNet with 1,235,496 parameters (1.0: 1,248,424).

    Shape: (B, 3, 224, 224) -> (B, classes), scores.
    Raises: ValueError for other versions.
    Source: Iandola et al., 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.squeezenet(), (2, 3, 224, 224))
    (2, 1000)
    """
    if version not in SQUEEZENET:
        raise ValueError(f"zoo.squeezenet: expected version {' or '.join(map(repr, SQUEEZENET))}, got {version!r}")
    planes, kernel, stages = SQUEEZENET[version]
    layers: list[Module] = [square(3, planes, kernel, 2), ReLU()]
    for stage in stages:
        layers.append(SpatialMaxPooling(3, 3, 2, 2).ceil())
        for squeezed in stage:
            layers.append(FireModule(planes, squeezed, 4 * squeezed, 4 * squeezed))
            planes = 8 * squeezed
    ends = [square(planes, classes, 1), ReLU(), SpatialAdaptiveAveragePooling(1, 1), flat(classes)]
    return Sequential(*layers, Dropout(0.5), *ends)
