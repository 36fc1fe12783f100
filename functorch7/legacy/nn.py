"""The namespace `nn`: a stateful class for every described module and criterion, under Torch's name."""

from typing import Any

from .. import core
from ..interop.pytorch_elsewhere import instead
from ..interop.pytorch_names import unknown
from . import beside
from . import nngraph as nngraph
from .modules import aliases as aliases
from .modules import bidirectional as bidirectional
from .modules import criterion_modules as criterion_modules
from .modules import criterions as criterions
from .modules import cudnn_layers as cudnn_layers
from .modules import data_parallel as data_parallel
from .modules import decorators as decorators
from .modules import hessian as hessian
from .modules import nce as nce
from .modules import normalization as normalization
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
from .objects.trainer import StochasticGradient as StochasticGradient
from .tensors import activations as functional
from .tensors.parameter import Parameter as Parameter

__all__ = [
    "AbstractRecurrent", "AbstractSequencer", "AbstractSequencerCriterion", "Container", "Criterion", "Jacobian",
    "Linear", "Module", "Parameter", "Reinforce", "SparseJacobian", "StochasticGradient", "functional", "get_bleu",
    "get_rougeN", "get_rougeS", "hessian", "rnn", "tables", "utils",
]  # fmt: skip

_LAZY = beside.FILES


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return beside.found(name)
    spec_class = core.registry.get(f"nn.{name}")
    if spec_class is None:
        if said := instead(f"nn.{name}"):
            raise AttributeError(f"nn has no module {name!r}{said}")
        raise unknown("nn has no module", name, __dir__(), "nn")
    return class_of(spec_class)


def __dir__() -> list[str]:
    described = (name.removeprefix("nn.") for name in core.registry if name.startswith("nn."))
    return sorted([*__all__, *_LAZY, *described])
