"""The description of a criterion: a module of (input, target), whose output is a scalar."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from ..checks.entries import entry
from ..core import Composite, Const, Module, Variables, check_kinds, const, expected
from ..core.arrays import Numbers
from ..core.composite import Run
from ..core.precision import cast, narrow_type
from ..core.traits import derived
from ..core.types import Array, ArrayLike, Input, Key, Table, Tree, Value
from ..network import structure_of
from .tables import as_arrays


def of_sizes(check: Callable) -> Callable:
    """Declares that a `check(self, input, target)` reads only the input's sizes, and none of its values."""
    check.reads_sizes = True  # type: ignore[attr-defined]
    return check


class Criterion(Module, abstract=True):
    """A loss: write `loss(input, target)`; it is a scalar of the input's dtype, differentiable by `jax.grad`.

    An input of 16 bits is converted to float32 for `loss`, and the result is rounded once.
    A criterion is a module (frozen, hashable, equal by value) of the pair (input, target), or (input, target,
    zero_mask): `apply(params, buffers, (input, target))` returns (loss, buffers). A criterion without arrays is also a
    function: `criterion(input, target)`. For one with its own arrays, or with modules inside, see `LearnedCriterion`.
    `check(input, target)` raises for bad values (a class 0), if these are concrete or the program is `checked`.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> class LogCosh(f7.losses.Criterion):
    ...     def loss(self, input, target):
    ...         return jnp.log(jnp.cosh(input - target)).mean()
    >>> LogCosh()(jnp.array([1.0, 2.0]), jnp.array([1.0, 2.0])).item()
    0.0
    """

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        if cls.init_params is not Module.init_params and cls.forward is Criterion.forward:
            raise TypeError(
                f"{cls.torch_name()}: its init_params makes arrays, which loss(input, target) does not see; make it a "
                "LearnedCriterion, whose loss(run, input, target) has them in run.params"
            )

    @entry
    def __call__(
        self,
        input: Input,
        target: Input | None = None,
        zero_mask: ArrayLike | None = None,
        *,
        key: Key = None,
        train: bool = False,
    ) -> Array:
        """The loss; `zero_mask`, true for examples that are padding, is for criterions that accept it (`takes_mask`).

        Raises: TypeError for a criterion with arrays.
        """
        given = (input, target) if zero_mask is None else (input, target, zero_mask)
        return self.apply(*without_arrays(self), given, key=key, train=train)[0]

    @entry
    def apply(
        self, params: Tree, buffers: Tree, input: Table, *, key: Key = None, train: bool = False
    ) -> tuple[Array, Tree]:
        """(loss, new buffers) of (input, target), or of (input, target, zero_mask) if the criterion takes a mask.

        Raises: ValueError for anything but such a table; as `Module.apply`.
        """
        if not isinstance(input, (list, tuple)) or len(input) not in (2, 3):
            raise expected(self, "a table of input and target", input)
        given, target, *mask = input
        if mask and not self.takes_mask:
            raise TypeError(f"{self.torch_name()}: takes no zeroMask; MaskZeroCriterion masks")
        given, target = as_arrays(given), as_arrays(target)
        check_kinds(self, (given, target))
        given = (jax.tree.map(jnp.asarray, given), target, *mask)
        return super().apply(params, buffers, given, key=key, train=train)

    @property
    def wanted(self) -> str:
        return "tensors (or tables of them) as input and target"

    @property
    def takes_mask(self) -> bool:
        """Whether `check` and `loss` take a `zero_mask`: MaskZeroCriterion, and criterions around one."""
        return False

    def loss(self, input: Value, target: Value, /) -> Array:
        """The loss of arrays (or tables of arrays)."""
        raise NotImplementedError(f"{self.torch_name()} must define loss(input, target)")

    @of_sizes
    def check(self, input: Value, target: Value, /) -> None:
        """Raises ValueError, by `check_values`, for invalid values."""

    @derived
    def checks_values(self) -> bool:
        return type(self).check is not Criterion.check or super().checks_values

    @property
    def checks_input(self) -> bool:
        """Whether `check` reads values of the input, also in criterions inside; with `of_sizes` it does not."""
        inside = [child for child in self.child_modules() if isinstance(child, Criterion)]
        return not hasattr(type(self).check, "reads_sizes") or any(child.checks_input for child in inside)

    def example_weight(self, input: Value, target: Value) -> Array:
        """The weight of an example (a batch of one) in an average."""
        return jnp.ones(())

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Array, Tree]:
        self.check(*input)
        given, target, *mask = input
        target, narrow = jax.tree.map(jnp.asarray, target), narrow_type(given)
        if narrow is None:
            return self.loss(given, target, *mask), buffers
        given, target = cast((given, target), narrow, jnp.float32)
        return cast(self.loss(given, target, *mask), jnp.float32, narrow), buffers


