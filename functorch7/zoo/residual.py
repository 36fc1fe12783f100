"""Residual networks."""

from typing import Literal

from ..checks.numbers import check_whole
from ..core import Module
from ..layers import (
    CAddTable,
    Concat,
    ConcatTable,
    Identity,
    MulConstant,
    ReLU,
    Sequential,
    SpatialAveragePooling,
    SpatialMaxPooling,
)
from .blocks import IMAGENET, normalized, scores, square

Shortcut = Literal["A", "B", "C"]

DEPTHS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""Of those for ImageNet, with the blocks in each stage; from 50 layers on blocks have bottlenecks."""


def resnet(depth: int, classes: int | None = None, shortcut: Shortcut | None = None) -> Sequential:
    """A residual network; for ImageNet if depth is 18, 34, 50, 101 or 152, else, of depth 6 n + 2, for CIFAR.

    `shortcut` says how blocks go on whose planes change: "A" by zeros, as is usual for CIFAR (20 layers have 269,722
    parameters); "B" by a convolution, as is usual for ImageNet (50 layers have 25,557,032); "C" by one in every block.
    Shape: (B, 3, 224, 224) -> (B, 1000), scores; CIFAR's (B, 3, 32, 32) -> (B, 10). Other sizes are averaged, too.
    Raises: TypeError and ValueError for other depths, classes and shortcuts.
    Source: He et al., 2015; facebook/fb.resnet.torch, models/resnet.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.resnet(20), (2, 3, 32, 32))
    (2, 10)
    """
    check_whole("zoo.resnet", 1, depth=depth, **({} if classes is None else {"classes": classes}))
    large = depth in DEPTHS
    if not large and (depth < 8 or depth % 6 != 2):
        raise ValueError(f"zoo.resnet: expected a depth of {', '.join(map(str, DEPTHS))} or 6 n + 2, got {depth}")
    shortcut = shortcut or ("B" if large else "A")
    if shortcut not in ("A", "B", "C"):
        raise ValueError(f"zoo.resnet: expected shortcut 'A', 'B' or 'C', got {shortcut!r}")
    counts = DEPTHS[depth] if large else ((depth - 2) // 6,) * 3
    width = 64 if large else 16
    expansion = 4 if large and depth >= 50 else 1
    stem = [*normalized(square(3, width, 7, 2, 3)), ReLU(), SpatialMaxPooling(3, 3, 2, 2, 1, 1)] if large else [
        *normalized(square(3, width, 3, 1, 1)), ReLU()
    ]  # fmt: skip
    planes, stages = width, []
    for number, count in enumerate(counts):
        features = width * 2**number
        blocks = []
        for i in range(count):
            stride = 2 if number and i == 0 else 1
            blocks.append(_block(planes, features, stride, expansion, shortcut))
            planes = features * expansion
        stages.append(Sequential(*blocks))
    return Sequential(*stem, *stages, *scores(planes, classes or (IMAGENET if large else 10)).modules)


def _block(planes: int, features: int, stride: int, expansion: int, shortcut: Shortcut) -> Sequential:
    """relu(what its convolutions give + the shortcut)."""
    outputs = features * expansion
    if expansion == 1:
        steps = [square(planes, features, 3, stride, 1), square(features, features, 3, 1, 1)]
    else:
        steps = [square(planes, features, 1), square(features, features, 3, stride, 1), square(features, outputs, 1)]
    first, *others = steps
    residual = [*normalized(first), *(layer for step in others for layer in (ReLU(), *normalized(step)))]
    way_round = _shortcut(planes, outputs, stride, shortcut)
    return Sequential(ConcatTable(Sequential(*residual), way_round), CAddTable(), ReLU())


def _shortcut(planes: int, outputs: int, stride: int, kind: Shortcut) -> Module:
    if kind == "C" or (kind == "B" and planes != outputs):
        return Sequential(*normalized(square(planes, outputs, 1, stride)))
    if planes != outputs:  # only "A": twice the planes, half of them zeros
        return Sequential(SpatialAveragePooling(1, 1, stride, stride), Concat(2, Identity(), MulConstant(0)))
    return Identity()
