"""Recurrent layers, one time step a call; the carry is in the buffers."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import Module, check_positive, expected, in_dtype_of
from ..core.module import Children
from ..layers import Linear, ParallelTable


class FastLSTM(Module):
    """One step of an LSTM without peepholes, all gates in one product.

    i, f, o = sigmoid, g = tanh of W x + b + U h;  c' = f c + i g;  h' = o tanh(c').
    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size); one time step a call.
    Parameters: i2g.weight (4 H, D), i2g.bias (4 H), o2g.weight (4 H, H), rows in the order i, g, f, o, uniform on
    +-1/sqrt(fan in). With p > 0: four Linear layers of H outputs each in i2g and in o2g.
    Buffers: output (h) and cell (c), None when forgotten; with p > 0 also the dropout masks, drawn at the first
    training step and kept until `forget` (one for the whole batch if mono). All are transient.
    `rho` is the number of steps that the legacy interface keeps for backward.
    Raises: ValueError for input of another size, and if the batch changes before the state is forgotten.
    Source: rnn/README.md#rnn.FastLSTM; Hochreiter & Schmidhuber, 1997; Gal, 2016 (dropout).
    """

    transient: ClassVar[tuple[str, ...]] = ("output", "cell", "input_mask", "output_mask")
    hidden: ClassVar[tuple[str, ...]] = ("output", "cell")

    input_size: int
    output_size: int
    rho: int = 9999
    eps: float | None = None
    momentum: float | None = None
    affine: bool = True
    p: float = 0
    mono: bool = False

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size, rho=self.rho)
        if not 0 <= self.p < 1:
            raise ValueError(f"nn.FastLSTM: expected 0 <= p < 1, got {self.p}")

    def children(self) -> Children:
        if self.p:
            of_input, of_output = Linear(self.input_size, self.output_size), Linear(self.output_size, self.output_size)
            return {"i2g": ParallelTable(*[of_input] * 4), "o2g": ParallelTable(*[of_output.no_bias()] * 4)}
        gates = 4 * self.output_size
        return {"i2g": Linear(self.input_size, gates), "o2g": Linear(self.output_size, gates, bias=False)}

    def init_buffers(self) -> dict[str, Any]:
        masks = ("input_mask", "output_mask") if self.p else ()
        return dict.fromkeys(("output", "cell", *masks))

    def draws(self, train: bool) -> bool:
        return train and self.p > 0

    @property
    def starts_at_zero(self) -> bool:
        return not self.p

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise expected(self, f"input of size {self.input_size} in the last of 1 or 2 dimensions", input)
        weight = jax.tree.leaves(params["i2g"])[0]
        x = in_dtype_of(self, input, weight)
        state = (*x.shape[:-1], self.output_size)
        h, c = (jnp.zeros(state, x.dtype) if buffers[n] is None else buffers[n] for n in ("output", "cell"))
        if h.shape != state:
            raise expected(self, f"a batch shaped as the remembered state {h.shape}; forget() starts anew", input)
        masks = {}
        for i, (name, value) in enumerate((("input_mask", x), ("output_mask", h))):
            if self.draws(train):
                masks[name] = self._mask(jax.random.fold_in(key, i), value) if buffers[name] is None else buffers[name]
        gates = zip(
            self._four("i2g", params, buffers, x, masks.get("input_mask"), train),
            self._four("o2g", params, buffers, h, masks.get("output_mask"), train),
            strict=True,
        )
        i, g, f, o = (of_input + of_output for of_input, of_output in gates)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return h, {**buffers, **masks, "output": h, "cell": c}

    def _mask(self, key: jax.Array, value: jax.Array) -> jax.Array:
        batch = (1,) * (value.ndim - 1) if self.mono else value.shape[:-1]
        kept = jax.random.bernoulli(key, 1 - self.p, (4, *batch, value.shape[-1]))
        return jnp.where(kept, jnp.asarray(1 / (1 - self.p), value.dtype), 0)

    def _four(self, name: str, params: Any, buffers: Any, value: Any, mask: Any, train: bool) -> list[jax.Array]:
        """What input or output contributes to each of the four gates."""
        if self.p:
            value = [value if mask is None else value * mask[gate] for gate in range(4)]
        product, _ = self.call(name, params, buffers, value, key=None, train=train)
        return product if self.p else jnp.split(product, 4, -1)

    def printed(self) -> str:
        return f"{self.torch_name()}({self.input_size} -> {self.output_size})"
