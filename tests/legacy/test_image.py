"""Images in other sizes and places, beside NumPy, SciPy and formulas; image's documentation says what they are."""

import math

import numpy as np
import pytest
from scipy import ndimage

from functorch7.legacy import image, torch

from .pictures import picture
from .pictures import tensor_of as of

TYPES = {"byte": np.uint8, "float": np.float32, "double": np.float64}


def stored(values, dtype):
    """Values as an image of a type has them: bytes are rounded, halves up."""
    return np.clip(np.floor(values + 0.5), 0, 255).astype(dtype) if dtype == np.uint8 else values.astype(dtype)


# What each function gives, computed another way -----------------------------------------------------------------------


def at(planes, y, x, order=1, mode="nearest", cval=0.0):
    """The planes at fractional places, by SciPy."""
    found = [
        ndimage.map_coordinates(plane.astype(float), [y, x], order=order, mode=mode, cval=cval) for plane in planes
    ]
    return np.stack(found)


def bilinear(planes, height, width):
    """Larger sizes: linear between the corners' pixels. Smaller ones: means, by differences of the integral."""

    def along(values, size):
        old = values.shape[-1]
        if size >= old:
            places = np.linspace(0, old - 1, size)
            return np.apply_along_axis(lambda line: np.interp(places, np.arange(old), line), -1, values)
        integral = np.concatenate([np.zeros((*values.shape[:-1], 1)), values.cumsum(-1)], -1)
        edges = np.arange(size + 1) * old / size
        at_edges = np.apply_along_axis(lambda line: np.interp(edges, np.arange(old + 1), line), -1, integral)
        return np.diff(at_edges) * size / old

    return along, height, width


def scaled(planes, width, height, dtype):
    along, *_ = bilinear(planes, height, width)
    wide = stored(along(planes.astype(float), width), dtype).astype(float)
    return along(wide.swapaxes(-1, -2), height).swapaxes(-1, -2)


def nearest(planes, width, height):
    rows = [int(j * planes.shape[-2] / height) for j in range(height)]
    columns = [int(i * planes.shape[-1] / width) for i in range(width)]
    return planes[..., rows, :][..., columns]


def rotated(planes, theta, order):
    height, width = planes.shape[-2:]
    y, x = np.mgrid[:height, :width] - np.array([(height - 1) / 2, (width - 1) / 2])[:, None, None]
    old_x = math.cos(theta) * x - math.sin(theta) * y + (width - 1) / 2
    old_y = math.cos(theta) * y + math.sin(theta) * x + (height - 1) / 2
    if order == 0:
        old_x, old_y = (np.trunc(each + np.copysign(0.5, each)) for each in (old_x, old_y))
        return at(planes, old_y, old_x, 0, "constant")
    inside = (old_x > -0.5) & (old_x < width - 0.5) & (old_y > -0.5) & (old_y < height - 0.5)
    return np.where(inside, at(planes, np.clip(old_y, 0, height - 1), np.clip(old_x, 0, width - 1)), 0)


def polar(planes, full=False, logarithmic=False):
    count, height, width = planes.shape
    side = max(height, width)
    found = np.zeros((count, side, side))
    largest = math.hypot(height, width) / 2 if full else min(height, width) / 2
    for j in range(side):
        for i in range(side):
            radius = math.exp(i * math.log(largest) / side) if logarithmic else largest * i / side
            angle = 2 * math.pi * j / side
            y, x = radius * math.cos(angle) + height / 2, -radius * math.sin(angle) + width / 2
            y, x = math.floor(y), math.floor(x)
            if 0 <= y < height and 0 <= x < width:
                found[:, j, i] = planes[:, y, x]
    return found


def moved(planes, x, y):
    found = np.zeros_like(planes)
    for j in range(planes.shape[-2]):
        for i in range(planes.shape[-1]):
            if 0 <= j - y < planes.shape[-2] and 0 <= i - x < planes.shape[-1]:
                found[..., j, i] = planes[..., j - y, i - x]
    return found


FLOW = np.random.default_rng(5).uniform(-6, 6, (2, 5, 4))


def flowed(planes, offset=True, **options):
    y, x = np.mgrid[:5, :4] * offset + FLOW
    inside = (y >= 0) & (y <= planes.shape[-2] - 1) & (x >= 0) & (x <= planes.shape[-1] - 1)
    y, x = np.clip(y, 0, planes.shape[-2] - 1), np.clip(x, 0, planes.shape[-1] - 1)
    found = at(planes, y, x, **{k: v for k, v in options.items() if k == "order"})
    return np.where(inside, found, options["pad"]) if "pad" in options else found


