"""The recurrent layers of Torch's package cudnn: several in a row, with all their numbers in one vector.

They run on every device, as all layers do. The order of the vector is cuDNN's, so that saved weights mean what they did
there, and those of PyTorch's `nn.LSTM`, `nn.GRU` and `nn.RNN` fit.
"""

from collections.abc import Callable
from dataclasses import field
from itertools import accumulate
from math import prod
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core import check_floating, check_positive, draws, expected, spread
from ..core.types import Array, State, Tree
from ..layers.frugal import sigmoid, tanh, where
from ..layers.initializers import between
from .gates import lstm
from .sequencer import AbstractSequencer
from .unfolding import Sums, unfolded


class Kind(NamedTuple):
    """A kind of recurrence: its gates in cuDNN's order, the pieces of its state, its sums and one step."""

    gates: str
    state: tuple[str, ...]
    sums: Callable[[Array, Array, Array], tuple[dict, dict]]
    """(x W + b, U, b' for h) -> by name the sums' part that is known before, and the matrices that multiply h."""
    advance: Callable[[Sums, None, State], tuple[Array, State]]


def _together(of_x: Array, of_h: Array, bias: Array) -> tuple[dict, dict]:
    return {"all": of_x + spread(bias, of_x.shape)}, {"all": of_h}


def _with_reset(of_x: Array, of_h: Array, bias: Array) -> tuple[dict, dict]:
    """Those of a GRU, whose third product with h is reset before x's is added to it."""
    size = of_h.shape[1]
    gates, x = jnp.split(of_x, [2 * size], -1)
    projected = {
        "ru": gates + spread(bias[..., : 2 * size], gates.shape),
        "n": spread(bias[..., 2 * size :], x.shape),
        "x": x,
    }
    return projected, {"ru": of_h[: 2 * size], "n": of_h[2 * size :], "x": of_h[:size, :0]}


def _simple(function: Callable) -> Callable:
    def advance(sums: Sums, masks: None, state: State) -> tuple[Array, State]:
        h = function(sums("all", state["hidden"]))
        return h, {"hidden": h}

    return advance


def _lstm(sums: Sums, masks: None, state: State) -> tuple[Array, State]:
    h, cell = lstm("ifgo", sums("all", state["hidden"]), state["cell"])
    return h, {"hidden": h, "cell": cell}


def _gru(sums: Sums, masks: None, state: State) -> tuple[Array, State]:
    h = state["hidden"]
    r, u = jnp.split(sigmoid(sums("ru", h)), 2, -1)
    h = (1 - u) * tanh(sums("x", h[..., :0]) + r * sums("n", h)) + u * h
    return h, {"hidden": h}


def _relu(x: Array) -> Array:
    """max(0, x), whose derivative at 0 is 0."""
    return where(x > 0, x, 0)


KINDS = {
    "RNN_RELU": Kind("h", ("hidden",), _together, _simple(_relu)),
    "RNN_TANH": Kind("h", ("hidden",), _together, _simple(tanh)),
    "LSTM": Kind("ifgo", ("hidden", "cell"), _together, _lstm),
    "GRU": Kind("run", ("hidden",), _with_reset, _gru),
}
"""The kinds by cuDNN's names."""


