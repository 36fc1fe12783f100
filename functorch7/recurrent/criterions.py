"""Losses of sequences, and of batches with padding."""

from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import expected, is_concrete
from ..core.keys import of_steps
from ..core.precision import at_least_float32
from ..core.types import Array, ArrayLike, Key, Output, Scalar, Tree, Value
from ..layers.merging import merged
from ..losses import ModuleCriterion, MultiCriterion
from ..losses.base import Criterion, of_sizes
from ..losses.combined import AroundCriterion
from ..network import ZeroMask, forget
from .masking import GIVEN, masking, padding
from .over_time import over_time, unrolled
from .sequencer import differ, stacked


class AbstractSequencerCriterion(AroundCriterion, abstract=True):
    """The sum of a criterion's losses over the steps of a sequence, or their mean with size_average.

    A `zero_mask` (T, B) has a row for each step. The criterion draws new random numbers at each step.
    Parameters and buffers: `criterion`, the criterion's.
    Source: rnn, AbstractSequencerCriterion.lua.
    """

    takes_table: ClassVar[bool] = True
    is_step: ClassVar[bool] = False

    size_average: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.criterion, ModuleCriterion):
            raise TypeError(
                f"{self.torch_name()} shouldn't decorate a ModuleCriterion. Instead, try the other way around : "
                f"ModuleCriterion decorates a {type(self).__name__}. Its modules can also be similarly decorated with "
                "a Sequencer."
            )

    def aligned(self, input: Value, target: Value) -> tuple[Value, Value]:
        """Input and target, both tables, or both tensors with time first."""
        raise NotImplementedError

    def _columns(self, input: Value, target: Value, zero_mask: Any = None) -> list:
        """The arguments of a step's criterion, each for all steps: inputs, targets and, if given, masks."""
        inputs, targets = self.aligned(input, target)
        if zero_mask is None:
            return [inputs, targets]
        table = isinstance(inputs, list)
        firsts: Any = [jax.tree.leaves(step)[0] for step in inputs] if table else jax.tree.leaves(inputs)[0]
        if zero_mask is False:
            none = [jnp.zeros(len(x), bool) for x in firsts] if table else jnp.zeros(firsts.shape[:2], bool)
            return [inputs, targets, none]
        if jnp.ndim(zero_mask) < 2 or len(zero_mask) != len(firsts):
            raise expected(self, f"dim >= 2 for zeroMask. For example, seqlen {len(firsts)} x batchsize", zero_mask)
        return [inputs, targets, list(zero_mask) if table else jnp.asarray(zero_mask)]

    @of_sizes
    def check(self, input: Value, target: Value, zero_mask: ArrayLike | None = None) -> None:
        columns = self._columns(input, target, zero_mask)
        if isinstance(columns[0], list):
            for step in zip(*columns, strict=True):
                self.criterion.check(*step)
        else:  # all at once: time becomes part of the batch, or the batch
            if jax.tree.leaves(columns[0])[0].ndim > 2:
                columns = jax.tree.map(lambda leaf: merged(leaf, leaf.ndim - 2), columns)
            self.criterion.check(*columns)

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Array, Tree]:
        losses, new = self.of_steps(params, buffers, input, key=key, train=train)
        return self.total(losses), new

    def of_steps(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Array, Tree]:
        """The loss of each step: (T)."""
        self.check(*input)
        given, target, *mask = input
        columns = self._columns(given, jax.tree.map(jnp.asarray, target), *mask)
        steps = list(zip(*columns, strict=True)) if isinstance(columns[0], list) else []
        if not self.traits.traceable or differ(steps):
            losses, new = self._step_by_step(params, buffers, columns, key, train)
        else:
            if isinstance(columns[0], list):
                columns = [stacked(column) for column in columns]
            losses, inner = self.call("criterion", params, buffers, tuple(columns), key=key, train=train, way=over_time)
            new = {"criterion": inner}
        return losses, forget(self, new)

    def _step_by_step(self, params: Tree, buffers: Tree, columns: list, key: Key, train: bool) -> tuple[Output, Tree]:
        length = len(jax.tree.leaves(columns[0])[0]) if not isinstance(columns[0], list) else len(columns[0])
        keys = of_steps(self, key, length)

        def step(buffers: Tree, time: int, input: Any) -> tuple[Any, Any]:
            step_key = None if keys is None else keys[time]
            loss, new = self.call("criterion", params, buffers, input, key=step_key, train=train)
            return loss, {"criterion": new}

        losses, new = unrolled(step, buffers, [tuple(_at(column, t) for column in columns) for t in range(length)])
        return jnp.stack(losses), new

    def total(self, losses: Array, steps: Scalar | None = None) -> Array:
        """The total loss of the first steps, by default of all."""
        count = len(losses) if steps is None else steps
        kept = losses if steps is None else jnp.where(jnp.arange(len(losses)) < steps, losses, 0)
        return kept.sum() / count if self.size_average else kept.sum()


