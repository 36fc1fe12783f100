"""Torch's package cunn, which gives nn to GPUs: nothing is left for it to do, as XLA compiles all of nn for them."""
