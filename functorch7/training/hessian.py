"""The diagonal of the Gauss-Newton Hessian, pulled back module by module, as LeCun's and Torch's."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .. import layers, losses
from ..core import Module, check_floating, expected
from ..core.types import Array, Input, Output, Params, Tree

SUMS_OF_PRODUCTS = (
    layers.Linear, layers.Reshape, layers.View,
    layers.SpatialConvolution, layers.SpatialConvolutionMM, layers.SpatialConvolutionLocal,
    layers.SpatialConvolutionMap, layers.SpatialFullConvolution, layers.SpatialFullConvolutionMap,
)  # fmt: skip
"""Modules each of whose outputs is a bias plus products of one input and one weight, all of them different."""

POINTWISE = (
    layers.Tanh, layers.TanhShrink, layers.Square, layers.Sqrt, layers.Sigmoid, layers.ReLU, layers.Threshold,
    layers.HardTanh, layers.SoftPlus, layers.Abs, layers.Exp, layers.Log, layers.Power,
)  # fmt: skip
"""Modules each of whose outputs depends on the one input at its place."""


def _undefined(module: Module) -> NotImplementedError:
    return NotImplementedError(f"{module.torch_name()}:updateDiagHessianInput() is undefined")


def _check(module: Module, train: bool) -> None:
    """Raises NotImplementedError for modules that are not a function of parameters and one tensor, and for others."""
    if isinstance(module, layers.Sequential):
        for child in module.modules:
            _check(child, train)
    elif (
        module.children()
        or module.traits.takes_table
        or module.traits.is_step
        or module.traits.draws(train)
        or not module.traits.traceable
    ):
        raise _undefined(module)


def diagonal_hessian(
    module: Module, params: Params, buffers: Tree, input: Array, output_hessian: Array, *, train: bool = False
) -> tuple[Tree, Output]:
    """(of the parameters, of the input): sum_k (dy_k / dp)^2 h_k over all outputs y_k, with h = output_hessian.

    With h the second derivatives of a loss with respect to the outputs (`criterion_diagonal_hessian`), it approximates
    those with respect to parameters and input: exactly in the absence of second derivatives of y. In a Sequential, the
    h of each module is what the module after it gives. The examples of a batch add up in that of the parameters.
    Shape: input and params, in their trees. Takes one backward pass for Torch's and some other modules, else one for
    each output.
    Raises: NotImplementedError for stochastic and recurrent modules, containers other than Sequential, and tables;
    ValueError for an output_hessian that is not shaped as the output.
    Differs from Torch7: TanhShrink's is tanh(x)^4 h, by this formula, and not (1 + (1 - tanh(x)^2)^2) h.
    Source: torch/nn, hessian.lua; LeCun, Bottou, Orr & Müller, Efficient BackProp, 1998.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> from functorch7.training import diagonal_hessian
    >>> _, of_input = diagonal_hessian(f7.Square(), {}, {}, jnp.array([1.0, 3.0]), jnp.array([1.0, 1.0]))
    >>> of_input.tolist()  # (2 x)^2
    [4.0, 36.0]
    """
    _check(module, train)
    if isinstance(module, layers.Sequential):
        return _chained(module, params, buffers, input, output_hessian, train)

    if isinstance(input, (list, tuple, dict)):
        raise _undefined(module)
    check_floating(module, input)

    def outputs(params: Tree, input: Any) -> Any:
        return module.apply(params, buffers, input, train=train)[0]

    squared = type(module) in SUMS_OF_PRODUCTS
    arguments = jax.tree.map(jnp.square, (params, input)) if squared else (params, input)
    output, pull = jax.vjp(outputs, *arguments)
    if isinstance(output, (list, tuple, dict)):
        raise _undefined(module)
    if output.shape != jnp.shape(output_hessian):
        raise expected(module, f"a Hessian of the output's shape {tuple(output.shape)}", output_hessian)
    output_hessian = jnp.asarray(output_hessian, output.dtype)
    if squared:  # the derivatives of a sum of products of squares are the squares of its derivatives
        return pull(output_hessian)
    if type(module) in POINTWISE:
        return params, jnp.square(pull(jnp.ones_like(output))[1]) * output_hessian

    def add_output(total: Any, k: Any) -> tuple[Any, None]:
        slopes = pull(jnp.zeros_like(output).at[jnp.unravel_index(k, output.shape)].set(1))
        h = output_hessian.reshape(-1)[k]
        return jax.tree.map(lambda sum, slope: sum + jnp.square(slope) * h, total, slopes), None

    return lax.scan(add_output, jax.tree.map(jnp.zeros_like, arguments), jnp.arange(output.size))[0]


def _chained(
    module: layers.Sequential, params: Tree, buffers: Tree, input: Array, h: Array, train: bool
) -> tuple[Tree, Output]:
    inputs = [input]
    for i in range(len(module.modules) - 1):
        inputs.append(module.call(i, params, buffers, inputs[-1], key=None, train=train)[0])
    made: list[Any] = []
    for i in reversed(range(len(module.modules))):
        own, h = diagonal_hessian(module.modules[i], params[i], buffers[i], inputs[i], h, train=train)
        made.insert(0, own)
    return made, h


def criterion_diagonal_hessian(criterion: losses.base.Criterion, input: Array, target: Input | None = None) -> Output:
    """The second derivatives of a loss with respect to each input: 2, or 2/n, for the squared errors.

    That of L1Cost is taken to be the first derivative's square, 1 (and 0 at 0), as Torch has it.
    Shape: as the input.
    Raises: NotImplementedError for criterions other than MSECriterion, WeightedMSECriterion and L1Cost.
    Source: torch/nn, hessian.lua.
    """

    def slope(input: Any) -> Any:
        return jax.grad(lambda input: criterion(input, target))(input)

    if type(criterion) is losses.L1Cost:
        return jnp.square(slope(input))
    if type(criterion) in (losses.MSECriterion, losses.WeightedMSECriterion):
        return jax.jvp(slope, (input,), (jnp.ones_like(input),))[1]  # no loss of one element depends on another
    raise _undefined(criterion)
