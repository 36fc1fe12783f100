"""Training in pure functions."""

from .averaging import average_of as average_of
from .averaging import averaged as averaged
from .hessian import criterion_diagonal_hessian as criterion_diagonal_hessian
from .hessian import diagonal_hessian as diagonal_hessian
from .labels import freeze as freeze
from .labels import labels as labels
from .run import Result as Result
from .sgd import make_sgd_step as make_sgd_step
from .step import TrainState as TrainState
from .step import init_state as init_state
from .step import make_loss as make_loss
from .step import make_train_step as make_train_step
from .trainer import Trainer as Trainer
from .validation import MAE as MAE
from .validation import AccuracyResult as AccuracyResult
from .validation import Loss as Loss
from .validation import LossResult as LossResult
from .validation import Top1Accuracy as Top1Accuracy
from .validation import Top5Accuracy as Top5Accuracy
from .validation import ValidationMethod as ValidationMethod
from .validation import evaluate as evaluate
from .validation import predict as predict
from .validation import predict_class as predict_class
