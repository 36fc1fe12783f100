"""The shapes of modules' own parameters."""

from __future__ import annotations

from functools import lru_cache

import jax

from ... import core
from ...core.contexts import during
from ...core.types import Value
from ...layers.initializers import SOURCE
from ..tensors.distributions import Zeros


@lru_cache(1024)
def shapes_of(spec: core.Module) -> dict[str, Value]:
    """The shapes of a module's own parameters."""
    source = Zeros()  # it draws nothing, and nothing of drawing is traced
    key = source.key()
    with during(SOURCE, source):
        return jax.eval_shape(lambda: spec.init_params(key))
