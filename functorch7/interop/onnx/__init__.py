"""ONNX: networks in evaluation as graphs of its standard operators, for runtimes of all kinds."""

from .export import export as export
from .export import save as save