LUMINANCE = [[0.299, 0.587, 0.114]]
FUNCTIONS = {
    "scale to a larger size": (lambda t, *d: image.scale(t, 11, 16), lambda a: scaled(a, 11, 16, a.dtype), 2e-6),
    "scale to a smaller size": (lambda t, *d: image.scale(t, 5, 4), lambda a: scaled(a, 5, 4, a.dtype), 2e-6),
    "scale to another shape": (lambda t, *d: image.scale(t, "20x3"), lambda a: scaled(a, 20, 3, a.dtype), 2e-6),
    "scale the longer side": (lambda t, *d: image.scale(t, 18), lambda a: scaled(a, 14, 18, a.dtype), 2e-6),
    "scale the shorter side": (lambda t, *d: image.scale(t, "^14"), lambda a: scaled(a, 14, 18, a.dtype), 2e-6),
    "scale by a factor": (lambda t, *d: image.scale(t, "*2"), lambda a: scaled(a, 14, 18, a.dtype), 2e-6),
    "scale by a fraction": (lambda t, *d: image.scale(t, "*1/2"), lambda a: scaled(a, 3, 4, a.dtype), 2e-6),
    "scale, simple": (lambda t, *d: image.scale(t, 10, 4, "simple"), lambda a: nearest(a, 10, 4), 0),
    "crop": (lambda t, *d: image.crop(*d, t, 1, 2, 6, 7), lambda a: a[..., 2:7, 1:6], 0),
    "crop the centre": (lambda t, *d: image.crop(*d, t, "c", 4, 6), lambda a: a[..., 1:7, 1:5], 0),
    "crop top left": (lambda t, *d: image.crop(*d, t, "tl", 4, 6), lambda a: a[..., :6, :4], 0),
    "crop top right": (lambda t, *d: image.crop(*d, t, "tr", 4, 6), lambda a: a[..., :6, -4:], 0),
    "crop bottom left": (lambda t, *d: image.crop(*d, t, "bl", 4, 6), lambda a: a[..., -6:, :4], 0),
    "crop bottom right": (lambda t, *d: image.crop(*d, t, "br", 4, 6), lambda a: a[..., -6:, -4:], 0),
    "hflip": (lambda t, *d: image.hflip(*d, t), lambda a: a[..., ::-1], 0),
    "vflip": (lambda t, *d: image.vflip(*d, t), lambda a: a[..., ::-1, :], 0),
    "flip": (lambda t, *d: image.flip(*d, t, 1), lambda a: a[::-1], 0),
    "translate": (lambda t, *d: image.translate(*d, t, 2, -3), lambda a: moved(a, 2, -3), 0),
    "translate out of the image": (lambda t, *d: image.translate(*d, t, 20, 0), np.zeros_like, 0),
    "rotate": (lambda t, *d: image.rotate(*d, t, 0.7), lambda a: rotated(a, 0.7, 0), 0),
    "rotate, bilinear": (lambda t, *d: image.rotate(*d, t, 0.7, "bilinear"), lambda a: rotated(a, 0.7, 1), 1e-5),
    "rotate a quarter": (
        lambda t, *d: image.rotate(*d, t[[], [1, 7], []], math.pi / 2), lambda a: np.rot90(a[:, :7], axes=(1, 2)), 0,
    ),
    "polar": (lambda t, *d: image.polar(*d, t), polar, 0),
    "polar, full": (lambda t, *d: image.polar(*d, t, "simple", "full"), lambda a: polar(a, True), 0),
    "logpolar": (lambda t, *d: image.logpolar(*d, t), lambda a: polar(a, False, True), 0),
    "warp": (lambda t, *d: image.warp(*d, t, of(FLOW)), flowed, 1e-5),
    "warp, simple": (lambda t, *d: image.warp(*d, t, of(FLOW), "simple"), lambda a: flowed(a, order=0), 0),
    "warp from the top": (
        lambda t, *d: image.warp(*d, t, of(FLOW), "bilinear", False), lambda a: flowed(a, False), 1e-5,
    ),
    "warp with a pad": (
        lambda t, *d: image.warp(*d, t, of(FLOW), "bilinear", True, "pad", 7), lambda a: flowed(a, pad=7), 1e-5,
    ),
    "rgb2y": (lambda t, *d: image.rgb2y(*d, t), lambda a: np.tensordot(LUMINANCE, a.astype(float), 1), 1e-6),
}  # fmt: skip


