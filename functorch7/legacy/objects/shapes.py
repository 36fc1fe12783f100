"""The shapes of modules' own parameters."""

from __future__ import annotations

from functools import lru_cache

import jax

from ... import core
from ...checks.sizes import sized
from ...core.contexts import during
from ...core.types import Value
from ...layers.initializers import SOURCE
from ..tensors.distributions import Zeros


def shapes_of(spec: core.Module) -> dict[str, Value]:
    """The shapes of a module's own parameters.

    Of what has none nothing is kept: in a graph's description there may be places of a user's objects.
    """
    return {} if type(spec).init_params is core.Module.init_params else _shapes_of(spec)


@lru_cache(1024)
def _shapes_of(spec: core.Module) -> dict[str, Value]:
    source = Zeros()  # it draws nothing, and nothing of drawing is traced
    key = source.key()
    with during(SOURCE, source):
        return jax.eval_shape(lambda: sized(spec, spec.init_params, key))
