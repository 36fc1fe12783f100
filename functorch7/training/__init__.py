"""Training in pure functions."""

from . import distributed as distributed
from .hessian import criterion_diagonal_hessian as criterion_diagonal_hessian
from .hessian import diagonal_hessian as diagonal_hessian
from .labels import freeze as freeze
from .labels import labels as labels
from .sgd import make_sgd_step as make_sgd_step
from .sharding import Sharding as Sharding
from .sharding import data_parallel as data_parallel
from .sharding import fully_sharded as fully_sharded
from .step import TrainState as TrainState
from .step import init_state as init_state
from .step import make_loss as make_loss
from .step import make_train_step as make_train_step
