"""Reads and writes networks in Torch7's files, as pure functions and arrays."""

from . import read_graph as read_graph
from . import vintage as vintage
from .files import load_model as load_model
from .files import save_model as save_model
from .reader import Reader as Reader
from .reader import Unknown as Unknown
from .reader import UnknownClassError as UnknownClassError
from .reader import readers as readers
from .record import T7ModuleError as T7ModuleError
from .writer import Writer as Writer
