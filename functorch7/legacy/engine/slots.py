"""Where calls read buffers, and leave the new ones."""

from __future__ import annotations

from typing import Any

from ... import core
from ...core.emitted import is_emitted
from ...core.types import Tree, Value
from ...network.kinds import map_state
from ...network.zero_mask import is_zero_mask
from ..tensors.tensor import Tensor
from .objects import Holder


class Slot:
    """One buffer of one object: where a call reads its value and leaves the new one.

    Arrays that are saved are tensors of the object; recurrent state and side outputs are in its `_state`.
    """

    def __init__(self, holder: Holder, name: str):
        self.holder, self.name = holder, name

    def given(self, what: str) -> Value:
        """What the user gave for the next call (`_next_state`, `_next_gradient`) or for all (`_user_state`, ...)."""
        stores = (self.holder.__dict__.get(f"{kind}_{what}", {}) for kind in ("_next", "_user"))
        return next((store[self.name] for store in stores if self.name in store), None)

    def first_state(self) -> Value:
        """What a call starts from: what the user gave for it, or what is remembered, or what was given for all."""
        given = self.holder.__dict__.get("_next_state", {}).get(self.name)
        remembered = self.read() if given is None else given
        return self.given("state") if remembered is None else remembered

    def spend(self, what: str) -> None:
        """Drops what was given for one call."""
        self.holder.__dict__.pop(f"_next_{what}", None)

    @property
    def is_drawn(self) -> bool:
        """Whether it is drawn once for a sequence, such as the mask of a lazy Dropout."""
        return self.name in self.holder._spec.traits.drawn

    @property
    def starts_at_zero(self) -> bool:
        """Whether it is a state that is zero at first."""
        spec = self.holder._spec
        return self.name in getattr(spec, "hidden", spec.traits.transient) and spec.traits.starts_at_zero

    @property
    def tensor(self) -> Tensor | None:
        """The object's tensor that holds it; None for recurrent state and side outputs."""
        return None if self.name in self.holder._state else self.holder.__dict__[self.name]

    @property
    def emitted_kind(self) -> str | None:
        """The kind of side output, if it is one."""
        value: Any = self.holder._state.get(self.name)
        return value.kind if is_emitted(value) else None

    def read(self) -> Value:
        """The value that goes into a call."""
        if self.name in self.holder._state:
            value = self.holder._state[self.name]
            return core.Emitted(None, value.kind) if is_emitted(value) else value
        return self.holder.__dict__[self.name].noted

    def read_out(self) -> Value:
        """The value that the last call left."""
        value: Any = self.holder._state.get(self.name)
        return value.value if is_emitted(value) else value

    def write(self, value: Value) -> None:
        """Keeps the value that came out of a call; masks are the user's."""
        if is_zero_mask(value):
            return
        if self.name in self.holder._state:
            self.holder._state[self.name] = value
            if is_emitted(value) and value.kind == "parameter" and value.value is not None:
                self.holder.__dict__["weight"].array = value.value
        elif (tensor := self.holder.__dict__[self.name]).shape == value.shape and tensor.dtype == value.dtype:
            tensor.array = value
        else:  # a user's buffer
            self.holder.__dict__[self.name] = Tensor.of(value)


def state_slots(spec: core.Module, slots: Tree) -> list[Slot]:
    """Those of the recurrent state, in order."""
    found: list[Slot] = []
    map_state(spec, slots, found.append)
    return found
