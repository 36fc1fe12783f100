"""Training in pure functions."""

from .sgd import make_sgd_step as make_sgd_step
from .step import TrainState as TrainState
from .step import init_state as init_state
from .step import make_loss as make_loss
from .step import make_train_step as make_train_step
