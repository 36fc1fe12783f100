"""Checks that arguments of functions of whole networks are a network, and its arrays."""

from ..checks.errors import no_description, title
from ..checks.given import misfits_of
from ..core import Module
from ..core.types import Params, Tree


def check_module(who: str, module: object) -> None:
    """Raises TypeError for anything but a description, saying how to get one from an object of `legacy`."""
    if not isinstance(module, Module):
        raise TypeError(f"{who}: {no_description(module)}")


def check_variables(who: str, module: Module, params: Params, buffers: Tree) -> None:
    """Raises ValueError for arrays that differ from those that `init` makes, and TypeError for anything but a module.

    For functions that save or load arrays, which would notice late or not at all; a call notices by itself.
    """
    check_module(who, module)
    wrong = next(misfits_of(module, params, buffers), None)
    if wrong is not None:
        raise ValueError(f"{who}: {title(module)}: expected {wrong[0]}, got {wrong[1]}")
