"""Single steps of gated layers as modules of x and the state, with the weights of whole layers; their recurrences."""

from dataclasses import field
from typing import ClassVar, Self

import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core import Layer, builder, check_positive, expected, in_dtype_of
from ..core.module import Children
from ..core.types import Array, Key, Output, State, Table, Tree, Value
from ..network import ZeroMask
from .abstract import Cell
from .fused import SeqGRU, SeqLSTM, SeqLSTMP, SequenceLayer
from .masking import GIVEN, cleared, padding
from .unfolding import Sums, summing


def lstm_layer(input_size: int, hidden_size: int, output_size: int | None = None) -> SeqLSTM:
    """The whole layer of these sizes, whose output is projected if there is an output_size."""
    if output_size is None:
        return SeqLSTM(input_size, hidden_size)
    return SeqLSTMP(input_size, hidden_size, output_size)


class StepLayer(Layer, abstract=True):
    """A step of a SequenceLayer, as a function of [x, state...]: write `layer`."""

    takes_table: ClassVar[bool] = True
    parameter_order = ("weight", "bias", "weightO")

    input_size: int
    maskzero: bool | str = field(default=False, kw_only=True)

    @property
    def layer(self) -> SequenceLayer:
        """The whole layer, which contains the formulas."""
        raise NotImplementedError

    @property
    def scaled_axes(self) -> dict[str, int] | None:  # type: ignore[override]
        """The axes that count outputs, where the weight may have 8 bits."""
        return self.layer.traits.scaled_axes

    def state_sizes(self) -> dict[str, int]:
        """The number of features of each piece of the state; `output` first, as in the input."""
        return dict(reversed(self.layer.state_sizes().items()))

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return self.layer.init_params(key, stdv)

    def f(self, params: Tree, input: Table) -> Output:
        sizes = self.state_sizes()
        if not isinstance(input, (list, tuple)) or len(input) != 1 + len(sizes):
            raise expected(self, f"a table of x and {len(sizes)} tensors of state", input)
        wanted = (self.input_size, *sizes.values())
        if any(each.shape != (*input[0].shape[:1], size) for each, size in zip(input, wanted, strict=True)):
            raise expected(self, f"batches of {', '.join(map(str, wanted))} features", input)
        x, *state = (in_dtype_of(self, each, params["weight"]) for each in input)
        layer, projected = self.layer, self.layer.project(params, x[None])
        sums = summing({name: of_x[0] for name, of_x in projected.items()}, layer.recurrent_weights(params), {})
        _, new = layer.advance(sums, None, dict(zip(sizes, state, strict=True)))
        outputs = [new[name] for name in sizes]
        return outputs if len(outputs) > 1 else outputs[0]

    def init_buffers(self) -> State:
        return {"zeroMask": ZeroMask()} if self.maskzero else {}

    def forward(self, params: Tree, buffers: State, input: Table, *, key: Key, train: bool) -> tuple[Output, Tree]:
        outputs = self.f(params, input)
        if self.maskzero:
            outputs = cleared(padding(self, buffers, input, 1 if self.maskzero is True else GIVEN), outputs)
        return outputs, buffers

    @builder
    def mask_zero(self, looks: bool = True) -> Self:
        """The same step, which gives zeros, as output and state, for examples whose x is all zeros.

        A given mask (`set_zero_mask`) decides which examples; with False it is required.
        """
        return self.replace(maskzero=True if looks else GIVEN)


class StepLSTM(StepLayer):
    """[x, h, c] -> [h', c']: one step of SeqLSTM, or, with an output_size, of SeqLSTMP.

    Shape: x (B, input_size), h (B, output_size), c (B, hidden_size) -> h' and c' of the same sizes; without
    output_size h has hidden_size. After `mask_zero()` rows of x that are zero give zeros.
    Parameters: weight (input_size + output_size, 4 hidden_size), bias (4 hidden_size,) and, with output_size, weightO
    (hidden_size, output_size), as in SeqLSTM and SeqLSTMP.
    Raises: ValueError for other shapes.
    Source: rnn (2017), StepLSTM.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.StepLSTM(3, 4), [(8, 3), (8, 4), (8, 4)])
    [(8, 4), (8, 4)]
    """

    hidden_size: int
    output_size: int | None = None

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, hidden_size=self.hidden_size)
        if self.output_size is not None:
            check_positive(self, output_size=self.output_size)

    @property
    def layer(self) -> SeqLSTM:
        return lstm_layer(self.input_size, self.hidden_size, self.output_size)

    def printed(self) -> str:
        sizes = (self.input_size, self.hidden_size, *([] if self.output_size is None else [self.output_size]))
        return f"{self.type_name()}({' -> '.join(map(str, sizes))})"


