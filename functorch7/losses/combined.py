"""Criterions made of criterions."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from ..core import Module, expected
from .base import Criterion


class MultiCriterion(Criterion):
    """sum_k weight_k * criterion_k(x, y): all get the same input and target.

    Shape: what the criterions take -> scalar; 0 without criterions.
    Raises: TypeError for what is no criterion; what the criterions raise.
    Source: nn/doc/criterion.md#nn.MultiCriterion.
    """

    criterions: tuple[Criterion, ...] = ()
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self._set(criterions=tuple(self.criterions), weights=tuple(self.weights) or (1,) * len(self.criterions))
        for criterion in self.criterions:
            if not isinstance(criterion, Criterion):
                raise TypeError(f"{self.torch_name()}: expected a criterion, got {criterion!r}")

    @property
    def traceable(self) -> bool:
        return all(criterion.traits.traceable for criterion in self.criterions)

    def add(self, criterion: Criterion, weight: float = 1) -> "MultiCriterion":
        """The same with one more criterion."""
        return self.replace(criterions=(*self.criterions, criterion), weights=(*self.weights, weight))

    def parts(self, input: Any, target: Any) -> list[tuple[Any, Any]]:
        """Each criterion's input and target."""
        return [(input, target)] * len(self.criterions)

    @property
    def takes_mask(self) -> bool:
        return any(criterion.takes_mask for criterion in self.criterions)

    def check(self, input: Any, target: Any, **mask: Any) -> None:
        for criterion, part in zip(self.criterions, self.parts(input, target), strict=True):
            criterion.check(*part, **(mask if criterion.takes_mask else {}))

    def loss(self, input: Any, target: Any, **mask: Any) -> jax.Array:
        parts = self.parts(input, target)
        total: Any = jnp.zeros((), jax.tree.leaves(input)[0].dtype)
        for criterion, weight, part in zip(self.criterions, self.weights, parts, strict=True):
            total = total + weight * criterion.loss(*part, **(mask if criterion.takes_mask else {}))
        return total


class ParallelCriterion(MultiCriterion):
    """sum_k weight_k * criterion_k(x_k, y_k), or with repeat_target criterion_k(x_k, y).

    Shape: a table of inputs, and one of targets -> scalar. Entries without a criterion count nothing.
    Raises: ValueError for tables with fewer entries than criterions; as MultiCriterion.
    Source: nn/doc/criterion.md#nn.ParallelCriterion.
    """

    takes_table: ClassVar[bool] = True  # type: ignore[assignment]

    repeat_target: bool = False

    def __init__(self, repeat_target: bool = False, criterions: Any = (), weights: Any = ()):
        self._set(repeat_target=repeat_target, criterions=criterions, weights=weights)
        self.__post_init__()

    def parts(self, input: Any, target: Any) -> list[tuple[Any, Any]]:
        count = len(self.criterions)
        if not isinstance(input, (list, tuple)) or len(input) < count:
            raise expected(self, f"a table of at least {count} inputs", input)
        if self.repeat_target:
            return [(each, target) for each in input[:count]]
        if not isinstance(target, (list, tuple)) or len(target) < count:
            raise expected(self, f"a table of at least {count} targets", target)
        return list(zip(input[:count], target[:count], strict=True))


class ModuleCriterion(Criterion):
    """criterion(input_module(x), target_module(y)); both modules are optional, and without parameters.

    In `legacy` they may have parameters, whose gradients are accumulated.
    Shape: what the modules take -> scalar.
    Raises: ValueError for modules with parameters; what the modules and the criterion raise.
    Source: dpnn/README.md#nn.ModuleCriterion.
    """

    criterion: Criterion
    input_module: Module | None = None
    target_module: Module | None = None
    cast_target: bool = True

    def transformed(self, module: Module | None, value: Any) -> Any:
        """What a module makes of a value."""
        if module is None:
            return value
        params, buffers = module.init(jax.random.key(0))
        if jax.tree.leaves(params):
            raise expected(self, "modules without parameters", module)
        return module.apply(params, buffers, value)[0]

    def loss(self, input: Any, target: Any) -> jax.Array:
        return self.criterion.loss(
            self.transformed(self.input_module, input), self.transformed(self.target_module, target)
        )
