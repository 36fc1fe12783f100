"""Trades time for memory: activations are computed again instead of kept."""

from functools import partial

import jax

from ..core import Module, places
from ..core.probe import is_probed
from ..core.types import Array, Key, Tree
from .decorators import Decorator
from .pointwise import PrintSize


class Remat(Decorator):
    """y = f(x): the module inside; only x is kept for backward, which computes the rest again.

    For a network of n such parts, backward needs the memory of one part and of n inputs, and the time of one more
    forward pass. Around the whole network it saves nothing.
    Everything is kept while inner modules are inspected (recorders, `make_sgd_step`'s rows), and around modules that
    call the host (PrintSize, NaN, Profile).
    Shape, parameters and buffers: those of the module, one level down.
    Raises: TypeError unless it is given a module.
    Source: Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.

    >>> import functorch7 as f7
    >>> f7.Sequential(*(f7.Remat(f7.Sequential(f7.Linear(8, 8), f7.Tanh())) for _ in range(2))).modules[1].modules[0]
    nn.Sequential {
      [input -> (1) -> (2) -> output]
      (1): nn.Linear(8 -> 8)
      (2): nn.Tanh
    }
    """

    def __init__(self, module: Module):
        super().__init__(module)

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        run = partial(super().forward, train=train)
        if is_probed() or not self._may_run_twice:
            return run(params, buffers, input, key=key)
        return jax.checkpoint(lambda *given, key: run(*given, key=key))(params, buffers, input, key=key)

    @property
    def _may_run_twice(self) -> bool:
        """Whether nothing inside calls the host, which would be called again."""
        return self.traits.traceable and not any(isinstance(each, PrintSize) for _, each in places(self))
