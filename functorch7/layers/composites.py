"""Chains of other layers that have names of their own."""

import math

from ..core import Module
from .affine import Add, CMul
from .containers import ConcatTable, Sequential
from .linear import Linear
from .pointwise import MulConstant
from .reductions import Max, Mean, Normalize
from .shape import Identity, View
from .slicing import Replicate
from .table import CSubTable


class Maxout(Sequential):
    """y = max_k (W_k x + b_k): the largest of maxout_number linear functions, output by output: Linear, View,
    [preprocess], Max.

    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size).
    Parameters: those of its Linear(input_size, output_size * maxout_number), at position 0.
    Raises: as Linear.
    Source: nn, Maxout.lua; Goodfellow et al., 2013.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Maxout(3, 4, 2), (8, 3))  # the larger one of two, for each of 4
    (8, 4)
    """

    def __init__(self, input_size: int, output_size: int, maxout_number: int, preprocess: Module | bool | None = None):
        chain = [
            Linear(input_size, output_size * maxout_number),
            View(maxout_number, output_size).set_num_input_dims(1),
            *([preprocess] if isinstance(preprocess, Module) else []),
            Max(1, 2),
        ]
        super().__init__(*chain)


class LayerNormalization(Sequential):
    """y = gain * (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps / n_output) + bias, example by example.

    Shape: (n_output) or (B, n_output), kept.
    Parameters (if affine): weight (n_output,), ones, at position 4; bias (n_output,), filled with `bias`, at 5.
    Raises: as its parts.
    Differs from Torch7: also correct for batches.
    Source: nn, LayerNormalization.lua; Ba et al., 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.LayerNormalization(5), (8, 5))
    (8, 5)
    """

    def __init__(self, n_output: int, bias: float = 0, eps: float = 1e-10, affine: bool = True):
        mean = Sequential(Mean(1, 1), Replicate(n_output, 2))
        chain = [ConcatTable(Identity(), mean), CSubTable(), Normalize(2, eps), MulConstant(math.sqrt(n_output))]
        super().__init__(*chain, *([CMul(n_output, fill=1), Add(n_output, fill=bias)] if affine else []))
