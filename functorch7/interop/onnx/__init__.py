"""ONNX: networks in evaluation mode as graphs of its standard operators, for any runtime."""

from .export import export as export
from .export import save as save
