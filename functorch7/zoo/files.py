"""The arrays of networks in Torch7's files, for the zoo's descriptions."""

import math
import os
from itertools import zip_longest
from typing import Any

from ..core import Module, Variables
from ..interop.torch7 import load_model
from ..network import from_state_dict, state_dict, structure_of


def load(path: str | os.PathLike, module: Module) -> Variables:
    """The variables of `module` from a network in a Torch7 file whose layers have the same order.

    Containers, names, layers without arrays and the classes of layers (cudnn's or nn's) may differ. Shapes must agree,
    except that kernels may be rows of a matrix, as in SpatialConvolutionMM.
    Raises: ValueError that says where shapes first differ; the errors of `load_model`.

    >>> import functorch7 as f7, jax, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lenet.t7")
    >>> f7.save_model(path, f7.zoo.lenet(), *f7.zoo.lenet().init(jax.random.key(0)))
    >>> params, buffers = f7.zoo.load(path, f7.zoo.lenet())
    """
    source, *variables = load_model(path)
    ours = state_dict(module, structure_of(module))
    theirs = state_dict(source, Variables(*variables))
    found = {}
    pairs: Any = zip_longest(ours.items(), theirs.items(), fillvalue=("nothing", None))
    for (name, wanted), (there, array) in pairs:
        if not _alike(wanted, array):
            raise ValueError(
                f"{os.fspath(path)} does not fit: {name}{_shape(wanted)} here, {there}{_shape(array)} in the file"
            )
        found[name] = array.reshape(wanted.shape)
    return from_state_dict(module, found)


def _alike(wanted: Any, array: Any) -> bool:
    """Whether they have the same shape, or the same rows."""
    if wanted is None or array is None:
        return False
    return array.shape == wanted.shape or (
        wanted.ndim > 2 and array.shape == (wanted.shape[0], math.prod(wanted.shape[1:]))
    )


def _shape(array: Any) -> str:
    return "" if array is None else f" of shape {tuple(array.shape)}"
