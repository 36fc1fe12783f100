"""Runs Torch7's programs as they are, in Lua; torch, nn and the other packages are functorch7's (docs/lua.md).

>>> from functorch7 import lua
>>> lua.Runtime().execute("require 'nn' return nn.Linear(2, 3):forward(torch.zeros(2)):size(1)")
3
"""

from .errors import LuaError as LuaError
from .programs import load as load
from .programs import load_t7 as load_t7
from .programs import run as run
from .programs import started as started
from .programs import torch_default as torch_default
from .runtime import Loaded as Loaded
from .runtime import Runtime as Runtime
