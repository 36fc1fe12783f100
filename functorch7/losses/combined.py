"""Criterions composed of criterions."""

from collections.abc import Iterable
from typing import ClassVar

import jax
import jax.numpy as jnp

from ..core import Module, expected
from ..core.module import Children
from ..core.types import Array, Key, Tree, Value
from ..layers.table import rows_or_entries
from .base import Criterion, of_sizes


def check_criterion(module: Module, criterion: object) -> None:
    """Raises TypeError for anything but a criterion."""
    if not isinstance(criterion, Criterion):
        raise TypeError(f"{module.torch_name()}: expected a criterion, got {criterion!r}")


class AroundCriterion(Criterion, abstract=True):
    """A criterion around another, its child `criterion`, from which it takes checks of values and masks."""

    criterion: Criterion

    checks_values = Module.checks_values  # those of the inner criterion

    def __post_init__(self) -> None:
        check_criterion(self, self.criterion)

    def children(self) -> Children:
        return {"criterion": self.criterion}

    @property
    def takes_mask(self) -> bool:
        return self.criterion.takes_mask


class MultiCriterion(Criterion):
    """sum_k weight_k * criterion_k(x, y): all get the same input and target.

    Shape: the criterions' arguments -> scalar; 0 without criterions.
    Parameters and buffers: a list with each criterion's.
    Raises: TypeError unless all are criterions; ValueError for another number of weights; the criterions' errors.
    Source: nn/doc/criterion.md#nn.MultiCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> both = f7.MultiCriterion().add(f7.MSECriterion()).add(f7.AbsCriterion(), 0.5)
    >>> both(jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])).item()  # 2 + 0.5 * 1
    2.5
    """

    tunable: ClassVar[tuple[str, ...]] = ("weights",)

    criterions: tuple[Criterion, ...] = ()
    weights: tuple[float, ...] = ()

    checks_values = Module.checks_values  # those of the inner criterions

    def __post_init__(self) -> None:
        self._set(criterions=tuple(self.criterions), weights=tuple(self.weights) or (1,) * len(self.criterions))
        for criterion in self.criterions:
            check_criterion(self, criterion)
        if len(self.weights) != len(self.criterions):
            raise ValueError(f"{self.torch_name()}: expected a weight for each criterion, got {self.weights}")

    def children(self) -> Children:
        return self.criterions

    def add(self, criterion: Criterion, weight: float = 1) -> "MultiCriterion":
        """The same with one more criterion."""
        return self.replace(criterions=(*self.criterions, criterion), weights=(*self.weights, weight))

    def parts(self, input: Value, target: Value) -> list[tuple[Value, Value]]:
        """Each criterion's input and target."""
        return [(input, target)] * len(self.criterions)

    @property
    def takes_mask(self) -> bool:
        return any(criterion.takes_mask for criterion in self.criterions)

    @of_sizes
    def check(self, input: Value, target: Value, *mask: Array) -> None:
        for criterion, part in zip(self.criterions, self.parts(input, target), strict=True):
            criterion.check(*part, *(mask if criterion.takes_mask else ()))

    def forward(
        self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool, way: Value = None
    ) -> tuple[Array, Tree]:
        """The weighted sum; `way` runs the criterions in another way than `apply`."""
        given, target, *mask = input
        total, new = jnp.zeros((), jax.tree.leaves(given)[0].dtype), list(buffers)
        for i, (weight, part) in enumerate(zip(self.weights, self.parts(given, target), strict=True)):
            part = (*part, *mask) if self.criterions[i].takes_mask else part
            loss, new[i] = self.call(i, params, buffers, part, key=key, train=train, way=way)
            total = total + weight * loss
        return total, new


class ParallelCriterion(MultiCriterion):
    """sum_k weight_k * criterion_k(x_k, y_k), or with repeat_target criterion_k(x_k, y).

    Shape: a table of inputs, and one of targets -> scalar. Entries without a criterion count nothing. A tensor with as
    many rows as there are criterions is the table of its rows, as in Torch; so is a list of classes.
    Without an entry in the table of targets, a criterion gets None, which some do not look at (DistanceRatioCriterion).
    Raises: ValueError for fewer inputs, or rows of targets, than criterions; as MultiCriterion.
    Source: nn/doc/criterion.md#nn.ParallelCriterion.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> both = f7.ParallelCriterion().add(f7.MSECriterion()).add(f7.AbsCriterion(), 0.5)
    >>> x, y = jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])
    >>> both([x, x], [y, x]).item()
    2.0
    """

    takes_table: ClassVar[bool] = True

    repeat_target: bool = False

    def __init__(
        self, repeat_target: bool = False, criterions: Iterable[Criterion] = (), weights: Iterable[float] = ()
    ):
        self._set(repeat_target=repeat_target, criterions=criterions, weights=weights)
        self.__post_init__()

    def parts(self, input: Value, target: Value) -> list[tuple[Value, Value]]:
        inputs = self._entries(input, "inputs")
        targets = [target] * len(inputs) if self.repeat_target else self._entries(self._ended(target), "targets")
        return list(zip(inputs, targets, strict=True))

    def _ended(self, targets: Value) -> Value:
        """A table of targets with None after its end, for criterions that look at none."""
        missing = len(self.criterions) - len(targets) if isinstance(targets, list) else 0
        return [*targets, *[None] * missing] if missing > 0 else targets

    def _entries(self, table: Value, what: str) -> list[Value]:
        """One for each criterion."""
        count = len(self.criterions)
        entries = rows_or_entries(table, count, dimensions=1)
        if entries is None or len(entries) < count:
            raise expected(self, f"a table of at least {count} {what}", table)
        return entries[:count]


class ModuleCriterion(AroundCriterion):
    """l = criterion(input_module(x), target_module(y)): both modules are optional. The target gets no gradient.

    Shape: the modules' inputs -> scalar.
    Parameters and buffers: `criterion`, `input_module`, `target_module`: those of each, if given.
    Raises: TypeError for anything but a criterion; the errors of the modules and the criterion.
    Source: dpnn/README.md#nn.ModuleCriterion.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> squares = f7.ModuleCriterion(f7.MSECriterion(), f7.Square(), f7.Square())
    >>> params, buffers = squares.init(jax.random.key(0))
    >>> squares.apply(params, buffers, (jnp.array([1.0]), jnp.array([2.0])))[0].item()  # (1 - 4)^2
    9.0
    """

    input_module: Module | None = None
    target_module: Module | None = None
    cast_target: bool = True

    @property
    def takes_mask(self) -> bool:
        return False

    def children(self) -> Children:
        modules = {"input_module": self.input_module, "target_module": self.target_module}
        return {"criterion": self.criterion} | {name: each for name, each in modules.items() if each is not None}

    def forward(
        self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool, way: Value = None
    ) -> tuple[Array, Tree]:
        """The criterion's loss; `way` runs the criterion in another way than `apply`."""
        given, target = input
        new = dict(buffers)
        if self.input_module is not None:
            given, new["input_module"] = self.call("input_module", params, buffers, given, key=key, train=train)
        if self.target_module is not None:
            target = jax.tree.map(jnp.asarray, target)
            target, new["target_module"] = self.call("target_module", params, buffers, target, key=key, train=train)
            target = jax.lax.stop_gradient(target)
        loss, new["criterion"] = self.call("criterion", params, buffers, (given, target), key=key, train=train, way=way)
        return loss, new
