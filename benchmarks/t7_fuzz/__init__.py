"""Hostile Torch7 files: damaged bytes, damaged structure, absurd fields for the classes of networks."""
