"""Torch7's programs as they are: Lua, in which torch, nn and the other packages are functorch7's."""

from .errors import LuaError as LuaError
from .runtime import Runtime as Runtime
