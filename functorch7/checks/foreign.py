"""What was given, in a few words, where it is no array that a program of JAX takes."""

import reprlib
from functools import partial

import jax
import numpy as np

OURS = __name__.partition(".")[0]
OF_OTHER_RULES = (np.matrix, np.ma.MaskedArray)
"""NumPy's arrays by whose `*` is a product of matrices, or whose numbers do not all count: JAX looks at neither."""


def is_foreign(value: object) -> bool:
    """Whether what has a shape is another library's than JAX, NumPy and this one."""
    if isinstance(value, (jax.Array, np.ndarray, np.generic, jax.ShapeDtypeStruct)):
        return isinstance(value, OF_OTHER_RULES)
    return type(value).__module__.partition(".")[0] != OURS


def foreign(value: object) -> str:
    """What holds no numbers that a program takes; of other libraries' arrays the class, and what makes arrays of them.

    Nothing is tried: of a file, or a computation that waits, an array could be too large.
    """
    if isinstance(value, (np.ndarray, np.generic)) and not value.shape:
        return reprlib.repr(value.item())
    if isinstance(value, (jax.Array, np.ndarray)) and not isinstance(value, OF_OTHER_RULES):
        return f"{value.dtype} of shape {value.shape}"
    hint = _hint(value)
    return f"{kind_of(value)}; {hint}" if hint else reprlib.repr(value)


def kind_of(value: object) -> str:
    """A class with its library, such as "a torch.Tensor"."""
    name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _hint(value: object) -> str | None:
    """How an array is made of another library's."""
    for method in ("toarray()", "todense()", "filled(number)"):  # sparse arrays of SciPy, of JAX, and masked ones
        if hasattr(value, method.partition("(")[0]):
            return f"its {method} is a tensor"
    if kind_of(value).startswith("a torch."):
        return "its detach().cpu().numpy() is an array" if hasattr(value, "detach") else None
    if isinstance(getattr(value, "shape", None), tuple) and hasattr(value, "__array__"):
        return "numpy.asarray makes an array of it"
    return "jax.numpy.asarray makes an array of it" if hasattr(value, "__jax_array__") else None


WAYS = {
    "flax.linen": "interop.flax.FromLinen makes a layer of it",
    "flax.nnx": "interop.flax.FromNnx makes a layer of its kind",
    "torch.nn": "interop.pytorch.from_pytorch reads its state_dict",
    "": 'docs/interop.md, "Equinox", has a layer that learns them',
}
"""What to use for the modules of other libraries, by where their base class is."""


def check_function(owner: str, function: object) -> None:
    """Refuses what can be called but has, or makes, arrays of its own, which would be constants of the network.

    Raises: TypeError, with what to use.
    """
    homes = [base.__module__ for base in type(function).__mro__]
    way = next(way for start, way in WAYS.items() if any(home.startswith(start) for home in homes))
    arrays = not isinstance(function, partial) and any(hasattr(leaf, "dtype") for leaf in jax.tree.leaves(function))
    if arrays or way is not WAYS[""]:
        raise TypeError(
            f"{owner}: expected a function, got {kind_of(function)}, whose arrays nothing would learn; {way}"
        )
