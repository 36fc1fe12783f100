"""The plans of one object, side by side."""

from __future__ import annotations

import gc

from .forms import Form
from .plan import Plan, Root

MOST_BYTES = 2**28
"""So many bytes of parameters and gradients get plans until what nobody holds any more is looked for.

An object and its plans hold each other, and are freed by Python's garbage collector alone. It counts objects, of which
a network has few, and not their memory: a clone for each epoch would fill an accelerator before it looks.
"""


class Plans:
    """The plans of one object, the last used first: one for each mode of the modules inside and each form of call."""

    KEPT = 16
    planned = 0  # bytes, of all objects since the last look

    def __init__(self, root: Root):
        self.root = root
        self._plans: list[Plan] = []
        self.newest: Plan | None = None

    def standing(self, as_foreign: bool = False, form: Form | None = None) -> Plan:
        """The plan of the object as it is now, from outside if the user wrote its updateOutput, for a form of call."""
        plans = self._plans
        for place, plan in enumerate(plans):
            if plan.as_foreign is as_foreign and plan.form == form and plan.stands:
                if place:
                    plans.insert(0, plans.pop(place))
                self.newest = plan
                return plan
        self.newest = made = Plan(self.root, as_foreign, form)
        if not plans:
            _count(made)
        self._plans = [made, *(plan for plan in plans if not plan.is_stale)][: self.KEPT]
        return made


def _count(plan: Plan) -> None:
    layouts = plan.all_parameters, plan.all_gradients
    Plans.planned += sum(len(s) * s.dtype.itemsize for layout in layouts for s in layout.storages)
    if Plans.planned > MOST_BYTES:
        Plans.planned = 0
        gc.collect()
