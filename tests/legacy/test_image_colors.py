"""Spaces of colours, beside colorsys and published values; kernels, beside SciPy and formulas."""

import colorsys

import numpy as np
import pytest
from scipy import ndimage, signal

from functorch7.legacy import image, torch

from .pictures import picture
from .pictures import tensor_of as of

# Colours --------------------------------------------------------------------------------------------------------------


def hls_to_hsl(h, lightness, s):
    return h, s, lightness


SPACES = {
    "hsv": (lambda *rgb: colorsys.rgb_to_hsv(*rgb), 1e-6),
    "hsl": (lambda *rgb: hls_to_hsl(*colorsys.rgb_to_hls(*rgb)), 1e-6),
    "yuv": (
        lambda r, g, b: (
            0.299 * r + 0.587 * g + 0.114 * b,
            -0.14713 * r - 0.28886 * g + 0.436 * b,
            0.615 * r - 0.51499 * g - 0.10001 * b,
        ),
        3e-5,
    ),
    "nrgb": (lambda *rgb: tuple(each / (sum(rgb) + 1e-6) for each in rgb), None),
}


@pytest.mark.parametrize("name", SPACES)
def test_colours_are_converted_as_colorsys_does_and_back(name):
    convert, tolerance = SPACES[name]
    rgb = picture(np.float64, 3, 6, 5)
    rgb[:, 0, 0], rgb[:, 0, 1], rgb[:, 0, 2] = 0, 1, 0.5  # black, white, grey
    rgb[:, 1, 0], rgb[:, 1, 1], rgb[:, 1, 2] = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    found = getattr(image, f"rgb2{name}")(of(rgb))
    expected = np.stack([[convert(*rgb[:, j, i]) for i in range(5)] for j in range(6)]).transpose(2, 0, 1)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)
    if tolerance is not None:
        np.testing.assert_allclose(getattr(image, f"{name}2rgb")(found).numpy(), rgb, atol=tolerance)


@pytest.mark.parametrize("name", ["hsv", "hsl"])
def test_bytes_are_colours_from_0_to_255(name):
    rgb = picture(np.uint8, 3, 6, 5)
    found = getattr(image, f"rgb2{name}")(of(rgb)).numpy()
    expected = getattr(image, f"rgb2{name}")(of(rgb / 255.0)).numpy()
    assert found.dtype == np.uint8
    np.testing.assert_allclose(found, expected * 255, atol=0.5 + 1e-4, rtol=0)


