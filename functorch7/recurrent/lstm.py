"""Long short-term memory, one time step a call."""

from dataclasses import field
from typing import Any, ClassVar

import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core import Module, check_positive, expected
from ..core.module import Children
from ..core.types import Array, Key, State, Tree
from ..layers import (
    Add,
    BatchNormalization,
    CAddTable,
    CMul,
    CMulTable,
    ConcatTable,
    Dropout,
    FlattenTable,
    Linear,
    NarrowTable,
    ParallelTable,
    SelectTable,
    Sequential,
    Sigmoid,
    Tanh,
)
from ..layers.frugal import sigmoid, tanh
from ..layers.initializers import filled
from .abstract import AbstractRecurrent, ready
from .dropped import DroppingCell, masked_copies
from .gates import lstm
from .simple import LinearNoBias
from .unfolding import Sums


class LSTM(AbstractRecurrent):
    """One step of an LSTM with diagonal peepholes.

    i, f = s(W x + U h + w . c + b);  c' = f c + i tanh(W x + U h + b);
    o = s(W x + U h + w . c' + b);  h' = o tanh(c').
    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size); one time step a call.
    Parameters: those of `modules[0]`, the module [x, h, c] -> [h', c'] that `build_model` composes of the other factory
    methods' results; in Torch's order W (H, D), b (H,), U (H, H), w (H,) of the forget gate, the input gate, the
    hidden layer (without w) and the output gate; uniform on +-1/sqrt(fan in). Without cell2gate there is no w.
    Buffers: output (h) and cell (c), None when forgotten. With p > 0, dropout on x and h in each gate, with masks that
    stay for a sequence.
    Raises: ValueError for input of another size, and if the batch changes before the state is forgotten.
    Source: rnn/README.md#rnn.LSTM; Graves, 2013.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Sequencer(f7.LSTM(3, 4)), (7, 8, 3))
    (7, 8, 4)
    """

    transient: ClassVar[tuple[str, ...]] = ("output", "cell")
    hidden: ClassVar[tuple[str, ...]] = ("output", "cell")
    scaled_axes = {}
    tunable: ClassVar[tuple[str, ...]] = ("p",)  # the modules inside have their own

    input_size: int
    output_size: int
    rho: int
    cell2gate: bool
    p: float
    mono: bool
    modules: tuple[Module, ...]

    def __init__(
        self, input_size: int, output_size: int | None = None, rho: int = 9999, cell2gate: bool = True, p: float = 0,
        mono: bool = False,
    ):  # fmt: skip
        output_size = input_size if output_size is None else output_size
        self._set(input_size=input_size, output_size=output_size, rho=rho, cell2gate=cell2gate, p=p, mono=mono)
        check_positive(self, input_size=input_size, output_size=output_size, rho=rho)
        self._set(modules=(self.build_model(),))
        self.__post_init__()

    # Factory methods -----------------------------------------------------------------------------------------------

    def build_gate(self) -> Module:
        """[x, h, c] -> s(W x + U h + w . c + b)."""
        gate = [] if self.cell2gate else [NarrowTable(1, 2)]
        peephole = [CMul(self.output_size)] if self.cell2gate else []
        return Sequential(*gate, ParallelTable(*self._linear_parts(), *peephole), CAddTable(), Sigmoid())

    def build_input_gate(self) -> Module:
        """What enters the cell."""
        return self.build_gate()

    def build_forget_gate(self) -> Module:
        """What is kept in the cell."""
        return self.build_gate()

    def build_output_gate(self) -> Module:
        """What leaves the new cell."""
        return self.build_gate()

    def build_hidden(self) -> Module:
        """[x, h, c] -> tanh(W x + U h + b)."""
        return Sequential(NarrowTable(1, 2), ParallelTable(*self._linear_parts()), CAddTable(), Tanh())

    def build_cell(self) -> Module:
        """[x, h, c] -> c' = forget_gate * c + input_gate * hidden."""
        input_gate, forget_gate, hidden = self.build_input_gate(), self.build_forget_gate(), self.build_hidden()
        self._set(made_first=(input_gate, forget_gate, hidden))
        kept = Sequential(ConcatTable(forget_gate, SelectTable(3)), CMulTable())
        let_in = Sequential(ConcatTable(input_gate, hidden), CMulTable())
        return Sequential(ConcatTable(kept, let_in), CAddTable())

    def build_model(self) -> Module:
        """[x, h, c] -> [h', c'], where h' = output_gate([x, h, c']) * tanh(c')."""
        cell, output_gate = self.build_cell(), self.build_output_gate()
        shown = Sequential(ConcatTable(output_gate, Sequential(SelectTable(3), Tanh())), CMulTable())
        return Sequential(ConcatTable(NarrowTable(1, 2), cell), FlattenTable(), ConcatTable(shown, SelectTable(3)))

    def _linear_parts(self) -> list[Module]:
        parts: list[Module] = [
            Linear(self.input_size, self.output_size), LinearNoBias(self.output_size, self.output_size)
        ]  # fmt: skip
        if not self.p:
            return parts
        return [Sequential(Dropout(self.p, lazy=True, mono=self.mono), part) for part in parts]

    # -----------------------------------------------------------------------------------------------------------------

    @property
    def starts_at_zero(self) -> bool:
        return all(child.traits.starts_at_zero for child in self.child_modules())

    def children(self) -> Children:
        return {"recurrent_module": self.modules[0]}

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        return {name: jnp.zeros((*batch, self.output_size), dtype) for name in self.hidden}

    def step(self, params: Tree, buffers: State, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        input, state = ready(self, params, buffers, input)
        (output, cell), inner = self.call(
            "recurrent_module", params, buffers, [input, state["output"], state["cell"]], key=key, train=train
        )
        return output, {**buffers, "recurrent_module": inner, "output": output, "cell": cell}

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size})"


