"""Files and models of other programs: Torch7's files (`interop.t7`)."""

from . import t7 as t7
