"""Tools to test modules and criterions with."""

from ..legacy.jacobian import Jacobian as Jacobian
from ..legacy.jacobian import SparseJacobian as SparseJacobian
