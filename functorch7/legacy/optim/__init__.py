"""The namespace `optim`: the tools of Torch's package for watching training."""

from .confusion import ConfusionMatrix as ConfusionMatrix
from .logger import Logger as Logger
