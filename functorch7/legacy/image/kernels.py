"""Kernels and their uses: convolutions, pyramids, local contrast, morphology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from ..tensors.kinds import Operand
from ..tensors.tensor import Tensor
from .results import as_result, by_default, by_name, image_of, one_of, rounded, tensors_first, working
from .scaling import scale


@by_name
def gaussian(
    size: int = 3, sigma: float = 0.25, amplitude: float = 1, normalize: bool = False, width: int | None = None,
    height: int | None = None, sigma_horz: float | None = None, sigma_vert: float | None = None,
    mean_horz: float = 0.5, mean_vert: float = 0.5, tensor: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """height x width: amplitude exp(-(dx^2 + dy^2) / 2), with dx = (x - center) / (sigma width), and dy likewise.

    `size` and `sigma` are the defaults for sizes and sigmas; means and sigmas are shares of the sizes. With `normalize`
    the sum is 1. If `tensor` is given, it is filled in its own sizes. Raises ValueError unless it is a matrix.
    Source: image/doc/tensorconstruct.md.
    """
    if tensor is not None and tensor.dim() != 2:
        raise ValueError("image.gaussian: expecting 2D tensor")
    height, width = (height or size, width or size) if tensor is None else tensor.shape
    dx = _deviation(width, sigma_horz or sigma, mean_horz)
    dy = _deviation(height, sigma_vert or sigma, mean_vert)[:, None]
    return _kernel(amplitude * np.exp(-(dx**2 + dy**2) / 2), normalize, tensor)


@by_name
def gaussian1D(
    size: int = 3, sigma: float = 0.25, amplitude: float = 1, normalize: bool = False, mean: float = 0.5,
    tensor: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """As `gaussian`, with one dimension. Raises ValueError if `tensor` has not exactly one."""
    if tensor is not None and tensor.dim() != 1:
        raise ValueError("image.gaussian1D: expecting 1D tensor")
    size = size if tensor is None else tensor.nElement()
    return _kernel(amplitude * np.exp(-(_deviation(size, sigma, mean) ** 2) / 2), normalize, tensor)


@by_name
def laplacian(
    size: int = 3, sigma: float = 0.1, amplitude: float = 1, normalize: bool = False, width: int | None = None,
    height: int | None = None, sigma_horz: float | None = None, sigma_vert: float | None = None,
    mean_horz: float = 0.5, mean_vert: float = 0.5,
) -> Tensor:  # fmt: skip
    """As `gaussian`, times 1 - (dx^2 + dy^2) / 2: the Laplacian of a Gaussian.

    Differs from Torch7: Torch7 measures rows by the horizontal size, and columns by the vertical one.
    """
    height, width = height or size, width or size
    dx = _deviation(width, sigma_horz or sigma, mean_horz)
    dy = _deviation(height, sigma_vert or sigma, mean_vert)[:, None]
    square = (dx**2 + dy**2) / 2
    return _kernel((1 - square) * amplitude * np.exp(-square), normalize, None)


def _deviation(size: int, sigma: float, mean: float) -> np.ndarray:
    """The places 1 .. size from the mean, in sigmas."""
    return (np.arange(1, size + 1) - (mean * size + 0.5)) / (sigma * size)


def _kernel(values: np.ndarray, normalize: bool, tensor: Tensor | None) -> Tensor:
    values = values / values.sum() if normalize else values
    return Tensor.of(by_default(values)) if tensor is None else tensor.copy(rounded(values, tensor.dtype))


def convolve(*args: Operand) -> Tensor:
    """`convolve([result,] image, kernel [, mode])`: each plane with the kernel, or with its own plane of it.

    The mode is "valid" (where the kernel lies inside), "full" (where it touches the image) or "same" (the image's
    size). Raises ValueError for other modes, and for a kernel that does not fit.
    """
    destination, (source, kernel, *mode) = tensors_first("convolve", args, 2)
    chosen = one_of("convolve", "mode", mode[0] if mode else "valid", ("valid", "full", "same"))
    image, weights = working(image_of("convolve", source)), working(image_of("convolve", kernel))
    if weights.ndim == 3 and weights.shape[0] != image[..., :1, :1].size:
        raise ValueError(f"image.convolve: expected a kernel of {image[..., :1, :1].size} planes, got {len(weights)}")
    found = _convolved(image, weights, chosen != "valid")
    if chosen == "same":
        (first_row, first_column), (height, width) = ((n - 1) // 2 for n in weights.shape[-2:]), image.shape[-2:]
        found = found[..., first_row : first_row + height, first_column : first_column + width]
    return as_result(found, source, destination)


def _convolved(image: np.ndarray, kernel: np.ndarray, full: bool) -> np.ndarray:
    height, width = kernel.shape[-2:]
    if full:
        around = [(0, 0)] * (image.ndim - 2) + [(height - 1, height - 1), (width - 1, width - 1)]
        image = np.pad(image, around)
    if image.shape[-2] < height or image.shape[-1] < width:
        raise ValueError(f"image.convolve: expected an image of at least {height}x{width}, got {image.shape}")
    windows = np.lib.stride_tricks.sliding_window_view(image, (height, width), axis=(-2, -1))  # type: ignore[call-overload]
    kernel = kernel[..., ::-1, ::-1]
    return np.einsum("...ijkl,...kl->...ij", windows, kernel, optimize=False)


@overload
def gaussianpyramid(image: Tensor, scales: Sequence[float], /) -> list[Tensor]: ...


@overload
def gaussianpyramid(results: list[Tensor], image: Tensor, scales: Sequence[float], /) -> list[Tensor]: ...


def gaussianpyramid(*args: Any) -> list[Tensor]:
    """`gaussianpyramid([results,] image, scales)`: the image in each scale, made from the one before, blurred.

    `results` is a list of tensors. Raises TypeError for other arguments.
    """
    if len(args) not in (2, 3) or not isinstance(args[-2], Tensor):
        raise TypeError("image.gaussianpyramid: expected ([results,] image, scales)")
    source, scales = args[-2:]
    found = args[0] if len(args) == 3 else []
    found += [source.new() for _ in scales][len(found) :]
    kernel, image = gaussian(width=3, normalize=True), source
    for result, factor in zip(found, scales, strict=True):
        *depth, height, width = source.shape
        result.resize(*depth, int(height * factor), int(width * factor))
        scale(result, image, "simple")
        image = convolve(result, kernel.type(source.type()), "same")
    return found


def lcn(im: Tensor, ker: Tensor | None = None) -> Tensor:
    """A grey image with normalised local contrast: minus the local mean, divided by the local deviation, at least 1.

    `ker` weighs the neighbourhood, by default a 9 x 9 Gaussian; the result is smaller by it. Raises ValueError for
    a coloured image.
    """
    image = image_of("lcn", im).astype(np.float64)
    image = image[0] if image.ndim == 3 and image.shape[0] == 1 else image
    if image.ndim != 2:
        raise ValueError("image.lcn: grayscale image expected")
    kernel = np.asarray(gaussian(9, 1.591 / 9, normalize=True) if ker is None else ker, np.float64)
    image = (image - image.mean()) / image.std(ddof=1)
    mean = _convolved(image, kernel, False)
    deviation = np.sqrt(np.maximum(_convolved(image**2, kernel, False) - mean**2, 0))
    top, left = (n // 2 for n in kernel.shape)
    inside = image[top : top + mean.shape[0], left : left + mean.shape[1]]
    return Tensor.of((inside - mean) / np.maximum(deviation, 1))


def erode(im: Tensor, kern: Tensor | None = None, pad: float = 1) -> Tensor:
    """1 where all pixels under a kernel of 0 and 1, by default 3 x 3, are 1; `pad` stands outside the image."""
    kernel = np.ones((3, 3)) if kern is None else kern.numpy()
    return as_result(_around(im, kernel, pad, "erode") == kernel.sum(), im, None)


def dilate(im: Tensor, kern: Tensor | None = None, pad: float = 0) -> Tensor:
    """1 where any pixel under a kernel of 0 and 1, by default 3 x 3, is 1; `pad` stands outside the image."""
    kernel = np.ones((3, 3)) if kern is None else kern.numpy()[::-1, ::-1]
    return as_result(_around(im, kernel, pad, "dilate") > 0, im, None)


def _around(im: Tensor, kernel: np.ndarray, pad: float, who: str) -> np.ndarray:
    image = image_of(who, im, (2,)).astype(np.float64)
    edges = [((n - 1) // 2, n // 2) for n in kernel.shape]
    return _convolved(np.pad(image, edges, constant_values=pad), kernel, False)
