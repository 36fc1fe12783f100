"""dataload's functions with Torch's calls: those of functorch7.data, found by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from ... import data
from ...core.types import Value
from ..tensors.random import generator
from ..tensors.tensor import Tensor
from ..tensors.values import Input, unwrapped, wrapped
from .asynchronous import AsyncIterator
from .images import ImageClass, MultiImageSequence
from .loader import DataLoader, DescribedLoader
from .tensors import MultiSequence, SequenceLoader, TensorLoader

KINDS: list[tuple[type, type[DescribedLoader]]] = [
    (data.TensorLoader, TensorLoader),
    (data.SequenceLoader, SequenceLoader),
    (data.MultiSequence, MultiSequence),
    (data.ImageClass, ImageClass),
    (data.MultiImageSequence, MultiImageSequence),
    (data.DataLoader, DescribedLoader),
]


def with_torch_calls(loader: data.DataLoader) -> DataLoader:
    """This interface's loader over a loader of functorch7.data."""
    if isinstance(loader, data.AsyncIterator):
        return AsyncIterator(with_torch_calls(loader.loader), loader.n_workers)
    kind = next(ours for theirs, ours in KINDS if isinstance(loader, theirs))
    made = object.__new__(kind)
    if isinstance(loader, data.TensorLoader):
        made.inputs, made.targets = wrapped(loader.inputs), wrapped(loader.targets)  # type: ignore[attr-defined]
    DescribedLoader.__init__(made, loader)
    return made


@cache
def _public() -> dict[str, Callable]:
    return {name.replace("_", ""): member for name, member in vars(data).items() if inspect.isfunction(member)}


def function_called(name: str) -> Callable:
    """functorch7.data's function of that name (in any case), with tensors for arrays and `manualSeed`'s numbers.

    Raises: AttributeError if there is none.
    """
    function = _public().get(name.lower()) if "_" not in name else None
    if function is None:
        raise AttributeError(f"dl has no {name!r}")
    draws = "seed" in inspect.signature(function).parameters

    def call(*args: Any, **kwargs: Any) -> Any:
        given = arguments(function, args, kwargs)
        return _result(function(**given, **({"seed": generator().numpy} if draws else {})))

    call.__name__, call.__doc__ = name, function.__doc__
    return call


def arguments(function: Callable, args: tuple, kwargs: dict[str, Value]) -> dict[str, Value]:
    """The arguments by name, as for functorch7.data; None, like Torch's nil, keeps an argument's default."""
    given = inspect.signature(function).bind_partial(*args, **kwargs).arguments
    return {name: _argument(value) for name, value in given.items() if value is not None}


def _argument(value: Any) -> Any:
    if isinstance(value, DescribedLoader):
        return value.functional()
    return np.asarray(unwrapped(value)) if isinstance(value, Tensor) else value


def _result(value: Any) -> Any:
    if isinstance(value, data.DataLoader):
        return with_torch_calls(value)
    if isinstance(value, tuple):
        return tuple(_result(each) for each in value)
    return wrapped(value)


# In place ------------------------------------------------------------------------------------------------------


def rescale(data_: Input, min: float, max: float, dmin: float | None = None, dmax: float | None = None) -> Input:
    """Scales values from [dmin, dmax], their extremes by default, to [min, max], in place; returns them."""
    return _written(data_, data.rescale(np.asarray(data_), min, max, dmin, dmax))


def binarize(x: Input, threshold: float) -> Input:
    """Sets x to 1 where x >= threshold, else 0; returns x."""
    return _written(x, data.binarize(np.asarray(x), threshold))


def fitImageNormalize(
    trainset: DataLoader,
    nsample: int | None = None,
    cachepath: str | None = None,
    verbose: bool | None = None,
    dim: int | None = None,
    iterator: str | None = None,
) -> Callable[[Value], Value]:
    """A function that normalises images by channel, in place; see `functorch7.data.fit_image_normalize`."""
    name = iterator or "sampleiter"
    iterate: Any = SimpleNamespace(**{name: lambda n, total, seed: getattr(trainset, name)(n, total)})
    normalize = data.fit_image_normalize(iterate, nsample or 10000, cachepath, bool(verbose), dim or 2, name)
    return lambda inputs: _written(inputs, normalize(np.asarray(inputs)))


def _written(target: Any, values: np.ndarray) -> Any:
    if isinstance(target, Tensor):
        return target.copy(values)
    target[...] = values
    return target
