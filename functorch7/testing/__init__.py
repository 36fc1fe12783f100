"""Tools to test modules and criterions with."""

from ..legacy.modules.jacobian import Jacobian as Jacobian
from ..legacy.modules.jacobian import SparseJacobian as SparseJacobian
