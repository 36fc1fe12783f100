"""Fields that only fit together, which a program assigns one after the other: `pool.padW = 2` before `pool.kW = 5`.

As in Torch, an assignment is not refused for what the other fields are. Until all fit, the object has no description,
and whoever asks for it gets the error.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import core
from ...core.types import Value
from ..engine.objects import Holder

HELD = "_misfit"


class Misfit(NamedTuple):
    """What an object has in place of its description, while its fields do not fit together."""

    before: core.Module
    """The last description whose fields did."""
    spec: core.Module
    """The description with all that was assigned since, unchecked."""


class Standing:
    """The description of an object that holds none: None, or the error of fields that do not fit together."""

    def __get__(self, owner: Holder | None, kind: type) -> Value:
        # What an object holds is found first, without asking here.
        found = None if owner is None else vars(owner).get(HELD)
        return None if found is None else found.spec.replace()


def unchecked(owner: Holder) -> core.Module | None:
    """An object's description with the fields as they are, whether or not they fit together."""
    found = vars(owner).get(HELD)
    return owner._spec if found is None else found.spec


def assigned(owner: Holder, field: str, value: object) -> core.Module | None:
    """The description with another value in a field, for an object whose `_spec` is again the last that fitted.

    None if the fields do not fit together. Raises TypeError for what no value of the field can be.
    """
    held = vars(owner).get(HELD) or Misfit(owner._spec, owner._spec)
    given = held.spec._unchecked({field: value})
    try:
        fitting = given.replace()
    except ValueError:
        vars(owner).pop("_spec", None)
        vars(owner)[HELD] = Misfit(held.before, given)
        return None
    vars(owner).pop(HELD, None)
    vars(owner)["_spec"] = held.before
    return fitting
