"""Errors of objects' methods name the call: "nn.Linear.updateParameters: expected (learningRate), got ('0.1')"."""

from __future__ import annotations

from typing import Any

from ..tensors.named_errors import naming, public_methods

OFTEN = {"forward", "backward", "updateOutput", "updateGradInput", "overrides"}
"""What every step of training calls: these say themselves what they were given."""

HERE = __name__.partition(".objects")[0]
_named: set[type] = set()


class NamedCalls:
    """A class whose methods name themselves in the errors of calls that do not fit; users' methods say their own."""

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        for base in cls.__mro__:
            if base in _named or not base.__module__.startswith(HERE):
                continue
            _named.add(base)
            for name, method in public_methods(base):
                if name not in OFTEN and "_" not in name:  # such as Torch's names are
                    setattr(base, name, naming(lambda self, name=name: f"{self.typename()}.{name}", method, first=1))
