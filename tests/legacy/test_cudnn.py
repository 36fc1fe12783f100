"""cudnn, whose layers are nn's, and cutorch, which tells what JAX sees."""

import os
import types

import jax
import numpy as np
import pytest

from functorch7.interop import t7
from functorch7.legacy import cudnn, cutorch, nn, torch
from functorch7.legacy.tensors import devices

from .helpers import same, values

LAYERS = {
    "ReLU": (True,), "Tanh": (), "Sigmoid": (), "SpatialConvolution": (4, 6, 3, 3), "SpatialMaxPooling": (2, 2, 2, 2),
    "SpatialAveragePooling": (2, 2, 2, 2), "SpatialBatchNormalization": (4,), "SpatialSoftMax": (),
    "SpatialCrossMapLRN": (3,), "SpatialDilatedConvolution": (4, 6, 3, 3, 1, 1, 0, 0, 2, 2),
    "SpatialFullConvolution": (4, 6, 3, 3), "SpatialLogSoftMax": (),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_cudnn_are_those_of_nn(name):
    x = torch.Tensor.of(values(2, 4, 8, 8))
    outputs = []
    for package in (nn, cudnn):
        torch.manualSeed(1)
        layer = getattr(package, name)(*LAYERS[name]).type("torch.DoubleTensor")
        outputs.append(layer.forward(x).numpy())
        assert cudnn.convert(layer, nn) is layer
    same(*outputs)


@pytest.mark.parametrize(("kind", "sizes", "input"), [
    ("SpatialConvolution", (3, 2, 1, 2, 1, 0), (2, 6, 7, 8)),
    ("VolumetricConvolution", (2, 3, 2, 1, 1, 2, 1, 0, 1), (2, 6, 5, 7, 8)),
])  # fmt: skip
def test_convolutions_in_groups_see_their_own_planes(kind, sizes, input):
    layer = getattr(cudnn, kind)(6, 4, *sizes, 2).type("torch.DoubleTensor")
    array = values(*input)
    whole = getattr(nn, kind)(6, 4, *sizes).type("torch.DoubleTensor")
    whole.weight.zero()
    whole.bias.copy(layer.bias)
    for group in range(2):
        rows = whole.weight.view(4, 6, -1).narrow(1, 2 * group + 1, 2).narrow(2, 3 * group + 1, 3)
        rows.copy(layer.weight.view(4, 3, -1).narrow(1, 2 * group + 1, 2))
    again = torch.deserialize(torch.serialize(layer))  # as cudnn's, as nn's has no groups in Torch7
    assert t7.deserialize(torch.serialize(layer)).class_name == f"cudnn.{kind}" and str(again) == str(layer)
    for each in (layer, again):
        same(each.forward(torch.Tensor.of(array)), whole.forward(torch.Tensor.of(array)))
        same(each.forward(torch.Tensor.of(array[0])), whole.forward(torch.Tensor.of(array[0])))
    with pytest.raises(ValueError, match="expected planes in 4 equal groups, got 6 and 4"):
        getattr(cudnn, kind)(6, 4, *sizes, 4)


def test_temporal_convolutions_of_cudnn_pad_both_ends():
    x = values(2, 5, 3)
    layer = cudnn.TemporalConvolution(3, 4, 3, 2, 1).type("torch.DoubleTensor")
    padded = np.pad(x, ((0, 0), (1, 1), (0, 0)))
    for given, frames in ((x, padded), (x[0], padded[0])):
        same(layer.forward(given), layer.get(3).forward(frames).numpy())
    assert type(cudnn.TemporalConvolution(3, 4, 3)) is nn.TemporalConvolution


def test_average_pooling_of_cudnn_takes_windows_side_by_side_by_default():
    x = torch.Tensor.of(values(2, 4, 6, 6))
    pooled = cudnn.SpatialAveragePooling(2, 3).forward(x)
    same(pooled, nn.SpatialAveragePooling(2, 3, 2, 3).forward(x))
    assert cudnn.SpatialAveragePooling(2, 3, 1).forward(x).size() == [2, 4, 2, 5]


def test_cross_entropy_of_pixels_is_that_of_rows():
    x, classes = values(2, 3, 4, 5), np.arange(40).reshape(2, 4, 5) % 3 + 1
    criterion, rows = cudnn.SpatialCrossEntropyCriterion(), nn.CrossEntropyCriterion()
    flat = torch.Tensor.of(np.ascontiguousarray(x.transpose(0, 2, 3, 1).reshape(-1, 3)))
    loss = criterion.forward(torch.Tensor.of(x), torch.Tensor.of(classes))
    assert loss == pytest.approx(rows.forward(flat, torch.Tensor.of(classes.reshape(-1))), rel=1e-5)
    gradient = criterion.backward(torch.Tensor.of(x), torch.Tensor.of(classes)).numpy().transpose(0, 2, 3, 1)
    same(gradient.reshape(-1, 3), rows.backward(flat, torch.Tensor.of(classes.reshape(-1))).numpy())


@pytest.mark.parametrize("weights", [None, [1, 2, 0.5]])
def test_cross_entropy_of_volumes_is_that_of_rows(weights):
    x, classes = values(2, 3, 2, 4, 5), np.arange(80).reshape(2, 2, 4, 5) % 3 + 1
    criterion, rows = cudnn.VolumetricCrossEntropyCriterion(weights), nn.CrossEntropyCriterion(weights)
    flat = np.ascontiguousarray(np.moveaxis(x, 1, -1).reshape(-1, 3))
    assert criterion.forward(x, classes) == pytest.approx(rows.forward(flat, classes.reshape(-1)), rel=1e-5)
    gradient = np.moveaxis(criterion.backward(x, classes).numpy(), 1, -1)
    same(gradient.reshape(-1, 3), rows.backward(flat, classes.reshape(-1)).numpy())


def test_the_rest_of_cudnn(monkeypatch):
    x = torch.Tensor([-1, 3, 9])
    assert cudnn.ClippedReLU(6).forward(x).totable() == [0, 3, 6]
    assert cudnn.SpatialConvolutionUpsample(3, 5, 3, 5, 1).forward(torch.rand(2, 3, 8, 9)).size() == [2, 5, 8, 9]
    with pytest.raises(ValueError, match="odd kernel and factor 1"):
        cudnn.SpatialConvolutionUpsample(3, 5, 3, 3, 2)
    with pytest.raises(TypeError, match=r"cudnn.convert: expected nn or cudnn"):
        cudnn.convert(nn.ReLU(), torch)
    with pytest.raises(AttributeError, match="cudnn has no 'getStream'"):
        _ = cudnn.getStream
    for flag in ("benchmark", "fastest", "verbose"):
        assert getattr(cudnn, flag) is False
        monkeypatch.setattr(cudnn, flag, True)  # as programs do


@pytest.mark.parametrize("call", [
    lambda: cutorch.setDevice(1), lambda: cutorch.getDevice(), lambda: cutorch.getMemoryUsage(1),
    lambda: cutorch.withDevice(1, list), lambda: cutorch.getDeviceProperties(1),
])  # fmt: skip
@pytest.mark.skipif("cutorch.getDeviceCount() > 0", reason="there are GPUs")
def test_without_a_gpu_cutorch_says_so(call):
    with pytest.raises(RuntimeError, match="needs a GPU, but JAX sees only"):
        call()


@pytest.mark.parametrize("made", [torch.FloatTensor(2), torch.FloatStorage(2)])
@pytest.mark.skipif("cutorch.getDeviceCount() > 0", reason="there are GPUs")
def test_what_lies_on_the_host_is_on_no_gpu(made):
    with pytest.raises(RuntimeError, match=r"torch.FloatStorage: getDevice\(\)"):
        made.getDevice()


@pytest.fixture
def gpus(monkeypatch):
    """Two GPUs, as JAX shows them."""
    stats = {"bytes_limit": 1000, "bytes_in_use": 300}
    found = [types.SimpleNamespace(device_kind=f"GPU {i}", memory_stats=lambda: stats) for i in (1, 2)]
    chosen = []
    monkeypatch.setattr(jax, "devices", lambda kind=None: found)
    monkeypatch.setattr(jax.config, "update", lambda name, value: chosen.append((name, value)))
    yield found, chosen
    cutorch.setDevice(1)


def test_gpus_are_counted_from_1(gpus):
    found, chosen = gpus
    assert cutorch.getDeviceCount() == 2 and cutorch.getDevice() == 1
    cutorch.setDevice(2)
    assert cutorch.getDevice() == 2 and chosen == [("jax_default_device", found[1])]
    assert devices.gpu("cuda()") is found[1]  # where cuda() moves
    assert cutorch.withDevice(1, lambda: cutorch.getDevice()) == 1 and cutorch.getDevice() == 2
    assert cutorch.getMemoryUsage(1) == cutorch.getMemoryUsage() == (700, 1000)
    assert cutorch.getDeviceProperties(2) == {"name": "GPU 2", "totalGlobalMem": 1000}
    for number in (0, 3):
        with pytest.raises(RuntimeError, match=f"device {number} of 2"):
            cutorch.setDevice(number)


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="a system that does not tell")
def test_where_the_cpu_stands_in_its_memory_is_the_machines():
    cutorch.standIn()
    try:
        free, whole = cutorch.getMemoryUsage()
        assert 0 < free <= whole == cutorch.getDeviceProperties(1).totalGlobalMem
    finally:
        cutorch.standIn(False)


