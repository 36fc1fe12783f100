"""The initial values of Torch's training scripts that differ from the layers' defaults."""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ..core import Module, Variables, draws
from ..core.tree import mapped
from ..layers import BatchNormalization, Linear
from ..layers.convolution import Convolution
from ..layers.transposed import FullConvolution

Arrays = dict[str, Any]


def start_residual(module: Module, key: jax.Array) -> Variables:
    """The initial values of fb.resnet.torch: normal kernels of variance 2 / (their elements * output planes).

    Normalisations start as the identity; the biases of convolutions and linear layers are zeros.
    Source: facebook/fb.resnet.torch, models/resnet.lua; He et al., 2015.

    >>> import functorch7 as f7, jax
    >>> params, buffers = f7.zoo.start_residual(f7.zoo.lenet(), jax.random.key(0))
    >>> float(params[0]["bias"].sum())
    0.0
    """

    def change(layer: Module, arrays: Arrays, key: jax.Array) -> Arrays:
        if isinstance(layer, Convolution):
            deviation = math.sqrt(2 / (math.prod(layer.window("k")) * layer.n_output_plane))
            return _zeroed(arrays) | {"weight": _normal(key, arrays["weight"], 0, deviation)}
        if isinstance(layer, BatchNormalization) and arrays:
            return {"weight": jnp.ones_like(arrays["weight"]), "bias": jnp.zeros_like(arrays["bias"])}
        return arrays | ({"bias": jnp.zeros_like(arrays["bias"])} if isinstance(layer, Linear) and layer.bias else {})

    return _started(module, key, change)


def start_dcgan(module: Module, key: jax.Array) -> Variables:
    """The initial values of DCGAN: normal with deviation 0.02, around 0 for kernels and 1 for normalisations' weights.

    Biases are zeros.
    Source: soumith/dcgan.torch, main.lua; Radford et al., 2015.

    >>> import functorch7 as f7, jax
    >>> params, buffers = f7.zoo.start_dcgan(f7.zoo.dcgan_discriminator(8), jax.random.key(0))
    >>> float(jnp.abs(params[0]["weight"]).max()) < 0.2
    True
    """

    def change(layer: Module, arrays: Arrays, key: jax.Array) -> Arrays:
        if isinstance(layer, (Convolution, FullConvolution, BatchNormalization)) and arrays:
            mean = float(isinstance(layer, BatchNormalization))
            return _zeroed(arrays) | {"weight": _normal(key, arrays["weight"], mean, 0.02)}
        return arrays

    return _started(module, key, change)


def _started(module: Module, key: jax.Array, change: Callable[[Module, Arrays, jax.Array], Arrays]) -> Variables:
    """The module's own initial values, changed layer by layer, each with its own key."""
    params, buffers = module.init(key)
    count = 0

    def changed(layer: Module, arrays: Arrays) -> Arrays:
        nonlocal count
        count += 1
        return change(layer, arrays, jax.random.fold_in(key, count))

    return Variables(mapped(module, changed, params), buffers)


def _zeroed(arrays: Arrays) -> Arrays:
    return {name: jnp.zeros_like(array) for name, array in arrays.items()}


def _normal(key: jax.Array, like: Any, mean: float, deviation: float) -> jax.Array:
    return mean + deviation * draws.normal(key, like.shape, like.dtype)
