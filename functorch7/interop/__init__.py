"""Files and models of other programs: Torch7's files (`t7`), the networks in them (`torch7`), and `compare`."""

from . import t7 as t7
from . import torch7 as torch7
from .compare import Deviation as Deviation
from .compare import compare as compare
