"""BigDL's `quantize`: a copy of a network with 8-bit weights."""

from __future__ import annotations

from typing import Any

from ... import compression
from ..objects.described import Described
from ..objects.functional import without_hooks, wrap
from ..tensors.type_names import precision_of


class Quantization(Described):
    """The method that all modules have."""

    def quantize(self, dynamic: bool = False) -> Described:
        """A new network with int8 weights in Linear, LookupTable, the convolutions and recurrences, in this one's mode.

        It is for evaluation; the remaining parameters can be trained. With `dynamic`, Linear rounds its inputs.
        Recurrent layers keep their interface (forget, remember, hidden states); set masks before. Hooks are copied.
        Raises: TypeError as `functional`.
        Source: BigDL, AbstractModule.quantize.
        """
        root: Any = self
        module, (params, buffers) = without_hooks(root)
        with precision_of(root._type):
            small, variables = compression.quantize(module, params, buffers, dynamic=dynamic)
        made = wrap(small, *variables)
        for mine, theirs in zip(root._members(), made._members(), strict=True):
            if mine._hooks:
                theirs.__dict__["_hooks"] = [hook.copied() for hook in mine._hooks]
        return made.training() if root.in_training else made.evaluate()
