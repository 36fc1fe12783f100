"""The namespace `nn`: a stateful class for every module and criterion that is described, under Torch's name."""

from typing import Any

from .. import core
from . import activations as functional
from . import bidirectional as bidirectional
from . import criterion_modules as criterion_modules
from . import criterions as criterions
from . import decorators as decorators
from . import hessian as hessian
from . import nce as nce
from . import nested as rnn
from . import nested as utils
from . import nngraph as nngraph
from . import recurrent as recurrent
from . import special as special
from . import vision as vision
from .bigdl.graphs import Input as Input
from .bigdl.graphs import Model as Model
from .bigdl.saving import load as load
from .call import functional_call as functional_call
from .container import Container as Container
from .criterion import Criterion as Criterion
from .criterions import AbstractSequencerCriterion as AbstractSequencerCriterion
from .generated import class_of
from .hooks import RemovableHandle as RemovableHandle
from .hooks import register_module_forward_hook as register_module_forward_hook
from .hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from .hooks import register_module_full_backward_hook as register_module_full_backward_hook
from .hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from .jacobian import Jacobian as Jacobian
from .jacobian import SparseJacobian as SparseJacobian
from .linear import Linear as Linear
from .measures import get_bleu as get_bleu
from .measures import get_rougeN as get_rougeN
from .measures import get_rougeS as get_rougeS
from .module import Module as Module
from .module_lists import ModuleDict as ModuleDict
from .module_lists import ModuleList as ModuleList
from .parameter import Parameter as Parameter
from .recurrent import AbstractRecurrent as AbstractRecurrent
from .recurrent import AbstractSequencer as AbstractSequencer
from .special import Reinforce as Reinforce
from .trainer import StochasticGradient as StochasticGradient
from .vision import tables as tables

__all__ = [
    "AbstractRecurrent", "AbstractSequencer", "AbstractSequencerCriterion", "Container", "Criterion", "Graph", "Input",
    "Jacobian", "Linear", "Model", "Module", "ModuleDict", "ModuleList", "Parameter", "Reinforce", "RemovableHandle",
    "SparseJacobian", "StochasticGradient", "functional", "functional_call", "get_bleu", "get_rougeN", "get_rougeS",
    "hessian", "load", "loadModule", "loadTorch", "register_module_forward_hook", "register_module_forward_pre_hook",
    "register_module_full_backward_hook", "register_module_full_backward_pre_hook", "rnn", "tables", "utils",
]  # fmt: skip

Graph = Model
loadModule = loadTorch = load


def __getattr__(name: str) -> Any:
    spec_class = core.registry.get(f"nn.{name}")
    if spec_class is None:
        raise AttributeError(f"nn has no module {name!r}")
    return class_of(spec_class)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name.removeprefix("nn.") for name in core.registry if name.startswith("nn."))])
