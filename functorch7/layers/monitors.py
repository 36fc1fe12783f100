"""Decorators that monitor the module inside."""

import itertools
import time
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Module, check_positive
from ..core.types import Array, ArrayLike, Key, Tree
from .decorators import Decorator
from .tap import tap

_ids, _profiles = itertools.count(1), itertools.count(1)


class Watched(Decorator, abstract=True):
    """Decorators that show values to the host; `legacy` compiles only the module inside."""

    @property
    def traceable(self) -> bool:
        return False

    @property
    def sized(self) -> bool:
        return self.modules[0].traits.sized


def _totals(leaves: list) -> list:
    return [jnp.sum(leaf) for leaf in leaves]


def _total(tree: Tree) -> Any:
    """The sum of all numbers in a tree: NaN if one of them is."""
    return sum((jnp.sum(lax.stop_gradient(leaf)).astype(np.float32) for leaf in jax.tree.leaves(tree)), np.float32(0))


class NaN(Watched):
    """y = module(x): the module inside; raises an error as soon as its output or one of its gradients has a NaN in its
    sum.

    Shape, parameters and buffers: those of the module, one level down. `id` is printed; by default it counts.
    Raises: FloatingPointError, naming the culprit: the module's input, parameters or output, gradOutput, gradInput or
    gradParameters. Under `jit` JAX turns it into a JaxRuntimeError with the same text.
    Source: dpnn/README.md#nn.NaN.

    >>> import functorch7 as f7
    >>> f7.NaN(f7.Linear(3, 4), id=7)
    nn.NaN(7) @ nn.Linear(3 -> 4)
    """

    id: int

    def __init__(self, module: Module, id: int | None = None):
        self._set(modules=(module,), id=self.new_id() if id is None else id)
        self.__post_init__()

    @staticmethod
    def new_id() -> int:
        """The next number of the counter that gives identifiers."""
        return next(_ids)

    def refuse(self, culprit: str, totals: Iterable[ArrayLike]) -> None:
        """Raises FloatingPointError if one of these sums is NaN."""
        if np.isnan([np.asarray(total, np.float64) for total in totals]).any():
            raise FloatingPointError(f"NaN found in {culprit} of module :\n{self}")

    def _check_output(self, totals: Any) -> None:
        *outputs, input, params = totals
        culprit = "input" if np.isnan(input) else "parameters" if np.isnan(params) else "output"
        self.refuse(culprit, outputs)

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        params = tap(self.torch_name(), params, _totals, None, partial(self.refuse, "gradParameters"))
        input = tap(self.torch_name(), input, _totals, None, partial(self.refuse, "gradInput"))
        output, buffers = super().forward(params, buffers, input, key=key, train=train)
        with_causes = (output, _total(input), _total(params))
        shown: Any = tap(
            self.torch_name(), with_causes, _totals, self._check_output, partial(self.refuse, "gradOutput")
        )
        return shown[0], buffers

    def printed(self) -> str:
        return f"{self.type_name()}({self.id}) @ {self.modules[0]}"


class Stopwatch:
    """Adds up the time of forward and backward passes, and prints it every `interval` passes."""

    def __init__(self, name: str, interval: int):
        self.name, self.interval = name, interval
        self.passes = {"forward": 0, "backward": 0}
        self.seconds = {"forward": 0.0, "backward": 0.0}
        self._since = 0.0

    def start(self, _: object) -> None:
        """Starts a pass: its inputs are ready."""
        self._since = time.perf_counter()

    def stop(self, direction: str, _: object) -> None:
        """Ends a pass."""
        self.seconds[direction] += time.perf_counter() - self._since
        self.passes[direction] += 1
        if self.passes[direction] == self.interval:
            print(f"{self.name} took {self.seconds[direction]:.3f} seconds for {self.interval} {direction} passes")
            self.passes[direction], self.seconds[direction] = 0, 0.0


@cache
def stopwatch(profile: "Profile") -> Stopwatch:
    """The stopwatch of a Profile; equal ones share it."""
    return Stopwatch(profile.name, profile.print_interval)


def _corners(leaves: list) -> list:
    return [leaf.reshape(-1)[:1] for leaf in leaves]


class Profile(Watched):
    """y = module(x): the module inside; prints the time that its forward and backward passes take, every print_interval
    passes.

    A backward pass computes the gradients of the input and of the parameters.
    Shape, parameters and buffers: those of the module, one level down. `name` is printed, by default the module's
    class; each Profile counts separately (`number` distinguishes them).
    Raises: ValueError for print_interval < 1.
    Source: nn, Profile.lua.

    >>> import functorch7 as f7
    >>> f7.Profile(f7.Linear(3, 4), print_interval=10)
    nn.Profile @ nn.Linear(3 -> 4)
    """

    print_interval: int
    name: str
    number: int

    def __init__(self, module: Module, print_interval: int = 100, name: str | None = None, number: int | None = None):
        number = self.new_number() if number is None else number
        name = module.torch_name() if name is None and isinstance(module, Module) else name
        self._set(modules=(module,), print_interval=print_interval, name=name, number=number)
        self.__post_init__()

    @staticmethod
    def new_number() -> int:
        """The next number of the counter that distinguishes objects."""
        return next(_profiles)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, print_interval=self.print_interval)

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        watch = stopwatch(self)
        given = (params, input)
        params, input = tap(self.torch_name(), given, _corners, watch.start, partial(watch.stop, "backward"))
        output, buffers = super().forward(params, buffers, input, key=key, train=train)
        return tap(self.torch_name(), output, _corners, partial(watch.stop, "forward"), watch.start), buffers
