"""PyTorch's methods of tensors that have other names here: an error says what is written instead."""

import re

from ...interop.pytorch_elsewhere import instead


def no_method(kind: type, name: str) -> str:
    """The words of the error for a name that tensors do not have.

    From names that they have follow `masked_fill`, PyTorch's for maskedFill, and `add_` and `masked_fill_` for what
    changes a tensor here under its plain name.
    """
    said = instead(f"Tensor.{name}")
    plain = name.removesuffix("_")
    ours = next((each for each in dir(kind) if not each.startswith("_") and plain in (each, _in_snakes(each))), None)
    if not said and ours is not None:
        said = f"; it is {ours}" + (", which changes the tensor itself" if plain != name else "")
    return f"a tensor has no {name!r} here{said}"


def _in_snakes(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
