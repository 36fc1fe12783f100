"""Executes the instructions of methods written in Lua on traced tensors, as part of traced programs."""
