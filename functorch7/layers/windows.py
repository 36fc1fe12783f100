"""Windows that slide over images, volumes and sequences: their sizes, and Torch's printed form."""

from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from jax import lax
from jax.sharding import PartitionSpec

from ..core import check_positive, expected
from ..core.module import Module
from ..core.types import Array, Scalar
from .bilinear import Product

WindowField = Literal["k", "d", "pad", "dilation", "adj"]

DEFAULTS = {"k": 1, "d": 1, "pad": 0, "dilation": 1, "adj": 0}


def window_count(
    size: int, k: int, d: int = 1, pad: int = 0, dilation: int = 1, ceil: bool = False, inside: bool = False
) -> int:
    """How many windows fit: floor (or ceil) of (size + 2 pad - extent) / d, plus 1; with `inside`, in the image."""
    steps = size + 2 * pad - (dilation * (k - 1) + 1)
    count = (-(-steps // d) if ceil else steps // d) + 1
    return count - 1 if inside and (count - 1) * d >= size + pad else count


class Steps(NamedTuple):
    """How kernels move over images, a number for each dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int = 1

    def counts(self, sizes: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, ...]:
        """The windows of images, along each dimension."""
        return tuple(map(window_count, sizes, kernel, *self[:3]))


def in_whole_planes(convolve: Product) -> Product:
    """The convolution in which all places of a plane, of images and kernels, are on one device of the current mesh.

    Otherwise, on a mesh with copies of split arrays, XLA adds the copies (jaxlib 0.10.2).
    """
    free = PartitionSpec.UNCONSTRAINED

    def whole(planes: Array) -> Array:
        return lax.with_sharding_constraint(planes, PartitionSpec(free, free, *(None,) * (planes.ndim - 2)))

    return lambda x, weight, how: whole(convolve(whole(x), whole(weight), how))


class Windows(Module, abstract=True):
    """Modules with a field for each property of a window and each axis: kw, kh, dw, dh, padw, padh, ...

    `axes` are those of the tensor, outermost first; Torch's arguments and printed form have `printed_axes`.
    """

    axes: ClassVar[str] = "hw"
    printed_axes: ClassVar[str] = "wh"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The fields, which subclasses declare in Torch's order."""

    def window(self, prefix: WindowField, order: str | None = None) -> tuple[int, ...]:
        """One property of the window for each axis, in the tensor's order or another."""
        return tuple(getattr(self, prefix + axis, DEFAULTS[prefix]) for axis in order or self.axes)

    def geometry(self) -> tuple[tuple[int, ...], ...]:
        """Kernel, stride, padding and dilation in the tensor's order."""
        return self.window("k"), self.window("d"), self.window("pad"), self.window("dilation")

    def check_windows(self) -> None:
        """Refuses kernels, strides and dilations below 1, and values that are not whole numbers."""
        names = [prefix + axis for prefix in ("k", "d", "dilation") for axis in self.axes]
        check_positive(self, **{name: getattr(self, name) for name in names if hasattr(self, name)})
        for value in (*self.window("pad"), *self.window("adj")):
            if isinstance(value, (float, np.floating)):
                raise ValueError(f"{self.torch_name()}: expected whole numbers of elements to add, got {value!r}")

    def counts(self, input: Array | np.ndarray, ceil: bool = False) -> tuple[int, ...]:
        """The number of windows along each axis; ValueError if there are none.

        With padding along any axis, no window of `ceil` starts beyond the image (Torch's rule for poolings).
        """
        sizes = input.shape[-len(self.axes) :]
        kernel, stride, padding, dilation = self.geometry()
        each = zip(sizes, kernel, stride, padding, dilation, strict=True)
        found = tuple(window_count(*properties, ceil, inside=ceil and any(padding)) for properties in each)
        if min(found) < 1:
            size = "x".join(map(str, kernel))
            raise expected(self, f"an input that (with its padding) is no smaller than the kernel ({size})", input)
        return found

    def check_rank(self, input: Array, planes: int | None = None) -> None:
        """Refuses anything but an example (planes and axes) or a batch, other numbers of planes, and empty images."""
        dims = len(self.axes) + 1
        with_planes = "" if planes is None else f" with {planes} planes in dimension {-dims}"
        if input.ndim not in (dims, dims + 1) or (planes is not None and input.shape[-dims] != planes):
            raise expected(self, f"a {dims}D or {dims + 1}D tensor{with_planes}", input)
        if 0 in input.shape[1 - dims :]:
            raise expected(self, "images of at least one pixel", input)

    def joined(self, prefix: WindowField, separator: str = ",") -> str:
        """One property of the window as Torch prints it."""
        return separator.join(map(str, self.window(prefix, self.printed_axes)))

    def is_default(self, prefix: WindowField) -> bool:
        """Whether the property has Torch's default on all axes."""
        return set(self.window(prefix)) == {DEFAULTS[prefix]}

    def printed_steps(self) -> str:
        """Stride, padding and adjustment that are not the default, as Torch prints them: a padding after its stride."""
        has_steps = not (self.is_default("d") and self.is_default("pad"))
        steps: list[WindowField] = ["d"] if has_steps else []
        added: list[WindowField] = [prefix for prefix in ("pad", "adj") if not self.is_default(prefix)]
        return "".join(f", {self.joined(prefix)}" for prefix in (*steps, *added))


def offsets(kernel: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The positions within a window, row by row."""
    return list(product(*map(range, kernel)))


def slices(x: Array, offset: tuple[int, ...], counts: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """The element at an offset in every window: a strided slice of the last dimensions."""
    leading = x.ndim - len(offset)
    start = (0,) * leading + offset
    stop = x.shape[:leading] + tuple(o + (n - 1) * d + 1 for o, n, d in zip(offset, counts, stride, strict=True))
    return lax.slice(x, start, stop, (1,) * leading + stride)


def padded(x: Array, windows: Windows, counts: tuple[int, ...], value: Scalar = 0) -> Array:
    """The input with its padding, exactly as far as the windows reach (which may crop it)."""
    sizes = x.shape[-len(windows.axes) :]
    edges = [(0, 0, 0)] * (x.ndim - len(windows.axes))
    for size, n, k, d, pad, dilation in zip(sizes, counts, *windows.geometry(), strict=True):
        reach = (n - 1) * d + dilation * (k - 1) + 1
        edges.append((pad, reach - size - pad, 0))
    return lax.pad(x, np.asarray(value, x.dtype), edges)
