"""Sequences in both directions."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import Container, Module, expected, hooks
from ..core.tree import Path
from ..core.types import Array, Key, Output, Table, Tree, Value
from ..layers import (
    CAddTable,
    ConcatTable,
    Decorator,
    JoinTable,
    ReverseTable,
    Sequential,
    Transpose,
    ZipTable,
)
from .fused import SeqLSTM
from .recurrence import check_argument
from .sequencer import Sequencer, as_table
from .simple import SeqReverseSequence


def _merging(module: Module, merge: Module | int | None) -> Module:
    """The module that merges a pair of outputs: the given one, or a join along a dimension (the last by default)."""
    if merge is None or (isinstance(merge, int) and not isinstance(merge, bool)):
        return JoinTable(1, 1 if merge is None else merge)
    if not isinstance(merge, Module):
        raise TypeError(f"{module.torch_name()}: expecting nn.Module or number instance at arg 3, got {merge!r}")
    return merge


def _both_ways(module: Module, fwd: Any, bwd: Any, merge: Any) -> tuple[Sequencer, Sequential, Module]:
    """Sequencer(fwd), that of bwd (of fwd's kind by default) between two reversals, and what merges their outputs."""
    merge = _merging(module, merge)
    check_argument(module, fwd, 1)
    if bwd is None:
        bwd = fwd.replace()
        module._set(made_by_copying=((fwd, bwd),))
    check_argument(module, bwd, 2)
    return Sequencer(fwd), Sequential(ReverseTable(), Sequencer(bwd), ReverseTable()), merge


def _goes_in_one_piece(module: Module) -> bool:
    """Whether `_in_one_piece` supports this module."""
    if type(module) in (ConcatTable, Sequential):
        return all(map(_goes_in_one_piece, module.modules))  # type: ignore[attr-defined]
    return type(module) in (Sequencer, ReverseTable, ZipTable) and module.traits.traceable


@hooks.between_hooks
def _in_one_piece(
    module: Any, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool
) -> tuple[Output, Tree]:  # fmt: skip
    """The result of a part of `_both_ways` for a sequence whose arrays have time first, not a table of steps.

    So the program does not grow with the sequence, whose length may have a name.
    """
    if isinstance(module, Sequencer):
        return module.in_one_piece(params, buffers, input, key=key, train=train)
    if isinstance(module, ReverseTable):
        return jax.tree.map(partial(jnp.flip, axis=0), input), buffers
    if isinstance(module, ZipTable):
        return input, buffers  # is already a pair of sequences, whose steps are pairs
    return module.forward(params, buffers, input, key=key, train=train, way=_in_one_piece)


def _is_whole(modules: tuple[Module, ...], input: Value) -> bool:
    """Whether these modules are given whole arrays, with time first, for such an input."""
    return not isinstance(input, (list, tuple)) and all(map(_goes_in_one_piece, modules))


def _pieces(module: Module, path: Path) -> Iterator[Path]:
    """The places, from this one on, that `_in_one_piece` runs."""
    yield path
    if not isinstance(module, Sequencer):
        for i, inner in enumerate(module.child_modules()):
            yield from _pieces(inner, (*path, i))


def _padded(steps: Array, end: int) -> Array:
    """A sequence with a step of zeros before its first (0), or after its last (1)."""
    return jnp.pad(steps, [(1 - end, end), *[(0, 0)] * (steps.ndim - 1)])


class BiSequencer(Decorator):
    """merge([fwd(x), reverse(bwd(reverse(x)))]), step by step.

    Shape: a table of T inputs, or (T, B, ...) -> the same kind; by default the outputs are joined in their last
    dimension. `merge` is a module for pairs, or n, for JoinTable(1, n). Without bwd there is a second module like fwd.
    Parameters and buffers: those of `modules[0]`, which is composed of Sequencers.
    Raises: TypeError for arguments that are not modules; as Sequencer.
    Source: rnn/README.md#rnn.BiSequencer.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.BiSequencer(f7.FastLSTM(3, 4)), (7, 8, 3))  # both, side by side
    (7, 8, 8)
    """

    takes_table: ClassVar[bool] = True

    def __init__(self, fwd: Module, bwd: Module | None = None, merge: Module | int | None = None):
        forward, backward, merging = _both_ways(self, fwd, bwd, merge)
        super().__init__(Sequential(ConcatTable(forward, backward), ZipTable(), Sequencer(merging)))

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Output, Tree]:
        if isinstance(input, (list, tuple)):
            return super().forward(params, buffers, input, key=key, train=train)
        length = jnp.shape(input)[0] if jnp.ndim(input) else 0
        if length and _is_whole(self.modules, input):
            output, new = self.call(0, params, buffers, input, key=key, train=train, way=_in_one_piece)
            return output, [new, *buffers[1:]]
        outputs, buffers = super().forward(params, buffers, as_table(input, length), key=key, train=train)
        return jnp.stack(outputs), buffers


