"""Lua packages outside Torch that Torch programs use."""
