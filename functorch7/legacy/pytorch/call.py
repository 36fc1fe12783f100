"""A module's call with other tensors instead of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...core.types import Value
from ...network.naming import misfits
from ..objects.described import Described
from ..tensors.kinds import Numbers
from ..tensors.values import Output


def functional_call(
    module: Described, params_and_buffers: Mapping[str, Numbers], args: Value, kwargs: Value = None
) -> Output:
    """The result of `module(*args, **kwargs)` with these arrays, by dotted name; the module stays as it is.

    Other arrays are the module's own. `args` is a tuple, or the only argument.
    Raises: TypeError for anything but a mapping; ValueError that lists all unexpected names and wrong shapes.
    Source: PyTorch, functional_call.
    """
    if not isinstance(params_and_buffers, Mapping):
        raise TypeError(f"functional_call: expected arrays by name, got {type(params_and_buffers).__name__}")
    own = dict([*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)])
    given = {name: np.asarray(array) for name, array in params_and_buffers.items()}
    wrong = misfits({name: own[name] for name in given if name in own}, given)
    if wrong:
        raise ValueError(f"functional_call: the arrays do not fit {module.title()}: " + "; ".join(wrong))
    kept = {name: tensor.clone() for name, tensor in own.items()}
    try:
        for name, array in given.items():
            own[name].copy(array)
        return module.forward(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for name, tensor in kept.items():
            own[name].copy(tensor)
