"""PyTorch's tensor methods that have other names here: errors say what to write instead."""

import re

from ...interop.pytorch_elsewhere import instead


def no_method(kind: type, name: str) -> str:
    """The error's text for a name that tensors do not have.

    PyTorch's forms of existing names are recognised: `masked_fill` for maskedFill, and `add_` and `masked_fill_` for
    methods that change the tensor.
    """
    said = instead(f"Tensor.{name}")
    plain = name.removesuffix("_")
    ours = next((each for each in dir(kind) if not each.startswith("_") and plain in (each, in_snakes(each))), None)
    if not said and ours is not None:
        said = f"; it is {ours}" + (", which changes the tensor itself" if plain != name else "")
    return f"a tensor has no {name!r} here{said}"


def in_snakes(name: str) -> str:
    """A name as PyTorch writes it: masked_fill for maskedFill."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
