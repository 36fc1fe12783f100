"""Convolutions."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Layer, builder, check_positive, expected, in_dtype_of
from ..core.initializers import weight_and_bias

# On CPU, rows of patches and one matrix product beat XLA's own convolution for large kernels, as long as the
# matrix stays small (docs/performance.md).
_PATCH_KERNEL = 25
_PATCH_VALUES = 4_000_000


def _by_patches(x: jax.Array, weight: jax.Array, stride: tuple[int, int], padding: tuple[int, int]) -> jax.Array:
    """The convolution as one matrix product: every window is a row of a matrix."""
    out_planes, _, kh, kw = weight.shape
    x = jnp.pad(x.transpose(0, 2, 3, 1), ((0, 0), *((p, p) for p in padding), (0, 0)))
    oh, ow = ((size - k) // d + 1 for size, k, d in zip(x.shape[1:3], (kh, kw), stride, strict=True))
    windows = [
        x[:, i : i + (oh - 1) * stride[0] + 1 : stride[0], j : j + (ow - 1) * stride[1] + 1 : stride[1]]
        for i in range(kh)
        for j in range(kw)
    ]
    rows = jnp.concatenate(windows, -1).reshape(-1, weight[0].size)
    product = rows @ weight.transpose(2, 3, 1, 0).reshape(-1, out_planes)
    return product.reshape(x.shape[0], oh, ow, out_planes).transpose(0, 3, 1, 2)


def convolve(x: jax.Array, weight: jax.Array, stride: tuple[int, int], padding: tuple[int, int]) -> jax.Array:
    """Cross-correlation of B x C x H x W with O x C x kH x kW, by whatever is fastest for these shapes."""
    kh, kw = weight.shape[2:]
    if jax.default_backend() == "cpu":
        if (kh, kw, stride, padding) == (1, 1, (1, 1), (0, 0)):
            return jnp.einsum("oc,nchw->nohw", weight[:, :, 0, 0], x)
        if kh * kw >= _PATCH_KERNEL and stride == (1, 1) and x.size * kh * kw <= _PATCH_VALUES:
            return _by_patches(x, weight, stride, padding)
    return lax.conv_general_dilated(x, weight, stride, [(p, p) for p in padding])


class SpatialConvolution(Layer):
    """Cross-correlation of images with learned kernels, plus a bias per output plane.

    Shape: (C, H, W) or (B, C, H, W) -> n_output_plane planes of floor((size + 2 pad - k) / d) + 1.
    Arguments come width first (kw, kh, dw, dh, padw, padh), padh is padw unless given; sizes in pixels.
    Parameters: weight (n_output_plane, n_input_plane, kh, kw), bias (n_output_plane,); both uniform on
    +-1/sqrt(kw * kh * n_input_plane), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or plane counts, and for images smaller than the kernel.
    Source: nn/doc/convolution.md#nn.SpatialConvolution.
    """

    n_input_plane: int
    n_output_plane: int
    kw: int
    kh: int
    dw: int = 1
    dh: int = 1
    padw: int = 0
    padh: int | None = None
    bias: bool = True

    def __post_init__(self) -> None:
        if self.padh is None:
            self._set(padh=self.padw)
        planes = {"n_input_plane": self.n_input_plane, "n_output_plane": self.n_output_plane}
        check_positive(self, **planes, kw=self.kw, kh=self.kh, dw=self.dw, dh=self.dh)

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Any]:
        shape = (self.n_output_plane, self.n_input_plane, self.kh, self.kw)
        return weight_and_bias(key, shape, self.kw * self.kh * self.n_input_plane, self.bias, stdv)

    def f(self, params: Any, input: Any) -> Any:
        if input.ndim not in (3, 4) or input.shape[-3] != self.n_input_plane:
            raise expected(self, f"a 3D or 4D tensor with {self.n_input_plane} planes in dimension -3", input)
        images = in_dtype_of(self, input, params["weight"]).reshape((-1, *input.shape[-3:]))
        padding = (self.padh or 0, self.padw)
        if images.shape[2] + 2 * padding[0] < self.kh or images.shape[3] + 2 * padding[1] < self.kw:
            raise expected(self, "images that (with their padding) are no smaller than the kernel", input)
        output = convolve(images, params["weight"], (self.dh, self.dw), padding)
        if self.bias:
            output = output + params["bias"].reshape(1, -1, 1, 1)
        return output.reshape(input.shape[:-3] + output.shape[1:])

    @builder
    def no_bias(self) -> "SpatialConvolution":
        """The same layer without bias."""
        return self.replace(bias=False)

    def printed(self) -> str:
        text = f"{self.torch_name()}({self.n_input_plane} -> {self.n_output_plane}, {self.kw}x{self.kh}"
        if (self.dw, self.dh, self.padw, self.padh) != (1, 1, 0, 0):
            text += f", {self.dw},{self.dh}"
        if (self.padw, self.padh) != (0, 0):
            text += f", {self.padw},{self.padh}"
        return text + (")" if self.bias else ") without bias")