class CudnnRNN(AbstractSequencer):
    """`num_layers` recurrent layers in a row, as `kind` says: RNN_RELU (the default), RNN_TANH, LSTM or GRU.

    h' = relu(x W + b + h U + b'); for RNN_TANH tanh. The other kinds are those of CudnnLSTM and CudnnGRU.
    With `bidirectional` each layer runs in both directions, with weights for each, and the next one gets both outputs
    side by side. Between layers elements are dropped with probability `dropout` in training, the others multiplied by
    1 / (1 - dropout). With `remember_states` a sequence starts from where the last one ended, if its batch is as large.
    With `skip_input` the first layer has no W: x itself, as large as h, is added in each gate.
    Shape: x (T, B, input_size) -> (T, B, D hidden_size), or (B, T, ...) with batch_first; D is 2 if bidirectional.
    Parameters: weight, one vector, from Uniform(+-1/sqrt(hidden_size)). By layer, and in it by direction, come the
    matrices for x and those for h, one for each gate (i, f, g, o of an LSTM; r, u, n of a GRU), output x input; then,
    in the same order, the biases for x and those for h. `parts` cuts it.
    Buffers: hidden and, in LSTMs, cell after the last step, (D num_layers, B, hidden_size), if `remember` or
    `remember_states` keeps them, else None.
    Raises: ValueError for other shapes, also of a given state.
    Differs from Torch7: sequences of several lengths, packed with the batch's size at each step, are not taken.
    Source: cudnn.torch, RNN.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnRNN(3, 4, 2), (7, 8, 3))
    (7, 8, 4)
    """

    package: ClassVar[str] = "cudnn"
    parameter_order = ("weight",)
    starts_at_zero: ClassVar[bool] = True
    state_axis: ClassVar[int] = 1

    input_size: int
    hidden_size: int
    num_layers: int
    batch_first: bool = False
    dropout: float = 0.0
    remember_states: bool = False
    kind: str = field(default="RNN_RELU", kw_only=True)
    bidirectional: bool = field(default=False, kw_only=True)
    skip_input: bool = field(default=False, kw_only=True)
    mode: str = field(default="neither", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, input_size=self.input_size, hidden_size=self.hidden_size, num_layers=self.num_layers)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"{self.torch_name()}: expected 0 <= dropout < 1, got {self.dropout}")
        if self.kind not in KINDS:
            raise ValueError(f"{self.torch_name()}: expected a kind of {', '.join(KINDS)}, got {self.kind!r}")
        if self.skip_input is True and self.input_size != self.hidden_size:
            sizes = f"input_size {self.input_size} and hidden_size {self.hidden_size}"
            raise ValueError(f"{self.torch_name()}: skip_input needs inputs as large as the state, got {sizes}")

    @classmethod
    def torch_name(cls) -> str:
        """Torch's name: without the package, which tells these classes from nn's, where it is part of the name here."""
        return f"{cls.package}.{cls.__name__.removeprefix('Cudnn')}"

    @property
    def directions(self) -> int:
        """In how many directions each layer runs."""
        return 1 + self.bidirectional

    @property
    def transient(self) -> tuple[str, ...]:  # type: ignore[override]
        return KINDS[self.kind].state

    @property
    def causal(self) -> bool:
        """With time first, forwards."""
        return not (self.batch_first or self.bidirectional)

    def draws(self, train: bool) -> bool:
        return train and self.dropout > 0 and self.num_layers > 1

    def has_memory(self, train: bool) -> bool:
        return self.remember_states or super().has_memory(train)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        bound = self.hidden_size**-0.5 if stdv is None else stdv
        return {"weight": between(key, (sum(map(prod, self.shapes())),), -bound, bound)}

    def init_buffers(self) -> State:
        return dict.fromkeys(self.transient)

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        sizes = (self.num_layers * self.directions, *batch, self.hidden_size)
        return {name: jnp.zeros(sizes, dtype) for name in self.transient}

    def parts(self, weight: Array) -> list[tuple[Array, Array, Array, Array]]:
        """The matrices for x and for h, and the biases of both, of each layer and direction: (G H, inputs), (G H, H),
        (G H,) and (G H,) for G gates.
        """
        shapes = self.shapes()
        ends = list(accumulate(map(prod, shapes), initial=0))
        found = [weight[start:end].reshape(shape) for start, end, shape in zip(ends, ends[1:], shapes, strict=False)]
        of_x, of_h = found[::2], found[1::2]
        half = self.num_layers * self.directions
        return list(zip(of_x[:half], of_h[:half], of_x[half:], of_h[half:], strict=True))

    def shapes(self) -> list[tuple[int, ...]]:
        """Those of the parts of the vector, in its order: all pairs of matrices, then all pairs of biases."""
        rows, above = len(KINDS[self.kind].gates) * self.hidden_size, self.directions * self.hidden_size
        first = 0 if self.skip_input else self.input_size
        inputs = [size for size in [first, *[above] * (self.num_layers - 1)] for _ in range(self.directions)]
        matrices = [(rows, columns) for size in inputs for columns in (size, self.hidden_size)]
        return [*matrices, *[(rows,)] * len(matrices)]

    def forward(self, params: Tree, buffers: State, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        x = self._by_time(input).astype(params["weight"].dtype)
        state = self._start(self.start(buffers, train), x)
        parts, ends = self.parts(params["weight"]), []
        for layer in range(self.num_layers):
            if layer and self.draws(train):
                kept = draws.happens(jax.random.fold_in(key, layer), 1 - self.dropout, x.shape)
                x = jnp.where(kept, x / (1 - self.dropout), 0)
            outputs = []
            for direction in range(self.directions):
                place = layer * self.directions + direction
                own = {name: value[place] for name, value in state.items()}
                output, end = self._run(parts[place], x, own, backwards=bool(direction))
                outputs.append(output)
                ends.append(end)
            x = jnp.concatenate(outputs, -1)
        new = {name: jnp.stack([end[name] for end in ends]) for name in state}
        return (jnp.swapaxes(x, 0, 1) if self.batch_first else x), self.end({**buffers, **new}, train)

    def _by_time(self, input: Array) -> Array:
        if input.ndim != 3 or input.shape[2] != self.input_size:
            raise expected(self, f"a batch of sequences (3D) with {self.input_size} features", input)
        check_floating(self, input)
        return jnp.swapaxes(input, 0, 1) if self.batch_first else input

    def _start(self, buffers: State, x: Array) -> State:
        """The state before the first step; as in Torch, `remember_states` drops that of another batch."""
        state = self.initial_state(x.shape[1:2], x.dtype)
        for name, zeros in state.items():
            value = buffers[name]
            if value is not None and value.shape == zeros.shape:
                state[name] = value.astype(x.dtype)
            elif value is not None and not self.remember_states:
                what = "before the first step, if there is one; forget() starts anew"
                raise expected(self, f"{name} of shape {zeros.shape} {what}", value)
        return state

    def _run(self, part: tuple, x: Array, state: State, backwards: bool) -> tuple[Array, State]:
        kind, (of_x, of_h, *biases) = KINDS[self.kind], part
        bias_x, bias_h = (bias.reshape(1, 1, -1) for bias in biases)
        x = jnp.flip(x, 0) if backwards else x
        sums = jnp.einsum("tbd,gd->tbg", x, of_x) if of_x.size else jnp.tile(x, len(kind.gates))
        projected, weights = kind.sums(sums + spread(bias_x, sums.shape), of_h, bias_h)
        outputs, end = unfolded(kind.advance, projected, state, weights, None, None)
        return (jnp.flip(outputs, 0) if backwards else outputs), end


class CudnnRNNReLU(CudnnRNN):
    """h' = relu(x W + b + h U + b') in `num_layers` layers, as in CudnnRNN.

    Shape: x (T, B, input_size) -> (T, B, hidden_size), or (B, T, ...) with batch_first.
    Parameters and buffers: as in CudnnRNN. Raises: as CudnnRNN.
    Source: cudnn.torch, RNNReLU.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnRNNReLU(3, 4, 2), (7, 8, 3))
    (7, 8, 4)
    """


class CudnnRNNTanh(CudnnRNN):
    """h' = tanh(x W + b + h U + b') in `num_layers` layers, as in CudnnRNN.

    Shape: x (T, B, input_size) -> (T, B, hidden_size), or (B, T, ...) with batch_first.
    Parameters and buffers: as in CudnnRNN. Raises: as CudnnRNN.
    Source: cudnn.torch, RNNTanh.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnRNNTanh(3, 4, 2), (7, 8, 3))
    (7, 8, 4)
    """

    kind: str = field(default="RNN_TANH", kw_only=True)


class CudnnLSTM(CudnnRNN):
    """i, f, o = s(x W + b + h U + b'), g = tanh(x W + b + h U + b');  c' = f c + i g;  h' = o tanh(c').

    `num_layers` such layers in a row, as in CudnnRNN.
    Shape: x (T, B, input_size) -> (T, B, hidden_size), or (B, T, ...) with batch_first.
    Parameters and buffers: as in CudnnRNN. Raises: as CudnnRNN.
    Source: cudnn.torch, LSTM.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnLSTM(3, 4, 2), (7, 8, 3))
    (7, 8, 4)
    """

    kind: str = field(default="LSTM", kw_only=True)


class CudnnGRU(CudnnRNN):
    """r, u = s(x W + b + h U + b');  n = tanh(x W + b + r (h U + b'));  h' = (1 - u) n + u h.

    `num_layers` such layers in a row, as in CudnnRNN. In nn.GRU and nn.SeqGRU r multiplies h itself.
    Shape: x (T, B, input_size) -> (T, B, hidden_size), or (B, T, ...) with batch_first.
    Parameters and buffers: as in CudnnRNN. Raises: as CudnnRNN.
    Source: cudnn.torch, GRU.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnGRU(3, 4, 2), (7, 8, 3))
    (7, 8, 4)
    """

    kind: str = field(default="GRU", kw_only=True)


class CudnnBLSTM(CudnnRNN):
    """y_t = [h_t, k_t], of LSTMs forwards and backwards: CudnnLSTM in both directions.

    Shape: x (T, B, input_size) -> (T, B, 2 hidden_size), or (B, T, ...) with batch_first.
    Parameters and buffers: as in CudnnRNN. Raises: as CudnnRNN. As in Torch, the sixth argument is not positional.
    Source: cudnn.torch, BLSTM.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnBLSTM(3, 4, 2), (7, 8, 3))
    (7, 8, 8)
    """

    remember_states: bool = field(default=False, kw_only=True)
    kind: str = field(default="LSTM", kw_only=True)
    bidirectional: bool = field(default=True, kw_only=True)


class CudnnBGRU(CudnnRNN):
    """y_t = [h_t, k_t], of GRUs forwards and backwards: CudnnGRU in both directions.

    Shape: x (T, B, input_size) -> (T, B, 2 hidden_size), or (B, T, ...) with batch_first.
    Parameters and buffers: as in CudnnRNN. Raises: as CudnnRNN. As in Torch, the sixth argument is not positional.
    Source: cudnn.torch, BGRU.lua.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.CudnnBGRU(3, 4, 2), (7, 8, 3))
    (7, 8, 8)
    """

    remember_states: bool = field(default=False, kw_only=True)
    kind: str = field(default="GRU", kw_only=True)
    bidirectional: bool = field(default=True, kw_only=True)


LAYERS = (CudnnRNN, CudnnRNNReLU, CudnnRNNTanh, CudnnLSTM, CudnnGRU, CudnnBLSTM, CudnnBGRU)
"""All classes of this file."""
