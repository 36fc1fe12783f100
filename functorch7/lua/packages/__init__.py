"""Packages of Lua's that Torch's programs use, and that are not Torch's."""
