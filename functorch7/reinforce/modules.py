"""Modules that sample, and learn by REINFORCE."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Const, Emitted, Module, check_floating, check_values, const, draws, expected, lookable, title
from ..core.arrays import Numbers
from ..core.precision import widened
from ..core.types import Array, State, Table, Tree, Value
from ..core.varying import varying_as


class Reinforce(Module, abstract=True):
    """Samples in training (in evaluation too if `stochastic`); write `sample` and `log_prob`, and `mean` if needed.

    The incoming gradient is ignored; the gradient is that of -reward * log p(sample; input), by means of the side
    output `log_prob` and `functorch7.reinforce_loss(buffers, reward)`, or `model.reinforce(reward)` in `legacy`.
    In evaluation, unless `stochastic`, the output is `mean(input)`, nothing is emitted, and gradients pass as in any
    function.
    Buffers: log_prob, of the last sample, element by element (a side output).
    Raises: ValueError if a key is needed and missing.
    Source: dpnn/README.md#nn.Reinforce; Williams, 1992.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> class ReinforcePoisson(f7.Reinforce):
    ...     def sample(self, key, rate):
    ...         return jax.random.poisson(key, rate).astype(rate.dtype)
    ...     def log_prob(self, count, rate):
    ...         return jax.scipy.stats.poisson.logpmf(count, rate)
    >>> rates, module = jnp.array([[1.0], [5.0]]), ReinforcePoisson()
    >>> def loss(rates, reward):
    ...     counts, buffers = module.apply({}, {}, rates, key=jax.random.key(0), train=True)
    ...     return f7.reinforce_loss(buffers, reward)
    >>> jax.grad(loss)(rates, jnp.array([0.5, -0.5])).shape
    (2, 1)
    """

    stochastic: bool = False

    def sample(self, key: Array, input: Value, /) -> Array:
        """One sample for each element (or row) of the input."""
        raise NotImplementedError(f"{self.torch_name()} must define sample(key, input)")

    def log_prob(self, sample: Array, input: Value, /) -> Array:
        """log p(sample; input), differentiable with respect to the input."""
        raise NotImplementedError(f"{self.torch_name()} must define log_prob(sample, input)")

    def mean(self, input: Array) -> Array:
        """The output in evaluation instead of a sample; by default the input itself."""
        return input

    def check(self, input: Value) -> None:
        """Raises ValueError for invalid parameters of the distribution: shapes always, values by `check_values`."""

    @property
    def checks_values(self) -> bool:
        return type(self).check is not Reinforce.check

    def draws(self, train: bool) -> bool:
        return train or self.stochastic

    def init_buffers(self) -> State:
        return {"log_prob": Emitted(None, "log_prob")}

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Array, train: bool) -> tuple[Array, Tree]:
        self.check(input)
        if not self.draws(train):
            return self.mean(input), {"log_prob": Emitted(None, "log_prob")}
        # The gradient is stopped before the sampler, not after it, so that no sampler is ever differentiated.
        sample = self.sample(key, jax.tree.map(lax.stop_gradient, input))
        return sample, {"log_prob": Emitted(self.log_prob(sample, input), "log_prob")}


class ReinforceBernoulli(Reinforce):
    """P(y = 1) = p: the input has these probabilities; evaluation gives p.

    Shape: probabilities of any shape, kept; gradient -reward * (x - p) / (p (1 - p)).
    Buffers: log_prob, of the last sample (a side output).
    Raises: ValueError for probabilities outside 0 to 1 if these are concrete, or the program is `checked`.
    Source: dpnn/README.md#nn.ReinforceBernoulli; Williams, 1992.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> layer = f7.ReinforceBernoulli()
    >>> p = jnp.array([0.0, 1.0])
    >>> layer.apply({}, layer.init_buffers(), p, key=jax.random.key(0), train=True)[0].tolist()
    [0.0, 1.0]
    """

    def check(self, input: Array) -> None:
        check_floating(self, input)
        refuse(self, input, lambda p: ~((p >= 0) & (p <= 1)), "probabilities from 0 to 1")

    def sample(self, key: Array, input: Array) -> Array:
        return draws.happens(key, input).astype(input.dtype)

    def log_prob(self, sample: Array, input: Array) -> Array:
        return jnp.log(jnp.where(sample > 0, input, 1 - input))


class ReinforceCategorical(Reinforce):
    """P(i) = p_i: a one-hot row with its 1 at i with probability p_i (the input); evaluation gives p.

    Shape: probabilities (n) or (B, n), kept; gradient -reward * x / (p + 1e-8). Rows need not sum to 1 to be drawn
    from, but the gradient is that of rows that do, as in Torch.
    Buffers: log_prob, of the last sample: log(p + 1e-8) where the 1 is, else 0 (a side output).
    Raises: ValueError for other ranks; for negative probabilities and rows of zeros if these are concrete, or
    the program is `checked`.
    Source: dpnn/README.md#nn.ReinforceCategorical; Williams, 1992.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.ReinforceCategorical()
    >>> layer.apply({}, layer.init_buffers(), jnp.array([[0.25, 0.75]]))[0].tolist()  # evaluation: p
    [[0.25, 0.75]]
    """

    def check(self, input: Array) -> None:
        if input.ndim not in (1, 2):
            raise expected(self, "rows of probabilities, of 1 or 2 dimensions", input)
        check_floating(self, input)
        refuse(self, input, lambda p: ~(p >= 0), "probabilities of at least 0")
        refuse(self, input, lambda p: (p.sum(-1, keepdims=True) == 0) & (p == 0), "rows with a probability above 0")

    def sample(self, key: Array, input: Array) -> Array:
        classes = draws.categorical(key, jnp.log(widened(input)))
        return jax.nn.one_hot(classes, input.shape[-1], dtype=input.dtype)

    def log_prob(self, sample: Array, input: Array) -> Array:
        # Torch's 1e-8; the choice is made before the logarithm, which has no gradient at 0.
        return jnp.log(jnp.where(sample > 0, input + 1e-8, 1))


@jax.custom_jvp
def normal_log_prob(x: Array, mean: Array, stdev: Array) -> Array:
    """log N(x; mean, stdev); its derivative by stdev is ((x - mean)^2 - s^2) / (s^3 + 1e-8), as in Torch."""
    return jax.scipy.stats.norm.logpdf(x, mean, stdev)


@normal_log_prob.defjvp
def _(primals, tangents):
    x, mean, stdev = primals
    off = x - mean
    by_mean = off / stdev**2
    by_stdev = (off**2 - stdev**2) / (stdev**3 + 1e-8)
    return normal_log_prob(x, mean, stdev), by_mean * (tangents[1] - tangents[0]) + by_stdev * tangents[2]


class ReinforceNormal(Reinforce):
    """x = mean + stdev * z, with z normally distributed; evaluation gives the mean.

    Shape: a mean of any shape, kept; or the table [mean, stdev] (needed without the argument). stdev is a number, or
    shaped as the mean, or as one example of it. Gradients: -reward * (x - mean) / s^2 of the mean and
    -reward * ((x - mean)^2 - s^2) / (s^3 + 1e-8) of the stdev.
    Buffers: log_prob, of the last sample (a side output).
    Raises: ValueError if there is no stdev, for one of another shape, and for one that is not above 0 if it
    is concrete, or the program is `checked`.
    Source: dpnn/README.md#nn.ReinforceNormal; Williams, 1992.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.ReinforceNormal(0.1)
    >>> layer.apply({}, layer.init_buffers(), jnp.array([1.0, 2.0]))[0].tolist()  # evaluation: the mean
    [1.0, 2.0]
    """

    stdev: float | Const | None = None

    def __init__(self, stdev: float | Numbers = None, stochastic: bool = False):
        self._set(stdev=constant(self, "stdev", stdev), stochastic=stochastic)
        self.__post_init__()

    @property
    def takes_table(self) -> bool:
        return self.stdev is None

    def check(self, input: Tree) -> None:
        _, stdev = pair(self, input, self.stdev, "mean", "stdev")
        refuse(self, stdev, lambda s: ~(s > 0), "a stdev above 0")

    def sample(self, key: Array, input: Tree) -> Array:
        mean, stdev = pair(self, input, self.stdev, "mean", "stdev")
        return mean + stdev * draws.normal(key, mean.shape, mean.dtype)

    def log_prob(self, sample: Array, input: Tree) -> Array:
        mean, stdev = pair(self, input, self.stdev, "mean", "stdev")
        return normal_log_prob(sample, mean, stdev)

    def mean(self, input: Value) -> Array:
        return pair(self, input, self.stdev, "mean", "stdev")[0]


class ReinforceGamma(Reinforce):
    """P(x) = x^(k - 1) e^(-x / scale) / (Gamma(k) scale^k): the Gamma distribution with shape k (the input) and scale;
    evaluation gives the mean, k * scale.

    Shape: k of any shape, kept; or the table [k, scale] (needed without the argument). scale is a number, or shaped
    as k, or as one example of it. Gradients: -reward * (log x - digamma(k) - log scale) of k and
    -reward * (x / scale^2 - k / scale) of the scale.
    Buffers: log_prob, of the last sample (a side output).
    Raises: ValueError if there is no scale, for one of another shape, and for parameters that are not above 0 if
    these are concrete, or the program is `checked`.
    Source: dpnn/README.md#nn.ReinforceGamma; Williams, 1992.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.ReinforceGamma(0.5)
    >>> layer.apply({}, layer.init_buffers(), jnp.array([2.0, 4.0]))[0].tolist()  # evaluation: the mean
    [1.0, 2.0]
    """

    scale: float | Const | None = None

    def __init__(self, scale: float | Numbers = None, stochastic: bool = False):
        self._set(scale=constant(self, "scale", scale), stochastic=stochastic)
        self.__post_init__()

    @property
    def takes_table(self) -> bool:
        return self.scale is None

    def check(self, input: Tree) -> None:
        for name, values in zip(("shape", "scale"), pair(self, input, self.scale, "shape", "scale"), strict=True):
            refuse(self, values, lambda v: ~(v > 0), f"a {name} above 0")

    def sample(self, key: Array, input: Array) -> Array:
        shape, scale = pair(self, input, self.scale, "shape", "scale")
        # A small shape parameter draws numbers too small for the dtype; 0 has no logarithm.
        drawn = draws.gamma(varying_as(key, shape), shape)
        return jnp.maximum(scale * drawn, jnp.finfo(shape.dtype).tiny)

    def log_prob(self, sample: Array, input: Array) -> Array:
        shape, scale = pair(self, input, self.scale, "shape", "scale")
        return (shape - 1) * jnp.log(sample) - sample / scale - lax.lgamma(shape) - shape * jnp.log(scale)

    def mean(self, input: Table) -> Array:
        shape, scale = pair(self, input, self.scale, "shape", "scale")
        return shape * scale


def constant(module: Module, name: str, given: Value) -> Value:
    """The constructor's parameter: None, a number above 0, or an array as a Const."""
    if given is None or isinstance(given, Const):
        return given
    if isinstance(given, bool) or isinstance(given, str):
        raise TypeError(f"{module.torch_name()}: expected a number or a tensor as {name}, got {given!r}")
    if not isinstance(given, (int, float)):
        return const(given)
    if not given > 0:
        raise ValueError(f"{module.torch_name()}: expected {name} > 0, got {given!r}")
    return given


def pair(module: Module, input: Value, given: Value, first: str, second: str) -> tuple[Array, Array]:
    """Both parameters of a distribution: the input and the constructor's, or the two entries of a table."""
    table = isinstance(input, (list, tuple))
    if len(input) != 2 if table else given is None:
        raise expected(module, f"a table of {first} and {second}", input)
    left, right = input if table else (input, given.value if isinstance(given, Const) else given)
    if any(isinstance(each, (list, tuple, dict)) for each in (left, right)):
        raise expected(module, f"a {first} and a {second} that are no tables", input)
    check_floating(module, left)
    right = jnp.asarray(right, left.dtype)
    if right.ndim and right.shape not in (left.shape, left.shape[1:]):
        raise expected(module, f"a {second} of shape {left.shape} or {left.shape[1:]}", right)
    return left, jnp.broadcast_to(right, left.shape)


def refuse(module: Module, values: Value, wrong: Callable[[Value], Value], wanted: str) -> None:
    """Raises ValueError, as `check_values` does, for the first invalid value."""
    values = lookable(values)
    check_values(values, wrong(values), f"{title(module)}: expected {wanted}, got {{value:g}} at position {{position}}")
