"""Modules in PyTorch's style: registered attributes, and a `forward` that is traced as a whole."""