def test_seeds_start_the_random_numbers_of_all_devices():
    drawn = []
    for seed in (cutorch.manualSeed, cutorch.manualSeedAll, torch.manualSeed):
        seed(5)
        drawn.append(nn.Dropout().forward(torch.ones(20)).totable())
    assert drawn[0] == drawn[1] == drawn[2]
    assert cutorch.seed() != cutorch.seedAll()


@pytest.mark.parametrize(("name", "result"), [
    ("setStream", None), ("reserveStreams", None), ("streamWaitFor", None), ("streamBarrier", None),
    ("setBlasHandle", None), ("reserveBlasHandles", None), ("getStream", 0), ("getNumStreams", 0),
])  # fmt: skip
def test_streams_do_nothing_and_say_so(name, result):
    with pytest.warns(UserWarning, match=f"cutorch.{name} does nothing here"):
        assert getattr(cutorch, name)(1, 2) == result


def test_the_rest_of_cutorch():
    cutorch.synchronize()
    cutorch.synchronizeAll()
    assert cutorch.hasHalf and cutorch.isCachingAllocatorEnabled() and cutorch._state is None
    assert cutorch.createCudaHostTensor(2, 3).type() == "torch.FloatTensor"
    double = cutorch.createCudaHostDoubleTensor(torch.LongStorage([2, 3]))
    assert double.type() == "torch.DoubleTensor" and double.size() == [2, 3]
    assert np.asarray(cutorch.createCudaHostByteTensor(2)).dtype == np.uint8
    assert cutorch.createCudaHostHalfTensor(2).type() == "torch.HalfTensor"
