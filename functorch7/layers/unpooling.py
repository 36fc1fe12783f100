"""Layers that undo max poolings."""

import math
from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp

from ..core import Map, check_floating, expected
from ..core.types import Array, Output, Value
from ..programs import Compiled
from .lookup import are_numbers, check_indices
from .merging import flattened, merged
from .pooling import MaxPooling, Pooling, SpatialMaxPooling, VolumetricMaxPooling


@Compiled
@partial(jax.jit, static_argnums=2)  # compiled separately: a layer that reads a pooling's record is not compiled
def _placed(values: jax.Array, indices: jax.Array, sizes: tuple[int, ...]) -> jax.Array:
    """The values at their places in zeros of these sizes; NaN in all of a plane that has no such place."""
    flat, numbers = (flattened(merged(a, len(sizes))) for a in (values, indices))
    count, rows = math.prod(sizes), jnp.arange(flat.shape[0], dtype=jnp.int32)[:, None]
    output = jnp.zeros((flat.shape[0], count), values.dtype).at[rows, numbers.astype(jnp.int32) - 1].set(flat)
    output = jnp.where(are_numbers(numbers, 1, count).all(1, keepdims=True), output, jnp.nan)
    return output.reshape(values.shape[: -len(sizes)] + sizes)


class Unpooling(Map, abstract=True):
    """The inverse of a max pooling: subclasses name the pooling's class."""

    pooling_class: ClassVar[type[Pooling]]
    checks_values: ClassVar[bool] = True

    pooling: MaxPooling

    def __post_init__(self) -> None:
        if type(self.pooling) is not self.pooling_class:
            wanted = self.pooling_class.torch_name()
            raise TypeError(f"{self.torch_name()}: argument must be a {wanted} module, got {self.pooling!r}")
        if self.pooling.window("k") != self.pooling.window("d"):
            raise ValueError(f"{self.torch_name()}: the kernel of {self.pooling} must be equal to its stride")

    @property
    def traceable(self) -> bool:
        return self.pooling.record is None

    def located(self, input: Value) -> tuple[Output, Array, tuple[int, ...]]:
        """The values, their indices, and the sizes of the output."""
        if isinstance(input, (list, tuple)) and len(input) >= 2:
            values, indices, *like = input
            if like:
                return values, indices, like[0].shape[-len(self.pooling.axes) :]
            if values.ndim < len(self.pooling.axes):
                raise expected(self, f"values of at least {len(self.pooling.axes)} dimensions", values)
            each = zip(values.shape[-len(self.pooling.axes) :], *self.pooling.geometry()[:3], strict=True)
            return values, indices, tuple((size - 1) * d + k - 2 * pad for size, k, d, pad in each)
        record = self.pooling.record
        if record is None or record.indices is None:
            raise expected(self, "a table of values and indices, or a pooling that has run", input)
        return input, record.indices, record.sizes

    def f(self, input: jax.Array) -> jax.Array:
        values, indices, sizes = self.located(input)
        if values.shape != indices.shape:
            raise expected(self, f"values of the indices' shape {tuple(indices.shape)}", values)
        check_floating(self, values)
        check_indices(self, indices, math.prod(sizes))
        return _placed(values, indices, tuple(map(int, sizes)))

    def printed(self) -> str:
        return f"{self.torch_name()} associated to {self.pooling}"


class SpatialMaxUnpooling(Unpooling):
    """y[indices_k] = x_k: puts each value at the place that its pooling recorded, zeros elsewhere.

    Shape: [values, indices] (..., h, w), as `pooling` gives and exposes them -> (..., H, W); a third entry with the
    pooled sizes determines these, if they are not a multiple of the kernel. In `legacy` the values alone are enough.
    Raises: TypeError unless it is given a SpatialMaxPooling, and for values that are integers; ValueError if its kernel
    is not its stride, for other shapes, and for indices outside the output if these are concrete; under jit such an
    index gives NaN in its plane.
    Source: nn/doc/convolution.md#nn.SpatialMaxUnpooling.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> unpool = f7.SpatialMaxUnpooling(f7.SpatialMaxPooling(2, 1, 2, 1))
    >>> values, places = jnp.array([[[5.0, 3.0]]]), jnp.array([[[2, 4]]])
    >>> jax.jit(unpool.apply)({}, {}, [values, places])[0].tolist()
    [[[0.0, 5.0, 0.0, 3.0]]]
    """

    pooling_class: ClassVar[type[Pooling]] = SpatialMaxPooling


class VolumetricMaxUnpooling(Unpooling):
    """y[indices_k] = x_k: puts each value at the place that its pooling recorded, zeros elsewhere.

    Shape: [values, indices] (..., t, h, w), as `pooling` gives and exposes them -> (..., T, H, W), as
    SpatialMaxUnpooling.
    Raises: TypeError unless it is given a VolumetricMaxPooling, and as SpatialMaxUnpooling.
    Source: nn/doc/convolution.md#nn.VolumetricMaxUnpooling.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> unpool = f7.VolumetricMaxUnpooling(f7.VolumetricMaxPooling(2, 2, 2, 2, 2, 2))
    >>> places = jax.ShapeDtypeStruct((8, 3, 5, 6, 6), jnp.int32)
    >>> f7.output_shape(unpool, [jax.ShapeDtypeStruct(places.shape, jnp.float32), places])
    (8, 3, 10, 12, 12)
    """

    pooling_class: ClassVar[type[Pooling]] = VolumetricMaxPooling
