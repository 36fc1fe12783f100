"""Stochastic modules and the rewards from which they learn."""

from .loss import reinforce_loss as reinforce_loss
from .modules import Reinforce as Reinforce
from .modules import ReinforceBernoulli as ReinforceBernoulli
from .modules import ReinforceCategorical as ReinforceCategorical
from .modules import ReinforceGamma as ReinforceGamma
from .modules import ReinforceNormal as ReinforceNormal
from .rewards import BinaryClassReward as BinaryClassReward
from .rewards import VarianceReducedReward as VarianceReducedReward
from .rewards import VRClassReward as VRClassReward
