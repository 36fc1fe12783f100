"""Torch7's stateful interface over the same layers: `from functorch7.legacy import dl, nn, optim`."""

from ..core import cache_info as cache_info
from ..core import cache_limit as cache_limit
from ..core import clear_cache as clear_cache
from . import dl as dl
from . import nn as nn
from . import nngraph as nngraph
from . import optim as optim
from . import torch as torch
from . import torchx as torchx
from .explain import explain as explain
from .functional import wrap as wrap
from .random import manualSeed as manualSeed
from .storage import Storage as Storage
from .tensor import Tensor as Tensor
