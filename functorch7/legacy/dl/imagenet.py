"""ImageNet; its function does more here than in functorch7.data."""

from typing import Any

from ... import data
from .asynchronous import AsyncIterator
from .functions import arguments, with_torch_calls


def loadImageNet(*args: Any, **kwargs: Any) -> tuple[AsyncIterator, AsyncIterator]:
    """See functorch7.data.load_imagenet."""
    loaders = data.load_imagenet(**arguments(data.load_imagenet, args, kwargs))
    train, valid = (_with_classinfo(loader) for loader in loaders)
    return train, valid


def _with_classinfo(loader: data.ImageNet) -> Any:
    made: Any = with_torch_calls(loader)
    made.classinfo = loader.classinfo
    return made
