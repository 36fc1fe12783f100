"""Torch's package dataload: loaders of data sets, with tensors that count from 1."""

from typing import Any

from ... import data
from ...core.types import Value
from .asynchronous import AsyncIterator as AsyncIterator
from .functions import binarize as binarize
from .functions import fitImageNormalize as fitImageNormalize
from .functions import function_called
from .functions import rescale as rescale
from .functions import with_torch_calls as with_torch_calls
from .imagenet import loadImageNet as loadImageNet
from .images import ImageClass as ImageClass
from .images import MultiImageSequence as MultiImageSequence
from .loader import DataLoader as DataLoader
from .tensors import MultiSequence as MultiSequence
from .tensors import SequenceLoader as SequenceLoader
from .tensors import TensorLoader as TensorLoader

overwrite: bool | None = None  # True makes loadSentiment140 replace what it has cached


def loadSentiment140(*args: Any, **kwargs: Any) -> tuple:
    """See functorch7.data.load_sentiment140; `dl.overwrite = True` makes it ignore, and replace, what it has cached."""
    return function_called("loadSentiment140")(*args, **kwargs, overwrite=bool(overwrite))


def __getattr__(name: str) -> Value:
    """dataload's other functions, such as loadMNIST, and its folders TORCH_PATH, DATA_PATH and SAVE_PATH."""
    if name.isupper() and hasattr(data, name.lower()):
        return str(getattr(data, name.lower())())
    return function_called(name)
