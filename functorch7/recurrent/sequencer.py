"""Whole sequences at once: the same module at every time step."""

from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp

from ..core import Container, Module, builder, expected
from ..core.keys import of_steps
from ..core.types import Key, Output, Table, Tree, Value
from ..network import forget
from ..network.carry import without_draws
from .over_time import over_time, unrolled
from .recurrence import as_recurrent, check_argument

MODES = ("neither", "train", "eval", "both")


def check_mode(name: str, mode: str) -> None:
    """Raises ValueError, naming the class, for anything but the modes in which a sequencer may remember."""
    if mode not in MODES:
        raise ValueError(f"{name}: unrecognized value for remember: {mode!r}, expected {MODES}")


class AbstractSequencer(Module, abstract=True):
    """A module that takes whole sequences, and decides when the state at the end of one starts the next.

    `remember(mode)`: "neither" (the default), "train", "eval" or "both". Remembered state is in the buffers
    (`forget(module, buffers)` drops it); state that is not remembered is not returned, so that the buffers keep their
    structure.
    Source: rnn/README.md#rnn.AbstractSequencer.
    """

    mode: str
    is_step: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_mode(self.torch_name(), self.mode)

    def has_memory(self, train: bool) -> bool:
        """Whether a call in this mode starts from the state that the last call left."""
        return self.mode in ("both", "train" if train else "eval")

    @builder
    def remember(self, mode: str | None = None) -> Self:
        """The same sequencer that keeps its state across calls in this mode ("both" by default)."""
        return self.replace(mode="both" if mode is None else mode)

    def start(self, buffers: Tree, train: bool) -> Value:
        """The buffers from which a call starts."""
        return (without_draws if self.has_memory(train) else forget)(self, buffers)

    end = start


class StartsAnew(AbstractSequencer, abstract=True):
    """A sequencer that starts anew with every input, whatever is to be remembered."""

    @builder
    def remember(self, mode: str | None = None) -> Self:
        """The same sequencer: it keeps nothing, as in rnn. Raises ValueError for unknown modes."""
        check_mode(self.torch_name(), "both" if mode is None else mode)
        return self


def differ(table: Table) -> bool:
    """Whether the entries of a table have different shapes or structures."""
    return len({str(jax.tree.map(jnp.shape, entry)) for entry in table}) > 1


def stacked(table: Table) -> Output:
    """A table of inputs as one input, with time first."""
    return jax.tree.map(lambda *entries: jnp.stack(entries), *table)


def as_table(outputs: Value, length: int) -> list:
    """The opposite: a table with an entry for each step."""
    return [jax.tree.map(lambda y, t=t: y[t], outputs) for t in range(length)]


class Sequencer(AbstractSequencer, Container):
    """y_t = m(x_t): applies a module to every element of a sequence, left to right; recurrent state flows from step to
    step.

    Shape: (T, B, ...) -> (T, B, ...), or a table of T inputs -> a table of T outputs. The inputs of a table may differ
    in shape if the module's state permits it; then it runs step by step.
    Parameters and buffers: a list with the module's (a module that is not recurrent is put into a Recursor). Losses
    emitted inside are summed over time, log-probabilities stacked. Parts that do not depend on earlier steps are
    computed for all steps at once. Each step draws its own random numbers, by `key` folded with its time; T keys, one
    for each step, are used directly.
    Raises: TypeError unless it is given a module; ValueError for an empty sequence, and for several keys but not T; the
    module's errors.
    Source: rnn/README.md#rnn.Sequencer.

    >>> import functorch7 as f7
    >>> net = f7.Sequencer(f7.Sequential(f7.FastLSTM(3, 4), f7.Linear(4, 2)))
    >>> f7.output_shape(net, (7, 8, 3))
    (7, 8, 2)
    >>> f7.output_shape(net, [(8, 3), (8, 3)])  # a table of two steps
    [(8, 2), (8, 2)]
    """

    causal: ClassVar[bool] = True

    def __init__(self, module: Module):
        check_argument(self, module, 1)
        self._set(mode="neither", modules=(as_recurrent(module),))
        self.__post_init__()

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        table = isinstance(input, (list, tuple))
        length = len(input) if table else jnp.shape(input)[0] if jnp.ndim(input) else 0
        if not length:
            raise expected(self, "a sequence: a table, or a tensor of time x batch x features", input)
        if self.traits.traceable and not (table and differ(input)):
            inputs = stacked(input) if table else input
            outputs, buffers = self.in_one_piece(params, buffers, inputs, key=key, train=train)
            return (as_table(outputs, length) if table else outputs), buffers
        buffers, keys = self.start(buffers, train), of_steps(self, key, length)

        def step(buffers: Tree, time: int, input: Any) -> tuple[Any, Any]:
            step_key = None if keys is None else keys[time]
            output, buffer = self.call(0, params, buffers, input, key=step_key, train=train)
            return output, [buffer, *buffers[1:]]

        outputs, buffers = unrolled(step, buffers, list(input))
        return (outputs if table else jnp.stack(outputs)), self.end(buffers, train)

    def in_one_piece(self, params: Tree, buffers: Tree, inputs: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        """The same for a sequence whose arrays all have time first, also those of steps that are tables."""
        buffers, keys = self.start(buffers, train), of_steps(self, key, jax.tree.leaves(inputs)[0].shape[0])
        outputs, buffer = self.call(0, params, buffers, inputs, key=keys, train=train, way=over_time, through=True)
        return outputs, self.end([buffer, *buffers[1:]], train)

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.modules[0]}"
