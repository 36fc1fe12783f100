"""Where arrays lie: the host, and the GPUs that Torch numbers."""

import contextlib
from functools import cache

import jax
import numpy as np
from jax._src.array import ArrayImpl  # the class of arrays that are there has no public name
from jax.typing import DTypeLike

from ...core import host_device, is_concrete
from ...core.types import Device
from .kinds import Elements

MOST_KNOWN = 1024
"""How many layouts are kept at most."""


class CurrentDevice:
    """The number of the GPU for CUDA's types, from 1, and whether the CPU stands in for a missing one."""

    number = 1
    is_stand_in = False


def gpus() -> list:
    """The GPUs that JAX sees. If the CPU stands in, its devices without the first, or that one if it is alone."""
    with contextlib.suppress(RuntimeError):
        return jax.devices("gpu")
    if not CurrentDevice.is_stand_in:
        return []
    return jax.devices("cpu")[1:] or jax.devices("cpu")


def gpu(who: str) -> Device:
    """The current GPU; raises RuntimeError, naming who asked, if there is none."""
    found = gpus()
    if not found:
        raise RuntimeError(f"{who} needs a GPU, but JAX sees only {jax.devices()}")
    return found[CurrentDevice.number - 1]


Place = frozenset
"""The devices on which an array is, if it is not on the host."""


def place_of(array: object) -> Place | None:
    """Where an array is; None for the host, and for a traced array."""
    if type(array) is ArrayImpl:
        return _place_laid_out(array.sharding) if has_others() else None
    if type(array) is np.ndarray or not isinstance(array, jax.Array) or not has_others() or not is_concrete(array):
        return None
    return place(array.devices())


_known: dict[int, tuple[jax.sharding.Sharding, Place | None]] = {}
"""Places of arrays by the identity of their sharding, as comparing shardings takes longer."""


def _place_laid_out(sharding: jax.sharding.Sharding) -> Place | None:
    """The place of arrays with this sharding, kept as calls of networks ask for every argument."""
    found = _known.get(id(sharding))
    if found is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        found = _known[id(sharding)] = sharding, place(sharding.device_set)
    return found[1]


def place(devices: set) -> Place | None:
    """These devices as a place; None for the host."""
    return None if devices == {host_device()} else frozenset(devices)


def spread_over(place: Place) -> jax.sharding.Sharding:
    """Whole arrays on each of these devices."""
    mesh = jax.sharding.Mesh(sorted(place, key=lambda device: device.id), "device")
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())


def at_hand(array: Elements) -> Elements:
    """NumPy's view of a JAX array on the host, after waiting for it; other arrays unchanged."""
    if type(array) is np.ndarray or not isinstance(array, jax.Array):
        return array
    return np.asarray(array) if is_concrete(array) and place_of(array) is None else array


@cache
def has_others() -> bool:
    """Whether JAX has other devices than the host; without them, arrays need not be asked."""
    return jax.local_devices() != [host_device()]


def forget() -> None:
    """Forgets the devices, for tests that change them."""
    has_others.cache_clear()
    _known.clear()


def precision(dtype: DTypeLike) -> contextlib.AbstractContextManager:
    """The context in which JAX keeps 64-bit numbers, where `dtype` has them."""
    if np.dtype(dtype).itemsize == 8 and not jax.config.read("jax_enable_x64"):
        return jax.enable_x64(True)
    return contextlib.nullcontext()
