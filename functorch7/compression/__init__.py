"""Smaller networks: pruning, and weights of 8 bits."""

from . import pruning as pruning
from .quantization import fake_quantized as fake_quantized
from .quantization import observed as observed
from .quantization import quantize as quantize
