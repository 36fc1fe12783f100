"""Caffe's files: what is written here by its messages' definitions is read as the same network of functorch7's."""

import struct

import jax
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import caffe
from functorch7.legacy import loadcaffe, nn, torch

RNG = np.random.default_rng(0)
KERNELS, KERNEL_BIAS = np.float32(RNG.normal(size=(4, 2, 3, 2))), np.float32(RNG.normal(size=4))
GROUPED = np.float32(RNG.normal(size=(4, 2, 1, 1)))
MATRIX, BIAS = np.float32(RNG.normal(size=(5, 16))), np.float32(RNG.normal(size=5))
LAST = np.float32(RNG.normal(size=(3, 5)))
IMAGES = np.float32(RNG.normal(size=(2, 2, 6, 5)))


def varint(value):
    found = b""
    while value > 127:
        found, value = found + bytes([value % 128 + 128]), value // 128
    return found + bytes([value])


def field(number, value):
    """A field of a message: a whole number, a fraction, or bytes."""
    if isinstance(value, float):
        return varint(number * 8 + 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number * 8) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number * 8 + 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(*each) for each in fields)


def blob(array, is_first):
    sizes = (1, 1, 1, 1)[array.ndim :] + array.shape
    if is_first:  # four sizes, numbers one by one
        numbers = b"".join(field(5, float(each)) for each in array.ravel())
        return message(*zip((1, 2, 3, 4), sizes, strict=True)) + numbers
    shape = message((1, b"".join(map(varint, array.shape))))
    return message((5, array.tobytes()), (7, shape))


TYPES = {"Convolution": 4, "Data": 5, "Dropout": 6, "InnerProduct": 14, "LRN": 15, "Pooling": 17, "ReLU": 18,
         "SoftmaxWithLoss": 21, "TanH": 23, "Concat": 3}  # fmt: skip
OPTIONS = {"Convolution": (106, 10), "Dropout": (108, 12), "InnerProduct": (117, 17), "LRN": (118, 18),
           "Pooling": (121, 19), "ReLU": (123, 30)}  # fmt: skip


def layer(name, kind, options=(), *arrays, is_first=False):
    given = [(OPTIONS[kind][is_first], message(*options))] if options else []
    if is_first:
        fields = [(4, name), (5, TYPES[kind]), *given, *((6, blob(each, True)) for each in arrays)]
        return field(2, message(*fields))
    return field(100, message((1, name), (2, kind), (10, 0), *((7, blob(each, False)) for each in arrays), *given))


LAYERS = [
    ("data", "Data"),
    ("conv1", "Convolution", ((1, 4), (11, 3), (12, 2), (6, 1), (9, 1), (10, 0)), KERNELS, KERNEL_BIAS),
    ("relu1", "ReLU"),
    ("norm1", "LRN", ((1, 3), (2, 0.5), (3, 0.25))),
    ("conv2", "Convolution", ((1, 4), (4, 1), (5, 2)), GROUPED),
    ("pool2", "Pooling", ((2, 3), (3, 2))),
    ("average", "Pooling", ((1, 1), (2, 2), (4, 1), (3, 2))),
    ("fc3", "InnerProduct", ((1, 5),), MATRIX, BIAS),
    ("tanh3", "TanH"),
    ("leaky3", "ReLU", ((1, 0.125),)),
    ("drop3", "Dropout", ((1, 0.25),)),
    ("fc4", "InnerProduct", ((1, 3), (2, 0)), LAST),
    ("loss", "SoftmaxWithLoss"),
]
WANTED = f7.Sequential(
    f7.SpatialConvolution(2, 4, 2, 3, 1, 1, 0, 1), f7.ReLU(), f7.SpatialCrossMapLRN(3, 0.5, 0.25, 1),
    f7.SpatialConvolution(4, 4, 1, 1, bias=False, groups=2), f7.SpatialMaxPooling(3, 3, 2, 2).ceil(),
    f7.SpatialAveragePooling(2, 2, 2, 2, 1, 1).ceil(), f7.View(-1).set_num_input_dims(3), f7.Linear(16, 5), f7.Tanh(),
    f7.LeakyReLU(0.125), f7.Dropout(0.25), f7.Linear(5, 3, bias=False), f7.SoftMax(),
)  # fmt: skip
PARAMS = [
    {"weight": KERNELS, "bias": KERNEL_BIAS}, {}, {}, {"weight": GROUPED}, {}, {}, {},
    {"weight": MATRIX, "bias": BIAS}, {}, {}, {}, {"weight": LAST}, {},
]  # fmt: skip


