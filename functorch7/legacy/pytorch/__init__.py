"""PyTorch's style: names, hooks, registered attributes, and a `forward` traced as a whole.

Importing it puts the names that PyTorch's Module adds in front of Module's bases.
"""

from ..modules.container import Container
from ..modules.module import Module
from ..objects.layered import put_in_front
from .containers import Appending
from .custom import Custom as Custom
from .hooks import Hooks
from .state import State


class PyTorch(State, Hooks):
    """The part of Module that comes from PyTorch.

    Source: PyTorch, the Modules note.
    """


put_in_front(Module, PyTorch)
put_in_front(Container, Appending)
