"""Torch's package optim: `x, fs = optim.method(opfunc, x, config, state)`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...interop.pytorch_elsewhere import instead
from ...optim import L1L2Regularizer as L1L2Regularizer
from ...optim import L1Regularizer as L1Regularizer
from ...optim import L2Regularizer as L2Regularizer
from ..tensors.named_errors import name_errors_in
from .cg import cg as cg
from .checkgrad import checkgrad as checkgrad
from .cmaes import cmaes as cmaes
from .confusion import ConfusionMatrix as ConfusionMatrix
from .de import de as de
from .fista import FistaLS as FistaLS
from .lbfgs import lbfgs as lbfgs
from .logger import Logger as Logger
from .lswolfe import lswolfe as lswolfe
from .polyinterp import polyinterp as polyinterp
from .rules import adadelta as adadelta
from .rules import adagrad as adagrad
from .rules import adam as adam
from .rules import adamax as adamax
from .rules import asgd as asgd
from .rules import nag as nag
from .rules import rmsprop as rmsprop
from .rules import rprop as rprop
from .rules import sgd as sgd

if TYPE_CHECKING:
    from ...training import MAE as MAE
    from ...training import Top1Accuracy as Top1Accuracy
    from ...training import Top5Accuracy as Top5Accuracy
    from ...training import ValidationMethod as ValidationMethod
    from .loss import Loss as Loss

_MEASURES = {
    "Loss": ".loss",
    **dict.fromkeys(("MAE", "Top1Accuracy", "Top5Accuracy", "ValidationMethod"), "...training"),
}
"""BigDL's measures, which are imported when they are asked for, and where they are."""


name_errors_in(globals())


def __getattr__(name: str) -> Any:
    if name in _MEASURES:
        globals()[name] = found = getattr(import_module(_MEASURES[name], __name__), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead(f'optim.{name}')}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MEASURES])
