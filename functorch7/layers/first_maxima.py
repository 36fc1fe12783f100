"""The first maximum of each window, and its gradient, in the form that took the least time on the backend.

docs/performance-notes.md has the times. The gradient of `lax.reduce_window` searches for the maximum again, and is slow
on all backends.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import traced_for
from ..core.types import Array
from ..core.varying import no_change
from .merging import flattened, merged
from .windows import Windows, offsets, padded, slices


def max_pool(x: Array, windows: Windows, counts: tuple[int, ...]) -> tuple[Array, Array]:
    """Maximum and its position (row-major in the plane, from 0) in each window of ... x sizes; the first of equals."""
    if traced_for() == "cpu":
        return _by_position(x, windows, counts)
    best, tap = _by_tap(x, windows, counts)
    corner, distances = _places(x, windows, counts)
    return best, corner + jnp.asarray(distances)[tap]


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _by_position(x: Array, windows: Windows, counts: tuple[int, ...]) -> tuple[Array, Array]:
    """Maximum and position. The gradient is scattered to the positions."""
    corner, distances = _places(x, windows, counts)
    return _compared(x, windows, counts, [corner + distance for distance in distances])


@_by_position.defjvp
def _(windows, counts, primals, tangents):
    best, position = _by_position(*primals, windows, counts)
    changes, places = (flattened(merged(each, len(counts))) for each in (tangents[0], position))
    moved = jnp.take_along_axis(changes, places, 1).reshape(best.shape)
    if _overhang(primals[0].shape, windows, counts):  # the position may be that of another row's pixel
        moved = jnp.where(jnp.isneginf(best), 0, moved)
    return (best, position), (moved, no_change(position))


def _overhang(shape: tuple[int, ...], windows: Windows, counts: tuple[int, ...]) -> bool:
    """Whether windows have places outside of the plane; those with no others give -inf, but no gradient."""
    kernel, stride, pads, dilation = map(windows.window, ("k", "d", "pad", "dilation"))
    ends = [(n - 1) * d + (k - 1) * step + 1 for n, k, d, step in zip(counts, kernel, stride, dilation, strict=True)]
    return any(pads) or any(end > size for end, size in zip(ends, shape[-len(counts) :], strict=True))


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _by_tap(x: Array, windows: Windows, counts: tuple[int, ...]) -> tuple[Array, Array]:
    """Maximum and the number of its place in the window, in as few bits as possible.

    Each pixel adds the gradients of the windows in which it is the maximum: all pixels at once, without waiting.
    """
    return _compared(x, windows, counts, _numbers(windows))


@_by_tap.defjvp
def _(windows, counts, primals, tangents):
    best, tap = _by_tap(*primals, windows, counts)
    return (best, tap), (_at_taps(tangents[0], tap, windows, counts), no_change(tap))


@partial(jax.checkpoint, prevent_cse=False, static_argnums=(2, 3))  # the gradient keeps only the numbers
def _at_taps(x: Array, tap: Array, windows: Windows, counts: tuple[int, ...]) -> Array:
    """The value of each window at the place with this number."""
    pairs = zip(_numbers(windows), _seen(x, windows, counts, 0), strict=True)
    first, *rest = [jnp.where(tap == number, here, 0) for number, here in pairs]
    return sum(rest, first)


def _numbers(windows: Windows) -> list:
    """The numbers of a window's places, row by row."""
    taps = len(offsets(windows.window("k")))
    return list(np.arange(taps, dtype=np.min_scalar_type(taps - 1)))


def _compared(x: Array, windows: Windows, counts: tuple[int, ...], labels: list) -> tuple[Array, Array]:
    """The maximum of each window and its label. The offsets are compared one by one, as whole shifted images."""
    best: Any = None
    label: Any = None
    for here, new in zip(_seen(x, windows, counts, -np.inf), labels, strict=True):
        if best is None:
            best, label = here, jnp.broadcast_to(new, here.shape)
        else:
            better = here > best
            best, label = jnp.where(better, here, best), jnp.where(better, new, label)
    return best, label


def _seen(x: Array, windows: Windows, counts: tuple[int, ...], padding: float) -> list[Array]:
    """The values of all windows at each of their places: shifted copies of the image."""
    x = padded(x, windows, counts, padding)
    stride, dilation = windows.window("d"), windows.window("dilation")
    places = [
        tuple(o * step for o, step in zip(offset, dilation, strict=True)) for offset in offsets(windows.window("k"))
    ]
    return [slices(x, place, counts, stride) for place in places]


def _places(x: Array, windows: Windows, counts: tuple[int, ...]) -> tuple[Array, np.ndarray]:
    """Each window's first position in its plane, and the offsets of its other places."""
    leading = x.ndim - len(counts)
    sizes = x.shape[leading:]
    strides = np.cumprod((1, *sizes[:0:-1]))[::-1]  # in a row-major plane, in elements
    shape = (1,) * leading + counts
    corner = jnp.zeros(shape, jnp.int32)  # checkify miscounts arrays that are kept here
    for axis, (step, d, pad) in enumerate(
        zip(strides, windows.window("d"), windows.window("pad"), strict=True), leading
    ):
        place = lax.broadcasted_iota(jnp.int32, shape, axis)
        corner = corner + (place * np.int32(step * d) - np.int32(step * pad))
    steps = strides * windows.window("dilation")
    return corner, np.asarray(offsets(windows.window("k")), np.int32) @ steps.astype(np.int32)
