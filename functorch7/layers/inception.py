"""Named blocks of convolutions."""

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

from ..core import Module, registry
from ..core.types import Value
from .containers import Concat, Sequential
from .convolution import SpatialConvolution
from .decorators import Decorator, DepthConcat
from .normalization import SpatialBatchNormalization
from .pooling import SpatialMaxPooling
from .rectifiers import ReLU


class Inception(Decorator):
    """y = join(m_1(x), ..., m_n(x)): columns of 1x1 convolutions before larger ones, a pooling, and a 1x1 convolution,
    joined by DepthConcat(2).

    The table `config` has, under Torch's names or in snake_case: inputSize; outputSize, the planes of each column's
    kernel; reduceSize, those of its 1x1 convolution, then one for the pooling's and one for the last column, which are
    optional; reduceStride (1); transfer, a module or its class (ReLU); batchNorm (False); padding (True: kernels keep
    sizes); kernelSize ([5, 3]); kernelStride (1); poolSize (3), poolStride (1), or pool, a module.
    Shape: (C, H, W) or (B, C, H, W) -> the planes of all columns, smaller ones centred in zeros.
    Parameters: those of the columns, in order. Warns if the columns' strides differ.
    Raises: TypeError for missing or unknown keys; ValueError for fewer kernels or reductions than columns.
    Source: dpnn/README.md#nn.Inception; Szegedy et al., 2014.

    >>> import functorch7 as f7
    >>> config = {"inputSize": 8, "outputSize": [6, 4], "reduceSize": [3, 2, 5, 7]}  # 6 + 4 + 5 + 7 planes
    >>> f7.output_shape(f7.Inception(config), (2, 8, 12, 12))
    (2, 22, 12, 12)
    """

    def __init__(self, config: Mapping[str, Value]):
        keys = {name.replace("_", "").lower(): value for name, value in config.items()}
        try:
            inspect.signature(_Columns).bind(**keys)
        except TypeError as error:
            raise TypeError(f"{self.torch_name()}: in its table: {error}") from None
        super().__init__(DepthConcat(2, *_Columns(**keys).modules()))


class _Columns:
    """The columns of an Inception; the arguments are the keys of its table."""

    def __init__(
        self, inputsize: int, outputsize: Any, reducesize: Any, reducestride: Any = (),
        transfer: Module | type[Module] | None = None, batchnorm: bool = False, padding: bool = True,
        kernelsize: Any = (5, 3), kernelstride: Any = (), poolsize: int = 3, poolstride: int = 1,
        pool: Module | None = None,
    ):  # fmt: skip
        self.input_size = inputsize
        transfer = ReLU if transfer is None else transfer
        self.transfer = transfer() if isinstance(transfer, type) else transfer
        self.batch_norm, self.padding = batchnorm, padding
        self.output_size, self.reduce_size = list(map(int, outputsize)), list(map(int, reducesize))
        self.kernel_size = list(map(int, kernelsize))[: len(self.output_size)]
        self.reduce_stride, self.kernel_stride = list(map(int, reducestride)), list(map(int, kernelstride))
        self.pool = SpatialMaxPooling(poolsize, poolsize, poolstride, poolstride) if pool is None else pool
        self.pool_stride = poolstride
        columns = len(self.output_size)
        if len(self.kernel_size) < columns or len(self.reduce_size) < columns:
            sizes = f"kernelSize {list(kernelsize)} and reduceSize {self.reduce_size}"
            raise ValueError(f"nn.Inception: expected kernels and reductions for {columns} columns, got {sizes}")

    def block(self, inputs: int, outputs: int, kernel: int, stride: int) -> list[Module]:
        """A convolution, [a batch normalisation,] and the transfer function."""
        pad = kernel // 2 if self.padding else 0
        convolution = SpatialConvolution(inputs, outputs, kernel, kernel, stride, stride, pad)
        norm = [SpatialBatchNormalization(outputs)] if self.batch_norm else []
        return [convolution, *norm, self.transfer]

    def reduce(self, i: int) -> list[Module]:
        """The 1x1 convolution number i (from 0), if there is one."""
        if i >= len(self.reduce_size):
            return []
        return self.block(self.input_size, self.reduce_size[i], 1, _or_one(self.reduce_stride, i))

    def modules(self) -> list[Module]:
        """The columns."""
        strides, columns = [], []
        for i, (outputs, kernel) in enumerate(zip(self.output_size, self.kernel_size, strict=True)):
            stride = _or_one(self.kernel_stride, i)
            column = self.reduce(i) + self.block(self.reduce_size[i], outputs, kernel, stride)
            columns.append(Sequential(*column))
            strides.append(_or_one(self.reduce_stride, i) * stride)
        n = len(columns)
        columns.append(Sequential(self.pool, *self.reduce(n)))
        strides.append(self.pool_stride * (_or_one(self.reduce_stride, n) if self.reduce(n) else 1))
        if last := self.reduce(n + 1):
            columns.append(Sequential(*last))
            strides.append(_or_one(self.reduce_stride, n + 1))
        if len(set(strides)) > 1:
            warnings.warn(f"nn.Inception: inconsistent output sizes, the columns' strides are {strides}", stacklevel=4)
        return columns


def _or_one(values: list[int], i: int) -> int:
    return values[i] if i < len(values) else 1


class FireModule(Decorator):
    """z = f(s(x)); y = f(join(e_1(z), e_3(z))): a 1x1 convolution s, then 1x1 and 3x3 convolutions side by side, f
    being a transfer function (SqueezeNet's block).

    Shape: (B, n_input_plane, H, W) -> (B, e1x1 + e3x3, H, W). `activation` is the name of a transfer function.
    Parameters: those of the three convolutions.
    Raises: ValueError for an unknown activation. Warns if s1x1 > e1x1 + e3x3.
    Source: dpnn/README.md#nn.FireModule; Iandola et al., 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.FireModule(8, 4, 6, 5), (2, 8, 12, 12))
    (2, 11, 12, 12)
    """

    n_input_plane: int
    s1x1: int
    e1x1: int
    e3x3: int
    activation: str

    def __init__(self, n_input_plane: int, s1x1: int, e1x1: int, e3x3: int, activation: str = "ReLU"):
        kind = registry.get(f"nn.{activation}")
        if kind is None:
            raise ValueError(f"nn.FireModule: no module is called nn.{activation}")
        if s1x1 > e1x1 + e3x3:
            warnings.warn("nn.FireModule: s1x1 is more than e1x1 + e3x3 and limits nothing", stacklevel=2)
        expand = Concat(2, SpatialConvolution(s1x1, e1x1, 1, 1), SpatialConvolution(s1x1, e3x3, 3, 3, 1, 1, 1, 1))
        chain = Sequential(SpatialConvolution(n_input_plane, s1x1, 1, 1), kind(), expand, kind())
        self._set(modules=(chain,), n_input_plane=n_input_plane, s1x1=s1x1, e1x1=e1x1, e3x3=e3x3, activation=activation)
        self.__post_init__()

    def printed(self) -> str:
        return (
            f"{self.type_name()} inputPlanes: {self.n_input_plane} -> Squeeze Planes: {self.s1x1} -> "
            f"Expand: {self.e1x1}(1x1) + {self.e3x3}(3x3), activation: {self.activation}"
        )
