"""Whole recurrent layers, which compute a sequence in one call."""

from dataclasses import field
from typing import Any, ClassVar, Self

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import DTypeLike

from ..core import builder, check_floating, check_positive, expected, spread
from ..core.types import Array, Key, State, Tree, Value
from ..layers.frugal import sigmoid, tanh
from ..layers.initializers import filled, normal, split
from ..network import ZeroMask
from .gates import in_order, lstm
from .gru import GRU
from .lstm import FastLSTM
from .masking import GIVEN, check_given, given_mask, padding_of_sequence
from .sequencer import AbstractSequencer
from .unfolding import Sums, unfolded


class SequenceLayer(AbstractSequencer, abstract=True):
    """A recurrent layer over time x batch x features: write `groups`, `advance` and `init_params`.

    Buffers: the state, and with maskzero zeroMask, if given.

    The initial state is zeros, or what `remember` keeps, or given: [h0, x] (in LSTMs also [c0, h0, x]), B x H each.
    """

    transient: ClassVar[tuple[str, ...]] = ("output",)
    starts_at_zero: ClassVar[bool] = True
    scaled_axes = {"weight": 1}

    input_size: int
    output_size: int
    batchfirst: bool = field(default=False, kw_only=True)
    maskzero: bool | str = field(default=False, kw_only=True)
    mode: str = field(default="neither", kw_only=True)

    @property
    def causal(self) -> bool:
        """With time first."""
        return not self.batchfirst

    def groups(self) -> dict[str, slice]:
        """The columns of the weight with which a step computes products at once, by name."""
        raise NotImplementedError

    def project(self, params: Tree, x: Array) -> State:
        """By name, the whole sequence's part of the sums."""
        weight, bias = self._rows(params)[:, : self.input_size], params["bias"].reshape(1, 1, -1)
        sums = {name: jnp.einsum("tbd,gd->tbg", x, weight[columns]) for name, columns in self.groups().items()}
        return {
            name: sums[name] + spread(bias[..., columns], sums[name].shape) for name, columns in self.groups().items()
        }

    def recurrent_weights(self, params: Tree) -> State:
        """By the same names, the matrices that multiply the state."""
        weight = self._rows(params)[:, self.input_size :]
        return {name: weight[columns] for name, columns in self.groups().items()}

    def _rows(self, params: Tree) -> Array:
        """The weight with a row for each sum, as a step's products need it: transposed once, not at every step."""
        return lax.optimization_barrier(params["weight"].T)

    def advance(self, sums: Sums, masks: None, state: dict) -> tuple[Array, State]:
        """One step, like a Cell's."""
        raise NotImplementedError

    def state_sizes(self) -> dict[str, int]:
        """The number of features of each piece of the state; `output` last."""
        return {"output": self.output_size}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, input_size=self.input_size, output_size=self.output_size)

    def init_buffers(self) -> State:
        return dict.fromkeys(self.transient) | ({"zeroMask": ZeroMask()} if self.maskzero else {})

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        return {name: jnp.zeros((*batch, size), dtype) for name, size in self.state_sizes().items()}

    @builder
    def mask_zero(self, looks: bool = True) -> Self:
        """The same layer, which gives zeros where x is zeros; the state is reset there.

        A given mask (`set_zero_mask`; T x B also with batchfirst) decides where; with False it is required.
        """
        return self.replace(maskzero=True if looks else GIVEN)

    def _padding(self, buffers: State, x: Array) -> Array | None:
        """Which examples are padding at every step, (T, B); None if none are."""
        if not self.maskzero:
            return None
        given = given_mask(buffers)
        if given is not None:
            return padding_of_sequence(self, given, x.shape[:2])
        check_given(self, self.maskzero)
        return (x == 0).all(-1)

    def _parts(self, input: Value) -> tuple[Any, dict[str, Any]]:
        """x, and the initial states given with it."""
        given = list(input) if isinstance(input, (list, tuple)) else [input]
        names = list(self.state_sizes())
        if not 1 <= len(given) <= len(names) + 1 or any(isinstance(each, (list, tuple)) for each in given):
            raise expected(self, "a tensor x, or a table of initial states and x", input)
        *states, x = given
        if x.ndim != 3 or x.shape[2] != self.input_size:
            raise expected(self, f"a batch of sequences (3D) with {self.input_size} features", x)
        check_floating(self, x)
        return x, dict(zip(names[len(names) - len(states) :], states, strict=True))

    def _start(self, given: dict, buffers: State, batch: int, dtype: DTypeLike) -> State:
        state = self.initial_state((batch,), dtype)
        for name, zeros in state.items():
            value = given.get(name, buffers[name])
            if value is None:
                continue
            if value.shape != zeros.shape:
                what = "the given state" if name in given else "the remembered state; forget() starts anew"
                raise expected(self, f"{name} of shape {zeros.shape}, as the batch and {what}", value)
            state[name] = value.astype(dtype)
        return state

    def forward(self, params: Tree, buffers: State, input: Value, *, key: Key, train: bool) -> tuple[Array, Tree]:
        x, given = self._parts(input)
        x = jnp.swapaxes(x, 0, 1) if self.batchfirst else x
        x = x.astype(params["weight"].dtype)
        state = self._start(given, self.start(buffers, train), x.shape[1], x.dtype)
        outputs, state = unfolded(
            self.advance, self.project(params, x), state, self.recurrent_weights(params), None,
            self._padding(buffers, x),
        )  # fmt: skip
        new = self.end({**buffers, **state}, train)
        return (jnp.swapaxes(outputs, 0, 1) if self.batchfirst else outputs), new


