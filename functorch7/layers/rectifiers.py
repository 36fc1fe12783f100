"""Rectifiers: functions with a kink, at which the derivative is the one on the left."""

from typing import ClassVar

import jax.numpy as jnp

from ..core import Layer, Module, check_floating, check_number, draws, expected, expose, spread
from ..core.types import Array, Tree
from ..network import number
from .frugal import where
from .initializers import filled
from .transfer import Transfer


class Threshold(Transfer):
    """y = x where x > threshold, else value; the gradient passes where x > threshold.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError if threshold or value is not a number, or inplace not a boolean; ValueError if inplace and
    value > threshold, as Torch7; TypeError for integers.
    Source: nn/doc/transfer.md#nn.Threshold.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Threshold(0.5, -7.0).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-7.0, -7.0, 2.0]
    """

    tunable: ClassVar[tuple[str, ...]] = ("threshold", "val")

    threshold: float = 1e-6
    val: float = 0
    inplace: bool = False

    def __post_init__(self) -> None:
        check_number(self, threshold=self.threshold, value=self.val)
        super().__post_init__()
        if self.inplace and self.val > self.threshold:
            raise ValueError(
                f"{self.torch_name()}: in-place processing requires value ({self.val}) not exceed "
                f"threshold ({self.threshold})"
            )

    def f(self, input: Array) -> Array:
        return where(input > self.threshold, input, jnp.asarray(self.val, input.dtype))


class ReLU(Threshold):
    """y = max(0, x); the gradient at 0 is 0.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError for integers, and if inplace is not a boolean.
    Source: nn/doc/transfer.md#nn.ReLU.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.ReLU().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [0.0, 0.0, 2.0]
    """

    inplace: bool = False

    def __init__(self, inplace: bool = False):
        self._set(threshold=0, val=0, inplace=inplace)
        self.__post_init__()


class ReLU6(Transfer):
    """y = min(max(0, x), 6); the gradient passes where 0 < x < 6.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError for integers, and if inplace is not a boolean.
    Source: nn/doc/transfer.md#nn.ReLU6.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.ReLU6().apply({}, {}, jnp.array([-1.0, 5.0, 9.0]))[0].tolist()
    [0.0, 5.0, 6.0]
    """

    inplace: bool = False

    def f(self, input: Array) -> Array:
        return where((input > 0) & (input < 6), input, jnp.where(input > 0, 6, 0).astype(input.dtype))


class LeakyReLU(Transfer):
    """y = x where x > 0, else negval * x.

    Shape: any, kept.  `inplace` is accepted and changes no value; as first argument it leaves negval at 0.01.
    Raises: TypeError for integers, if negval is not a number, and if inplace is not a boolean.
    Source: nn/doc/transfer.md#nn.LeakyReLU.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.1f}" for y in f7.LeakyReLU(0.1).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['-0.1', '0.0', '2.0']
    """

    tunable: ClassVar[tuple[str, ...]] = ("negval",)

    negval: float = 0.01
    inplace: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.negval, bool):
            self._set(negval=0.01)
        check_number(self, negval=self.negval)

    def f(self, input: Array) -> Array:
        return jnp.where(input > 0, input, self.negval * input)

    def printed(self) -> str:
        return f"{self.type_name()}({self.negval:g})"


class ELU(Transfer):
    """y = x where x > 0, else alpha * (exp(x) - 1).

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError if alpha is not a number, and for integers.
    Differs from Torch7: for a negative alpha the gradient is the formula's.
    Source: nn/doc/transfer.md#nn.ELU; Clevert et al., 2015.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.ELU().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['-0.632', '0.000', '2.000']
    """

    tunable: ClassVar[tuple[str, ...]] = ("alpha",)

    alpha: float = 1
    inplace: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, alpha=self.alpha)

    def f(self, input: Array) -> Array:
        below = where(input > 0, 0, input)  # so that the exponential of a large x is never computed
        return jnp.where(input > 0, input, self.alpha * jnp.expm1(below))

    def printed(self) -> str:
        return f"{self.type_name()} (alpha:{self.alpha:f})"


class PReLU(Layer):
    """y = x where x > 0, else a * x with a learned a.

    Shape: any, kept; with n_output_plane, a 1-D tensor of that size, or planes in dimension 2.
    Parameters: weight, (1,) or (n_output_plane,), from 0.25.
    Raises: ValueError for another number of planes; TypeError for integers.
    Source: nn/doc/transfer.md#nn.PReLU; He et al., 2015.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.PReLU().apply({"weight": jnp.array([0.25])}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-0.25, 0.0, 2.0]
    """

    n_output_plane: int | None = None

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": filled(self.n_output_plane or 1, 0.25)}

    def f(self, params: dict[str, Array], input: Array) -> Array:
        check_floating(self, input)
        weight = params["weight"].astype(input.dtype)
        if not self.n_output_plane:
            return jnp.where(input > 0, input, spread(weight, input.shape, (1,) * input.ndim) * input)
        planes = 0 if input.ndim == 1 else 1
        if input.ndim == 0 or input.shape[planes] != self.n_output_plane:
            raise expected(self, f"{self.n_output_plane} planes in dimension {planes + 1}", input)
        shape = tuple(-1 if axis == planes else 1 for axis in range(input.ndim))
        return jnp.where(input > 0, input, spread(weight, input.shape, shape) * input)


class RReLU(Module):
    """y = x where x > 0, else a * x; a is drawn from [l, u) for each element in training, (l + u) / 2 in evaluation.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Exposes: noise, the factors of the last training call (1 where x > 0).
    Raises: ValueError unless 0 <= l <= u, and if the key is missing; TypeError for integers.
    Source: nn/doc/transfer.md#nn.RReLU; Xu et al., 2015.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.RReLU(0.25, 0.75).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()  # evaluation
    [-0.5, 0.0, 2.0]
    """

    exposes: ClassVar[tuple[str, ...]] = ("noise",)
    tunable: ClassVar[tuple[str, ...]] = ("lower", "upper")

    lower: float = 1 / 8
    upper: float = 1 / 3
    inplace: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            raise ValueError(f"nn.RReLU: expected 0 <= l <= u, got {self.lower} and {self.upper}")

    @number
    def middle(self) -> float:
        """The factor in evaluation."""
        return (self.lower + self.upper) / 2

    def draws(self, train: bool) -> bool:
        return train

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        if not train:
            return jnp.where(input > 0, input, input * self.middle), buffers
        slope = draws.uniform(key, input.shape, input.dtype, self.lower, self.upper)
        noise = jnp.where(input > 0, 1, slope)
        expose(noise=noise)
        return input * noise, buffers

    def printed(self) -> str:
        return f"{self.type_name()} (l:{self.lower:f}, u:{self.upper:f})"


class CReLU(Transfer):
    """y = [max(0, x), max(0, -x)], joined along the first dimension of an example.

    Shape: n_input_dims dimensions (d, ...) -> (2 d, ...), or one more for a batch.  `inplace` changes no value.
    Raises: ValueError for other ranks; TypeError for integers.
    Source: nn/doc/transfer.md#nn.CReLU; Shang et al., 2016.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CReLU(1).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [0.0, 0.0, 2.0, 1.0, 0.0, 0.0]
    """

    n_input_dims: int
    inplace: bool = False

    def f(self, input: Array) -> Array:
        along = input.ndim - self.n_input_dims
        if along not in (0, 1):
            raise expected(self, f"{self.n_input_dims} dimensions, or one more for a batch", input)
        joined = jnp.concatenate([input, -input], along)
        return where(joined > 0, joined, 0)

    def printed(self) -> str:
        return "CReLU()"
