"""Simple recurrent networks of one layer."""

from ..core import Module, check_positive
from ..layers import CAddTable, JoinTable, Linear, ParallelTable, Sequential, Sigmoid
from .masking import LookupTableMaskZero
from .recurrence import Recurrence


class LinearRNN(Recurrence):
    """h' = transfer(W [x, h] + b), from zeros; the transfer is a sigmoid by default.

    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size); one time step a call.
    Parameters and buffers: those of recurrent_module, a chain whose second module is the linear layer.
    Buffers: output (h), None when forgotten.
    Raises: ValueError for other shapes.
    Source: rnn (2017), LinearRNN.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Sequencer(f7.LinearRNN(3, 4)), (7, 8, 3))
    (7, 8, 4)
    """

    input_size: int

    def __init__(self, input_size: int, output_size: int, transfer: Module | None = None):
        check_positive(self, input_size=input_size, output_size=output_size)
        self._set(input_size=input_size)
        layer = Linear(input_size + output_size, output_size)
        super().__init__(Sequential(JoinTable(1, 1), layer, transfer or Sigmoid()), output_size, 1)

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size[0]})"


class LookupRNN(Recurrence):
    """h' = transfer(merge([row x of a learned matrix, W h + b])), from zeros; by default a sigmoid of the sum.

    The index 0 gives a row of zeros; after `mask_zero(0)` it also gives zeros for h', so that the state starts anew.
    Shape: indices (B) from 0 to n_index -> (B, output_size); one time step a call.
    Parameters and buffers: those of recurrent_module: a LookupTableMaskZero and a Linear, then merge and transfer.
    Buffers: output (h), None when forgotten.
    Raises: ValueError for other ranks, and for indices outside 0..n_index if these are concrete.
    Source: rnn (2017), LookupRNN.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> words = jax.ShapeDtypeStruct((7, 8), jnp.int32)
    >>> f7.output_shape(f7.Sequencer(f7.LookupRNN(1000, 4)), words)
    (7, 8, 4)
    """

    n_index: int

    def __init__(self, n_index: int, output_size: int, transfer: Module | None = None, merge: Module | None = None):
        check_positive(self, n_index=n_index, output_size=output_size)
        self._set(n_index=n_index)
        layers = ParallelTable(LookupTableMaskZero(n_index, output_size), Linear(output_size, output_size))
        super().__init__(Sequential(layers, merge or CAddTable(), transfer or Sigmoid()), output_size, 0)

    def printed(self) -> str:
        return f"{self.type_name()}({self.n_index} -> {self.output_size[0]})"
