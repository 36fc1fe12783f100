"""Gated recurrent units, one time step a call."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from ..core import check_positive
from ..core.module import Children
from ..core.types import Array, State, Tree, Value
from ..layers import Linear, ParallelTable
from ..layers.frugal import sigmoid, tanh
from .abstract import Cell
from .dropped import DroppingCell, masked_copies
from .simple import LinearNoBias
from .unfolding import Sums


class GRU(DroppingCell):
    """One step of a GRU.

    r, z = s(W x + b + U h);  n = tanh(W x + b + U (r h));  h' = (1 - z) n + z h.
    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size); one time step a call.
    Parameters: i2g.weight (2 H, D), i2g.bias (2 H,), o2g.weight (2 H, H), rows of r, then of z; i2h.weight (H, D),
    i2h.bias (H,), o2h.weight (H, H); uniform on +-1/sqrt(fan in). With p > 0 i2g and o2g are two layers each.
    Buffers: output (h), None when forgotten; with p > 0 also input_mask and output_mask, the dropout on x and h for
    each layer, drawn at the first training step and kept for a sequence (one for the whole batch if mono). All are
    transient. After `mask_zero()` also zeroMask (B), if given.
    Raises: ValueError for input of another size, and if the batch changes before the state is forgotten.
    Source: rnn/README.md#rnn.GRU; Cho et al., 2014; Gal, 2016 (dropout).

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.GRU(3, 4), (8, 3))  # one step
    (8, 4)
    >>> f7.output_shape(f7.Sequencer(f7.GRU(3, 4)), (7, 8, 3))  # all steps
    (7, 8, 4)
    """

    transient: ClassVar[tuple[str, ...]] = ("output", "input_mask", "output_mask")
    uncalled: ClassVar[tuple[str, ...]] = ("i2g", "o2g", "i2h", "o2h")
    copies: ClassVar[int] = 3

    input_size: int
    output_size: int
    rho: int = 9999
    p: float = 0
    mono: bool = False

    def children(self) -> Children:
        inputs, outputs = self.input_size, self.output_size
        i2h, o2h = Linear(inputs, outputs), LinearNoBias(outputs, outputs)
        if self.drops:
            return {"i2g": ParallelTable(i2h, i2h), "o2g": ParallelTable(o2h, o2h), "i2h": i2h, "o2h": o2h}
        return {"i2g": Linear(inputs, 2 * outputs), "o2g": LinearNoBias(outputs, 2 * outputs), "i2h": i2h, "o2h": o2h}

    def project(self, params: Tree, masks: dict, input: Array) -> State:
        copies = masked_copies(input, masks.get("input_mask"), 3)
        new = {"n": self._layer("i2h").f(params["i2h"], copies[2])}
        if not self.drops:
            return {"rz": self._layer("i2g").f(params["i2g"], input), **new}
        return dict(zip("rz", self._layer("i2g").apply(params["i2g"], [{}] * 2, copies[:2])[0], strict=True)) | new

    def recurrent_weights(self, params: Tree) -> State:
        new = {"n": params["o2h"]["weight"]}
        if not self.drops:
            return {"rz": params["o2g"]["weight"], **new}
        return {gate: layer["weight"] for gate, layer in zip("rz", params["o2g"], strict=True)} | new

    def advance(self, sums: Sums, masks: dict, state: dict) -> tuple[Array, State]:
        h, mask = state["output"], masks.get("output_mask")
        r, z = map(sums, "rz", masked_copies(h, mask, 2)) if self.drops else jnp.split(sums("rz", h), 2, -1)
        r, z = sigmoid(r), sigmoid(z)
        new = tanh(sums("n", r * h if mask is None else r * h * mask[2]))
        h = (1 - z) * new + z * h
        return h, {"output": h}

    def _layer(self, name: str) -> Value:
        return self.children()[name]  # type: ignore[call-overload]

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size}, {self.p:.2f})"


OPERATIONS = {
    "keep": lambda old, new: old,
    "replace": lambda old, new: new,
    "mul": lambda old, new: old * new,
    "diff": lambda old, new: old - new,
    "forget": lambda old, new: jnp.zeros_like(old),
    "sqrt_diff": lambda old, new: 0.25 * _root_of_size(old - new),
    "max": lambda old, new: jnp.where(old >= new, old, new),
    "min": lambda old, new: jnp.where(old <= new, old, new),
}


def _root_of_size(x: Array) -> Array:
    """sqrt |x|, whose derivative at 0 is 0."""
    away = x != 0
    return jnp.where(away, jnp.sqrt(jnp.abs(jnp.where(away, x, 1))), 0)


class MuFuRu(Cell):
    """One step of a multi-function recurrent unit: the new state is a mixture of operations on old state and feature.

    r = s(W x + b + U h + c);  v = s(W [x, r h] + b);  p = softmax(W [x, h] + b);  h' = sum_k p_k op_k(h, v), with p,
    for each unit, over the operations keep (h), replace (v), mul (h v), diff (h - v), forget (0), sqrt_diff
    (sqrt |h - v| / 4), max and min.
    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size); one time step a call.
    Parameters: reset_input.weight (H, D) and bias (H,), reset_output.weight (H, H) and bias (H,), feature.weight
    (H, D + H) and bias (H,), mixture.weight (K H, D + H) and bias (K H,) for K operations; uniform on +-1/sqrt(fan in).
    Buffers: output (h), None when forgotten.
    Raises: ValueError for unknown operations, input of another size, and if the batch changes before the state is
    forgotten.
    Source: rnn/README.md#rnn.MuFuRu; Weissenborn & Rocktaeschel, 2016.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Sequencer(f7.MuFuRu(3, 4)), (7, 8, 3))
    (7, 8, 4)
    """

    uncalled: ClassVar[tuple[str, ...]] = ("reset_input", "reset_output", "feature", "mixture")

    input_size: int
    output_size: int
    ops: tuple[str, ...] | None = None
    rho: int = 9999

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size, rho=self.rho)
        self._set(ops=tuple(OPERATIONS) if self.ops is None else tuple(self.ops))
        unknown = set(self.ops or ()) - set(OPERATIONS)
        if unknown or not self.ops:
            raise ValueError(f"nn.MuFuRu: expected operations among {', '.join(OPERATIONS)}, got {self.ops}")

    def children(self) -> Children:
        both, size = self.input_size + self.output_size, self.output_size
        return {
            "reset_input": Linear(self.input_size, size),
            "reset_output": Linear(size, size),
            "feature": Linear(both, size),
            "mixture": Linear(both, len(self.ops or ()) * size),
        }

    def project(self, params: Tree, masks: dict, input: Array) -> State:
        def of_input(name: str, bias: Array) -> Array:
            own = {"weight": params[name]["weight"][:, : self.input_size], "bias": bias}
            return Linear(self.input_size, len(bias)).f(own, input)

        both = params["reset_input"]["bias"] + params["reset_output"]["bias"]
        mixed = {name: of_input(name, params[name]["bias"]) for name in ("feature", "mixture")}
        return {"reset": of_input("reset_input", both), **mixed}

    def recurrent_weights(self, params: Tree) -> State:
        of_both = {name: params[name]["weight"][:, self.input_size :] for name in ("feature", "mixture")}
        return {"reset": params["reset_output"]["weight"], **of_both}

    def advance(self, sums: Sums, masks: dict, state: dict) -> tuple[Array, State]:
        h = state["output"]
        feature = sigmoid(sums("feature", sigmoid(sums("reset", h)) * h))
        scores = sums("mixture", h).reshape(*h.shape[:-1], len(self.ops or ()), self.output_size)
        results = jnp.stack([OPERATIONS[name](h, feature) for name in self.ops or ()], -2)
        h = (jax.nn.softmax(scores, -2) * results).sum(-2)
        return h, {"output": h}

    def printed(self) -> str:
        ops = "".join(f"{name} " for name in self.ops or ())
        return f"{self.type_name()}({self.input_size} -> {self.output_size}) {{ {ops}}}"