@pytest.mark.parametrize(("rgb", "lab"), [
    # CIE L*a*b* of sRGB's corners, D65: brucelindbloom.com
    ((1, 1, 1), (100, 0, 0)), ((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (53.24, 80.09, 67.20)),
    ((0, 1, 0), (87.73, -86.18, 83.18)), ((0, 0, 1), (32.30, 79.19, -107.86)), ((0.5, 0.5, 0.5), (53.39, 0, 0)),
])  # fmt: skip
def test_lab_has_the_published_values(rgb, lab):
    found = image.rgb2lab(of(np.array(rgb, float).reshape(3, 1, 1)))
    np.testing.assert_allclose(found.numpy().reshape(-1), lab, atol=0.02)
    np.testing.assert_allclose(image.lab2rgb(found).numpy().reshape(-1), rgb, atol=2e-4)


def test_maps_of_colours():
    jet = image.jetColormap(4).numpy()
    np.testing.assert_allclose(jet, [[0, 0.5, 1], [0.5, 1, 0.5], [1, 0.5, 0], [0.5, 0, 0]])
    levels = np.array([[1.0, 2], [3, 4]])
    np.testing.assert_allclose(image.y2jet(of(levels)).numpy(), jet.reshape(2, 2, 3).transpose(2, 0, 1))
    np.testing.assert_array_equal(image.y2jet(of(levels.astype(np.uint8))).numpy()[:, 0, 0], [0, 128, 255])
    fractions, of_three = np.array([[0.5, 1.2, 1.99], [2.0, 2.6, 3.4]]), 4 * np.array([1, 2, 3]) / 3.4
    blue = np.clip(np.minimum(of_three + 0.5, 2.5 - of_three), 0, 1)  # Torch's formula, for a number that is not whole
    np.testing.assert_allclose(image.y2jet(of(fractions)).numpy()[2], blue[[[0, 0, 0], [1, 1, 2]]])
    for i, color in enumerate(image.colormap(12).numpy()):
        expected = colorsys.hls_to_rgb(39 * i % 360 / 360, 0.5, i / 9 % 0.7 + 0.3)
        np.testing.assert_allclose(color, expected, atol=1e-6)


# Kernels --------------------------------------------------------------------------------------------------------------


def bell(x, size, sigma, mean):
    return ((x + 1) - (mean * size + 0.5)) / (sigma * size)


def test_gaussian_kernels_are_the_formula():
    options = {"amplitude": 2, "width": 5, "height": 4, "sigma_horz": 0.3, "sigma_vert": 0.2, "mean_horz": 0.4}
    columns, rows = ([bell(i, *of_) ** 2 / 2 for i in range(of_[0])] for of_ in ((5, 0.3, 0.4), (4, 0.2, 0.5)))
    wanted = np.exp(-np.add.outer(rows, columns))
    np.testing.assert_allclose(image.gaussian(**options).numpy(), 2 * wanted, rtol=1e-6)
    np.testing.assert_allclose(image.gaussian(**options, normalize=True).numpy(), wanted / wanted.sum(), rtol=1e-6)
    given = torch.DoubleTensor(4, 5)
    assert image.gaussian(tensor=given, **{k: v for k, v in options.items() if k not in ("width", "height")}) is given
    np.testing.assert_allclose(given.numpy(), 2 * wanted)
    line = np.exp([-(bell(i, 7, 0.25, 0.5) ** 2) / 2 for i in range(7)])
    np.testing.assert_allclose(image.gaussian1D(7).numpy(), line, rtol=1e-6)
    np.testing.assert_allclose(image.gaussian1D(7, normalize=True).sum(), 1, rtol=1e-6)
    squares = np.array(
        [[(bell(i, 5, 0.1, 0.5) ** 2 + bell(j, 5, 0.1, 0.5) ** 2) / 2 for i in range(5)] for j in range(5)]
    )
    np.testing.assert_allclose(image.laplacian(5).numpy(), (1 - squares) * np.exp(-squares), atol=1e-7)


@pytest.mark.parametrize("mode", ["valid", "full", "same"])
@pytest.mark.parametrize("size", [(3, 3), (2, 4), (5, 1)])
def test_convolutions_are_scipys(mode, size):
    planes, kernel = picture(np.float64, 2, 8, 9), picture(np.float64, *size)
    expected = np.stack([signal.convolve2d(plane, kernel, mode) for plane in planes])
    found = image.convolve(of(planes), of(kernel), mode)
    np.testing.assert_allclose(found.numpy(), expected)
    result = torch.DoubleTensor()
    assert image.convolve(result, of(planes), of(kernel), mode) is result
    np.testing.assert_allclose(image.convolve(of(planes[0]), of(kernel), mode).numpy(), expected[0])
    kernels = picture(np.float64, 2, *size)
    each = [signal.convolve2d(plane, own, mode) for plane, own in zip(planes, kernels, strict=True)]
    np.testing.assert_allclose(image.convolve(of(planes), of(kernels), mode).numpy(), np.stack(each))


def test_morphology_is_scipys():
    binary = (picture(np.float32, 9, 8) > 0.6).astype(np.float32)
    kernel = np.array([[0, 1, 1], [0, 1, 0], [1, 0, 0]], np.float32)
    for given, structure in ((), np.ones((3, 3))), ((of(kernel),), kernel):
        # SciPy's structure is as the kernel lies, Torch's convolution turns it round
        turned = np.asarray(structure)[::-1, ::-1] > 0
        eroded = ndimage.binary_erosion(binary > 0, turned, border_value=1)
        np.testing.assert_array_equal(image.erode(of(binary), *given).numpy(), eroded)
        dilated = ndimage.binary_dilation(binary > 0, turned, border_value=0)
        np.testing.assert_array_equal(image.dilate(of(binary), *given).numpy(), dilated)


def test_local_contrast():
    array, kernel = picture(np.float64, 12, 13) * 50, image.gaussian(5, normalize=True)
    weights = kernel.numpy().astype(float)
    z = (array - array.mean()) / array.std(ddof=1)
    mean, square = (signal.convolve2d(each, weights, "valid") for each in (z, z**2))
    expected = (z[2:-2, 2:-2] - mean) / np.maximum(np.sqrt(np.maximum(square - mean**2, 0)), 1)
    np.testing.assert_allclose(image.lcn(of(array), kernel).numpy(), expected, atol=1e-6)
    assert image.lcn(of(array)).size() == [4, 5]


def test_pyramids_halve_and_blur():
    array = picture(np.float64, 2, 8, 12)
    first, second = image.gaussianpyramid(of(array), [1, 0.5])
    np.testing.assert_array_equal(first.numpy(), array)
    blurred = image.convolve(first, image.gaussian(3, normalize=True).type("torch.DoubleTensor"), "same")
    np.testing.assert_allclose(second.numpy(), blurred.numpy()[:, ::2, ::2])
