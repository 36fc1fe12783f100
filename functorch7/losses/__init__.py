"""The criterions of nn."""

from .base import Criterion as Criterion
from .classification import ClassNLLCriterion as ClassNLLCriterion
from .classification import CrossEntropyCriterion as CrossEntropyCriterion
from .regression import MSECriterion as MSECriterion
from .table import CriterionTable as CriterionTable
