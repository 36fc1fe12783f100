"""Torch7's files (`.t7`) as Python values with NumPy arrays, for reading and writing. Their contents never run."""

from .reader import Own as Own
from .reader import Parser as Parser
from .reader import T7File as T7File
from .reader import deserialize as deserialize
from .reader import read as read
from .reader import read_file as read_file
from .sources import Ascii as Ascii
from .sources import Binary as Binary
from .values import Key as Key
from .values import LuaFunction as LuaFunction
from .values import Plain as Plain
from .values import T7FormatError as T7FormatError
from .values import T7Object as T7Object
from .values import T7Storage as T7Storage
from .values import Written as Written
from .writer import Writer as Writer
from .writer import serialize as serialize
from .writer import sink_for as sink_for
from .writer import write as write
