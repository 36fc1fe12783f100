"""Names that PyTorch and BigDL add to Torch's; asking for one imports its package.

The package then puts itself in front of Torch's classes; until then nothing of it is loaded.
"""

from __future__ import annotations

import dis
from importlib import import_module
from typing import Any

from .engine.code_names import ASKING, codes_of, functions_of
from .engine.user_classes import is_ours, users
from .objects.described import Described, noting_classes, overridden_in
from .objects.layered import bring, bring_all, given_forward, offer

BIGDL = (
    "_called_so _cloned _copy_all _measured checkDuplicate checkEngineType cloneModule computeOutputShape copyStatus "
    "devices equals find freeze getExtraParameter getName getNumericType getOutputShape getParametersTable "
    "getScaleB getScaleW getTimes getWeightsBias inputs isTraining load loadModelWeights loadModule loadTorch "
    "loadWeights predict predictClass predictClassLocal predictImage predictLocal quantize resetTimes save "
    "saveDefinition saveModule saveTorch saveWeights setExtraParameter setLine setName setScaleB setScaleW "
    "setWeightsBias toGraph unFreeze"
).split()
PYTORCH = (
    "add_module append bfloat16 buffers cpu eval get_buffer get_extra_state get_parameter get_submodule half "
    "load_state_dict named_buffers named_children named_modules named_parameters own_buffers register_forward_hook "
    "register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook "
    "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module "
    "register_state_dict_post_hook requires_grad_ set_extra_state state_dict to zero_grad"
).split()

FIELDS = ("bRegularizer", "engineType", "scaleB", "scaleW", "wRegularizer", "_regularizers", "_scales")
"""BigDL's properties, and the fields in which they keep their values."""

FILES = {
    **dict.fromkeys(("Graph", "Input", "Model"), "bigdl.graphs"),
    **dict.fromkeys(("load", "loadModule", "loadTorch"), "bigdl.saving"),
    **dict.fromkeys(("ModuleDict", "ModuleList", "ParameterDict", "ParameterList"), "pytorch.module_lists"),
    "functional_call": "pytorch.call",
    **dict.fromkeys(
        (
            "RemovableHandle", "register_module_forward_hook", "register_module_forward_pre_hook",
            "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
        ),
        "pytorch.hooks",
    ),
}  # fmt: skip
"""The files of the names of `nn` that neither Torch nor the descriptions have."""


def found(name: str) -> Any:
    """What `nn` has under one of the names in `FILES`."""
    return getattr(import_module(f".{FILES[name]}", __package__), name)


def _bigdl() -> Any:
    from . import bigdl

    return bigdl


def _pytorch() -> Any:
    from . import pytorch

    return pytorch


def note_class(kind: type[Described]) -> None:
    """Imports what a user's class needs that is new, or is given a `forward`: PyTorch's style, without updateOutput.

    That includes what `super()` is asked for, and all that a user's own `__getattr__` could hide.
    """
    if is_ours(kind):
        return
    if "forward" in vars(kind) and kind.spec_class is None and not overridden_in(kind, "updateOutput"):
        bring("state_dict")
    if any("__getattr__" in vars(base) for base in users(kind)):
        bring_all()
    written = [each for base in users(kind) for value in vars(base).values() for each in functions_of(value)]
    for code in (each for function in written for each in codes_of(function.__code__) if "super" in each.co_names):
        for each in dis.get_instructions(code):
            if each.opname in ASKING:
                bring(each.argval)


offer(_bigdl, BIGDL, FIELDS)
offer(_pytorch, PYTORCH)
noting_classes.append(note_class)
given_forward.append(note_class)
