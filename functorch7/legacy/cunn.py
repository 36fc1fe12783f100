"""Torch's package cunn, nn for GPUs: it has nothing to do, as XLA compiles all of nn for them."""