class BiSequencerLM(Container):
    """y_t = merge([fwd_{t - 1}, bwd_{t + 1}]): merge([fwd up to the step before, bwd from the step after]), for each
    step: what surrounds it.

    Shape: a table of T >= 2 inputs, or (T, B, ...) -> the same kind. fwd sees all but the last input, bwd all but the
    first; the missing steps at either end are zeros. `merge` as in BiSequencer.
    Parameters and buffers: a list with those of the three parts.
    Raises: TypeError for arguments that are not modules; ValueError for fewer than 2 inputs; as Sequencer.
    Source: rnn/README.md#rnn.BiSequencerLM.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.BiSequencerLM(f7.FastLSTM(3, 4)), (7, 8, 3))
    (7, 8, 8)
    """

    takes_table: ClassVar[bool] = True

    def __init__(self, fwd: Module, bwd: Module | None = None, merge: Module | int | None = None):
        forward, backward, merging = _both_ways(self, fwd, bwd, merge)
        super().__init__(forward, backward, Sequential(ZipTable(), Sequencer(merging)))

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Output, Tree]:
        table = isinstance(input, (list, tuple))
        length = len(input) if table else jnp.shape(input)[0] if jnp.ndim(input) else 0
        if length < 2:
            raise expected(self, "at least 2 elements in the table", input)
        whole = _is_whole(self.modules, input)
        steps = input if whole else list(input) if table else as_table(input, length)
        new = list(buffers)

        def through(part: int, value: Any) -> Any:
            way = _in_one_piece if whole else None
            value, new[part] = self.call(part, params, buffers, value, key=key, train=train, way=way)
            return value

        before, after = through(0, steps[:-1]), through(1, steps[1:])
        if whole:
            before, after = (jax.tree.map(partial(_padded, end=i), side) for i, side in enumerate((before, after)))
            return through(2, [before, after]), new
        first, last = (jax.tree.map(jnp.zeros_like, side[0]) for side in (before, after))
        outputs = through(2, [[first, *before], [*after, last]])
        return (outputs if table else jnp.stack(outputs)), new

    def printed(self) -> str:
        fwd, bwd, merge = (str(module).replace("\n", "\n    |    ") for module in self.modules)
        return f"{self.type_name()} {{\n  (  fwd  ): {fwd}\n  (  bwd  ): {bwd}\n  ( merge ): {merge}\n}}"


def ways(module: Module, input: Value) -> dict[Path, Callable]:
    """What runs the modules inside a module in the place of `apply`, by place, for an input of this kind."""
    if not isinstance(module, (BiSequencer, BiSequencerLM)) or not _is_whole(module.modules, input):
        return {}
    return {path: _in_one_piece for i, inner in enumerate(module.modules) for path in _pieces(inner, (i,))}


class SeqBRNN(Decorator):
    """merge([lstm(x), reverse(lstm'(reverse(x)))]) of two SeqLSTMs; by default their sum.

    Shape: x (T, B, input_size) -> (T, B, output_size), or (B, T, ...) with batch_first; `merge` may change the last.
    Parameters and buffers: those of `modules[0]`, which is composed of the parts.
    Raises: as SeqLSTM.
    Source: rnn/README.md#rnn.SeqBRNN.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SeqBRNN(3, 4), (7, 8, 3))
    (7, 8, 4)
    """

    def __init__(self, input_size: int, output_size: int, batch_first: bool = False, merge: Module | None = None):
        backward = Sequential(SeqReverseSequence(1), SeqLSTM(input_size, output_size), SeqReverseSequence(1))
        parts = [ConcatTable(SeqLSTM(input_size, output_size), backward), merge or CAddTable()]
        swap = [Transpose((1, 2))] if batch_first else []
        super().__init__(Sequential(*swap, *parts, *swap))
