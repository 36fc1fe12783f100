"""Arithmetic on every element."""

from collections.abc import Callable
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..core import Const, Map, check_number, const, expected, host_device
from ..core.arrays import Numbers
from ..core.precision import floating
from ..core.types import Array
from .lookup import are_numbers, check_indices
from .sizes_text import sizes_text
from .tap import tap
from .tensor_types import TYPES
from .transfer import Transfer


class Abs(Transfer):
    """y = |x|; the derivative at 0 is 1.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Abs.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Abs().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [1.0, 0.0, 2.0]
    """

    def f(self, input: Array) -> Array:
        return jnp.where(input >= 0, input, -input)


class Exp(Transfer):
    """y = exp(x).

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Exp.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.Exp().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()]
    ['0.368', '1.000', '7.389']
    """

    def f(self, input: Array) -> Array:
        return jnp.exp(input)


class Log(Transfer):
    """y = ln(x): -inf at 0, NaN below.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Log.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> [f"{y:.3f}" for y in f7.Log().apply({}, {}, jnp.array([1.0, 2.0, 10.0]))[0].tolist()]
    ['0.000', '0.693', '2.303']
    """

    def f(self, input: Array) -> Array:
        return jnp.log(input)


class Minus(Map):
    """y = -x.

    Shape: any, kept.
    Source: nnx, Minus.lua.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Minus().apply({}, {}, jnp.array([-1.0, 2.0]))[0].tolist()
    [1.0, -2.0]
    """

    def f(self, input: Array) -> Array:
        return -input


class Square(Transfer):
    """y = x^2.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Square.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Square().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [1.0, 0.0, 4.0]
    """

    def f(self, input: Array) -> Array:
        return input * input


class Sqrt(Transfer):
    """y = sqrt(x), NaN below 0; the derivative at 0 is 0.

    Shape: any, kept.  `eps` is accepted and unused, as in Torch7.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Sqrt.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Sqrt().apply({}, {}, jnp.array([0.0, 4.0, 9.0]))[0].tolist()
    [0.0, 2.0, 3.0]
    """

    eps: float = 0

    def f(self, input: Array) -> Array:
        zero = input == 0
        return jnp.where(zero, 0, jnp.sqrt(jnp.where(zero, 1, input)))


class Power(Transfer):
    """y = x^pow, NaN for x < 0 and a fractional power.

    Shape: any, kept.
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Power.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Power(3).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-1.0, 0.0, 8.0]
    """

    pow: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, power=self.pow)

    def f(self, input: Array) -> Array:
        return input**self.pow


class AddConstant(Transfer):
    """y = x + k; k is a number, or a tensor as long as the last of at most 2 dimensions.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError if k is neither, and for integers; ValueError if a tensor's size is not the last dimension's.
    Source: nn/doc/transfer.md#nn.AddConstant.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.AddConstant(10.0).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [9.0, 10.0, 12.0]
    """

    tunable: ClassVar[tuple[str, ...]] = ("constant_scalar",)

    constant_scalar: float | Numbers
    inplace: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.constant_scalar, (int, float)):
            self._set(constant_scalar=const(self.constant_scalar))

    def f(self, input: Array) -> Array:
        if not isinstance(self.constant_scalar, Const):
            return input + self.constant_scalar
        constant = self.constant_scalar.value.reshape(-1)
        if input.ndim not in (1, 2) or input.shape[-1] != constant.size:
            raise expected(self, f"at most 2 dimensions, the last as long as the constant ({constant.size})", input)
        return input + jnp.asarray(constant, input.dtype).reshape((1,) * (input.ndim - 1) + (-1,))


class MulConstant(Transfer):
    """y = k * x.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    Raises: TypeError if k is not a number, and for integers.
    Source: nn/doc/transfer.md#nn.MulConstant.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.MulConstant(10.0).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-10.0, 0.0, 20.0]
    """

    tunable: ClassVar[tuple[str, ...]] = ("constant_scalar",)

    constant_scalar: float
    inplace: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, constant=self.constant_scalar)

    def f(self, input: Array) -> Array:
        return input * self.constant_scalar


class Contiguous(Map):
    """y = x: JAX's arrays are always contiguous.

    Shape: any, kept.
    Source: nn/doc/simple.md#nn.Contiguous.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Contiguous().apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [-1.0, 0.0, 2.0]
    """

    def f(self, input: Array) -> Array:
        return input


