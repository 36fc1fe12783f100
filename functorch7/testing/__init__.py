"""Tools to test modules and criterions with."""

from .jacobian import Jacobian as Jacobian
from .jacobian import SparseJacobian as SparseJacobian
