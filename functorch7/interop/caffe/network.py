"""Converts the layers of a .caffemodel file to functorch7's."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ... import layers
from ...core import Module, Variables
from ...core.types import Tree
from ..protobuf import Message
from ..remote import reading

NO_LAYERS = {
    "Data", "DummyData", "HDF5Data", "HDF5Output", "ImageData", "Input", "MemoryData", "WindowData", "Accuracy",
    "Silence", "Split",
}  # fmt: skip
"""Types of layers that are not part of the network: sources of data, measures."""

FIRST_TYPES = {
    1: "Accuracy", 4: "Convolution", 5: "Data", 6: "Dropout", 8: "Flatten", 9: "HDF5Data", 10: "HDF5Output",
    12: "ImageData", 14: "InnerProduct", 15: "LRN", 17: "Pooling", 18: "ReLU", 19: "Sigmoid", 20: "Softmax",
    21: "SoftmaxWithLoss", 22: "Split", 23: "TanH", 24: "WindowData", 29: "MemoryData", 32: "DummyData", 35: "AbsVal",
    36: "Silence",
}  # fmt: skip
"""The numbers of types in files of Caffe's first versions (V1LayerParameter)."""


class Layer(NamedTuple):
    """A layer of a file: its options by the numbers of their messages in Caffe's second version."""

    name: str
    type: str
    options: Callable[[int], Message]
    blobs: list[np.ndarray]


CONVOLUTION, DROPOUT, INNER_PRODUCT, LRN, POOLING, RELU = 106, 108, 117, 118, 121, 123
_IN_FIRST = {CONVOLUTION: 10, DROPOUT: 12, INNER_PRODUCT: 17, LRN: 18, POOLING: 19, RELU: 30}

Made = tuple[Module, Tree]
"""A module, and its parameters."""


def load(path: str | os.PathLike) -> tuple[layers.Sequential, Variables]:
    """The network in a .caffemodel file, at a path or a URL for fsspec, with its parameters: a chain of layers.

    Layers for data and measures are left out, a loss becomes SoftMax. Like Torch's loadcaffe, it reads only chains.
    Raises: OSError for a file that cannot be read, ValueError for one without a network, NotImplementedError, which
    names the layer, for types of layers that loadcaffe does not know.
    """
    return load_named(path)[:2]


def load_named(path: str | os.PathLike) -> tuple[layers.Sequential, Variables, list[str]]:
    """As `load`, and the layers' names; "torch_view" is the module that brings images into the shape for a Linear.

    Raises: OSError, ValueError, NotImplementedError as `load`.
    """
    try:
        with reading(path) as file:
            return _read(Message(memoryview(file.read_bytes())))
    except NotImplementedError as error:
        raise NotImplementedError(f"{path}: {error}") from None
    except (ValueError, IndexError) as error:
        raise ValueError(f"{path}: expected a .caffemodel file with a trained network: {error}") from None


def _read(net: Message) -> tuple[layers.Sequential, Variables, list[str]]:
    found = _layers(net)
    if not found:
        raise ValueError("found no layers")
    names, made, is_flat = [], [], False
    for layer in found:
        if layer.type == "InnerProduct" and not is_flat:
            names.append("torch_view")
            made.append(_flatten(layer))
        is_flat = is_flat or layer.type in ("InnerProduct", "Flatten")
        if layer.type not in MAKERS:
            raise NotImplementedError(f"the layer {layer.name!r} is a {layer.type}, which is not supported")
        if layer.type in ("Convolution", "InnerProduct") and not layer.blobs:
            raise ValueError(f"the layer {layer.name!r} has no weights")
        names.append(layer.name)
        made.append(MAKERS[layer.type](layer))
    network = layers.Sequential(*[module for module, _ in made])
    return network, Variables([params for _, params in made], [{} for _ in made]), names


def _layers(net: Message) -> list[Layer]:
    """The layers that compute something."""
    first, second = net.messages(2), net.messages(100)
    found = [
        Layer(each.text(4), _first_type(each), lambda n, of=each: of.message(_IN_FIRST[n]), _blobs(each, 6))
        for each in first
    ]
    found += [Layer(each.text(1), each.text(2), each.message, _blobs(each, 7)) for each in second]
    return [layer for layer in found if layer.type not in NO_LAYERS]


def _first_type(layer: Message) -> str:
    return FIRST_TYPES.get(layer.whole(5), f"layer of type {layer.whole(5)}")


