"""Smaller networks: pruning, and weights of 8 bits."""

from . import pruning as pruning
