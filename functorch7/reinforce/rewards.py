"""Criterions that reward samples, and baselines that reduce the noise of their rewards."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import check_values, expected, lookable, title
from ..core.module import Children
from ..core.straight_through import derived_as
from ..core.types import Array, Key, Tree, Value
from ..layers.merging import merged
from ..losses import Criterion, MSECriterion
from ..losses.classification import are_classes, check_classes


class VarianceReducedReward(Criterion, abstract=True):
    """Rewards a right prediction by `scale`, less a learned baseline: write `predictions` and `right`.

    The loss is minus the sum of the rewards, divided by their number if size_average; its gradient is that of
    criterion(baseline, reward), and the predictions get none. `advantage` is the argument of `reinforce_loss`.
    """

    predicted: ClassVar[str] = "class scores"

    tunable: ClassVar[tuple[str, ...]] = ("scale",)

    scale: float = 1
    criterion: Criterion = MSECriterion()
    size_average: bool = True

    def children(self) -> Children:
        return {"criterion": self.criterion}

    def predictions(self, given: Value) -> Array | None:
        """The first entry of the table, one row or number per example; None for anything else."""
        raise NotImplementedError(f"{self.torch_name()} must define predictions(given)")

    def right(self, predictions: Value, target: Value) -> Array:
        """Which predictions are right."""
        raise NotImplementedError(f"{self.torch_name()} must define right(predictions, target)")

    def are_targets(self, predictions: Value, target: Value) -> Array | np.ndarray:
        """Which targets are possible; a reward for another is NaN. All are, unless a class says otherwise."""
        return jnp.ones(jnp.shape(target), bool)

    def reward(self, input: Value, target: Value) -> jax.Array:
        """scale where the prediction is right, else 0: one number per example."""
        predictions, baseline = self.parts(input)
        target = jnp.asarray(target).reshape(-1)
        if len(target) != len(predictions):
            raise expected(self, f"{len(predictions)} targets", target)
        reward = self.scale * self.right(predictions, target).astype(baseline.dtype)
        return jnp.where(self.are_targets(predictions, target), reward, jnp.nan)

    def advantage(self, input: Value, target: Value) -> jax.Array:
        """The reward less the baseline, divided by the batch size if size_average: for the stochastic modules."""
        reward = self.reward(input, target)
        advantage = lax.stop_gradient(reward - self.parts(input)[1].reshape(-1))
        return advantage / reward.size if self.size_average else advantage

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Array, Tree]:
        self.check(*input)
        reward = self.reward(*input)
        baseline = self.parts(input[0])[1]
        given = (baseline, reward.reshape(baseline.shape))
        learned, new = self.call("criterion", params, buffers, given, key=key, train=train)
        # The value is the reward's, the gradient the baseline's.
        loss = -(reward.mean() if self.size_average else reward.sum())
        return derived_as(loss, learned), {"criterion": new}

    def parts(self, input: Value) -> tuple[jax.Array, jax.Array]:
        """The predictions, one row or number per example, and the baseline."""
        predictions = self.predictions(input[0]) if isinstance(input, (list, tuple)) and len(input) == 2 else None
        if predictions is None:
            raise expected(self, f"a table of {self.predicted} and baseline", input)
        if input[1].size != len(predictions):
            raise expected(self, f"a baseline of {len(predictions)} numbers", input[1])
        return predictions, input[1]


class VRClassReward(VarianceReducedReward):
    """l = -sum_i R_i / B; R_i = scale where argmax_c x_ic = t_i, else 0: rewards a right class by `scale`, less a
    learned baseline (variance reduction).

    Shape: the table [scores (B, C) or (C), baseline (B) or (B, 1)] and classes (B), from 1 -> scalar: minus the
    mean reward (the sum, unless size_average). Its gradient is that of criterion(baseline, reward); the scores get
    none. `advantage` is for `reinforce_loss`: (scale * R - baseline) / B, with R = 1 where the highest score is
    the target's.
    Raises: ValueError unless the input is such a table, for another number of classes, and for classes outside 1..C
    if these are concrete, or the program is `checked`; otherwise such a class gives NaN.
    Differs from the documentation: scale * R - baseline, not scale * (R - baseline), as dpnn's source.
    Source: dpnn/README.md#nn.VRClassReward.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> scores, baseline = jnp.array([[2.0, 1.0], [2.0, 1.0]]), jnp.array([0.5, 0.5])
    >>> f7.VRClassReward()([scores, baseline], jnp.array([1, 2])).item()  # one of two is right
    -0.5
    """

    def check(self, input: Value, target: Value) -> None:
        check_classes(self, target, self.parts(input)[0].shape[-1])

    def predictions(self, given: Value) -> Array | None:
        return merged(given, 1) if given.ndim in (1, 2) else None

    def right(self, predictions: Value, target: Value) -> Array:
        return jnp.argmax(predictions, -1).astype(jnp.int32) + 1 == target.astype(jnp.int32)

    def are_targets(self, predictions: Value, target: Value) -> Array | np.ndarray:
        return are_classes(target, predictions.shape[-1])


class BinaryClassReward(VarianceReducedReward):
    """l = -sum_i R_i / B; R_i = scale where round(x_i) = t_i, else 0: rewards a right answer, yes or no, by `scale`,
    less a learned baseline: VRClassReward for two classes.

    Shape: the table [probabilities of yes (B), baseline (B) or (B, 1)] and targets (B), 0 or 1 -> scalar: minus the
    mean reward (the sum, unless size_average). The answer is yes above 0.5. Gradient and `advantage` are as
    VRClassReward's.
    Raises: ValueError unless the input is such a table, for another number of targets, and for targets other than 0
    and 1 if these are concrete, or the program is `checked`; otherwise such a target gives NaN.
    Differs from the documentation: scale * R - baseline, not scale * (R - baseline), as dpnn's source.
    Source: dpnn/README.md#nn.BinaryClassReward.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> yes, baseline = jnp.array([0.9, 0.9]), jnp.array([0.5, 0.5])
    >>> f7.BinaryClassReward()([yes, baseline], jnp.array([1.0, 0.0])).item()  # one of two is right
    -0.5
    """

    predicted: ClassVar[str] = "probabilities"

    def check(self, input: Value, target: Value) -> None:
        answers, wanted = lookable(target), f"{title(self)}: expected targets 0 or 1, got {{value}}"
        check_values(answers, ~self.are_targets(self.parts(input)[0], answers), wanted)

    def predictions(self, given: Value) -> Array | None:
        return given if given.ndim == 1 else None

    def right(self, predictions: Value, target: Value) -> Array:
        return (predictions > 0.5) == (target == 1)

    def are_targets(self, predictions: Value, target: Value) -> Array | np.ndarray:
        return (target == 0) | (target == 1)
