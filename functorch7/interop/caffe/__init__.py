"""Networks trained by Caffe: `load(path)` returns one as a module and its variables."""

from .network import load as load
from .network import load_named as load_named

__all__ = ["load", "load_named"]
