"""What models of words have in common: their sizes, and how they learn."""

import jax
import optax

from .. import optim
from ..core import Module, Variables
from ..core.types import Array, Tree, Value
from ..layers import Dropout
from ..layers.initializers import between
from .rates import by_epoch, falling
from .recipe import NotNegative, Positive, Probability, Recipe, Schedule, Sizes


class WordModel(Recipe, frozen=True):
    """Stacked recurrent layers that learn by gradient descent with momentum, on gradients of limited norm.

    The loss of a batch is summed over its time-steps, and averaged over its columns.
    """

    hidden_sizes: Sizes = (200,)
    input_size: Positive | None = None
    """Of the words' vectors; by default the first hidden size."""
    dropout: Probability = 0
    uniform: NotNegative | None = 0.1
    """All parameters start uniformly distributed on +- this; None: as their layers do."""
    sequence_length: Positive = 5
    """Time-steps of a batch, and of back-propagation."""
    columns: Positive = 32
    """How many parts of the text are read side by side."""
    learning_rate: NotNegative = 0.05
    schedule: Schedule | None = None
    """Epoch -> the rate after it. Without, the rate falls by equal steps to min_learning_rate in `saturate` epochs."""
    min_learning_rate: NotNegative = 1e-5
    saturate: Positive = 400
    momentum: Probability = 0.9
    squares: Probability = 0
    """RMSprop's weight of the squares before, where it is to be the rule; 0: gradient descent with momentum."""
    cutoff: float = -1
    """The largest norm of the gradient; -1 is no limit."""
    max_out_norm: float = -1
    """The largest norm of a row of weights; -1 is no limit."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the words' vectors, and of the layers."""
        return (self.input_size or self.hidden_sizes[0], *self.hidden_sizes)

    @property
    def drop(self) -> list[Module]:
        """What follows a layer."""
        return [Dropout(self.dropout)] if self.dropout else []

    def initial(self, module: Module, key: jax.Array) -> Variables:
        """The module's arrays; uniformly distributed, if a bound is given."""
        params, buffers = module.init(key)
        return Variables(params if self.uniform is None else spread(params, self.uniform, key), buffers)

    def optimizer(self, steps_per_epoch: int) -> optax.GradientTransformation:
        """dpnn's gradParamClip, and the rule."""
        return optax.chain(optim.grad_param_clip(self.cutoff), self.rule(steps_per_epoch))

    def rule(self, steps_per_epoch: int) -> optax.GradientTransformation:
        """dpnn's updateGradParameters, updateParameters and maxParamNorm, for gradients that were clipped."""
        if self.schedule is None:
            rate = falling(self.learning_rate, self.min_learning_rate, self.saturate, steps_per_epoch)
        else:
            rate = by_epoch(self.learning_rate, self.schedule, steps_per_epoch)
        if self.squares:
            return optax.inject_hyperparams(optim.rmsprop)(learning_rate=rate, alpha=self.squares)
        return optax.chain(
            optim.momentum(self.momentum), optax.inject_hyperparams(optax.scale_by_learning_rate)(learning_rate=rate),
            optim.max_param_norm(self.max_out_norm),
        )  # fmt: skip


def spread(params: Tree, bound: float, key: jax.Array) -> Array:
    """Arrays like params, uniformly distributed on +-bound."""
    leaves, structure = jax.tree.flatten(params)
    keys = jax.random.split(key, len(leaves))
    return structure.unflatten(between(k, leaf.shape, -bound, bound) for k, leaf in zip(keys, leaves, strict=True))


def word_count(_: Value, targets: Value) -> int:
    """How many words a batch has to find."""
    return targets.size
