"""Convolutions whose kernels connect planes, or places, in special ways."""

from typing import ClassVar, Protocol

import jax.numpy as jnp
import numpy as np

from ..core import Layer, check_positive, const, expected, in_dtype_of, spread
from ..core.arrays import Numbers
from ..core.types import Array, Tree
from .convolution import SpatialConvolution
from .convolving import convolve
from .convolving_transposed import convolve_transposed
from .initializers import between, bound_of, split, uniform
from .merging import merged
from .windows import Windows, offsets, padded, slices


def full(n_input: int, n_output: int) -> np.ndarray:
    """The connection table of all input planes with all output planes."""
    return np.array([(i, o) for o in range(1, n_output + 1) for i in range(1, n_input + 1)])


def one_to_one(n: int) -> np.ndarray:
    """The connection table of each plane with itself."""
    return np.array([(i, i) for i in range(1, n + 1)])


class Permuting(Protocol):
    """A generator of random permutations, such as NumPy's."""

    def permutation(self, n: int, /) -> np.ndarray: ...


def random(n_input: int, n_output: int, n_to: int, generator: Permuting) -> np.ndarray:
    """A connection table with n_to random input planes for every output plane, spread evenly.

    Raises: ValueError for more of them than there are input planes.
    """
    if not 1 <= n_to <= n_input:
        raise ValueError(f"nn.tables.random: expected from 1 to {n_input} input planes for each output, got {n_to}")

    def drawn() -> list[np.ndarray]:
        permutation = generator.permutation(n_input) + 1
        return [permutation[i * n_to : (i + 1) * n_to] for i in range(n_input // n_to)]

    rows: list[tuple[int, int]] = []
    chunks = drawn()
    for output in range(1, n_output + 1):
        rows += [(int(i), output) for i in chunks.pop(0)]
        chunks = chunks or drawn()  # also after the last, since Torch's generator advances then
    return np.array(rows)


class SpatialConvolutionMap(Windows, Layer):
    """y[o, i, j] = b_o + sum_{k, m, n} w[k, m, n] x[c_k, i dh + m, j dw + n], over the rows k of a connection table
    that name o: SpatialConvolution of those pairs (c_k, o) of planes only.

    Shape: (C, H, W) or (B, C, H, W) -> as many planes as the table's largest output, of floor((size - k) / d) + 1.
    The table has rows (input plane, output plane), counted from 1; `full`, `one_to_one` and `random` make some.
    Parameters: weight (connections, kh, kw), bias (planes,); each uniform on +-1/sqrt(kw * kh * connections of its
    output plane), or all on +-stdv * sqrt(3).
    Raises: ValueError for a table of another form, other ranks, fewer planes than it names, and images smaller than the
    kernel.
    Source: nn/doc/convolution.md#nn.SpatialConvolutionMap.

    >>> import functorch7 as f7
    >>> table = [[1, 1], [2, 1], [2, 2], [3, 2]]  # input plane, output plane
    >>> f7.output_shape(f7.SpatialConvolutionMap(table, 5, 5), (8, 3, 12, 12))
    (8, 2, 8, 8)
    """

    conn_table: Numbers
    kw: int
    kh: int
    dw: int = 1
    dh: int = 1

    def __post_init__(self) -> None:
        table = np.asarray(self.conn_table)
        if table.ndim != 2 or table.shape[1] != 2 or not table.size or table.min() < 1:
            raise ValueError(f"{self.torch_name()}: expected a table of (input, output) planes, got {table.tolist()}")
        self._set(conn_table=const(table.astype(np.int32)))
        self.check_windows()

    @property
    def n_input_plane(self) -> int:
        """The number of input planes."""
        return int(self.conn_table.value[:, 0].max())

    @property
    def n_output_plane(self) -> int:
        """The number of output planes."""
        return int(self.conn_table.value[:, 1].max())

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        table = self.conn_table.value
        fan_in = np.maximum(np.bincount(table[:, 1] - 1), 1) * self.kw * self.kh
        bounds = np.array([bound_of(each, stdv) for each in fan_in])
        of_weight = bounds[table[:, 1] - 1][:, None, None]
        weight_key, bias_key = split(key)
        weight = between(weight_key, (len(table), self.kh, self.kw), -of_weight, of_weight)
        return {"weight": weight, "bias": between(bias_key, (self.n_output_plane,), -bounds, bounds)}

    def dense(self, weight: Array, first: int, second: int) -> Array:
        """The weight as planes x planes x kernel, zeros where the table connects nothing (columns count from 0)."""
        table = self.conn_table.value - 1
        planes = (table[:, first].max() + 1, table[:, second].max() + 1)
        return jnp.zeros(planes + weight.shape[1:], weight.dtype).at[table[:, first], table[:, second]].add(weight)

    def convolved(self, images: Array, weight: Array) -> Array:
        """The output without bias."""
        return convolve(images, self.dense(weight, 1, 0), self.window("d"), (0, 0))

    def f(self, params: Tree, input: Array) -> Array:
        self.check_input(input)
        weight = params["weight"]
        images = merged(in_dtype_of(self, input, weight), 3)[:, : self.n_input_plane]
        output = self.convolved(images, weight)
        output = output + spread(params["bias"], output.shape, (1, -1, 1, 1))
        return output.reshape(input.shape[:-3] + output.shape[1:])

    def check_input(self, input: Array) -> None:
        """Refuses inputs of other ranks and sizes."""
        self.check_planes(input)
        self.counts(input)

    def check_planes(self, input: Array) -> None:
        """Refuses inputs of other ranks, and of fewer planes than the table names; additional planes are not read."""
        self.check_rank(input)
        if input.shape[-3] < self.n_input_plane:
            raise expected(self, f"{self.n_input_plane} planes or more in dimension -3", input)


class SpatialFullConvolutionMap(SpatialConvolutionMap):
    """y[o, p, q] = b_o + sum_{k, i, j} w[k, p - i dh, q - j dw] x[c_k, i, j], over the rows k of a connection table
    that name o: SpatialFullConvolution of those pairs (c_k, o) of planes only.

    Shape: (C, H, W), or (B, C, H, W) -> as many planes as the table's largest output, of (size - 1) d + k.
    Parameters: as SpatialConvolutionMap.
    Raises: ValueError for a table of another form, other ranks, and fewer planes than it names.
    Source: nn/doc/convolution.md#nn.SpatialFullConvolutionMap.

    >>> import functorch7 as f7
    >>> table = [[1, 1], [2, 1], [2, 2]]  # input plane, output plane
    >>> f7.output_shape(f7.SpatialFullConvolutionMap(table, 3, 3, 2, 2), (8, 2, 5, 5))
    (8, 2, 11, 11)
    """

    def check_input(self, input: Array) -> None:
        self.check_planes(input)

    def convolved(self, images: Array, weight: Array) -> Array:
        return convolve_transposed(images, self.dense(weight, 0, 1), self.window("d"), (0, 0), (0, 0))


class SpatialConvolutionLocal(Windows, Layer):
    """y[o, i, j] = b[o, i, j] + sum_{c, m, n} w[i, j, o, c, m, n] x[c, i dh + m - padh, j dw + n - padw]:
    SpatialConvolution with separate kernels and biases for every place in the output.

    Shape: (C, ih, iw) or (B, C, ih, iw) -> n_output_plane planes of oh x ow, with o = floor((i + 2 pad - k) / d) + 1.
    Parameters: weight (oh, ow, n_output_plane, n_input_plane, kh, kw), bias (n_output_plane, oh, ow); both uniform on
    +-1/sqrt(kw * kh * n_input_plane), or +-stdv * sqrt(3). A weight of other sizes has its elements in this order.
    Raises: ValueError for outputs without elements, other ranks, plane counts, or image sizes.
    Source: nn/doc/convolution.md#nn.SpatialConvolutionLocal.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialConvolutionLocal(3, 4, 12, 10, 5, 3), (8, 3, 10, 12))
    (8, 4, 8, 8)
    """

    n_input_plane: int
    n_output_plane: int
    iw: int
    ih: int
    kw: int
    kh: int
    dw: int = 1
    dh: int = 1
    padw: int = 0
    padh: int | None = None

    def __post_init__(self) -> None:
        self._set(padh=self.padw if self.padh is None else self.padh)
        check_positive(self, n_input_plane=self.n_input_plane, n_output_plane=self.n_output_plane)
        check_positive(self, iw=self.iw, ih=self.ih)
        self.check_windows()
        self.counts(np.empty((1, self.ih, self.iw)))

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        places = self.counts(np.empty((1, self.ih, self.iw)))
        fan_in = self.n_input_plane * self.kh * self.kw
        weight_key, bias_key = split(key)
        shape = (*places, self.n_output_plane, self.n_input_plane, self.kh, self.kw)
        return {
            "weight": uniform(weight_key, shape, fan_in, stdv),
            "bias": uniform(bias_key, (self.n_output_plane, *places), fan_in, stdv),
        }

    def f(self, params: dict[str, Array], input: Array) -> Array:
        self.check_rank(input, self.n_input_plane)
        if input.shape[-2:] != (self.ih, self.iw):
            raise expected(self, f"images of {self.ih} x {self.iw} (height x width)", input)
        weight = params["weight"]
        images = merged(in_dtype_of(self, input, weight), 3)
        places = self.counts(images)
        images = padded(images, self, places)
        taps = [slices(images, at, places, self.window("d")) for at in offsets(self.window("k"))]
        patches = jnp.stack(taps, 2)  # batch, plane, tap, row, column
        kernels = weight.reshape(*places, self.n_output_plane, self.n_input_plane, len(taps))
        output = jnp.einsum("bckyx,yxock->boyx", patches, kernels)
        output = output + spread(params["bias"], output.shape, (1, *output.shape[1:]))
        return output.reshape(input.shape[:-3] + output.shape[1:])

    def printed(self) -> str:
        sizes = f"{self.iw}x{self.ih}, {self.joined('k', 'x')}"
        return f"{self.type_name()}({self.n_input_plane} -> {self.n_output_plane}, {sizes}{self.printed_steps()})"


class SpatialDepthWiseConvolution(SpatialConvolution):
    """y[c, o, i, j] = b[o, c] + sum_{m, n} w[o, c, m, n] x[c, i dh + m - padh, j dw + n - padw]: n_output_plane
    separate kernels for every input plane; planes are not mixed.

    Shape: (C, H, W) or (B, C, H, W) -> n_input_plane * n_output_plane planes (those of the first input plane first) of
    floor((size + 2 pad - k) / d) + 1.
    Parameters: weight (n_output_plane, n_input_plane * kh * kw), bias (n_output_plane, n_input_plane); both uniform on
    +-1/sqrt(kw * kh * n_input_plane), or +-stdv * sqrt(3).
    Raises: ValueError for other ranks or plane counts, and for images smaller than the kernel.
    Differs from Torch7: also correct for images that are not square.
    Source: nn/doc/convolution.md#nn.SpatialDepthWiseConvolution.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialDepthWiseConvolution(3, 2, 5, 5), (8, 3, 12, 12))
    (8, 6, 8, 8)
    """

    scaled_axes = None  # a row has kernels of several outputs
    groups: ClassVar[int] = 1  # type: ignore[misc]

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        shape, fan_in = (self.n_output_plane, self.n_input_plane), self.n_input_plane * self.kh * self.kw
        weight_key, bias_key = split(key)
        made = {"weight": uniform(weight_key, (shape[0], fan_in), fan_in, stdv)}
        return {**made, "bias": uniform(bias_key, shape, fan_in, stdv)} if self.bias else made

    def f(self, params: dict[str, Array], input: Array) -> Array:
        self.check_rank(input, self.n_input_plane)
        self.counts(input)
        weight = params["weight"].reshape(self.n_output_plane, self.n_input_plane, 1, self.kh, self.kw)
        kernels = weight.swapaxes(0, 1).reshape(-1, 1, self.kh, self.kw)
        images = merged(in_dtype_of(self, input, weight), 3)
        output = convolve(images, kernels, self.window("d"), self.window("pad"), groups=self.n_input_plane)
        if self.bias:
            output = output + spread(params["bias"].T, output.shape, (1, -1, 1, 1))
        return output.reshape(input.shape[:-3] + output.shape[1:])
