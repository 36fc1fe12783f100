"""Stochastic modules and the rewards they learn from."""

from .modules import Reinforce as Reinforce
from .modules import ReinforceBernoulli as ReinforceBernoulli
from .rewards import VRClassReward as VRClassReward
