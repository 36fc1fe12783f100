"""The namespace `nn`: a stateful class for every module and criterion that is described, under Torch's name."""

from typing import Any

from .. import core
from . import nngraph as nngraph
from .bigdl.graphs import Input as Input
from .bigdl.graphs import Model as Model
from .bigdl.saving import load as load
from .modules import bidirectional as bidirectional
from .modules import criterion_modules as criterion_modules
from .modules import criterions as criterions
from .modules import decorators as decorators
from .modules import hessian as hessian
from .modules import nce as nce
from .modules import passing as passing
from .modules import recurrent as recurrent
from .modules import special as special
from .modules import vision as vision
from .modules.container import Container as Container
from .modules.criterion import Criterion as Criterion
from .modules.criterions import AbstractSequencerCriterion as AbstractSequencerCriterion
from .modules.jacobian import Jacobian as Jacobian
from .modules.jacobian import SparseJacobian as SparseJacobian
from .modules.linear import Linear as Linear
from .modules.measures import get_bleu as get_bleu
from .modules.measures import get_rougeN as get_rougeN
from .modules.measures import get_rougeS as get_rougeS
from .modules.module import Module as Module
from .modules.recurrent import AbstractRecurrent as AbstractRecurrent
from .modules.recurrent import AbstractSequencer as AbstractSequencer
from .modules.special import Reinforce as Reinforce
from .modules.vision import tables as tables
from .objects import nested as rnn
from .objects import nested as utils
from .objects.generated import class_of
from .objects.hooks import RemovableHandle as RemovableHandle
from .objects.hooks import register_module_forward_hook as register_module_forward_hook
from .objects.hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from .objects.hooks import register_module_full_backward_hook as register_module_full_backward_hook
from .objects.hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from .objects.trainer import StochasticGradient as StochasticGradient
from .pytorch.call import functional_call as functional_call
from .pytorch.module_lists import ModuleDict as ModuleDict
from .pytorch.module_lists import ModuleList as ModuleList
from .tensors import activations as functional
from .tensors.parameter import Parameter as Parameter

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
