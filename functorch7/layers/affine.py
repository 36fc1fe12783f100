"""Layers that add or multiply learned numbers, element by element."""

import math
from collections.abc import Iterable

from ..core import Layer, check_floating, check_positive, expected, spread
from ..core.types import Array
from .initializers import overwritten, uniform
from .shape import sizes_of


class Add(Layer):
    """y = x + b.

    Shape: (input_size), or (B, ...) with input_size elements per example; kept.
    Parameters: bias (input_size,), or (1,) if `scalar`; uniform on +-1/sqrt(size), or +-stdv * sqrt(3);
    with `fill`, that value.
    Raises: ValueError if an example has another number of elements; TypeError for integers.
    Source: nn/doc/simple.md#nn.Add.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Add(2).apply({"bias": jnp.array([0.5, -1.0])}, {}, jnp.array([1.0, 1.0]))[0].tolist()
    [1.5, 0.0]
    """

    input_size: int
    scalar: bool = False
    fill: float | None = None

    def __post_init__(self) -> None:
        if not self.scalar:
            check_positive(self, input_size=self.input_size)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        size = 1 if self.scalar else self.input_size
        if self.fill is None:
            return {"bias": uniform(key, (size,), size, stdv)}
        return {"bias": overwritten(key, (size,), float(self.fill))}

    def f(self, params: dict[str, Array], input: Array) -> Array:
        check_floating(self, input)
        bias = params["bias"].astype(input.dtype)
        if bias.size == 1:
            return input + spread(bias, input.shape, (1,) * input.ndim)
        if input.size == bias.size:
            return input + bias.reshape(input.shape)
        if input.ndim == 0 or math.prod(input.shape[1:]) != bias.size:
            raise expected(self, f"{bias.size} elements per example", input)
        return input + spread(bias, input.shape, (1, *input.shape[1:]))


class Mul(Layer):
    """y = w * x with one learned number.

    Shape: any, kept.
    Parameters: weight (1,), uniform on +-1, or +-stdv * sqrt(3).
    Raises: TypeError for integers.
    Source: nn/doc/simple.md#nn.Mul.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.Mul().apply({"weight": jnp.array([2.0])}, {}, jnp.array([1.0, 3.0]))[0].tolist()
    [2.0, 6.0]
    """

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return {"weight": uniform(key, (1,), 1, stdv)}

    def f(self, params: dict[str, Array], input: Array) -> Array:
        check_floating(self, input)
        return input * spread(params["weight"].astype(input.dtype), input.shape, (1,) * input.ndim)


class Componentwise(Layer, abstract=True):
    """Layers with one array of the given sizes that is combined with every element of an example: write `combine`."""

    size: tuple[int, ...]
    fill: float | None = None

    def __init__(self, *sizes: int | Iterable[int], fill: float | None = None):
        self._set(size=sizes_of(self, sizes), fill=fill)
        self.__post_init__()

    def __post_init__(self) -> None:
        check_positive(self, **{f"size {i}": size for i, size in enumerate(self.size, 1)})

    @property
    def parameter(self) -> str:
        """The array's name."""
        return self.parameter_order[0]

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        if self.fill is not None:
            return {self.parameter: overwritten(key, self.size, float(self.fill))}
        return {self.parameter: uniform(key, self.size, math.prod(self.size), stdv)}

    def combine(self, input: Array, array: Array) -> Array:
        """The output, of arrays whose shapes broadcast."""
        raise NotImplementedError(f"{self.torch_name()} must define combine")

    def f(self, params: dict[str, Array], input: Array) -> Array:
        check_floating(self, input)
        array = params[self.parameter].astype(input.dtype)
        if input.size == array.size:
            array = array.reshape(input.shape)
        elif input.ndim == array.ndim and all(a in (1, i) for a, i in zip(array.shape, input.shape, strict=True)):
            pass  # sizes of 1 repeat
        elif input.ndim and math.prod(input.shape[1:]) == array.size:
            array = array.reshape((1, *input.shape[1:]))
        elif input.ndim == array.ndim + 1 and all(
            a in (1, i) for a, i in zip(array.shape, input.shape[1:], strict=True)
        ):
            array = array[None]
        else:
            sizes = "x".join(map(str, self.size))
            raise expected(self, f"{sizes} elements, repeated where a size is 1, for each example", input)
        return self.combine(input, spread(array, input.shape))


class CAdd(Componentwise, init=False):
    """y = x + b with a learned array.

    Shape: as many elements as b, as many dimensions (b repeats where its size is 1), or a batch of these; kept.
    Parameters: bias, of the given sizes; uniform on +-1/sqrt(elements), or +-stdv * sqrt(3);
    with `fill`, that value.
    Raises: ValueError if the sizes do not fit; TypeError for integers.
    Source: nn/doc/simple.md#nn.CAdd.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> bias = {"bias": jnp.array([[10.0], [20.0]])}  # of a plane each
    >>> f7.CAdd(2, 1).apply(bias, {}, jnp.array([[1.0, 2.0], [3.0, 4.0]]))[0].tolist()
    [[11.0, 12.0], [23.0, 24.0]]
    """

    parameter_order = ("bias",)

    def combine(self, input: Array, array: Array) -> Array:
        return input + array


class CMul(Componentwise, init=False):
    """y = w * x, element by element, with a learned array.

    Shape: as many elements as w, as many dimensions (w repeats where its size is 1), or a batch of these; kept.
    Parameters: weight, of the given sizes; uniform on +-1/sqrt(elements), or +-stdv * sqrt(3);
    with `fill`, that value.
    Raises: ValueError if the sizes do not fit; TypeError for integers.
    Source: nn/doc/simple.md#nn.CMul.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.CMul(2).apply({"weight": jnp.array([2.0, -1.0])}, {}, jnp.array([1.0, 3.0]))[0].tolist()
    [2.0, -3.0]
    """

    parameter_order = ("weight",)

    def combine(self, input: Array, array: Array) -> Array:
        return input * array