class SeqLSTM(SequenceLayer):
    """A whole layer of an LSTM without peepholes: FastLSTM over a sequence.

    i, f, o = s(x W + h U + b), g = tanh(x W + h U + b);  c' = f c + i g;  h' = o tanh(c').
    Shape: x (T, B, input_size) -> (T, B, output_size), or (B, T, ...) with batchfirst; also [h0, x] and [c0, h0, x]
    with initial states (B, output_size). With maskzero, rows of x that are zero give zeros, and their state starts
    anew.
    Parameters: weight (input_size + output_size, 4 output_size), W above U, columns in the order i, f, o, g, from
    Normal(0, 1/sqrt(input_size + output_size)); bias (4 output_size,), zeros, for f ones.
    Buffers: output (h) and cell (c) of the last step, if `remember` keeps them, else None; with maskzero zeroMask
    (T, B), if given.
    Raises: ValueError for other shapes, and if the batch changes while the state is remembered.
    Source: rnn/README.md#rnn.SeqLSTM.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SeqLSTM(3, 4), (7, 8, 3))
    (7, 8, 4)
    """

    transient: ClassVar[tuple[str, ...]] = ("output", "cell")

    def state_sizes(self) -> dict[str, int]:
        return {"cell": self.output_size, "output": self.output_size}

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        rows, hidden = self.input_size + self.output_size, self.state_sizes()["cell"]
        scale = (self.input_size + hidden) ** -0.5 if stdv is None else stdv
        ones_for_forget = filled(4 * hidden, np.repeat([0, 1, 0, 0], hidden))
        return {"weight": normal(key, (rows, 4 * hidden), scale), "bias": ones_for_forget}

    def groups(self) -> dict[str, slice]:
        return {"ifog": slice(None)}

    def advance(self, sums: Sums, masks: None, state: dict) -> tuple[Array, State]:
        output, cell = lstm("ifog", sums("ifog", state["output"]), state["cell"])
        return output, {"output": output, "cell": cell}

    def to_fast_lstm(self, params: Tree) -> tuple[FastLSTM, Tree]:
        """The same layer as single steps, with its parameters: rows i, g, f, o."""
        weight, bias = (in_order(rows, "ifog", "igfo") for rows in (params["weight"].T, params["bias"]))
        own = weight[:, : self.input_size], weight[:, self.input_size :]
        made = {"i2g": {"weight": own[0], "bias": bias}, "o2g": {"weight": own[1]}}
        return FastLSTM(self.input_size, self.output_size), made


