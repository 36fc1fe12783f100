"""What the networks of the zoo are made of."""

from ..core import Module
from ..layers import (
    Linear,
    ReLU,
    Sequential,
    SpatialAdaptiveAveragePooling,
    SpatialBatchNormalization,
    SpatialConvolution,
    View,
)

IMAGENET = 1000
"""Classes of the ImageNet challenge."""


def square(inputs: int, outputs: int, kernel: int, stride: int = 1, pad: int = 0) -> SpatialConvolution:
    """A convolution whose kernels are as wide as high."""
    return SpatialConvolution(inputs, outputs, kernel, kernel, stride, stride, pad, pad)


def normalized(convolution: SpatialConvolution, eps: float = 1e-5) -> list[Module]:
    """A convolution, whose bias the normalisation makes idle, and batch normalisation."""
    return [convolution.no_bias(), SpatialBatchNormalization(convolution.n_output_plane, eps)]


def rectified(convolution: SpatialConvolution, batch_norm: bool, eps: float = 1e-5) -> list[Module]:
    """A convolution, [batch normalisation,] and ReLU; the bias stays, as in Torch7's scripts."""
    norm = [SpatialBatchNormalization(convolution.n_output_plane, eps)] if batch_norm else []
    return [convolution, *norm, ReLU()]


def global_average(planes: int) -> list[Module]:
    """The mean of each plane, for images of any size: Torch7's scripts pool by the size that they expect."""
    return [SpatialAdaptiveAveragePooling(1, 1), flat(planes)]


def flat(count: int) -> Module:
    """Every image as a vector."""
    return View(count).set_num_input_dims(3)


def scores(planes: int, classes: int, *before: Module) -> Sequential:
    """The end of a classifier: means over the image, and a score for each class."""
    return Sequential(*global_average(planes), *before, Linear(planes, classes))
