"""The sizes of what a module is given, as Torch prints them."""

from collections.abc import Iterator

import jax.numpy as jnp

from ..checks.tables import as_dict
from ..core.types import Value
from .tensor_types import TYPES

NAMES = {dtype: name.removeprefix("torch.") for name, dtype in reversed(TYPES.items())}
"""Torch's names of tensors' types, the host's."""

DEPTH = 5
"""Tables further in than that are not shown."""


def sizes_text(value: Value) -> str:
    """What Torch's `print` writes of a tensor's sizes, a storage of them; of a table what is in it, as `th` does."""
    if isinstance(value, (list, tuple, dict)):
        return "\n".join(_table(value, 1))
    sizes = [str(size) for size in jnp.shape(value)]
    width = 1 + max(map(len, sizes), default=0)
    return "\n".join([*(size.rjust(width) for size in sizes), f"[torch.LongStorage of size {len(sizes)}]\n"])


def _table(table: Value, depth: int) -> Iterator[str]:
    """The lines of a table."""
    entries = as_dict(table)
    yield "{" if entries else "{}"
    for name, each in entries.items():
        if not isinstance(each, (list, tuple, dict)):
            sizes = "x".join(map(str, jnp.shape(each)))
            yield f"  {name} : {NAMES.get(jnp.result_type(each), 'ByteTensor')} - size: {sizes}"
        elif depth == DEPTH or not each:
            yield f"  {name} : {{...}}"
        else:
            yield f"  {name} : "
            yield from (f"    {line}" for line in _table(each, depth + 1))
    if entries:
        yield "}"
