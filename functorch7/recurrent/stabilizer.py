"""A penalty on how fast hidden states grow."""

from typing import ClassVar

import jax.numpy as jnp

from ..core import Emitted, expected, without_emitted
from ..core.precision import in_float32
from ..core.types import Array, Key, State, Tree
from .abstract import AbstractRecurrent


class NormStabilizer(AbstractRecurrent):
    """y = x, with the penalty beta * mean_b (||x_t|| - ||x_{t-1}||)^2 at every training step but the first.

    Shape: (B, H), kept; one time step a call.
    Buffers: norm (B), of the last step, None when forgotten; loss, the penalty (a side output); change, its mean over
    the batch without beta, for each step (a side output, from which `legacy` computes Torch's `loss`).
    Raises: ValueError unless the input is a batch (2D).
    Differs from Torch7: the reported loss is the documented one (Torch7 reports a sum of norms); a row of zeros gets no
    gradient (Torch7's is NaN).
    Source: rnn/README.md#rnn.NormStabilizer; Krueger & Memisevic, 2016.

    >>> import functorch7 as f7
    >>> net = f7.Sequencer(f7.Sequential(f7.FastLSTM(3, 4), f7.NormStabilizer(0.5)))
    >>> f7.output_shape(net, (7, 8, 3), train=True)
    (7, 8, 4)
    """

    transient: ClassVar[tuple[str, ...]] = ("norm",)
    hidden: ClassVar[tuple[str, ...]] = ()
    starts_at_zero: ClassVar[bool] = False
    tunable: ClassVar[tuple[str, ...]] = ("beta",)

    beta: float = 1

    def init_buffers(self) -> State:
        return {"norm": None, "loss": Emitted(None, "loss"), "change": Emitted(None, "report")}

    @in_float32
    def step(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if input.ndim != 2:
            raise expected(self, "a batch (2D)", input)
        if not train:
            return input, without_emitted(buffers)
        squares = (input * input).sum(-1)
        norm = jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1)), 0)
        last = norm if buffers["norm"] is None else buffers["norm"]
        change = jnp.square(norm - last).mean()
        emitted = {"loss": Emitted(self.beta * change, "loss"), "change": Emitted(change, "report")}
        return input, {"norm": norm, **emitted}
