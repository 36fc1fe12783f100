"""Tensors and storages: Torch's types, arithmetic and random numbers."""
