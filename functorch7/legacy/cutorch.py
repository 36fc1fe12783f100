"""Torch's package cutorch: the GPUs that JAX sees, counted from 1. Without any, getDeviceCount is 0,
unless `standIn(True)` makes the CPU do a GPU's work.

XLA orders work by its dependencies, so there are no streams and cuBLAS handles: functions that choose them only warn.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import jax

from . import torch
from .program.lua import Table
from .tensors.devices import CurrentDevice, gpu, gpus
from .tensors.findings import tell
from .tensors.named import under_name
from .tensors.notes import run_all
from .tensors.random import initialSeed as initialSeed
from .tensors.random import manualSeed as manualSeed
from .tensors.random import seed as seed
from .tensors.tensor import Tensor
from .tensors.type_names import dtype_of

hasHalf = True
"""Whether there are tensors of 16 bits."""

_state = None

Given = TypeVar("Given")


def _gpu(who: str, device: int | None) -> Any:
    """A device by its number, by default the current one. Raises RuntimeError if there is none."""
    gpu(f"cutorch.{who}")
    number = CurrentDevice.number if device is None else device
    if not 1 <= number <= len(gpus()):
        raise RuntimeError(f"cutorch.{who}: device {number} of {len(gpus())}; they count from 1")
    return gpus()[number - 1]


def standIn(wanted: bool = True) -> None:
    """Whether the CPU stands in for a GPU if there is none, so that programs that need one run on the CPU.

    If JAX has several CPU devices, the first one is the host and the others are the GPUs.
    """
    CurrentDevice.is_stand_in = wanted


def getDeviceCount() -> int:
    """The number of GPUs."""
    return len(gpus())


def setDevice(device: int) -> None:
    """Makes a GPU the current one: JAX computes on it, `cuda()` moves to it. Raises RuntimeError if there is none."""
    jax.config.update("jax_default_device", _gpu("setDevice", device))
    CurrentDevice.number = device


def getDevice() -> int:
    """The number of the current GPU. Raises RuntimeError without one."""
    _gpu("getDevice", None)
    return CurrentDevice.number


def withDevice(newDeviceID: int, closure: Callable[[], Given]) -> Given:
    """A function's result while another GPU is the current one. Raises RuntimeError if there is none."""
    before = getDevice()
    setDevice(newDeviceID)
    try:
        return closure()
    finally:
        setDevice(before)


def synchronize() -> None:
    """Waits until everything that was asked for is computed; raises the errors found in values."""
    run_all()
    tell()
    jax.block_until_ready(jax.live_arrays())


synchronizeAll = synchronize


def getMemoryUsage(device: int | None = None) -> tuple[int, int]:
    """(free bytes, all bytes) of a GPU, the current one by default, as far as JAX may use it; the machine's if the
    CPU stands in. Raises RuntimeError if there is none.
    """
    found = _memory(_gpu("getMemoryUsage", device))
    if found is None:
        raise RuntimeError("cutorch.getMemoryUsage: this device does not report its memory")
    return found


def _memory(device: Any) -> tuple[int, int] | None:
    """(free bytes, all bytes) of a device; None if it does not report them."""
    stats = device.memory_stats() or {}
    if "bytes_limit" in stats:
        return stats["bytes_limit"] - stats["bytes_in_use"], stats["bytes_limit"]
    if device.platform != "cpu" or "SC_AVPHYS_PAGES" not in getattr(os, "sysconf_names", ()):
        return None
    free, whole = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"))
    return free, whole


def getDeviceProperties(device: int | None = None) -> Table:
    """A GPU's `name`, and `totalGlobalMem` in bytes if it reports it. Raises RuntimeError if there is none."""
    found = _gpu("getDeviceProperties", device)
    return Table(name=found.device_kind, totalGlobalMem=(_memory(found) or (None, None))[1])


def isCachingAllocatorEnabled() -> bool:
    """Whether freed memory is kept for later: XLA does so."""
    return True


manualSeedAll = manualSeed
"""One seed starts the random numbers of all devices."""


def getRNGState(device: int | None = None) -> Tensor:
    """All that later random numbers on all devices depend on, as a ByteTensor."""
    return torch.getRNGState()


def setRNGState(state: Tensor, device: int | None = None) -> None:
    """Makes the same numbers follow as after `getRNGState`."""
    torch.setRNGState(state)


seedAll = seed


# What XLA does itself -------------------------------------------------------------------------------------------------


def _nothing(name: str, result: Any = None) -> Callable:
    def function(*args: Any) -> Any:
        warnings.warn(f"cutorch.{name} does nothing here: XLA has no streams or handles to choose", stacklevel=2)
        return result

    gives = "" if result is None else f", and gives {result}"
    return under_name(name, function, f"Does nothing but warn{gives}: XLA orders work.")


reserveStreams = _nothing("reserveStreams")
setStream = _nothing("setStream")
setDefaultStream = _nothing("setDefaultStream")
streamWaitFor = _nothing("streamWaitFor")
streamWaitForMultiDevice = _nothing("streamWaitForMultiDevice")
streamBarrier = _nothing("streamBarrier")
streamBarrierMultiDevice = _nothing("streamBarrierMultiDevice")
streamSynchronize = _nothing("streamSynchronize")
reserveBlasHandles = _nothing("reserveBlasHandles")
setBlasHandle = _nothing("setBlasHandle")
getStream = _nothing("getStream", 0)
getNumStreams = _nothing("getNumStreams", 0)
getBlasHandle = _nothing("getBlasHandle", 1)
getNumBlasHandles = _nothing("getNumBlasHandles", 1)
setPeerToPeerAccess = _nothing("setPeerToPeerAccess")
getPeerToPeerAccess = _nothing("getPeerToPeerAccess", True)
setKernelPeerToPeerAccess = _nothing("setKernelPeerToPeerAccess")
getKernelPeerToPeerAccess = _nothing("getKernelPeerToPeerAccess", True)
setHeapTracking = _nothing("setHeapTracking")


class Event:
    """What a stream waits for in Torch; nothing has to wait here, as XLA orders work."""

    def waitOn(self) -> None:
        """Does nothing."""


def _host_tensor(kind: str) -> Callable:
    def function(*sizes: Any) -> Tensor:
        return Tensor.typed(dtype_of(f"torch.{kind}Tensor"), *sizes)

    says = f"A {kind}Tensor of these sizes on the CPU; XLA itself moves what a GPU needs."
    return under_name(f"createCudaHost{kind}Tensor", function, says)


createCudaHostFloatTensor = _host_tensor("Float")
createCudaHostDoubleTensor = _host_tensor("Double")
createCudaHostIntTensor = _host_tensor("Int")
createCudaHostLongTensor = _host_tensor("Long")
createCudaHostByteTensor = _host_tensor("Byte")
createCudaHostHalfTensor = _host_tensor("Half")
createCudaHostTensor = createCudaHostFloatTensor
