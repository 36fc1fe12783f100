"""PyTorch's tensor methods that have other names here: errors say what to write instead."""

import re
from functools import cache

from ...interop.pytorch_elsewhere import instead


def no_method(kind: type, name: str) -> str:
    """The error's text for a name that tensors do not have.

    PyTorch's forms of existing names are recognised: `masked_fill` for maskedFill, and `add_` and `masked_fill_` for
    methods that change the tensor.
    """
    said = instead(f"Tensor.{name}")
    plain = name.removesuffix("_")
    ours = _written_here(kind).get(plain)
    if not said and ours is not None:
        said = f"; it is {ours}" + (", which changes the tensor itself" if plain != name else "")
    return f"a tensor has no {name!r} here{said}"


@cache  # programs ask tensors for names again and again: hasattr makes this error, too
def _written_here(kind: type) -> dict[str, str]:
    """The names that tensors of a type have, by these and by PyTorch's way to write them."""
    names = [name for name in dir(kind) if not name.startswith("_")]
    return {in_snakes(name): name for name in names} | {name: name for name in names}


def in_snakes(name: str) -> str:
    """A name as PyTorch writes it: masked_fill for maskedFill."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
