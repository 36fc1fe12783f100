"""Torch's package loadcaffe: networks trained by Caffe."""

from __future__ import annotations

import os
from typing import Any

from ..interop import caffe
from .nn import Sequential
from .objects.functional import wrap


def load(prototxt_name: str | os.PathLike, binary_name: str | os.PathLike, backend: str = "nn") -> Sequential:
    """The network in a .caffemodel file: a Sequential; its modules' `name` is Caffe's.

    The structure, too, is read from this file, as loadcaffe does, not from the .prototxt file.
    With "cudnn" for `backend` the network is moved to the GPU.
    Raises: ValueError for other backends than "nn" and "cudnn", and the errors of `functorch7.interop.caffe.load`.
    Source: szagoruyko/loadcaffe.
    """
    if backend not in ("nn", "cudnn"):
        raise ValueError(f"loadcaffe.load: expected the backend nn or cudnn, got {backend!r}")
    description, variables, names = caffe.load_named(binary_name)
    network: Any = wrap(description, *variables)
    for module, name in zip(network.modules, names, strict=True):
        module.name = name
    return network.cuda() if backend == "cudnn" else network
