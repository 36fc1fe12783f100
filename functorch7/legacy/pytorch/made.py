"""Modules that a user's `forward` makes of its own, such as a container of branches: descriptions with their arrays."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jax._src.core import get_opaque_trace_state  # the same as in jax.extend.core, which would import Pallas

from ... import core
from ...core.tree import Path, found_at, join, places
from ...core.types import Key, Output, Tree, Value
from ..engine.foreign import in_mode
from ..engine.outside import Run
from .stand_ins import collected, put


class Seat:
    """A stand-in at a place in a module made by a forward, and whether its buffers were kept up to date there."""

    def __init__(self, place: Path, stand_in: Value):
        self.place, self.stand_in, self.is_kept = place, stand_in, False
        self._trace = get_opaque_trace_state()

    def keeps(self) -> bool:
        """Whether buffers can be put into the stand-in here; a loop has its own."""
        kept = get_opaque_trace_state() == self._trace
        self.is_kept |= kept
        return kept


class Tied(core.Proxy, abstract=True):
    """A module at several places: each goes on from the buffers that the place before has left."""

    seat: Seat

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        if not self.seat.keeps():
            return self.module.apply(params, buffers, input, key=key, train=train)
        output, new = self.module.apply(params, collected(self.seat.stand_in), input, key=key, train=train)
        put(self.seat.stand_in, new)
        return output, new


def _has_state(spec: core.Module) -> bool:
    return any(each.init_buffers() for _, each in places(spec))


class Made:
    """A module of stand-ins as a description, with their params and buffers.

    It may not have its own arrays or hooks, nor draw numbers itself: TypeError says where it does.
    """

    def __init__(self, module: Value, run: Run):
        self.run = run
        self.seats: list[Seat] = []
        counts = Counter(map(id, module._members()))
        self._is_tied = any(each.is_stand_in and counts[id(each)] > 1 for each in module._members())
        self.spec, self.params, self.buffers = self._visit(module, bool(module.in_training), ())

    def _visit(self, module: Any, mode: bool, path: Path) -> tuple[Any, Any, Any]:
        """(description, params, buffers) of an object and all inside it, in a network in this mode."""
        if module.is_stand_in:
            spec, params, buffers = self._seated(module, path)
        elif module.is_foreign():
            self._check(module, bool(module.call_tensors()))
            spec, params, buffers = module.as_foreign(), {}, {}
        else:
            spec, params, buffers = self._around(module, path)
        return in_mode(spec, module, mode), params, buffers

    def _seated(self, module: Any, path: Path) -> tuple[Any, Any, Any]:
        self.seats.append(Seat(path, module))
        spec, params = module.__dict__["_run_inside"].at(module.__dict__["_path"])
        buffers = collected(module)
        return Tied(spec, self.seats[-1]) if self._is_tied and _has_state(spec) else spec, params, buffers

    def _around(self, module: Any, path: Path) -> tuple[Any, Any, Any]:
        train, uncalled = bool(module.in_training), module.own_description().traits.uncalled
        inner = [
            self._visit(child, bool(child.in_training) if name in uncalled else train, (*path, name))
            for name, child in zip(module.child_names(), module.children(), strict=True)
        ]
        spec: Any = module.described_with([s for s, _, _ in inner])
        draws = spec.traits.draws(train) and not any(s.traits.draws(train) for s, _, _ in inner)
        self._check(module, bool(draws or module.own_parameters() or spec.init_buffers()))
        return spec, join(spec, {}, [p for _, p, _ in inner]), join(spec, {}, [b for _, _, b in inner])

    def _check(self, module: Any, has_own: bool) -> None:
        if has_own:
            self.run.refuse(module)
        if module._hooks:
            raise TypeError(
                f"{self.run.who} calls {module.title()}, which is none of its modules, and whose hooks would not be "
                "called; assign it to an attribute, as in self.layer = layer"
            )

    def places(self) -> dict[Path, Path]:
        """Where the stand-ins are recorded, by their places."""
        fields = [(seat.place, seat.stand_in.__dict__) for seat in self.seats]
        return {place: (*each["_run_inside"].recorded, *each["_path"]) for place, each in fields}

    def put(self, buffers: Tree) -> None:
        """Gives the stand-ins the buffers from a call."""
        for seat in self.seats:
            if not seat.is_kept:
                put(seat.stand_in, found_at(buffers, seat.place))
