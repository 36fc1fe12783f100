"""Convolution with binary weights."""

import math
from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp

from ..core.types import Array
from .convolution import SpatialConvolution
from .convolving import convolve
from .initializers import weight_and_bias


@partial(jax.custom_jvp, nondiff_argnums=(2, 3))
def convolve_signs(x: Array, weight: Array, stride: tuple[int, ...], padding: tuple[int, ...]) -> Array:
    """The convolution with the signs of the weight, times the mean size of each output plane's weights.

    As in XNOR-Net's code, the gradient of x is that of the signs, times the mean size of each *input* plane's weights,
    and the weight's is that of an ordinary convolution.
    """
    scale = jnp.abs(weight).mean((1, 2, 3)).reshape(1, -1, 1, 1)
    return convolve(x, signs(weight), stride, padding) * scale


@convolve_signs.defjvp
def _tangents(stride: tuple[int, ...], padding: tuple[int, ...], primals: tuple, tangents: tuple) -> tuple:
    """The linear function whose transpose has these gradients."""
    (x, weight), (of_x, of_weight) = primals, tangents
    scale = jnp.abs(weight).mean((0, 2, 3)).reshape(1, -1, 1, 1)
    change = convolve(of_x * scale, signs(weight), stride, padding) + convolve(x, of_weight, stride, padding)
    return convolve_signs(x, weight, stride, padding), change


def signs(weight: Array) -> Array:
    """1 where the weight is at least 0, else -1."""
    return jnp.where(weight >= 0, 1, -1).astype(weight.dtype)


class SpatialBinaryConvolution(SpatialConvolution):
    """y[o, i, j] = a_o sum_{c, m, n} sign(w[o, c, m, n]) x[c, i dh + m - padh, j dw + n - padw], with a_o the mean of
    |w| in output plane o: SpatialConvolution with the signs of its weights (1 at 0), times their mean size.

    The real weights are learned: their gradient is that of an ordinary convolution.
    Shape: (C, H, W) or (B, C, H, W), as SpatialConvolution.
    Parameters: weight (n_output_plane, n_input_plane, kh, kw), as SpatialConvolution's; no bias.
    Raises: as SpatialConvolution.
    Source: dpnn/README.md#nn.SpatialBinaryConvolution; Rastegari et al., 2016.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> weight = jnp.array([[[[0.5, -1.5]]]])  # signs 1 and -1, mean size 1
    >>> layer = f7.SpatialBinaryConvolution(1, 1, 2, 1)
    >>> jax.jit(layer.apply)({"weight": weight}, {}, jnp.array([[[3.0, 1.0]]]))[0].tolist()
    [[[2.0]]]
    """

    scaled_axes = None  # a weight that is rounded to 0 would have no sign

    bias: bool = False
    groups: ClassVar[int] = 1  # type: ignore[misc]

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        # Torch makes a convolution with a bias and takes that away: of a sequential generator both are drawn.
        shape = self.kernel_shape()
        return {"weight": weight_and_bias(key, shape, math.prod(shape[1:]), True, stdv)["weight"]}

    def convolved(self, images: Array, weight: Array) -> Array:
        return convolve_signs(images, weight, self.window("d"), self.window("pad"))

    def printed(self) -> str:
        return "Binary Convolution: " + super().printed()