class SeqLSTMP(SeqLSTM):
    """r' = (o tanh(c')) weightO: SeqLSTM whose output is projected; gates see r, and c has hidden_size.

    Shape: as SeqLSTM; c0 (B, hidden_size), h0 and outputs of output_size.
    Parameters: weight (input_size + output_size, 4 hidden_size) and bias (4 hidden_size,) as SeqLSTM's, from
    Normal(0, 1/sqrt(input_size + hidden_size)); weightO (hidden_size, output_size), from
    Normal(0, 1/sqrt(hidden_size + output_size)).
    Buffers: output (r) and cell (c) of the last step, if `remember` keeps them, else None; zeroMask as SeqLSTM's.
    Raises: as SeqLSTM.
    Differs from Torch7: the bias's ones are the forget gate's for all sizes.
    Source: rnn/README.md#rnn.SeqLSTMP; Sak et al., 2014.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SeqLSTMP(3, 16, 4), (7, 8, 3))
    (7, 8, 4)
    """

    parameter_order = ("weight", "bias", "weightO")
    scaled_axes = {"weight": 1, "weightO": 1}

    hidden_size: int

    def __init__(
        self, input_size: int, hidden_size: int, output_size: int, *, batchfirst: bool = False, maskzero: bool = False,
        mode: str = "neither",
    ):  # fmt: skip
        super().__init__(input_size, output_size, batchfirst=batchfirst, maskzero=maskzero, mode=mode)
        self._set(hidden_size=hidden_size)
        check_positive(self, hidden_size=hidden_size)

    def state_sizes(self) -> dict[str, int]:
        return {"cell": self.hidden_size, "output": self.output_size}

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        own, projection = split(key)
        deviation = (self.hidden_size + self.output_size) ** -0.5 if stdv is None else stdv
        made = super().init_params(own, stdv)
        return made | {"weightO": normal(projection, (self.hidden_size, self.output_size), deviation)}

    def project(self, params: Tree, x: Array) -> State:
        return super().project(params, x) | {"output": jnp.zeros((*x.shape[:2], self.output_size), x.dtype)}

    def recurrent_weights(self, params: Tree) -> State:
        return super().recurrent_weights(params) | {"output": params["weightO"].T}

    def advance(self, sums: Sums, masks: None, state: dict) -> tuple[Array, State]:
        hidden, state = super().advance(sums, masks, state)
        output = sums("output", hidden)
        return output, {**state, "output": output}

    def to_fast_lstm(self, params: Tree) -> tuple[FastLSTM, Tree]:
        raise TypeError("toFastLSTM not supported for SeqLSTMP")


class SeqGRU(SequenceLayer):
    """A whole layer of a GRU over a sequence.

    r, u = s(x W + h U + b);  n = tanh(x W + (r h) U + b);  h' = (1 - u) n + u h.
    Shape: x (T, B, input_size) -> (T, B, output_size), or (B, T, ...) with batchfirst; also [h0, x] with an initial
    state (B, output_size). With maskzero, rows of x that are zero give zeros, and their state starts anew.
    Parameters: weight (input_size + output_size, 3 output_size), W above U, columns in the order r, u, n, from
    Normal(0, 1/sqrt(input_size + output_size)); bias (3 output_size,), zeros, for u ones.
    Buffers: output (h) of the last step, if `remember` keeps it, else None; with maskzero zeroMask (T, B), if given.
    Raises: ValueError for other shapes, and if the batch changes while the state is remembered.
    Source: rnn/README.md#rnn.SeqGRU.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SeqGRU(3, 4), (7, 8, 3))
    (7, 8, 4)
    """

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        rows, hidden = self.input_size + self.output_size, self.output_size
        scale = rows**-0.5 if stdv is None else stdv
        ones_for_update = filled(3 * hidden, np.repeat([0, 1, 0], hidden))
        return {"weight": normal(key, (rows, 3 * hidden), scale), "bias": ones_for_update}

    def groups(self) -> dict[str, slice]:
        return {"ru": slice(2 * self.output_size), "n": slice(2 * self.output_size, None)}

    def advance(self, sums: Sums, masks: None, state: dict) -> tuple[Array, State]:
        h = state["output"]
        r, u = jnp.split(sigmoid(sums("ru", h)), 2, -1)
        h = (1 - u) * tanh(sums("n", r * h)) + u * h
        return h, {"output": h}

    def to_gru(self, params: Tree) -> tuple[GRU, Tree]:
        """The same layer as single steps, with its parameters."""
        size, gates = self.input_size, 2 * self.output_size
        weight, bias = params["weight"].T, params["bias"]
        made = {
            "i2g": {"weight": weight[:gates, :size], "bias": bias[:gates]},
            "o2g": {"weight": weight[:gates, size:]},
            "i2h": {"weight": weight[gates:, :size], "bias": bias[gates:]},
            "o2h": {"weight": weight[gates:, size:]},
        }
        return GRU(self.input_size, self.output_size), made
