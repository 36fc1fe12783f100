"""Torch's optimisation rules, and dpnn's helpers for them, as pure optax transformations."""

from .adaptive import adadelta as adadelta
from .adaptive import adagrad as adagrad
from .adaptive import adam as adam
from .adaptive import adamax as adamax
from .adaptive import rmsprop as rmsprop
from .averaging import asgd as asgd
from .averaging import asgd_average as asgd_average
from .averaging import asgd_rates as asgd_rates
from .constraints import grad_param_clip as grad_param_clip
from .constraints import max_param_norm as max_param_norm
from .constraints import weight_decay as weight_decay
from .descent import momentum as momentum
from .descent import nag as nag
from .descent import nag_position as nag_position
from .descent import sgd as sgd
from .regularizers import L1L2Regularizer as L1L2Regularizer
from .regularizers import L1Regularizer as L1Regularizer
from .regularizers import L2Regularizer as L2Regularizer
from .resilient import rprop as rprop