def _at(column: Any, time: int) -> Any:
    return column[time] if isinstance(column, list) else jax.tree.map(lambda leaf: leaf[time], column)


class SequencerCriterion(AbstractSequencerCriterion):
    """sum_t criterion(x_t, y_t), divided by the number of steps if size_average.

    Shape: tables of T inputs and targets, or tensors with time first -> scalar. Steps may differ in shape in a table.
    Raises: TypeError for a ModuleCriterion; ValueError for another number of targets; the errors of the criterion.
    Source: rnn/README.md#rnn.SequencerCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> steps = jnp.array([[[1.0], [2.0]], [[3.0], [4.0]]])  # two steps of two examples
    >>> jax.jit(f7.SequencerCriterion(f7.MSECriterion()))(steps, jnp.zeros((2, 2, 1))).item()  # 5 / 2 + 25 / 2
    15.0
    """

    causal: ClassVar[bool] = True

    def aligned(self, input: Value, target: Value) -> tuple[Value, Value]:
        lengths = [len(each) if isinstance(each, list) or jnp.ndim(each) else 0 for each in (input, target)]
        if not lengths[0]:
            raise expected(self, "a sequence of at least one step", input)
        if lengths[0] != lengths[1]:
            raise expected(self, f"{lengths[0]} targets, one for each element of the input", target)
        if isinstance(input, list) or isinstance(target, list):
            return list(input), list(target)
        return input, target


class RepeaterCriterion(AbstractSequencerCriterion):
    """sum_t criterion(x_t, y): one target for all steps.

    Shape: a table of T inputs, or a tensor with time first, and a target of one step -> scalar.
    Raises: as SequencerCriterion.
    Source: rnn/README.md#rnn.RepeaterCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> steps = jnp.array([[[1.0]], [[2.0]]])
    >>> jax.jit(f7.RepeaterCriterion(f7.MSECriterion()))(steps, jnp.array([[0.0]])).item()  # 1 + 4
    5.0
    """

    def aligned(self, input: Value, target: Value) -> tuple[Value, Value]:
        if isinstance(input, list) and input:
            return input, [target] * len(input)
        if isinstance(input, list) or jnp.ndim(input) == 0:
            raise expected(self, "a table, or a tensor with time first", input)
        return input, jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[None], (len(input), *leaf.shape)), target)