@pytest.mark.parametrize("contiguous", [True, False], ids=["contiguous", "strided"])
@pytest.mark.parametrize("dtype", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_scipy_and_formulas_give(name, dtype, contiguous):
    call, expected, tolerance = FUNCTIONS[name]
    array = picture(dtype, 3, 11 if "polar" in name else 9, 7)  # 11 angles, none of which falls between two pixels
    source = of(array, contiguous)
    wanted = stored(expected(array), dtype)
    tolerance = tolerance and (1 if dtype == np.uint8 else tolerance)  # a rounding may fall to the other side
    found = call(source)
    assert found.dtype == dtype and found.size() == list(wanted.shape)
    np.testing.assert_allclose(found.numpy().astype(float), wanted.astype(float), atol=tolerance, rtol=tolerance)
    np.testing.assert_array_equal(source.numpy(), array)
    if not name.startswith("scale"):  # whose result's size matters
        destination = of(np.zeros_like(wanted))
        assert call(source, destination) is destination
        np.testing.assert_array_equal(destination.numpy(), found.numpy())


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "simple"])
def test_scale_and_crop_fill_a_result_of_any_size(mode):
    source, result = of(picture(np.float32, 3, 9, 7)), torch.Tensor(3, 4, 12)
    assert image.scale(result, source, mode) is result
    np.testing.assert_array_equal(result.numpy(), image.scale(source, 12, 4, mode).numpy())
    image.crop(result, source, 1, 2, 6, 7)
    np.testing.assert_array_equal(result.numpy(), image.scale(image.crop(source, 1, 2, 6, 7), 12, 4).numpy())
    small = image.crop(torch.Tensor(3, 2, 3), source, 4, 5)
    np.testing.assert_array_equal(small.numpy(), source.numpy()[:, 5:7, 4:7])


@pytest.mark.parametrize("name", ["scale to a smaller size", "crop", "hflip", "vflip", "translate", "scale, simple"])
def test_images_of_two_dimensions_are_single_planes(name):
    array = picture(np.float32, 9, 7)
    call, *_ = FUNCTIONS[name]
    np.testing.assert_array_equal(call(of(array)).numpy(), call(of(array[None])).numpy()[0])


@pytest.mark.parametrize("flip", [image.hflip, image.vflip])
def test_flips_in_place(flip):
    array = picture(np.float32, 3, 4, 5)
    tensor = of(array)
    assert flip(tensor, tensor) is tensor
    np.testing.assert_array_equal(tensor.numpy(), flip(of(array)).numpy())


@pytest.mark.parametrize("dim", range(1, 6))
def test_flip_turns_any_dimension(dim):
    array = picture(np.float32, 2, 3, 4, 2, 3)
    np.testing.assert_array_equal(image.flip(of(array), dim).numpy(), np.flip(array, dim - 1))


def keys(x):
    """The cubic convolution kernel of Keys, 1981, with a = -1/2."""
    x = abs(x)
    inner, outer = 1.5 * x**3 - 2.5 * x**2 + 1, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return inner if x <= 1 else outer if x < 2 else 0.0


