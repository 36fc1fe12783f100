"""Torch7's stateful interface over the same layers: `from functorch7.legacy import dl, nn, optim`.

The packages beside torch and nn are imported when they are asked for: `from functorch7.legacy import image, optim`.
"""

import importlib
from typing import Any

from ..programs import cache_info as cache_info
from ..programs import cache_limit as cache_limit
from ..programs import clear_cache as clear_cache
from . import nn as nn
from . import nngraph as nngraph
from . import torch as torch
from .modules.explain import explain as explain
from .objects.functional import wrap as wrap
from .tensors.notes import eager as eager
from .tensors.random import manualSeed as manualSeed
from .tensors.storage import Storage as Storage
from .tensors.tensor import Tensor as Tensor

_LAZY = (
    "cudnn", "cunn", "cutorch", "display", "dl", "gnuplot", "graph", "hdf5", "image", "itorch", "loadcaffe", "matio",
    "mattorch", "npy4th", "optim", "paths", "sys", "tds", "torchx", "xlua", "zoo",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