class StepGRU(StepLayer):
    """[x, h] -> h': one step of SeqGRU.

    Shape: x (B, input_size), h (B, output_size) -> h' (B, output_size). After `mask_zero()` rows of x that are zero
    give zeros.
    Parameters: weight (input_size + output_size, 3 output_size) and bias (3 output_size,), as in SeqGRU.
    Raises: ValueError for other shapes.
    Source: rnn (2017), StepGRU.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.StepGRU(3, 4), [(8, 3), (8, 4)])
    (8, 4)
    """

    output_size: int

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size)

    @property
    def layer(self) -> SeqGRU:
        return SeqGRU(self.input_size, self.output_size)

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size})"


class StepCell(Cell, abstract=True):
    """The recurrence of a StepLayer, its only module."""

    uncalled: ClassVar[tuple[str, ...]] = ("stepmodule",)

    modules: tuple[StepLayer, ...]

    @property
    def stepmodule(self) -> StepLayer:
        """The module of one step."""
        return self.modules[0]

    def children(self) -> Children:
        return {"stepmodule": self.stepmodule}

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        return {name: jnp.zeros((*batch, size), dtype) for name, size in self.stepmodule.state_sizes().items()}

    def project(self, params: Tree, masks: dict, input: Array) -> State:
        inputs = input if input.ndim == 3 else input[None]
        projected = self.stepmodule.layer.project(params["stepmodule"], inputs)
        return projected if input.ndim == 3 else {name: of_input[0] for name, of_input in projected.items()}

    def recurrent_weights(self, params: Tree) -> State:
        return self.stepmodule.layer.recurrent_weights(params["stepmodule"])

    def advance(self, sums: Sums, masks: Value, state: dict) -> tuple[Array, State]:
        return self.stepmodule.layer.advance(sums, None, state)

    def step(self, params: Tree, buffers: State, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        self._check(input)
        return super().step(params, buffers, input, key=key, train=train)

    def sequence(self, params: Tree, buffers: State, inputs: Array, *, key: Key, train: bool) -> tuple[Array, State]:
        self._check(inputs[0])
        return super().sequence(params, buffers, inputs, key=key, train=train)

    def _check(self, input: Array) -> None:
        if input.ndim != 2:
            raise expected(self, "a batchsize x inputsize tensor (Only supports batchmode)", input)

    def printed(self) -> str:
        return self.stepmodule.printed().replace(self.stepmodule.type_name(), self.type_name())


class RecLSTM(StepCell):
    """One step of an LSTM without peepholes, with the weights of SeqLSTM; with an output_size, of SeqLSTMP.

    i, f, o = s(x W + h U + b), g = tanh(x W + h U + b);  c' = f c + i g;  h' = o tanh(c'), projected by weightO if any.
    Shape: (B, input_size) -> (B, hidden_size), or (B, output_size) if there is one; one time step a call.
    Parameters: those of stepmodule, a StepLSTM.
    Buffers: output (h) and cell (c), None when forgotten.
    Raises: ValueError unless the input is a batch of this size, and if the batch changes before the state is forgotten.
    Source: rnn (2017), RecLSTM.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Sequencer(f7.RecLSTM(3, 4)), (7, 8, 3))
    (7, 8, 4)
    """

    transient: ClassVar[tuple[str, ...]] = ("output", "cell")
    hidden: ClassVar[tuple[str, ...]] = ("output", "cell")

    hidden_size: int

    def __init__(self, input_size: int, hidden_size: int, output_size: int | None = None):
        shown = hidden_size if output_size is None else output_size
        self._set(input_size=input_size, hidden_size=hidden_size, output_size=shown)
        self._set(modules=(StepLSTM(input_size, hidden_size, output_size),))
        self.__post_init__()


class RecGRU(StepCell):
    """One step of a GRU, with the weights of SeqGRU.

    r, u = s(x W + h U + b);  n = tanh(x W + (r h) U + b);  h' = (1 - u) n + u h.
    Shape: (B, input_size) -> (B, output_size); one time step a call.
    Parameters: those of stepmodule, a StepGRU.
    Buffers: output (h), None when forgotten.
    Raises: as RecLSTM.
    Source: rnn (2017), RecGRU.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Sequencer(f7.RecGRU(3, 4)), (7, 8, 3))
    (7, 8, 4)
    """

    def __init__(self, input_size: int, output_size: int):
        self._set(input_size=input_size, output_size=output_size, modules=(StepGRU(input_size, output_size),))
        self.__post_init__()