class ZeroGrad(Map):
    """y = x, but no gradient passes.

    Shape: any, tables too.
    Source: nn, ZeroGrad.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> def loss(x):
    ...     return f7.ZeroGrad().apply({}, {}, x)[0].sum()
    >>> jax.grad(loss)(jnp.ones(3)).tolist()
    [0.0, 0.0, 0.0]
    """

    def f(self, input: Array) -> Array:
        return jax.lax.stop_gradient(input)


class Copy(Map):
    """y = x, cast to output_type; the gradient is cast back. Types have Torch's names ("torch.FloatTensor").

    Equal types mean that nothing is cast, whatever the input's type, unless force_copy says so.
    Numbers of 64 bits need JAX's x64 mode; `legacy` needs none.
    Shape: any, kept.  `dont_cast` is accepted: it concerns objects that change their type.
    Raises: ValueError for a type that Torch does not know.
    Source: nn/doc/simple.md#nn.Copy.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Copy("torch.FloatTensor", "torch.IntTensor").apply({}, {}, jnp.array([1.0, 2.0]))[0].dtype
    dtype('int32')
    """

    input_type: str | None = None
    output_type: str | None = None
    force_copy: bool = False
    dont_cast: bool = False

    def __post_init__(self) -> None:
        for name in (self.input_type, self.output_type):
            if name is not None and name not in TYPES:
                raise ValueError(f"nn.Copy: unknown type {name!r}; expected one of {', '.join(TYPES)}")

    def f(self, input: Array) -> Array:
        if self.output_type is None or (self.output_type == self.input_type and not self.force_copy):
            return input
        return input.astype(TYPES[self.output_type])


class OneHot(Map):
    """y_i = 1 where i = x, else 0: a 1 at the place given by an index (from 1), zeros elsewhere.

    Shape: indices of any shape s -> (*s, output_size); no gradient.
    Raises: ValueError for output_size below 1, and for indices outside 1..output_size if these are concrete;
    under jit they give NaN.
    Source: dpnn/README.md#nn.OneHot.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.OneHot(3).apply({}, {}, jnp.array([1, 3]))[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """

    checks_values: ClassVar[bool] = True

    output_size: int

    def __post_init__(self) -> None:
        if self.output_size < 1:
            raise ValueError(f"{self.torch_name()}: expected output_size >= 1, got {self.output_size}")

    def f(self, input: Array) -> Array:
        check_indices(self, input, self.output_size)
        known = are_numbers(input, 1, self.output_size)
        rows = jax.nn.one_hot(input.astype(jnp.int32) - 1, self.output_size, dtype=floating(input.dtype))
        return jnp.where(known[..., None], rows, jnp.nan)


class Constant(Map):
    """y = value: a given value, whatever the input; no gradient.

    Shape: any -> the value's (a number: (1)); with n_input_dim, an input of more dimensions is a batch, and the value
    is repeated for each example. Its dtype is the input's, float32 for an input of whole numbers.
    Raises: TypeError unless it is given a number or a tensor.
    Source: dpnn/README.md#nn.Constant.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Constant(jnp.array([1.0, 2.0])).apply({}, {}, jnp.array([-1.0, 0.0, 2.0]))[0].tolist()
    [1.0, 2.0]
    """

    value: Numbers
    n_input_dim: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.value, str) or self.value is None:
            raise TypeError(f"nn.Constant: expecting number or tensor at arg 1, got {self.value!r}")
        self._set(value=const(np.atleast_1d(np.asarray(self.value, np.float64))))

    def f(self, input: Array) -> Array:
        value = jnp.asarray(self.value.value, floating(input.dtype))
        if self.n_input_dim is None or input.ndim <= self.n_input_dim:
            return value
        return jnp.broadcast_to(value[None], (input.shape[0], *value.shape))


class PrintSize(Map):
    """y = x; prints the sizes of the input and, on the way back, of gradOutput, at every call, as Torch does.

    Shape: any, tables too.
    Raises: RuntimeError in a user's `jit` if JAX has no CPU, which compiled programs need to call the host.
    Source: dpnn/README.md#nn.PrintSize.

    >>> import functorch7 as f7
    >>> layer = f7.PrintSize("here")
    >>> f7.output_shape(layer, (8, 3))
    (8, 3)
    """

    prefix: str = "PrintSize"

    @property
    def traceable(self) -> bool:
        return host_device() is not None

    def f(self, input: Array) -> Array:
        sizes = sizes_text(input)

        def printing(what: str) -> Callable:
            return lambda _: print(f"{self.prefix}:{what}\n\t{sizes}")

        return tap(self.torch_name(), input, lambda _: (), printing("input"), printing("gradOutput"))
