"""Whether what a function of a whole network is given is a network, and its arrays."""

from ..checks.errors import no_description, title
from ..checks.given import misfits_of
from ..core import Module
from ..core.types import Tree


def check_module(who: str, module: object) -> None:
    """Raises TypeError for anything but a description, saying how to get that of an object of `legacy`."""
    if not isinstance(module, Module):
        raise TypeError(f"{who}: {no_description(module)}")


def check_variables(who: str, module: Module, params: Tree, buffers: Tree) -> None:
    """Raises ValueError where arrays are not those of the module, as `init` makes them, and TypeError for no module.

    For what writes arrays down, or takes them over, and would find out late or not at all: a call finds out by itself.
    """
    check_module(who, module)
    wrong = next(misfits_of(module, params, buffers), None)
    if wrong is not None:
        raise ValueError(f"{who}: {title(module)}: expected {wrong[0]}, got {wrong[1]}")
