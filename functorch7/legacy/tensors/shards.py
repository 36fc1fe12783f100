"""Tensors with parts on several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from ...core.types import Device
from .arguments import sizes_text
from .tensor import Tensor


def split_over(devices: Sequence[Device], axis: int) -> jax.sharding.NamedSharding:
    """The sharding that gives each device, in order, an equal part of an axis."""
    mesh = jax.sharding.Mesh(list(devices), "parts")
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*[None] * axis, "parts"))


def MultiCudaTensor(catdim: int, tensors: Sequence[Tensor]) -> Tensor:
    """The tensors joined along a dimension into one tensor; each part stays on its device.

    Differs from Torch7: it is a tensor like any other, with all methods.
    Raises: ValueError unless the tensors have the same sizes and each is on a device of its own. Source: torchx.
    """
    arrays: list[Any] = [each.array for each in tensors]
    shapes = {each.shape for each in arrays}
    devices = [next(iter(each.devices())) for each in arrays if isinstance(each, jax.Array)]
    if len(shapes) != 1 or len(set(devices)) != len(arrays) or not 1 <= catdim <= len(arrays[0].shape):
        given = ", ".join(sizes_text(each.shape) for each in arrays)
        raise ValueError(
            f"torch.MultiCudaTensor: expected one of their dimensions, and tensors of the same sizes on as many "
            f"devices, got dimension {catdim}, sizes {given} on {len(set(devices))} devices"
        )
    (shape,) = shapes
    whole = (*shape[: catdim - 1], shape[catdim - 1] * len(arrays), *shape[catdim:])
    return Tensor.of(jax.make_array_from_single_device_arrays(whole, split_over(devices, catdim - 1), arrays))
