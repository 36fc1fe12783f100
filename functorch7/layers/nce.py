"""Noise-contrastive estimation: a Linear and SoftMax over many classes that trains on a few of them at a time."""

import math
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import DTypeLike

from ..core import Module, check_number, check_positive, const, expected, expose, gather, in_dtype_of, spread
from ..core.arrays import Numbers
from ..core.types import Array, Output, State, Table, Tree
from .alias import alias_table
from .initializers import between, filled, split
from .linear import Linear
from .lookup import check_indices
from .table import check_table


class NCEModule(Module):
    """P(w | x) = exp(W_w . x + b_w) / Z of each example's class and of k noise classes, for NCECriterion.

    Shape: [input (B, input_size), target (B)], classes from 1 -> [P of the target (B), P of the noise (B, k), noise's
    own probability of the target (B), of the noise (B, k)]. Noise classes are drawn with probabilities in proportion
    to `unigrams` (output_size), in whole multiples of 2^-32; with `batchnoise` all examples have the same k, otherwise
    each has its own.
    In evaluation with `normalized`: SoftMax(W x + b), or its logarithm with `logsoftmax`, (B, output_size).
    Parameters: weight (output_size, input_size), uniform on +-1/sqrt(input_size); bias (output_size,),
    -log(output_size); both uniform on +-stdv with stdv. Only the rows of the classes in use are read
    (`training.make_sgd_step`).
    Buffers: Z (1,). If it is not positive, the first call sets it to output_size * mean exp(W_w . x + b_w) over its
    noise classes (without batchnoise, also over the targets). The gradient treats it as a constant.
    Exposes: sampleidx, the classes in use: noise, then targets (k + B); without batchnoise (B, 1 + k), targets first.
    Raises: ValueError for k below 1, unigrams of another size, negative, or without a positive sum, inputs of other
    shapes, and targets outside 1..output_size if these are concrete; under jit such a target gives NaN.
    Differs from Torch7: the estimate of Z is not printed.
    Source: dpnn/README.md#nn.NCEModule; Mnih & Teh, 2012.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> layer = f7.NCEModule(3, 1000, 5, jnp.ones(1000))
    >>> given = [jax.ShapeDtypeStruct((8, 3), jnp.float32), jax.ShapeDtypeStruct((8,), jnp.int32)]
    >>> f7.output_shape(layer, given, train=True)
    [(8,), (8, 5), (8,), (8, 5)]
    """

    takes_table: ClassVar[bool] = True
    checks_values: ClassVar[bool] = True
    row_parameters: ClassVar[tuple[str, ...]] = ("weight", "bias")
    exposes: ClassVar[tuple[str, ...]] = ("sampleidx",)

    input_size: int
    output_size: int
    k: int
    unigrams: Numbers
    Z: float = -1
    batchnoise: bool = True
    normalized: bool = False
    logsoftmax: bool = False

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size, k=self.k)
        check_number(self, Z=self.Z)
        self._set(unigrams=const(self.unigrams))
        given = self.unigrams.value
        if given.shape != (self.output_size,):
            raise expected(self, f"unigrams of shape ({self.output_size},)", given)
        if not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
            raise ValueError(f"{self}: expected unigrams that are not negative, with a positive sum, got {given}")

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        weight_key, bias_key = split(key)
        bound = 1 / math.sqrt(self.input_size) if stdv is None else stdv
        weight = between(weight_key, (self.output_size, self.input_size), -bound, bound)
        if stdv is None:  # every class equally probable if Z = 1
            return {"weight": weight, "bias": filled(self.output_size, -math.log(self.output_size))}
        return {"weight": weight, "bias": between(bias_key, (self.output_size,), -stdv, stdv)}

    def init_buffers(self) -> State:
        return {"Z": filled(1, self.Z)}

    def draws(self, train: bool) -> bool:
        return train or not self.normalized

    def noise_sample(self, key: Array, shape: tuple[int, ...]) -> Array:
        """Noise classes, from 1."""
        return alias_table(self.unigrams).draw(key, shape) + 1

    def noise_probability(self, classes: Array, dtype: DTypeLike) -> Array:
        """The probability of these classes as noise; NaN for numbers that are not classes."""
        unigrams = self.unigrams.value
        probabilities = (unigrams / unigrams.sum(dtype=np.float64)).astype(dtype)
        return gather(probabilities, classes - 1)

    def forward(
        self, params: dict[str, Array], buffers: Tree, input: Table, *, key: Array, train: bool
    ) -> tuple[Output, Tree]:
        hidden, target = check_table(self, input, 2)[:2]
        if hidden.ndim != 2 or hidden.shape[1] != self.input_size or target.shape != hidden.shape[:1]:
            raise expected(self, f"an input of B x {self.input_size} and a target of B", input)
        check_indices(self, target, self.output_size)
        hidden, target = in_dtype_of(self, hidden, params["weight"]), jnp.asarray(target, jnp.int32)
        if self.normalized and not train:
            scores = Linear(self.input_size, self.output_size).f(params, hidden)
            return (jax.nn.log_softmax if self.logsoftmax else jax.nn.softmax)(scores), buffers
        score = self._scores_of_batch if self.batchnoise else self._scores_of_rows
        of_target, of_noise, noise, counted = score(params, hidden, target, key)
        held = jnp.asarray(buffers["Z"])
        estimate = lax.stop_gradient(counted.mean() * self.output_size).astype(held.dtype)
        normalizer = jnp.where(held > 0, held, estimate)
        divisor = normalizer.astype(hidden.dtype)
        by_noise = jnp.broadcast_to(self.noise_probability(noise, hidden.dtype), of_noise.shape)
        of_classes = [of_target / divisor, of_noise / divisor[None]]
        return [*of_classes, self.noise_probability(target, hidden.dtype), by_noise], {"Z": normalizer}

    def _scores_of_batch(self, params: Tree, hidden: Array, target: Array, key: Array) -> tuple[Any, Any, Any, Any]:
        """exp(W x + b) of targets and noise, the noise classes, and the values from which Z is estimated."""
        noise, k = self.noise_sample(key, (self.k,)), self.k
        used = jnp.concatenate([noise, target])
        expose(sampleidx=used)
        weight, bias = gather(params["weight"], used - 1), gather(params["bias"], used - 1)
        of_target = jnp.exp((hidden * weight[k:]).sum(1) + bias[k:])
        by_weight = lax.dot_general(hidden, weight[:k], (((1,), (1,)), ((), ())))
        of_noise = jnp.exp(by_weight + spread(bias[:k], by_weight.shape, (1, -1)))
        return of_target, of_noise, noise[None], of_noise

    def _scores_of_rows(self, params: Tree, hidden: Array, target: Array, key: Array) -> tuple[Any, Any, Any, Any]:
        """The same with separate noise for every example."""
        noise = self.noise_sample(key, (len(hidden), self.k))
        used = jnp.concatenate([target[:, None], noise], 1)
        expose(sampleidx=used)
        weight, bias = gather(params["weight"], used - 1), gather(params["bias"], used - 1)
        all_scores = jnp.exp(jnp.einsum("bi,bji->bj", hidden, weight) + bias)
        return all_scores[:, 0], all_scores[:, 1:], noise, all_scores

    def printed(self) -> str:
        return f"{self.type_name()}({self.input_size} -> {self.output_size})"
