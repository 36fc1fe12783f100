"""Sub-sampling with learned factors."""

import jax

from ..core import Layer, check_positive, in_dtype_of
from ..core.precision import in_float32
from .initializers import split, uniform
from .merging import merged
from .pooling import summed
from .windows import Windows, padded


class SpatialSubSampling(Windows, Layer):
    """y = w s + b, with s the sum over each kw x kh window, plane by plane.

    Shape: (n_input_plane, H, W) or with a batch in front -> floor((size - k) / d) + 1 pixels.
    Parameters: weight and bias (n_input_plane,), uniform on +-1/sqrt(kw * kh), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or plane counts, and for images smaller than a window.
    Source: nn/doc/convolution.md#nn.SpatialSubSampling.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialSubSampling(6, 2, 2, 2, 2), (8, 6, 28, 28))
    (8, 6, 14, 14)
    """

    n_input_plane: int
    kw: int
    kh: int
    dw: int = 1
    dh: int = 1

    def __post_init__(self) -> None:
        check_positive(self, n_input_plane=self.n_input_plane)
        self.check_windows()

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, jax.Array]:
        keys, shape = split(key), (self.n_input_plane,)
        fan_in = self.kw * self.kh
        return {name: uniform(k, shape, fan_in, stdv) for name, k in zip(("weight", "bias"), keys, strict=True)}

    @in_float32
    def f(self, params: dict[str, jax.Array], input: jax.Array) -> jax.Array:
        self.check_rank(input, self.n_input_plane)
        counts = self.counts(input)
        input = in_dtype_of(self, input, params["weight"])
        planes = padded(merged(input, 2), self, counts)
        sums = summed(planes, self, counts).reshape(input.shape[:-2] + counts)
        per_plane = (1,) * (input.ndim - 3) + (-1, 1, 1)
        return sums * params["weight"].reshape(per_plane) + params["bias"].reshape(per_plane)
