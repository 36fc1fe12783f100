"""Reversed sequences, and whole layers in both directions."""

from typing import ClassVar, Self

import jax.numpy as jnp

from ..core import Map, Module, builder, expected
from ..core.types import Array, Output
from ..layers import CAddTable, ConcatTable, Decorator, Sequential
from ..layers.quantized import computing
from .bidirectional import BiSequencer, BiSequencerLM, SeqBRNN
from .fused import SeqGRU, SequenceLayer
from .sequencer import AbstractSequencer
from .step import lstm_layer


class ReverseSequence(Map):
    """y_t = x_{T + 1 - t}: the sequence reversed.

    Shape: a table, or a tensor with time first, kept.
    Raises: ValueError for tensors without dimensions.
    Source: rnn (2017), ReverseSequence.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.ReverseSequence().apply({}, {}, jnp.array([1.0, 2.0, 3.0]))[0].tolist()
    [3.0, 2.0, 1.0]
    """

    takes_table: ClassVar[bool] = True

    def f(self, input: Array) -> Output:
        if isinstance(input, (list, tuple)):
            return list(input)[::-1]
        if not jnp.ndim(input):
            raise expected(self, "a table or a tensor with time first", input)
        return jnp.flip(input, 0)


class ReverseUnreverse(Decorator):
    """y = reverse(sequencer(reverse(x))): a sequencer that goes from the end to the start.

    Shape, parameters and buffers: those of the sequencer, in the middle of `modules[0]`, a chain of three.
    Raises: TypeError unless it is given a module of whole sequences.
    Source: rnn (2017), ReverseUnreverse.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.ReverseUnreverse(f7.SeqLSTM(3, 4)), (7, 8, 3))
    (7, 8, 4)
    """

    def __init__(self, sequencer: Module):
        if not isinstance(computing(sequencer), (AbstractSequencer, BiSequencer, BiSequencerLM, SeqBRNN, BothWays)):
            raise TypeError(
                f"{self.torch_name()}: expecting AbstractSequencer or SeqLSTM or SeqGRU at arg 1, got {sequencer!r}"
            )
        super().__init__(Sequential(ReverseSequence(), sequencer, ReverseSequence()))


class BothWays(Decorator, abstract=True):
    """merge([layer(x), reverse(layer'(reverse(x)))]) of a layer and another like it."""

    def __init__(self, layer: SequenceLayer, merge: Module | None):
        super().__init__(_merged(layer, layer, merge or CAddTable()))

    def parts(self) -> tuple[SequenceLayer, SequenceLayer, Module]:
        """The layer that runs forwards, the one that runs backwards, and the module that merges their outputs."""
        (forward, reversal), merge = self.modules[0].modules[0].modules, self.modules[0].modules[1]  # type: ignore
        return forward, reversal.modules[0].modules[1], merge

    @builder
    def remember(self, mode: str | None = None) -> Self:
        """The same with a forward layer that keeps its state across calls ("both" by default); the other cannot."""
        forward, backward, merge = self.parts()
        return self.replace(modules=(_merged(forward.remember(mode), backward, merge),))

    @builder
    def mask_zero(self, looks: bool = True) -> Self:
        """The same with two layers that give zeros where x is zeros; their state is reset there.

        A given mask (`set_zero_mask`) decides where; with False it is required.
        """
        forward, backward, merge = self.parts()
        return self.replace(modules=(_merged(forward.mask_zero(looks), backward.mask_zero(looks), merge),))


def _merged(forward: SequenceLayer, backward: SequenceLayer, merge: Module) -> Module:
    return Sequential(ConcatTable(forward, ReverseUnreverse(backward)), merge)


class SeqBLSTM(BothWays):
    """merge([lstm(x), reverse(lstm'(reverse(x)))]) of two SeqLSTMs, or SeqLSTMPs with output_size; the sum by default.

    Shape: x (T, B, input_size) -> (T, B, hidden_size), or (T, B, output_size) if there is one; `merge` may change it.
    `SeqBLSTM(input_size, hidden_size, merge)` does without output_size.
    Parameters and buffers: those of `modules[0]`, which is composed of the parts.
    Raises: as SeqLSTM.
    Source: rnn (2017), SeqBLSTM.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SeqBLSTM(3, 4), (7, 8, 3))
    (7, 8, 4)
    """

    def __init__(
        self, input_size: int, hidden_size: int, output_size: int | Module | None = None, merge: Module | None = None
    ):
        if isinstance(output_size, Module):
            output_size, merge = None, output_size
        super().__init__(lstm_layer(input_size, hidden_size, output_size), merge)


class SeqBGRU(BothWays):
    """merge([gru(x), reverse(gru'(reverse(x)))]) of two SeqGRUs; by default their sum.

    Shape: x (T, B, input_size) -> (T, B, output_size); `merge` may change the last.
    Parameters and buffers: those of `modules[0]`, which is composed of the parts.
    Raises: as SeqGRU.
    Source: rnn (2017), SeqBGRU.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SeqBGRU(3, 4), (7, 8, 3))
    (7, 8, 4)
    """

    def __init__(self, input_size: int, output_size: int, merge: Module | None = None):
        super().__init__(SeqGRU(input_size, output_size), merge)
