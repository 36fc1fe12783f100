"""Clustering as a layer."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Emitted, Module, check_positive, draws, expected
from ..core.precision import floating, in_float32
from ..core.straight_through import derived_as
from ..core.types import Array, Key, State, Tree
from .initializers import between


class Kmeans(Module):
    """y = argmin_k ||x - c_k||: the number (from 1) of the centre nearest to each example; the first of
    several.

    Its parameters' gradient is -scale / (n_j + 1e-7) times the sum of (x - c_j) over the n_j examples of centre j, so
    that a step of 1 along it moves the centres to the means; no gradient reaches the input.
    Shape: (B, dim) -> (B), floating-point.
    Parameters: weight (k, dim), the centres; uniform on +-1, or +-stdv.
    Buffers: loss, the sum of the squared distances to the nearest centres (a side output).
    Raises: ValueError for k or dim below 1, a scale that is not positive, and inputs of other shapes.
    Source: dpnn/README.md#nn.Kmeans.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> centres = {"weight": jnp.array([[0.0, 0.0], [10.0, 10.0]])}
    >>> layer = f7.Kmeans(2, 2)
    >>> nearest, _ = jax.jit(layer.apply)(centres, layer.init_buffers(), jnp.array([[1.0, 1.0], [9.0, 8.0]]))
    >>> nearest.tolist()
    [1.0, 2.0]
    """

    k: int
    dim: int
    scale: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, k=self.k, dim=self.dim)
        if self.scale is not None and not self.scale > 0:
            raise ValueError(f"nn.Kmeans: scale has to be positive, got {self.scale}")

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        bound = 1 if stdv is None else stdv
        return {"weight": between(key, (self.k, self.dim), -bound, bound)}

    def init_buffers(self) -> State:
        return {"loss": Emitted(None, "loss")}

    def _checked(self, input: Array) -> Array:
        if input.ndim != 2 or input.shape[1] != self.dim:
            raise expected(self, f"a 2D tensor, B x {self.dim}", input)
        return lax.stop_gradient(jnp.asarray(input, floating(input.dtype)))

    @in_float32
    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        input, centres = self._checked(input), params["weight"]
        input = input.astype(centres.dtype)
        distances = jnp.square(input[:, None] - centres[None]).sum(-1)
        nearest = jnp.argmin(distances, 1)
        chosen = jax.nn.one_hot(nearest, self.k, dtype=centres.dtype)
        least = (chosen * distances).sum(1)
        # Half of each cluster's mean square has the gradient above; the reported loss is the whole sum.
        mean = ((chosen * distances).sum(0) / (2 * (chosen.sum(0) + 1e-7))).sum() * (
            1 if self.scale is None else self.scale
        )
        loss = derived_as(least.sum(), mean)
        return (nearest + 1).astype(centres.dtype), {"loss": Emitted(loss, "loss")}

    def init_random(self, key: Array, input: Array) -> dict[str, Array]:
        """Parameters whose centres are examples, drawn with replacement. Raises ValueError for fewer than k."""
        input = self._checked(input)
        if len(input) < self.k:
            raise expected(self, f"at least {self.k} examples to start from", input)
        return {"weight": input[draws.whole(key, (self.k,), 0, len(input))]}

    def init_kmeans_plus(self, key: Array, input: Array, p: float | None = None) -> dict[str, Array]:
        """Parameters whose centres are examples, each far from those before it (Arthur & Vassilvitskii, 2007).

        Each is drawn with a probability in proportion to its squared distance from the nearest centre; with p, as in
        Torch7, evenly from the ceil((1 - p) B) examples that are farthest. Raises ValueError for p outside 0 to 1 and
        for fewer examples than k.
        """
        input = self._checked(input)
        if len(input) < self.k:
            raise expected(self, f"at least {self.k} examples to start from", input)
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"{self}: p value should be between 0-1, got {p}")
        keys = jax.random.split(key, self.k)
        centres = [input[draws.whole(keys[0], (), 0, len(input))]]
        distances = jnp.full(len(input), jnp.inf)
        for each in keys[1:]:
            distances = jnp.minimum(distances, jnp.square(input - centres[-1][None]).sum(1))
            if p is None:
                at = draws.categorical(each, jnp.log(distances))
            else:
                farthest = jnp.argsort(-distances)[: max(math.ceil((1 - p) * len(input)), 1)]
                at = farthest[draws.whole(each, (), 0, len(farthest))]
            centres.append(input[at])
        return {"weight": jnp.stack(centres)}
