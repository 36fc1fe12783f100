"""Losses of sequences, and of batches with padding."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import expected, is_concrete
from ..losses import ModuleCriterion, MultiCriterion
from ..losses.base import Criterion
from .masking import zero_rows
from .sequencer import stacked


class AbstractSequencerCriterion(Criterion, abstract=True):
    """The sum of a criterion's losses over the steps of a sequence, or their mean with size_average.

    Source: rnn, AbstractSequencerCriterion.lua.
    """

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]

    criterion: Criterion
    size_average: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.criterion, Criterion):
            raise TypeError(f"{self.torch_name()}: expected a criterion, got {self.criterion!r}")
        if isinstance(self.criterion, ModuleCriterion):
            raise TypeError(
                f"{self.torch_name()} shouldn't decorate a ModuleCriterion. Instead, try the other way around : "
                f"ModuleCriterion decorates a {type(self).__name__}. Its modules can also be similarly decorated with "
                "a Sequencer."
            )

    def pairs(self, input: Any, target: Any) -> list[tuple[Any, Any]]:
        """Each step's input and target."""
        raise NotImplementedError

    def check(self, input: Any, target: Any) -> None:
        for each in self.pairs(input, target):
            self.criterion.check(*each)

    def steps(self, input: Any) -> Any:
        """The input of all steps, time first."""
        if isinstance(input, (list, tuple)):
            return stacked(self, input)
        if jnp.ndim(input) == 0:
            raise expected(self, "a table, or a tensor with time first", input)
        return input

    def total(self, losses: jax.Array) -> jax.Array:
        """The losses of all steps together."""
        return losses.mean() if self.size_average else losses.sum()


class SequencerCriterion(AbstractSequencerCriterion):
    """sum_t criterion(x_t, y_t), divided by the number of steps if size_average.

    Shape: tables of T inputs and targets, or tensors with time first -> scalar. Steps may differ in shape in a table.
    Raises: TypeError for a ModuleCriterion; ValueError for another number of targets; what the criterion raises.
    Source: rnn/README.md#rnn.SequencerCriterion.
    """

    def pairs(self, input: Any, target: Any) -> list[tuple[Any, Any]]:
        if not len(input) or len(input) != len(target):
            raise expected(self, f"{len(input)} targets, one for each element of the input", target)
        return list(zip(list(input), list(target), strict=True))

    def loss(self, input: Any, target: Any) -> jax.Array:
        pairs = self.pairs(input, target)
        shapes = {str(jax.tree.map(jnp.shape, pair)) for pair in pairs} if isinstance(input, (list, tuple)) else {""}
        if len(shapes) > 1:
            return self.total(jnp.stack([self.criterion.loss(*pair) for pair in pairs]))
        inputs = self.steps(input)
        targets = stacked(self, target) if isinstance(target, (list, tuple)) else target
        return self.total(jax.vmap(self.criterion.loss)(inputs, targets))


class RepeaterCriterion(AbstractSequencerCriterion):
    """sum_t criterion(x_t, y): one target for all steps.

    Shape: a table of T inputs, or a tensor with time first, and a target of one step -> scalar.
    Raises: as SequencerCriterion.
    Source: rnn/README.md#rnn.RepeaterCriterion.
    """

    def pairs(self, input: Any, target: Any) -> list[tuple[Any, Any]]:
        return [(each, target) for each in list(input)]

    def loss(self, input: Any, target: Any) -> jax.Array:
        return self.total(jax.vmap(lambda each: self.criterion.loss(each, target))(self.steps(input)))


class MaskZeroCriterion(Criterion):
    """The criterion of the examples whose first input tensor is not all zeros; 0 if there are none.

    Shape: inputs whose first tensor is a batch of tensors of n_input_dim dimensions, and targets -> scalar. Averages
    are over the examples that are left; the criterion has to be a sum, a mean, or a mean weighted by class, of the
    examples' losses.
    Raises: ValueError for input that is no batch; what the criterion raises.
    Source: rnn/README.md#rnn.MaskZeroCriterion.
    """

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]

    criterion: Criterion
    n_input_dim: int

    def __post_init__(self) -> None:
        if not isinstance(self.criterion, Criterion):
            raise TypeError(f"{self.torch_name()}: expected a criterion, got {self.criterion!r}")

    def kept(self, input: Any) -> jax.Array:
        """Which examples count: (B)."""
        zero = zero_rows(self, input, self.n_input_dim)
        if not zero.ndim:
            raise expected(self, "a batch: MaskZeroCriterion does not support online (i.e. non-batch) mode", input)
        return ~zero

    def check(self, input: Any, target: Any) -> None:
        kept, leaves = self.kept(input), jax.tree.leaves(target)
        if all(map(is_concrete, (kept, *leaves))):
            rows = np.flatnonzero(kept)
            if len(rows):
                self.criterion.check(*jax.tree.map(lambda leaf: leaf[rows], (input, target)))
        else:
            self.criterion.check(input, jax.tree.map(lambda leaf: jnp.where(_along(kept, leaf), leaf, 1), target))

    def loss(self, input: Any, target: Any) -> jax.Array:
        kept = self.kept(input)
        if any(jnp.shape(leaf)[:1] != kept.shape for leaf in jax.tree.leaves(target)):
            raise expected(self, f"a target for each of {len(kept)} examples", target)
        return _loss_of_rows(self.criterion, input, target, kept)


def _along(rows: jax.Array, leaf: Any) -> jax.Array:
    """A mask of rows, ready to combine with a tensor."""
    return rows.reshape(rows.shape + (1,) * (jnp.ndim(leaf) - 1))


def _loss_of_rows(criterion: Criterion, input: Any, target: Any, rows: jax.Array) -> jax.Array:
    """The criterion's loss of some examples of a batch: a sum, or an average by the weights that examples have."""
    if isinstance(criterion, MultiCriterion):
        parts = zip(criterion.criterions, criterion.weights, criterion.parts(input, target), strict=True)
        return sum(weight * _loss_of_rows(part, *values, rows) for part, weight, values in parts)  # type: ignore

    def one(example: Any) -> tuple[Any, Any]:
        input, target = jax.tree.map(lambda leaf: leaf[None], example)
        return criterion.loss(input, target), criterion.example_weight(input, target)

    losses, weights = jax.vmap(one)((input, target))
    if not getattr(criterion, "size_average", False):
        return jnp.where(rows, losses, 0).sum()
    weights = jnp.where(rows, weights, 0)
    total = weights.sum()
    return jnp.where(rows, weights * losses, 0).sum() / jnp.where(total == 0, 1, total)
