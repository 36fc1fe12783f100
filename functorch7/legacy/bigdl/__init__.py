"""What BigDL's AbstractModule has beside Torch's Module, in the same objects."""

from .graphs import Graphs
from .names import Names
from .prediction import Prediction
from .questions import Questions
from .saving import Saving
from .scales import Scales
from .weights import Weights


class BigDL(Weights, Names, Scales, Prediction, Saving, Graphs, Questions):
    """The part of Module that comes from BigDL.

    Source: BigDL, AbstractModule.
    """