@pytest.fixture(params=["Caffe's first version", "second"])
def path(request, tmp_path):
    is_first = request.param != "second"
    file = tmp_path / "x.caffemodel"
    file.write_bytes(field(1, "net") + b"".join(layer(*each, is_first=is_first) for each in LAYERS))
    return file


def test_a_network_is_read_as_it_was_written(path):
    network, (params, buffers) = caffe.load(path)
    assert network == WANTED
    jax.tree.map(np.testing.assert_array_equal, params, PARAMS)
    output, _ = network.apply(params, buffers, IMAGES)
    wanted, _ = WANTED.apply(PARAMS, buffers, IMAGES)
    np.testing.assert_allclose(output, wanted, rtol=1e-6)
    assert output.shape == (2, 3)


def test_modules_have_caffes_names(path):
    network = loadcaffe.load("x.prototxt", path)
    assert isinstance(network, nn.Sequential)
    names = ["conv1", "relu1", "norm1", "conv2", "pool2", "average", "torch_view", "fc3"]
    assert [module.name for module in network.modules][:8] == names
    one, batch = network.evaluate().forward(torch.Tensor(IMAGES[0])), network.forward(torch.Tensor(IMAGES))
    np.testing.assert_allclose(one, np.asarray(batch)[0], rtol=1e-6)
    with pytest.raises(ValueError, match="expected the backend nn or cudnn, got 'ccn2'"):
        loadcaffe.load("x.prototxt", path, "ccn2")


@pytest.mark.parametrize("kernel", [((4, 3), (4, 2)), ((4, b"\x03\x02"),), ((11, 3), (12, 2))])
def test_sizes_of_kernels_are_written_in_several_ways(kernel, tmp_path):
    file = tmp_path / "x.caffemodel"
    file.write_bytes(layer("c", "Convolution", ((1, 4), *kernel), KERNELS, KERNEL_BIAS))
    assert caffe.load(file)[0] == f7.Sequential(f7.SpatialConvolution(2, 4, 2, 3))


@pytest.mark.parametrize("apart", [((18, 2),), ((18, 2), (18, 3)), ((18, b"\x02\x03"),)])
def test_kernels_with_pixels_left_out(apart, tmp_path):
    file = tmp_path / "x.caffemodel"
    file.write_bytes(layer("c", "Convolution", ((1, 4), (11, 3), (12, 2), *apart), KERNELS, KERNEL_BIAS))
    across = 2 if apart == ((18, 2),) else 3
    assert caffe.load(file)[0] == f7.Sequential(f7.SpatialDilatedConvolution(2, 4, 2, 3, 1, 1, 0, 0, across, 2))


def test_pooling_over_all_of_a_plane(tmp_path):
    file = tmp_path / "x.caffemodel"
    file.write_bytes(layer("p", "Pooling", ((1, 1), (12, 1))))
    network, variables = caffe.load(file)
    found, _ = network.apply(*variables, IMAGES)
    np.testing.assert_allclose(found[..., 0, 0], IMAGES.mean((2, 3)), rtol=1e-5)


WRONG = {
    "no such file": (None, OSError, "x.caffemodel"),
    "nothing": (b"", ValueError, "found no layers"),
    "a text": (b"no network", ValueError, "expected a .caffemodel file"),
    "the first half": (layer(*LAYERS[1])[:40], ValueError, "expected a .caffemodel file"),
    "too few numbers": (
        field(100, message((1, "c"), (2, "Convolution"), (7, message((5, b"1234"), (7, message((1, b"\x02"))))))),
        ValueError, "1 numbers for an array of shape",
    ),
    "branches": (layer("join", "Concat"), NotImplementedError, "the layer 'join' is a Concat"),
    "branches of the first version": (layer("join", "Concat", is_first=True), NotImplementedError, "'join' is a layer"),
    "random pooling": (layer("p", "Pooling", ((1, 2), (2, 2))), NotImplementedError, "'p' pools at random"),
    "no weights": (layer("c", "Convolution", ((1, 4), (4, 3))), ValueError, "the layer 'c' has no weights"),
    "transposed weights": (layer("i", "InnerProduct", ((1, 5), (6, 1)), MATRIX), NotImplementedError, "'i' has its"),
    "planes": (layer("n", "LRN", ((4, 1),)), NotImplementedError, "'n' normalises within planes"),
    "damaged options": (layer("r", "ReLU", ((1, b"\x01"),)), ValueError, "expected a .caffemodel file"),
    "no windows": (layer("p", "Pooling", ((2, 0), (3, 2))), ValueError, "expected kh >= 1, got 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_network_is_refused(name, tmp_path):
    data, error, says = WRONG[name]
    file = tmp_path / "x.caffemodel"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(error, match=says) as caught:
        caffe.load(file)
    assert str(file) in str(caught.value)
