"""What BigDL's AbstractModule adds to Torch's Module. Importing it puts it in front of Module's bases."""

from ..modules.module import Module
from ..objects.layered import put_in_front
from .graphs import Graphs
from .names import Names
from .prediction import Prediction
from .quantization import Quantization
from .questions import Questions
from .saving import Saving
from .scales import Scales
from .weights import Weights


class BigDL(Weights, Names, Scales, Prediction, Saving, Graphs, Questions, Quantization):
    """The part of Module that comes from BigDL.

    Source: BigDL, AbstractModule.
    """


put_in_front(Module, BigDL)
