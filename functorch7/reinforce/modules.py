"""Modules that sample, and learn by REINFORCE."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Emitted, Module


class Reinforce(Module, abstract=True):
    """Samples in training (in evaluation too if `stochastic`); write `sample`, `log_prob` and `mean`.

    The incoming gradient is ignored; the gradient is that of -reward * log p(sample; input), by way of the side
    output `log_prob` and `functorch7.reinforce_loss(buffers, reward)`, or `model.reinforce(reward)` in `legacy`.
    Buffers: log_prob, of the last sample, element by element (a side output).
    Raises: ValueError if a key is needed and missing.
    Source: dpnn, Reinforce; Williams, 1992.
    """

    stochastic: bool = False

    def sample(self, key: jax.Array, input: Any) -> Any:
        """One sample for each element (or row) of the input."""
        raise NotImplementedError(f"{self.torch_name()} must define sample(key, input)")

    def log_prob(self, sample: Any, input: Any) -> Any:
        """log p(sample; input), differentiable with respect to the input."""
        raise NotImplementedError(f"{self.torch_name()} must define log_prob(sample, input)")

    def mean(self, input: Any) -> Any:
        """What evaluation gives instead of a sample; the input itself by default."""
        return input

    def draws(self, train: bool) -> bool:
        return train or self.stochastic

    def init_buffers(self) -> dict[str, Any]:
        return {"log_prob": Emitted(None, "log_prob")}

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        if not self.draws(train):
            return self.mean(input), {"log_prob": Emitted(None, "log_prob")}
        sample = lax.stop_gradient(self.sample(key, input))
        return sample, {"log_prob": Emitted(self.log_prob(sample, input), "log_prob")}


class ReinforceBernoulli(Reinforce):
    """x = 1 with probability p (the input), else 0; evaluation gives p.

    Shape: probabilities of any shape, kept; gradient -reward * (x - p) / (p (1 - p)).
    Buffers: log_prob, of the last sample (a side output).
    Source: dpnn, ReinforceBernoulli; Williams, 1992.
    """

    def sample(self, key: jax.Array, input: Any) -> Any:
        return jax.random.bernoulli(key, input).astype(input.dtype)

    def log_prob(self, sample: Any, input: Any) -> Any:
        return jnp.log(jnp.where(sample > 0, input, 1 - input))
