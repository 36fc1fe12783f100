"""Linear layers for inputs that are mostly zeros, given as the places and values of the rest."""

from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import (
    Emitted,
    Layer,
    Module,
    check_positive,
    check_values,
    const,
    expected,
    gather,
    spread,
    title,
    without_emitted,
)
from ..core.arrays import Numbers
from ..core.straight_through import derived_as
from ..core.types import Array, Key, State, Table, Tree, Value
from ..core.way_back import linear
from .initializers import filled, split, uniform
from .lookup import check_indices
from .table import check_table


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def decaying(weight: Array, decay: float) -> Array:
    """The weight itself; decay * weight is added to its gradient."""
    return weight


@decaying.defjvp
def _tangents(decay: float, primals: tuple, tangents: tuple) -> tuple:
    (weight,), (change,) = primals, tangents
    of_change = linear(lambda _, change: change, lambda w, gradient: gradient + decay * w, weight, change)
    return decaying(weight, decay), of_change


class SparseLinear(Layer):
    """y = A x + b for a sparse x, given as pairs (index from 1, value); repeated indices add up.

    Shape: (nnz, 2) -> (output_size); a table of such tensors, or (B, nnz, 2) -> (B, output_size).
    Parameters: weight (output_size, input_size), uniform on +-1/sqrt(input_size), or +-stdv * sqrt(3); bias
    (output_size,), the same times 1e-6.
    An empty table gives the bias. weight_decay * weight is added to the derivative by the weight.
    Raises: ValueError for other shapes, and for indices outside 1..input_size if these are concrete.
    Source: nn/doc/simple.md#nn.SparseLinear.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> arrays = {"weight": jnp.array([[1.0, 2.0, 3.0]]), "bias": jnp.array([0.5])}
    >>> pairs = jnp.array([[1.0, 10.0], [3.0, 100.0]])  # index, value
    >>> jax.jit(f7.SparseLinear(3, 1).apply)(arrays, {}, pairs)[0].tolist()
    [310.5]
    """

    checks_values: ClassVar[bool] = True

    input_size: int
    output_size: int
    do_grad_input: bool = False
    weight_decay: float = 0

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size)

    @property
    def row_parameters(self) -> tuple[str, ...]:
        return () if self.weight_decay else ("weight",)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        weight_key, bias_key = split(key)
        weight = uniform(weight_key, (self.output_size, self.input_size), self.input_size, stdv)
        return {"weight": weight, "bias": uniform(bias_key, (self.output_size,), self.input_size, stdv) * 1e-6}

    def f(self, params: dict[str, Array], input: Array) -> Array:
        if self.weight_decay:
            params = {**params, "weight": decaying(params["weight"], self.weight_decay)}
            return self.replace(weight_decay=0).f(params, input)
        if isinstance(input, (list, tuple)):
            return self._of_examples(params, input) if input else params["bias"]
        if input.ndim not in (2, 3):
            raise self._unfit(input)
        product = jnp.einsum("o...n,...n->...o", *self._factors(params, input))
        return product + spread(params["bias"], product.shape, (1,) * (product.ndim - 1) + (-1,))

    def _of_examples(self, params: Tree, examples: Any) -> jax.Array:
        """The same for a table of examples, by one sum for all, for any number and lengths."""
        for each in examples:
            if each.ndim != 2 or each.shape[1] != 2:
                raise self._unfit(each)
        columns, values = self._factors(params, jnp.concatenate(examples))
        places = np.repeat(np.arange(len(examples)), [len(each) for each in examples])
        sums = jax.ops.segment_sum((columns * values[None]).T, places, len(examples), indices_are_sorted=True)
        return sums + spread(params["bias"], sums.shape, (1, -1))

    def _factors(self, params: Tree, pairs: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The weight's columns named by pairs, and the values that multiply them."""
        if pairs.shape[-1] != 2:
            raise self._unfit(pairs)
        weight = params["weight"]
        values = pairs[..., 1].astype(weight.dtype)
        present = values != 0
        check_indices(self, jnp.where(present, pairs[..., 0], 1), self.input_size)
        columns = jnp.where(present, pairs[..., 0], 1).astype(jnp.int32) - 1
        return gather(weight, columns, 1), values

    def _unfit(self, input: Value) -> Exception:
        return expected(self, "pairs (index, value): nnz x 2, B x nnz x 2, or a table of the former", input)


class IndexLinear(Module):
    """y = sum_k v_k W[key_k] + b: a linear layer for a sparse example, given by its keys and their values.

    Shape: [keys (n), values (n)] -> (output_size); for a batch [table of keys, table of values], or flat
    [keys (N), values (N), sizes (B)] -> (B, output_size). Keys count from 1 - keys_offset.
    Parameters: weight (input_size, output_size), bias (output_size,): zeros, or the given one; with stdv uniform on
    +-stdv * sqrt(3), bias times 1e-6. With `normalize` a value is divided by the largest size that its key has had in
    training, and a learned number per key is added; weight then has 4 columns more, in front: that size, 1 over it,
    the update's scale (1), and that number.
    Buffers (with normalize): normalized, the weight after a training call (a side output; in `legacy` it becomes the
    weight).
    `do_grad_input` has an effect only in `legacy`: here the gradient of the values is always available.
    Raises: ValueError for other forms, unless there are as many values as keys, and, if these are concrete, for
    keys outside the weight and sizes with another sum; under jit these give NaN.
    Differs from Torch7: the sizes of a batch are used all at once, and gradWeight is an ordinary tensor.
    Source: nn/doc/simple.md#nn.IndexLinear.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> arrays = {"weight": jnp.array([[1.0], [2.0], [3.0]]), "bias": jnp.array([0.5])}
    >>> example = [jnp.array([1, 3]), jnp.array([10.0, 100.0])]  # keys, values
    >>> jax.jit(f7.IndexLinear(3, 1).apply)(arrays, {}, example)[0].tolist()
    [310.5]
    """

    takes_table: ClassVar[bool] = True
    checks_values: ClassVar[bool] = True

    input_size: int
    output_size: int
    do_grad_input: bool = False
    keys_offset: int = 0
    weight: Numbers | None = None
    bias: Numbers | None = None
    normalize: bool = False

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size)
        self._set(weight=const(self.weight), bias=const(self.bias))
        for name, shape in self._shapes().items():
            given = getattr(self, name)
            if given is not None and given.value.shape != shape:
                raise expected(self, f"a {name} of shape {shape}", given.value)

    @property
    def row_parameters(self) -> tuple[str, ...]:
        return () if self.normalize else ("weight",)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        columns = self.output_size + (4 if self.normalize else 0)
        return {"weight": (self.input_size, columns), "bias": (self.output_size,)}

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        shapes = self._shapes()
        if stdv is None:
            given = {"weight": self.weight, "bias": self.bias}
            return {name: filled(shapes[name], 0 if each is None else each.value) for name, each in given.items()}
        weight_key, bias_key = split(key)
        weight = uniform(weight_key, shapes["weight"], 1, stdv)
        if self.normalize:
            weight = jnp.asarray(weight).at[:, :4].set(0)
        return {"weight": weight, "bias": uniform(bias_key, shapes["bias"], 1, stdv) * 1e-6}

    def init_buffers(self) -> State:
        return {"normalized": Emitted(None, "parameter")} if self.normalize else {}

    def flat(self, input: Table) -> tuple[Array, Array, Array, int]:
        """Keys, values, the number of the example that each belongs to, and how many examples there are."""
        keys, values, *sizes = check_table(self, input, 2)
        if isinstance(keys, (list, tuple)):
            if (
                not keys
                or not isinstance(values, (list, tuple))
                or [k.shape for k in keys] != [v.shape for v in values]
            ):
                raise expected(self, "as many keys as values in every example", input)
            sizes = [jnp.asarray([len(k) for k in keys], jnp.int32)]
            keys, values = jnp.concatenate(keys), jnp.concatenate(values)
        if keys.ndim != 1 or keys.shape != values.shape:
            raise expected(self, "keys and values of the same size", input)
        if not sizes:
            return keys, values, jnp.zeros(len(keys), jnp.int32), 1
        counts = jnp.reshape(sizes[0], -1).astype(jnp.int32)  # a single number is the size of the only example
        numbers, total = jnp.arange(len(counts), dtype=jnp.int32), counts.sum()[None]
        fits = (total == len(keys)) & (counts >= 0).all()
        check_values(total, ~fits, f"{title(self)}: expected sizes of {len(keys)} keys in all, got {{value}}")
        values = jnp.where(fits, values, jnp.nan)
        return keys, values, jnp.repeat(numbers, counts, total_repeat_length=len(keys)), len(numbers)

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Array, Tree]:
        keys, values, example, count = self.flat(input)
        check_indices(self, keys, self.input_size, 1 - self.keys_offset)
        weight, rows = params["weight"], keys.astype(jnp.int32) + (self.keys_offset - 1)
        values = values.astype(weight.dtype)
        if self.normalize:
            weight, buffers = jnp.asarray(weight), without_emitted(buffers)
            if train:
                seen = lax.stop_gradient(self._with_sizes(weight, rows, values))
                buffers = {"normalized": Emitted(seen, "parameter")}
                weight = derived_as(seen, weight)
            at = gather(weight, rows)
            largest, inverse = lax.stop_gradient((at[:, 0], at[:, 1]))
            values = jnp.where(jnp.abs(values) > largest, jnp.sign(values), values * inverse) + at[:, 3]
        products = gather(weight, rows)[:, -self.output_size :] * values[:, None]
        output = jax.ops.segment_sum(products, example, count)
        output = output + spread(params["bias"], output.shape, (1, -1))
        single = len(input) == 2 and not isinstance(input[0], (list, tuple))
        return (output[0] if single else output), buffers

    def _with_sizes(self, weight: Array, rows: Array, values: Array) -> Array:
        largest = weight[:, 0].at[rows].max(jnp.abs(values))
        inverse = jnp.where(largest > 0, 1 / jnp.where(largest > 0, largest, 1), weight[:, 1])
        scale = weight[:, 2].at[rows].set(1)
        return jnp.concatenate([jnp.stack([largest, inverse, scale], 1), weight[:, 3:]], 1)
