"""What a program is traced for: a formulation is chosen by it, never a result."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache

import jax

from .contexts import during
from .types import Device

KINDS = {"cuda": "gpu", "rocm": "gpu"}
"""JAX's names of platforms that are kinds of another one."""

STEPS_IN_A_BODY = {"gpu": 5}
"""How many steps of a recurrence a loop's body has: on a GPU, going around costs as much as a small step."""

_lowered_for: ContextVar[str | None] = ContextVar("lowered_for", default=None)


def traced_for() -> str:
    """Where what is traced here will run: "cpu", "gpu", "tpu"; "" where it is to run on several."""
    chosen = _lowered_for.get()
    if chosen is not None:
        return chosen
    device = jax.config.jax_default_device  # type: ignore[attr-defined]
    if device is None:
        return jax.default_backend()
    return _kind(device if isinstance(device, str) else device.platform)


def tracing_for(platforms: Iterable[str]) -> AbstractContextManager[str | None]:
    """A block in which programs are traced for these platforms ("cpu", "cuda", "rocm", "tpu"), wherever JAX runs.

    A function that was jitted and traced before stays as it was traced.
    """
    kinds = {_kind(platform) for platform in platforms}
    return during(_lowered_for, kinds.pop() if len(kinds) == 1 else "")


def unrolled_steps(length: int) -> int:
    """How many steps of a recurrence of this length stand in a loop's body; 1 of a length that has a name (export)."""
    if not isinstance(length, int):
        return 1
    return max(1, min(length, STEPS_IN_A_BODY.get(traced_for(), 1)))


def may_have_copies() -> bool:
    """Whether what is traced here lies on a mesh of several axes: what is split over one has copies along the others.

    It is known of the mesh of `jax.set_mesh`, and of one with explicit axes.
    """
    mesh = jax.sharding.get_abstract_mesh()
    return not mesh.manual_axes and sum(size > 1 for size in mesh.axis_sizes) > 1


def may_be_split() -> bool:
    """Whether the arrays of what is traced here may be split over devices; in `jax.shard_map` they are parts."""
    return jax.device_count() > 1 and not jax.sharding.get_abstract_mesh().manual_axes


@cache
def host_device() -> Device | None:
    """JAX's first CPU, by which compiled programs call the host; None where it has none, as with JAX_PLATFORMS=cuda."""
    try:
        return jax.local_devices(backend="cpu")[0]
    except RuntimeError:
        return None


def _kind(platform: str) -> str:
    return KINDS.get(platform, platform)