class MaskZeroCriterion(AroundCriterion):
    """l = criterion(x, y), over the examples whose first input tensor is not all zeros; 0 if there are none.

    Shape: inputs whose first tensor is a batch of tensors of n_input_dim dimensions, and targets -> scalar. With
    n_input_dim True (`v1`) examples have any dimensions; with False (the default) `criterion(x, y, zero_mask)` gets the
    masked ones: (B), true or 1; False masks none. A given mask always decides.
    Averages are over the remaining examples; the criterion has to be a sum, a mean, or a mean weighted by class, of
    the examples' losses. The modules of a ModuleCriterion run on all examples.
    Parameters and buffers: `criterion`, the criterion's.
    Raises: ValueError for input that is not a batch, and for a mask that is missing or of another size; the criterion's
    errors.
    Source: rnn/README.md#rnn.MaskZeroCriterion; rnn (2017), MaskZeroCriterion.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> criterion = jax.jit(f7.MaskZeroCriterion(f7.MSECriterion(), 1))
    >>> criterion(jnp.array([[0.0, 0.0], [1.0, 1.0]]), jnp.full((2, 2), 3.0)).item()  # the second alone
    4.0
    """

    takes_table: ClassVar[bool] = True
    takes_mask: ClassVar[bool] = True  # type: ignore[assignment]

    n_input_dim: int | bool | str = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(n_input_dim=masking(self, self.n_input_dim))

    def kept(self, input: Value, zero_mask: ArrayLike | None = None) -> jax.Array:
        """Which examples count: (B)."""
        if zero_mask is None and self.n_input_dim == GIVEN:
            raise ValueError(f"{self.torch_name()}: expecting zeroMask tensor or false (setZeroMask, or zero_mask=)")
        zero = padding(self, {"zeroMask": ZeroMask(zero_mask)}, input, self.n_input_dim)
        if zero_mask is False:
            return jnp.ones(jax.tree.leaves(input)[0].shape[:1], bool)
        if not zero.ndim:
            raise expected(self, "a batch: MaskZeroCriterion does not support online (i.e. non-batch) mode", input)
        return ~zero

    def check(self, input: Value, target: Value, zero_mask: ArrayLike | None = None) -> None:
        kept, leaves = self.kept(input, zero_mask), jax.tree.leaves(target)
        if zero_mask is not False and any(jnp.shape(leaf)[:1] != kept.shape for leaf in leaves):
            raise expected(self, f"a target for each of {len(kept)} examples", target)
        if all(map(is_concrete, (kept, *leaves))):
            rows = np.flatnonzero(kept)
            if len(rows):
                self.criterion.check(*jax.tree.map(lambda leaf: leaf[rows], (input, target)))
        else:
            self.criterion.check(input, jax.tree.map(lambda leaf: jnp.where(_along(kept, leaf), leaf, 1), target))

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Array, Tree]:
        self.check(*input)
        given, target, *mask = input
        target, way = jax.tree.map(jnp.asarray, target), None
        if not (mask and mask[0] is False):
            way = partial(_of_rows, rows=self.kept(given, *mask))
        loss, new = self.call("criterion", params, buffers, (given, target), key=key, train=train, way=way)
        return loss, {"criterion": new}


def _along(rows: jax.Array, leaf: Any) -> jax.Array:
    """A mask of rows, ready to combine with a tensor."""
    return rows.reshape(rows.shape + (1,) * (jnp.ndim(leaf) - 1))


def _of_rows(
    criterion: Criterion, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool, rows: jax.Array
) -> tuple[Output, Tree]:
    """The criterion's loss of some examples of a batch: a sum, or an average weighted by the examples' weights."""
    if not criterion.traits.traceable:
        chosen = np.flatnonzero(rows)
        if not len(chosen):
            return jnp.zeros((), jax.tree.leaves(input)[0].dtype), buffers
        input = jax.tree.map(lambda leaf: leaf[chosen], input)
        return criterion.apply(params, buffers, input, key=key, train=train)
    if isinstance(criterion, (ModuleCriterion, MultiCriterion)):
        way = partial(_of_rows, rows=rows)
        return criterion.forward(params, buffers, input, key=key, train=train, way=way)
    given, target = input
    target = jax.tree.map(lambda leaf: jnp.where(_along(rows, leaf), leaf, 1), target)  # any class is possible
    examples = jax.tree.map(lambda leaf: leaf[:, None], (given, target))
    losses, new = over_time(criterion, params, buffers, examples, key=key, train=train)
    if not getattr(criterion, "size_average", False):
        return jnp.where(rows, losses, 0).sum(), new
    precise = at_least_float32(losses.dtype)
    weights = jnp.where(rows, jax.vmap(criterion.example_weight)(*examples).astype(precise), 0)
    total = weights.sum()
    mean = jnp.where(rows, weights * losses.astype(precise), 0).sum() / jnp.where(total == 0, 1, total)
    return mean.astype(losses.dtype), new
