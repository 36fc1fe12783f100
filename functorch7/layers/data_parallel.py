"""A module whose batches are divided among several devices."""

from typing import Any

import jax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ..core import Container, Module, expected
from ..core.types import Array, Device, Key, Output, Tree
from .along import AlongDimension
from .placement import device_numbered


class DataParallelTable(AlongDimension, Container):
    """y = module(x): the module inside, each device computing its part of the batch: XLA divides the slices of a
    dimension among them.

    `devices`: numbers of JAX's devices, from 1; by default all of them. With one device it is the module itself. It is
    one compiled program, in which gradients are summed over the devices. A batch that cannot be divided equally is
    computed by each of them, as is a device's part under `jax.shard_map`. A mesh of fewer devices (`jax.set_mesh`)
    replaces them: arrays stay in their places on it.
    Shape, parameters and buffers: those of the module, one level down.
    Raises: ValueError for dimension 0, for a module too many, for inputs without the dimension, and if it is applied
    without a module.
    Differs from Torch7: statistics are those of the whole batch; there are no replicas, so that nothing is
    synchronised; saved in a .t7 file, it is its module.
    Source: cunn/doc/cunnmodules.md, DataParallelTable.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.DataParallelTable(1, f7.Linear(3, 4)), (8, 3))
    (8, 4)
    """

    devices: tuple[int, ...] = ()

    def __init__(self, dimension: int, module: Module | None = None, devices: tuple[int, ...] = ()):
        self._set(dimension=dimension, modules=() if module is None else (module,), devices=tuple(devices))
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.modules) > 1:
            raise expected(self, "one module", len(self.modules))

    @property
    def takes_table(self) -> bool:
        return bool(self.modules) and self.modules[0].traits.takes_table

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if not self.modules:
            raise expected(self, "a module inside", None)
        devices = self.placed_on()
        if _may_be_shared_by(devices):
            params, buffers = lax.with_sharding_constraint((params, buffers), everywhere(devices))
            input = jax.tree.map(lambda array: self._shared_out(array, devices), input)
        output, buffer = self.call(0, params, buffers, input, key=key, train=train)
        return output, [buffer, *buffers[1:]]

    def placed_on(self) -> list[Device]:
        """The devices."""
        return [*dict.fromkeys(map(device_numbered, self.devices))] if self.devices else jax.devices()

    def _shared_out(self, array: Any, devices: list[Device]) -> Output:
        axis = self.dimension - 1 if self.dimension > 0 else array.ndim + self.dimension
        if not 0 <= axis < array.ndim:
            raise expected(self, f"input with dimension {self.dimension}", array)
        fits = array.shape[axis] % len(devices) == 0
        return lax.with_sharding_constraint(array, over(devices, axis) if fits else everywhere(devices))

    def printed(self) -> str:
        inside = f" @ {self.modules[0]}" if self.modules else ""
        return f"{self.type_name()}({self.dimension}){inside}"


def _may_be_shared_by(devices: list[Device]) -> bool:
    """Whether these devices can share a program: not one device alone, nor if a mesh of fewer is set."""
    mesh = jax.sharding.get_abstract_mesh()
    return len(devices) > 1 and not mesh.manual_axes and (mesh.empty or mesh.size == len(devices))


def everywhere(devices: list[Device]) -> NamedSharding:
    """Placement of arrays that each device has."""
    return NamedSharding(Mesh(devices, ("devices",)), PartitionSpec())


def over(devices: list[Device], axis: int) -> NamedSharding:
    """Placement of arrays of which each device has its slices of an axis."""
    return NamedSharding(Mesh(devices, ("devices",)), PartitionSpec(*[None] * axis, "devices"))
