"""The description of a criterion: `criterion(input, target)` is a scalar."""

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from ..core import Const, Module, check_values, const, expected, lookable
from ..core.tracebacks import shorten
from .tables import as_arrays


class Criterion(Module, abstract=True):
    """A loss: write `loss(input, target)`; it is a scalar of the input's dtype, differentiable by `jax.grad`.

    Criterions are descriptions like modules (frozen, hashable, equal by value) without arrays to train.
    `check(input, target)` raises for bad values (a class 0), where these can be looked at or the program is `checked`.
    """

    def __call__(self, input: Any, target: Any = None, zero_mask: Any = None) -> jax.Array:
        """The loss; `zero_mask`, true for examples that are padding, is for criterions that take it (`takes_mask`)."""
        input, target = jax.tree.map(jnp.asarray, as_arrays(input)), as_arrays(target)
        if zero_mask is not None and not self.takes_mask:
            raise TypeError(f"{self.torch_name()}: takes no zeroMask; MaskZeroCriterion masks")
        given = {} if zero_mask is None else {"zero_mask": zero_mask}
        try:
            self.check(input, target, **given)
            with jax.named_scope(type(self).__name__):
                return self.loss(input, jax.tree.map(jnp.asarray, target), **given)
        except Exception as error:
            shorten(error)
            raise

    @property
    def takes_mask(self) -> bool:
        """Whether `check` and `loss` take a `zero_mask`: MaskZeroCriterion, and criterions around one."""
        return False

    def loss(self, input: Any, target: Any) -> jax.Array:
        """The loss of arrays (or tables of arrays)."""
        raise NotImplementedError(f"{self.torch_name()} must define loss(input, target)")

    def check(self, input: Any, target: Any) -> None:
        """Raises ValueError, by `check_values`, for values that make no sense."""

    @property
    def checks_values(self) -> bool:
        return type(self).check is not Criterion.check

    def example_weight(self, input: Any, target: Any) -> Any:
        """The share in an average that an example (a batch of one) has."""
        return jnp.ones(())

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        """As a module: the loss of the table [input, target]."""
        return self(*input), buffers


class Averaged(Criterion, abstract=True):
    """Losses that are a mean over all elements, or their sum without `size_average`: write `each(input, target)`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The fields, which subclasses declare in Torch's order."""

    def each(self, input: Any, target: Any) -> Any:
        """The loss of each element; the target has the input's shape and dtype."""
        raise NotImplementedError(f"{self.torch_name()} must define each(input, target)")

    def loss(self, input: Any, target: Any) -> jax.Array:
        if jnp.size(input) != jnp.size(target):
            raise expected(self, f"a target of {jnp.size(input)} elements, as the input", target)
        losses = self.each(input, target.reshape(input.shape).astype(input.dtype))
        return losses.mean() if self.size_average else losses.sum()


def vector(module: Module, weights: Any) -> Const | None:
    """Weights as a constant; ValueError unless they are 1-D."""
    weights = const(weights)
    if weights is not None and weights.value.ndim != 1:
        raise expected(module, "weights with 1 dimension", weights.value)
    return weights


def size_of(x: Any) -> Any:
    """|x|, with derivative 0 at 0."""
    return x * jax.lax.stop_gradient(jnp.sign(x))


def check_signs(module: Module, target: Any) -> None:
    """Raises ValueError for targets other than 1 and -1."""
    signs = lookable(target)
    check_values(signs, abs(signs) != 1, f"{module.torch_name()}: expected targets 1 or -1, got {{value:g}}")