def _blobs(layer: Message, number: int) -> list[np.ndarray]:
    return [_blob(each) for each in layer.messages(number)]


def _blob(blob: Message) -> np.ndarray:
    """An array; in old files always with four dimensions."""
    shape = blob.message(7).wholes(1) or [blob.whole(number) for number in (1, 2, 3, 4)]
    values = blob.fractions(5)
    if values.size != np.prod(shape):
        raise ValueError(f"{values.size} numbers for an array of shape {tuple(shape)}")
    return values.reshape(shape)


def _pair(options: Message, both: int, across: int, down: int, default: int) -> tuple[int, int]:
    """A width and a height: each its own, or one number for both, or two in one field, the height first."""
    common = options.wholes(both) or [default]
    return options.whole(across) or common[-1], options.whole(down) or common[0]


def _convolution(layer: Layer) -> Made:
    options, weight = layer.options(CONVOLUTION), layer.blobs[0]
    kw, kh = _pair(options, 4, 12, 11, 0)
    dw, dh = _pair(options, 6, 14, 13, 1)
    padw, padh = _pair(options, 3, 10, 9, 0)
    groups, apart = options.whole(5, 1), options.wholes(18) or [1]
    sizes = (weight.shape[1] * groups, weight.shape[0], kw, kh, dw, dh, padw, padh)
    has_bias = len(layer.blobs) > 1
    if max(apart) == 1:
        module = layers.SpatialConvolution(*sizes, bias=has_bias, groups=groups)
    else:
        module = layers.SpatialDilatedConvolution(*sizes, apart[-1], apart[0], bias=has_bias, groups=groups)
    return module, _weighed(layer, weight.shape)


def _linear(layer: Layer) -> Made:
    if layer.options(INNER_PRODUCT).whole(6):
        raise NotImplementedError(f"the layer {layer.name!r} has its weights transposed, which is not supported")
    rows, columns = layer.blobs[0].shape[-2:]
    return layers.Linear(columns, rows, bias=len(layer.blobs) > 1), _weighed(layer, (rows, columns))


def _weighed(layer: Layer, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    params = {"weight": layer.blobs[0].reshape(shape)}
    return params | ({"bias": layer.blobs[1].reshape(-1)} if len(layer.blobs) > 1 else {})


def _pooling(layer: Layer) -> Made:
    options = layer.options(POOLING)
    kind = options.whole(1)
    if kind not in (0, 1):
        raise NotImplementedError(f"the layer {layer.name!r} pools at random, which is not supported")
    if options.whole(12):  # the whole plane
        adaptive = (layers.SpatialAdaptiveMaxPooling, layers.SpatialAdaptiveAveragePooling)
        return adaptive[kind](1, 1), {}
    sizes = (*_pair(options, 2, 6, 5, 0), *_pair(options, 3, 8, 7, 1), *_pair(options, 4, 10, 9, 0))
    return (layers.SpatialMaxPooling, layers.SpatialAveragePooling)[kind](*sizes).ceil(), {}


def _normalization(layer: Layer) -> Made:
    options = layer.options(LRN)
    if options.whole(4):
        raise NotImplementedError(f"the layer {layer.name!r} normalises within planes, which is not supported")
    numbers = options.fraction(2, 1), options.fraction(3, 0.75), options.fraction(5, 1)
    return layers.SpatialCrossMapLRN(options.whole(1, 5), *numbers), {}


def _rectifier(layer: Layer) -> Made:
    slope = layer.options(RELU).fraction(1, 0)
    return layers.LeakyReLU(slope) if slope else layers.ReLU(), {}


def _flatten(layer: Layer) -> Made:
    return layers.View(-1).set_num_input_dims(3), {}


def _without(kind: type[Module]) -> Callable[[Layer], Made]:
    return lambda layer: (kind(), {})


MAKERS: dict[str, Callable[[Layer], Made]] = {
    "Convolution": _convolution, "InnerProduct": _linear, "Pooling": _pooling, "LRN": _normalization,
    "ReLU": _rectifier, "Flatten": _flatten, "TanH": _without(layers.Tanh), "Sigmoid": _without(layers.Sigmoid),
    "AbsVal": _without(layers.Abs), "Softmax": _without(layers.SoftMax), "SoftmaxWithLoss": _without(layers.SoftMax),
    "Dropout": lambda layer: (layers.Dropout(layer.options(DROPOUT).fraction(1, 0.5)), {}),
}  # fmt: skip
"""Functions that make a module and its parameters from a layer, by its type."""
