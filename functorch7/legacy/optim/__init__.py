"""Torch's package optim: `x, fs = optim.method(opfunc, x, config, state)`."""

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
