"""Criterions that reward samples, and the baselines that make their rewards less noisy."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..core import expected
from ..losses import Criterion, MSECriterion
from ..losses.classification import check_classes


class VRClassReward(Criterion):
    """Rewards a right class by `scale`, less a learned baseline (variance reduction).

    Shape: the table [scores (B, C) or (C), baseline (B) or (B, 1)] and classes (B), from 1 -> scalar: minus the
    mean reward. Its gradient is that of criterion(baseline, reward); the scores get none. `advantage` is what
    `reinforce_loss` wants: (scale * R - baseline) / B, with R = 1 where the highest score is the target's.
    Raises: ValueError unless the input is such a table, and for classes outside 1..C where these can be seen.
    Differs from the documentation: scale * R - baseline, not scale * (R - baseline), as dpnn's source.
    Source: dpnn, VRClassReward.
    """

    scale: float = 1
    criterion: Criterion = MSECriterion()

    def check(self, input: Any, target: Any) -> None:
        scores, _ = self._parts(input)
        check_classes(self, target, scores.shape[-1])

    def reward(self, input: Any, target: Any) -> jax.Array:
        """scale where the class is right, else 0: one number per example."""
        scores, baseline = self._parts(input)
        right = jnp.argmax(scores, -1) + 1 == jnp.asarray(target).reshape(-1)
        return self.scale * right.astype(baseline.dtype)

    def advantage(self, input: Any, target: Any) -> jax.Array:
        """The reward less the baseline, over the number of examples: to be sent to the stochastic modules."""
        reward = self.reward(input, target)
        return lax.stop_gradient(reward - self._parts(input)[1].reshape(-1)) / reward.size

    def loss(self, input: Any, target: Any) -> jax.Array:
        reward = self.reward(input, target)
        baseline = self._parts(input)[1]
        learned = self.criterion(baseline, reward.reshape(baseline.shape))
        # The value is the reward's, the gradient the baseline's.
        return learned - lax.stop_gradient(learned) - reward.mean()

    def _parts(self, input: Any) -> tuple[jax.Array, jax.Array]:
        if not isinstance(input, (list, tuple)) or len(input) != 2 or input[0].ndim not in (1, 2):
            raise expected(self, "a table of class scores and baseline", input)
        scores = input[0].reshape(-1, input[0].shape[-1])
        if input[1].size != len(scores):
            raise expected(self, f"a baseline of {len(scores)} numbers", input[1])
        return scores, input[1]
