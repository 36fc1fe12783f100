"""Arrays of the host, on their way to a device."""

import jax
import jax.numpy as jnp
import numpy as np

from .errors import describe
from .given import foreign


def check_taken(who: str, tree: object) -> None:
    """Refuses what a device does not take as it is: texts, objects, other libraries' tensors, and whole numbers that
    lose their upper bits.

    JAX keeps whole numbers in 32 bits unless its x64 mode is on, and makes 1 of 2**32 + 1 without a word.
    Raises: TypeError, ValueError that name who was given it.
    """
    for leaf in jax.tree.leaves(tree):
        if isinstance(leaf, (np.ndarray, np.generic, int, float, complex)):
            _check_array(who, np.asarray(leaf))
        elif not isinstance(leaf, jax.Array):
            raise TypeError(f"{who}: expected arrays of numbers, got {foreign(leaf)}")


def _check_array(who: str, array: np.ndarray) -> None:
    if not (jnp.issubdtype(array.dtype, np.number) or array.dtype == np.bool_):
        given = describe(array.item()) if array.ndim == 0 else f"{array.dtype} of {describe(array)}"
        raise TypeError(f"{who}: expected arrays of numbers, got {given}")
    if not array.dtype.isnative:
        raise TypeError(f"{who}: expected numbers in this machine's order of bytes, got {array.dtype}")
    kept = jax.dtypes.canonicalize_dtype(array.dtype)
    if kept == array.dtype or array.dtype.kind not in "iu" or not array.size:
        return
    least, most = array.min(), array.max()
    if least < np.iinfo(kept).min or most > np.iinfo(kept).max:
        beyond = least if least < np.iinfo(kept).min else most
        raise ValueError(
            f'{who}: {beyond} is beyond {kept}, which JAX makes of {array.dtype} unless its mode "jax_enable_x64" is on'
        )
