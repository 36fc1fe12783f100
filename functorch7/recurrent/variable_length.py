"""Sequences of different lengths, packed into few columns."""

from collections.abc import Iterator
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import Module, expected
from ..core.types import Key, Output, Table, Tree
from ..layers import Decorator
from ..layers.quantized import computing
from .abstract import AbstractRecurrent
from .fused import SequenceLayer

Place = tuple[int, int]
"""A column and the first time step in it."""


def packing(lengths: list[int]) -> list[Place]:
    """The place of each sequence: longest first, in the first column with room for it after a step that stays free."""
    places: dict[int, Place] = {}
    free: list[int] = []  # the first free step of each column; -1 for empty columns
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        fitting = (column for column, step in enumerate(free) if step + 1 + lengths[i] <= max(lengths))
        column = next(fitting, len(free))
        if column == len(free):
            free.append(-1)
        places[i] = (column, free[column] + 1)
        free[column] += 1 + lengths[i]
    return [places[i] for i in range(len(lengths))]


def packed(sequences: list, places: list[Place]) -> jax.Array:
    """The sequences at their places in columns (time x column x features), between steps of zeros."""
    lengths = [len(sequence) for sequence in sequences]
    steps = jnp.concatenate([*sequences, jnp.zeros_like(sequences[0][:1])])
    # The index of all steps in the columns; the last is the step of zeros. One gather compiles faster than many copies.
    source = np.full((max(lengths), 1 + max(column for column, _ in places)), len(steps) - 1)
    for start, length, (column, first) in zip(np.cumsum([0, *lengths[:-1]]), lengths, places, strict=True):
        source[first : first + length, column] = np.arange(start, start + length)
    return steps[source]


def recurrences(module: Module) -> Iterator[Module]:
    """Every module inside that has its own recurrent state."""
    module = computing(module)
    if isinstance(module, (AbstractRecurrent, SequenceLayer)) and module.traits.transient:
        yield module
    for child in module.child_modules():
        yield from recurrences(child)


class VariableLength(Decorator):
    """y_i = m(x_i): a module of whole sequences, for a table of sequences x_i of different lengths.

    The sequences are put into as few columns as they fit in, several to a column, with a step of zeros between two of
    them, which resets the module's state.
    Shape: a table of (T_i, ...) -> a table of (T_i, ...); with last_only the last steps, (number of sequences, ...).
    The lengths are part of the shapes, so that it works under jit; each set of lengths is compiled anew.
    Parameters and buffers: those of the module, one level down.
    Raises: ValueError if a recurrence inside does not mask zeros, and for tables of sequences that differ in more than
    their lengths, or are empty.
    Source: rnn (2017), VariableLength.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VariableLength(f7.SeqLSTM(3, 4).mask_zero()), [(7, 3), (2, 3)])
    [(7, 4), (2, 4)]
    """

    takes_table: ClassVar[bool] = True

    last_only: bool

    def __init__(self, module: Module, last_only: bool = False):
        self._set(last_only=last_only)
        super().__init__(module)

    def __post_init__(self) -> None:
        super().__post_init__()
        for each in recurrences(self.modules[0]):
            if getattr(each, "batchfirst", False):
                raise ValueError(f"{self.torch_name()}: expected a module with time first, got {each}, batchfirst")
            if not getattr(each, "maskzero", False) and getattr(each, "masked", None) is None:
                raise ValueError(f"{self.torch_name()}: expected recurrences that mask zeros (maskZero), got {each}")

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Output, Tree]:
        sequences = input if isinstance(input, (list, tuple)) else ()
        if not sequences or not all(getattr(each, "size", 0) for each in sequences):
            raise expected(self, "a table of sequences", input)
        if len({each.shape[1:] for each in input}) > 1:
            raise expected(self, "sequences that differ in nothing but their lengths", input)
        lengths = [len(each) for each in input]
        places = packing(lengths)
        columns = packed(list(input), places)
        outputs, buffer = self.call(0, params, buffers, columns, key=key, train=train)
        if self.last_only:
            ends = [(column, first + length - 1) for (column, first), length in zip(places, lengths, strict=True)]
            return jnp.stack([outputs[last, column] for column, last in ends]), [buffer]
        spans = zip(places, lengths, strict=True)
        return [outputs[first : first + length, column] for (column, first), length in spans], [buffer]
