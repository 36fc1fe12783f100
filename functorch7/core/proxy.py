"""Modules that stand for another one."""

from __future__ import annotations

import jax
from jax.typing import DTypeLike

from .module import Children, Module, Variables
from .traits import DECLARED
from .tree import join, split
from .types import Array, State


class Proxy(Module, abstract=True):
    """A module run in another way: to those around it, it is what the module inside is.

    It has the same modules inside, the same arrays, and all its traits, whatever these are; subclasses write `forward`,
    and declare what differs.
    """

    module: Module

    def children(self) -> Children:
        return self.module.children()

    def draws(self, train: bool) -> bool:
        return self.module.traits.draws(train)

    @property
    def parameter_order(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.module.parameter_order

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        return self.module.initial_state(batch, dtype)

    def init(self, key: jax.Array, stdv: float | None = None) -> Variables:
        params, buffers = self.module.init(key, stdv)
        return Variables(params, join(self, self.init_buffers(), split(self, buffers)[1]))

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Array]:
        return self.module.init_params(key) if stdv is None else self.module.init_params(key, stdv)

    def init_buffers(self) -> State:
        return self.module.init_buffers()

    def printed(self) -> str:
        return self.module.printed()


def _handed_on(name: str) -> property:
    return property(lambda self: getattr(self.module.traits, name), doc="That of the module inside.")


for _name in DECLARED:
    setattr(Proxy, _name, _handed_on(_name))