class LearnedCriterion(Composite, Criterion, abstract=True):
    """A criterion with arrays: write `loss(run, input, target)`, in which modules in its fields are called by `run`.

    `run` is that of a Composite: `run.name(x)` calls the module in the field `name`; `run.params["weight"]` is an array
    made by the criterion's own `init_params(key, stdv=None)`; `run.key` and `run.train` are also available. A criterion
    in a field is called by `run.name((input, target))`. Its arrays are made by `init` and passed to `apply`.
    """

    def f(self, run: Run, input: Value) -> Array:
        self.check(*input)
        return self.loss(run, input[0], jax.tree.map(jnp.asarray, input[1]))

    def loss(self, run: Run, input: Value, target: Value, /) -> Array:  # type: ignore[override]
        raise NotImplementedError(f"{self.torch_name()} must define loss(run, input, target)")


class Averaged(Criterion, abstract=True):
    """Losses that are a mean over all elements, or their sum without `size_average`: write `each(input, target)`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The fields, which subclasses declare in Torch's order."""

    def each(self, input: Array, target: Array) -> Array:
        """The loss of each element; the target has the input's shape and dtype."""
        raise NotImplementedError(f"{self.torch_name()} must define each(input, target)")

    def loss(self, input: Array, target: Array) -> Array:
        if input.size != target.size:
            raise expected(self, f"a target of {input.size} elements, as the input", target)
        losses = self.each(input, target.reshape(input.shape).astype(input.dtype))
        return losses.mean() if self.size_average else losses.sum()


class Weighted(Criterion, abstract=True):
    """Losses with a constant vector of weights. Raises: ValueError unless it is 1-D."""

    weights: Numbers | None = None
    size_average: bool = True

    def __post_init__(self) -> None:
        self._set(weights=vector(self, self.weights))


def without_arrays(criterion: Criterion) -> Variables:
    """The variables of a criterion that has no arrays. Raises: TypeError for one that has some."""
    made = _structure(criterion) if criterion.children() or _has_own(criterion) else Variables({}, {})
    if jax.tree.leaves(made):
        raise TypeError(
            f"{criterion.torch_name()}: has arrays, so that `criterion(input, target)` cannot call it; make them by "
            "`params, buffers = criterion.init(key)`, and call criterion.apply(params, buffers, (input, target)); "
            "a CriterionTable makes them part of a network"
        )
    return made


def _structure(criterion: Criterion) -> Variables:
    """The result of `init`. Nothing is cached if it cannot be traced, as it may contain a user's object."""
    return _kept_structure(criterion) if criterion.traits.traceable else structure_of(criterion)


_kept_structure = lru_cache(256)(structure_of)


def _has_own(criterion: Criterion) -> bool:
    kind = type(criterion)
    return kind.init_params is not Module.init_params or kind.init_buffers is not Module.init_buffers


def vector(module: Module, weights: Numbers | None) -> Const | None:
    """Weights as a constant; ValueError unless they are 1-D."""
    weights = const(weights)
    if weights is not None and weights.value.ndim != 1:
        raise expected(module, "weights with 1 dimension", weights.value)
    return weights


def size_of(x: Array) -> Array:
    """|x|, with derivative 0 at 0."""
    return x * jax.lax.stop_gradient(jnp.sign(x))
