"""Decorators that determine the device, or the type, in which the module inside computes."""

import warnings
from contextvars import ContextVar
from functools import partial
from typing import Any

import jax

from ..core import Module, check_positive, expected
from ..core.contexts import during
from ..core.precision import cast_floating, is_inexact
from ..core.types import Array, Device, Key, Tree
from .decorators import Decorator
from .tensor_types import TYPES


def device_numbered(number: int) -> Device:
    """JAX's device with a number from 1; the first one, with a warning, if there are fewer."""
    devices = jax.devices()
    if number > len(devices):
        warnings.warn(f"nn.GPU: device {number} is not there, using device 1 of {len(devices)}", stacklevel=2)
        return devices[0]
    return devices[number - 1]


_around: ContextVar[int | None] = ContextVar("_around", default=None)
"""The device of the enclosing GPU, where its output is combined with others."""


class GPU(Decorator):
    """y = module(x): the module inside, computed on a device of JAX's (counted from 1): a GPU, or any of
    `jax.devices()`.

    The input (and its parameters, where they are elsewhere) are moved there, the output to outdevice (by default the
    same one; inside of another GPU to that one's device), and gradients back to where their values came from. Inside
    one `jit` all runs on that program's devices: shard its arrays instead; `legacy` compiles only the module inside
    when there is more than one device.
    Shape, parameters and buffers: those of the module, one level down.
    Raises: TypeError unless the device is a number, ValueError if it is below 1. Warns if there are fewer devices.
    Source: nn/doc/simple.md#nn.GPU.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.GPU(f7.Linear(3, 4), 1), (8, 3))
    (8, 4)
    """

    device: int
    outdevice: int

    def __init__(self, module: Module, device: int, outdevice: int | None = None):
        self._set(modules=(module,), device=device, outdevice=device if outdevice is None else outdevice)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.device, int) or not isinstance(self.outdevice, int):
            raise TypeError(f"nn.GPU: expected the number of a device, got {self.device!r}")
        check_positive(self, device=self.device, outdevice=self.outdevice)

    @property
    def traceable(self) -> bool:
        return len(jax.devices()) == 1 and self.modules[0].traits.traceable

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        given = _put((params, buffers, input, key), self.device)
        around = _around.get()
        with during(_around, self.device):
            output, buffers = super().forward(*given[:3], key=given[3], train=train)
        return _put(output, around or self.outdevice), buffers

    def printed(self) -> str:
        return f"{self.type_name()}({self.device}) @ {self.modules[0]}"


def _put(tree: Tree, device: int) -> Any:
    """The tree on a device. One by one: JAX cannot batch a `device_put` of several arrays of which only some are."""
    return jax.tree.map(partial(jax.device_put, device=device_numbered(device)), tree)


def _floating_dtype(tree: Tree) -> Any:
    return next((x.dtype for x in jax.tree.leaves(tree) if is_inexact(x)), None)


class DontCast(Decorator):
    """y = module(x): the module inside, in a type of its own, which `type()` of the `legacy` interface leaves alone.

    With castin, the input is cast to module_type (a Torch name; by default the type of the module's parameters) and its
    gradient back; with castout, the output is cast to the type that the input had. `castout` is castin by default.
    Shape, parameters and buffers: those of the module, one level down.
    Raises: ValueError for an unknown type, and if module_type is needed, not given, and the module has no parameters.
    Source: dpnn/README.md#nn.DontCast.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.DontCast(f7.Tanh(), castin=True, module_type="torch.FloatTensor")
    >>> layer.apply([{}], [{}], jnp.zeros(3, jnp.bfloat16))[0].dtype  # cast there, and back
    dtype(bfloat16)
    """

    castin: bool
    castout: bool
    module_type: str | None

    def __init__(
        self, module: Module, castin: bool = False, castout: bool | None = None, module_type: str | None = None
    ):
        castout = castin if castout is None else castout
        self._set(modules=(module,), castin=castin, castout=castout, module_type=module_type)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.module_type is not None and self.module_type not in TYPES:
            raise ValueError(f"nn.DontCast: expected a type of {', '.join(TYPES)}, got {self.module_type!r}")

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        outer = _floating_dtype(input)
        if self.castin:
            inner = TYPES[self.module_type] if self.module_type else _floating_dtype(params)
            if inner is None:
                raise expected(self, "module_type (argument 4), as the module has no parameters", self.module_type)
            input = cast_floating(input, inner)
        output, buffers = super().forward(params, buffers, input, key=key, train=train)
        return cast_floating(output, outer) if self.castout and outer is not None else output, buffers
