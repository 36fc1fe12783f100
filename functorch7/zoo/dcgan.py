"""The two networks of DCGAN."""

from ..core import Module
from ..layers import (
    LeakyReLU,
    ReLU,
    Sequential,
    Sigmoid,
    SpatialBatchNormalization,
    SpatialConvolution,
    SpatialFullConvolution,
    Tanh,
    View,
)


def dcgan_generator(noise: int = 100, features: int = 64, planes: int = 3) -> Sequential:
    """DCGAN's generator, of images from noise: 3,576,704 parameters.

    Shape: (B, noise, 1, 1) -> (B, planes, 64, 64), numbers from -1 to 1.
    Source: Radford et al., 2015; soumith/dcgan.torch, main.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.dcgan_generator(), (2, 100, 1, 1))
    (2, 3, 64, 64)
    """

    def twice(inputs: int, outputs: int) -> Module:
        return SpatialFullConvolution(inputs, outputs, 4, 4, 2, 2, 1, 1).no_bias()

    layers: list[Module] = [SpatialFullConvolution(noise, 8 * features, 4, 4).no_bias()]
    for scale in (8, 4, 2):
        width = scale * features
        layers += [SpatialBatchNormalization(width), ReLU(), twice(width, width // 2)]
    return Sequential(*layers, SpatialBatchNormalization(features), ReLU(), twice(features, planes), Tanh())


def dcgan_discriminator(features: int = 64, planes: int = 3) -> Sequential:
    """DCGAN's discriminator, which tells images from generated ones: 2,765,568 parameters.

    Shape: (B, planes, 64, 64) -> (B, 1), the probability that an image is real.
    Source: Radford et al., 2015; soumith/dcgan.torch, main.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.zoo.dcgan_discriminator(), (2, 3, 64, 64))
    (2, 1)
    """

    def half(inputs: int, outputs: int) -> Module:
        return SpatialConvolution(inputs, outputs, 4, 4, 2, 2, 1, 1).no_bias()

    layers: list[Module] = [half(planes, features), LeakyReLU(0.2)]
    for scale in (1, 2, 4):
        width = scale * features
        layers += [half(width, 2 * width), SpatialBatchNormalization(2 * width), LeakyReLU(0.2)]
    last = SpatialConvolution(8 * features, 1, 4, 4).no_bias()
    return Sequential(*layers, last, Sigmoid(), View(1).set_num_input_dims(3))