class GateNormalization(BatchNormalization, abstract=True):
    """BatchNormalization whose weight starts at 0.1, so that gates start in the middle; Torch has no class for it.

    Source: rnn, FastLSTM.lua; Cooijmans et al., 2016.
    """

    @classmethod
    def torch_name(cls) -> str:
        return BatchNormalization.torch_name()

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        made = super().init_params(key, stdv)
        return {**made, "weight": filled(self.n_output, 0.1)} if made else made


class FastLSTM(DroppingCell):
    """One step of an LSTM without peepholes, all gates in one product.

    i, f, o = sigmoid, g = tanh of W x + b + U h;  c' = f c + i g;  h' = o tanh(c').
    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size); one time step a call.
    Parameters: i2g.weight (4 H, D), i2g.bias (4 H), o2g.weight (4 H, H), rows in the order i, g, f, o, uniform on
    +-1/sqrt(fan in). With p > 0: four Linear layers of H outputs each in i2g and in o2g.
    Buffers: output (h) and cell (c), None when forgotten; with p > 0 also input_mask and output_mask, the dropout on x
    and h, drawn at the first training step and kept for a sequence (one for the whole batch if mono). All are
    transient. After `mask_zero()` also zeroMask (B), if given.
    With bn, W x + b, U h and c' are batch-normalized (bn_wx, bn_wh, bn_c, of eps, momentum and affine; weights start at
    0.1, biases at 0), with running statistics that all steps share, and `bias` is added to U h.
    `rho` is the number of steps that the legacy interface keeps for backward.
    Raises: ValueError for input of another size, and if the batch changes before the state is forgotten.
    Source: rnn/README.md#rnn.FastLSTM; Hochreiter & Schmidhuber, 1997; Gal, 2016 (dropout); Cooijmans et al., 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.FastLSTM(3, 4), (8, 3))  # one step
    (8, 4)
    >>> f7.output_shape(f7.Sequencer(f7.FastLSTM(3, 4)), (7, 8, 3))  # all steps
    (7, 8, 4)
    """

    transient: ClassVar[tuple[str, ...]] = ("output", "cell", "input_mask", "output_mask")
    uncalled: ClassVar[tuple[str, ...]] = ("i2g", "o2g")
    hidden: ClassVar[tuple[str, ...]] = ("output", "cell")
    copies: ClassVar[int] = 4

    input_size: int
    output_size: int = None  # type: ignore[assignment] - as many as inputs
    rho: int = 9999
    eps: float | None = None
    momentum: float | None = None
    affine: bool = True
    p: float = 0
    mono: bool = False
    bn: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.output_size is None:
            self._set(output_size=self.input_size)
        super().__post_init__()
        if self.p and self.bn:
            raise ValueError(f"nn.FastLSTM: expected p = 0 with batch normalisation, got {self.p}")
        if self.bn:
            self._set(made_first=self._normalized_parts())

    def children(self) -> Children:
        if self.bn:
            i2g, o2g, bn_wx, bn_wh, bn_c, bias = self.made_first
            return {"i2g": i2g, "bn_wx": bn_wx, "o2g": o2g, "bn_wh": bn_wh, "bias": bias, "bn_c": bn_c}
        if self.drops:
            of_input, of_output = Linear(self.input_size, self.output_size), Linear(self.output_size, self.output_size)
            return {"i2g": ParallelTable(*[of_input] * 4), "o2g": ParallelTable(*[of_output.no_bias()] * 4)}
        gates = 4 * self.output_size
        return {"i2g": Linear(self.input_size, gates), "o2g": LinearNoBias(self.output_size, gates)}

    def project(self, params: Tree, masks: dict, input: Array) -> State:
        i2g: Any = self.children()["i2g"]  # type: ignore[call-overload]
        if not self.drops:
            return {"igfo": i2g.f(params["i2g"], input)}
        copies = masked_copies(input, masks.get("input_mask"), 4)
        return dict(zip("igfo", i2g.apply(params["i2g"], [{}] * 4, copies)[0], strict=True))

    def recurrent_weights(self, params: Tree) -> State:
        if not self.drops:
            return {"igfo": params["o2g"]["weight"]}
        return {gate: layer["weight"] for gate, layer in zip("igfo", params["o2g"], strict=True)}

    def advance(self, sums: Sums, masks: dict, state: dict) -> tuple[Array, State]:
        if self.drops:
            copies = masked_copies(state["output"], masks.get("output_mask"), 4)
            whole = jnp.concatenate(list(map(sums, "igfo", copies)), -1)
        else:
            whole = sums("igfo", state["output"])
        h, c = lstm("igfo", whole, state["cell"])
        return h, {"output": h, "cell": c}

    # With batch normalisation ----------------------------------------------------------------------------------------

    @property
    def at_once(self) -> bool:
        return not self.bn and super().at_once

    def _normalized_parts(self) -> tuple[Module, ...]:
        """i2g, o2g, bn_wx, bn_wh, bn_c and bias, in the order in which Torch makes them."""
        gates = 4 * self.output_size
        eps, momentum = 1e-5 if self.eps is None else self.eps, 0.1 if self.momentum is None else self.momentum
        linear = Linear(self.input_size, gates), LinearNoBias(self.output_size, gates)
        sizes = gates, gates, self.output_size
        return *linear, *(GateNormalization(size, eps, momentum, self.affine) for size in sizes), Add(gates)

    def step(self, params: Tree, buffers: State, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if not self.bn:
            return super().step(params, buffers, input, key=key, train=train)
        if input.ndim != 2:
            raise expected(self, "a batch (2D), as batch normalisation needs", input)
        input, _, state = self._started(params, buffers, input, key, train)
        new = dict(buffers)

        def through(value: Array, *names: str) -> Array:
            for name in names:
                value, new[name] = self.call(name, params, buffers, value, key=None, train=train)
            return value

        sums = through(input, "i2g", "bn_wx") + through(state["output"], "o2g", "bn_wh", "bias")
        _, new["cell"] = lstm("igfo", sums, state["cell"])
        o = sigmoid(sums[..., 3 * self.output_size :])
        new["output"] = o * tanh(through(new["cell"], "bn_c"))
        return new["output"], new

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size})"
