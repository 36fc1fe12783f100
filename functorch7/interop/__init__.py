"""Files and models of other programs. Optional packages are imported when they are used.

`t7` (Torch7's files), `torch7` (the networks in them), `compare` (with recorded values), `pytorch` (state_dict),
`caffe` (.caffemodel), `safetensors`, `flax` (linen and nnx), `orbax` (checkpoints), `onnx` and `stablehlo` (compiled
functions for serving).
"""

import importlib

from ..core.types import Value
from . import t7 as t7
from . import torch7 as torch7
from .compare import Deviation as Deviation
from .compare import compare as compare

_LAZY = ("caffe", "flax", "onnx", "orbax", "pytorch", "safetensors", "stablehlo")


def __getattr__(name: str) -> Value:
    if name in _LAZY:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