def test_bicubic_scaling_is_the_convolution_of_keys_and_keeps_straight_lines():
    line = picture(np.float64, 1, 12)
    found = image.scale(of(line), 23, 1, "bicubic").numpy()[0]
    for i in range(3, 20):
        place = i * 11 / 22
        assert found[i] == pytest.approx(sum(keys(place - j) * line[0, j] for j in range(12)), abs=1e-6)
    ramp = np.add.outer(np.arange(6.0), 2 * np.arange(9.0))
    expected = np.add.outer(np.linspace(0, 5, 11), 2 * np.linspace(0, 8, 5))
    np.testing.assert_allclose(image.scale(of(ramp), 5, 11, "bicubic").numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("mode", ["simple", "bilinear", "bicubic", "lanczos"])
def test_warping_by_no_flow_and_by_whole_pixels(mode):
    array = picture(np.float64, 2, 12, 11)
    same = image.warp(of(array), of(np.zeros((2, 12, 11))), mode).numpy()
    inner = (..., slice(4, -4), slice(4, -4))
    np.testing.assert_allclose(same[inner], array[inner], atol=1e-5)
    shift = np.stack([np.full((12, 11), 1.0), np.full((12, 11), -2.0)])
    shifted = image.warp(of(array), of(shift), mode).numpy()
    np.testing.assert_allclose(shifted[inner], array[..., 5:-3, 2:-6], atol=1e-5)


@pytest.mark.parametrize(("mode", "kernel", "reach"), [
    ("bicubic", keys, 2), ("lanczos", lambda x: np.sinc(x) * np.sinc(x / 3) * (abs(x) < 3), 3),
])  # fmt: skip
def test_warping_between_pixels_is_a_sum_over_the_kernel(mode, kernel, reach):
    array = picture(np.float64, 10, 10)
    place = np.array([4.3, 5.6])
    found = image.warp(of(array), of(place.reshape(2, 1, 1)), mode, False).item()
    rows, columns = ([kernel(float(np.float32(p)) - i) for i in range(10)] for p in place)
    total = 1 if mode == "bicubic" else sum(rows) * sum(columns)
    assert found == pytest.approx(np.einsum("i,ij,j", rows, array, columns) / total, abs=1e-5)


def test_affine_transforms_map_about_the_centre():
    array = picture(np.float64, 1, 9, 9)
    matrix = np.array([[0.8, -0.3], [0.2, 1.1]])
    found = image.affinetransform(of(array), of(matrix), "bilinear", [1, -2]).numpy()
    center = np.array([4.0, 4.0])
    y, x = np.mgrid[:9, :9]
    places = np.einsum("ij,jhw->ihw", matrix, np.stack([y, x]) - center[:, None, None]) + center[:, None, None]
    places = places - np.array([1, -2])[:, None, None]
    expected = at(array, *np.clip(places, 0, 8))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    moved_only = image.affinetransform(of(array), of(np.eye(2)), "bilinear", of(np.array([2.0, 1.0])), "pad", 0)
    np.testing.assert_allclose(moved_only.numpy(), image.translate(of(array), 1, 2).numpy(), atol=1e-5)


def test_polar_interpolates_between_pixels():
    ramp = np.add.outer(np.arange(20.0), 3 * np.arange(20.0))[None]
    found = image.polar(of(ramp), "bilinear").numpy()[0]
    for j, i in ((0, 5), (3, 12), (11, 15), (17, 2)):
        radius, angle = 10 * i / 20, 2 * math.pi * j / 20
        y, x = 10 + radius * math.cos(angle), 10 - radius * math.sin(angle)
        assert found[j, i] == pytest.approx(y + 3 * x, abs=1e-4)


# Errors ---------------------------------------------------------------------------------------------------------------

SMALL = torch.Tensor(3, 4, 4)


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: image.scale(SMALL, "big"), ValueError, "image.scale: could not find valid dest size"),
    (lambda: image.scale(SMALL, 2, 2, "cubic"), ValueError, "image.scale: mode must be one of: bilinear | bicubic"),
    (lambda: image.scale(torch.Tensor(2, 2, 2), SMALL), ValueError, "src and dst depths do not match: 3x4x4, 2x2x2"),
    (lambda: image.scale(3, 4), TypeError, "image.scale: expected 1 tensors"),
    (lambda: image.crop(SMALL, 2, 2, 5, 4), ValueError, "image.crop: columns 2 to 5, rows 2 to 4 of 3x4x4"),
    (lambda: image.crop(SMALL, "x", 2, 2), ValueError, "image.crop: format must be one of: c"),
    (lambda: image.hflip(torch.Tensor(4)), ValueError, "image.hflip: expected an image of size HxW or CxHxW, got 4"),
    (lambda: image.flip(SMALL, 4), ValueError, "bad flip dimension 4 of 3x4x4"),
    (lambda: image.rotate(SMALL, 1, "cubic"), ValueError, "image.rotate: mode must be one of: simple | bilinear"),
    (lambda: image.warp(SMALL, SMALL), ValueError, "expected a field of 2 planes, got 3"),
    (lambda: image.warp(SMALL, torch.Tensor(2, 2, 2), "simple", True, "clamp", 1), TypeError, 'needs the clamp mode'),
    (lambda: image.rgb2hsv(torch.Tensor(2, 4, 4)), ValueError, "image.rgb2hsv: expected an image of 3 planes, got 2"),
    (lambda: image.rgb2lab(torch.ByteTensor(3, 4, 4)), TypeError, "not supported for torch.ByteTensor"),
    (lambda: image.convolve(SMALL, torch.Tensor(5, 5)), ValueError, "expected an image of at least 5x5"),
    (lambda: image.convolve(SMALL, torch.Tensor(2, 2, 2)), ValueError, "expected a kernel of 3 planes, got 2"),
    (lambda: image.y2jet(torch.zeros(2, 2)), ValueError, "numbers from 1"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, error, says):
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)
