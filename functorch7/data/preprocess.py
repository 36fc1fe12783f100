"""What is done to data before training: scaling, thresholds, and images normalised by channel."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..checks.numbers import check_whole
from ..core.types import ArrayLike
from ..interop.numpy_files import read_arrays
from ..interop.writing import replacing
from .loader import DataLoader
from .seeds import Seed


def rescale(
    data: ArrayLike, low: float, high: float, data_low: float | None = None, data_high: float | None = None
) -> np.ndarray:
    """(data - data_low) * (high - low) / (data_high - data_low) + low, a new floating-point array.

    Any shape. data_low and data_high are the data's extremes unless given. Raises: ValueError where they are equal,
    and for data without a number.
    Source: dataload/utils.lua.

    >>> from functorch7.data import rescale
    >>> rescale([0, 5, 10], -1, 1).tolist()
    [-1.0, 0.0, 1.0]
    """
    data = np.asarray(data)
    if not data.size:
        raise ValueError("rescale: expected data, got an empty array")
    first = float(data.min() if data_low is None else data_low)
    last = float(data.max() if data_high is None else data_high)
    if first == last:
        raise ValueError(f"rescale: expected data with more than one value, got only {first}")
    return (_floating(data) - first) * ((high - low) / (last - first)) + low


def _floating(data: np.ndarray) -> np.ndarray:
    """The data in floating-point numbers: whole ones would cut off what is computed with them, or wrap around."""
    return data if np.issubdtype(data.dtype, np.floating) else data.astype(np.float32)


def binarize(data: ArrayLike, threshold: float) -> np.ndarray:
    """1 where data >= threshold, else 0; a new array of the same shape and dtype.

    Source: dataload/utils.lua.
    Differs from Torch7, where thresholds of 0 and less give ones only.

    >>> from functorch7.data import binarize
    >>> binarize([0.2, 0.5, 0.9], 0.5).tolist()
    [0.0, 1.0, 1.0]
    """
    data = np.asarray(data)
    return (data >= threshold).astype(data.dtype)


class ImageNormalize(NamedTuple):
    """(images - mean) / std for each channel of dimension `dim`, new: of float32 where images are whole numbers.

    >>> import numpy as np
    >>> from functorch7.data import ImageNormalize
    >>> ImageNormalize(np.array([1.0]), np.array([2.0]))(np.array([[[[1.0, 5.0]]]])).tolist()
    [[[[0.0, 2.0]]]]
    """

    mean: np.ndarray
    std: np.ndarray
    dim: int = 2

    def __call__(self, images: np.ndarray) -> np.ndarray:
        shape = [1] * images.ndim
        shape[self.dim - 1] = -1
        images = _floating(images)
        mean, std = (each.reshape(shape).astype(images.dtype) for each in (self.mean, self.std))
        return (images - mean) / std


def fit_image_normalize(
    trainset: DataLoader,
    n_samples: int = 10000,
    cache_path: str | os.PathLike | None = None,
    verbose: bool = False,
    dim: int = 2,
    iterator: str = "sampleiter",
    *,
    seed: Seed = None,
) -> ImageNormalize:
    """A function that subtracts the mean and divides by the standard deviation of each channel, measured on samples.

    They are means over batches of 32, of the mean and of the (unbiased) standard deviation of each channel, which is
    dimension `dim` of the inputs; a batch with a single number of it has no deviation. `iterator`: "sampleiter", which
    needs a seed, or "subiter". `cache_path` is an .npz file that keeps them for the next time.
    Raises: TypeError if the inputs are a table; ValueError for n_samples below 1, for a file that is no such cache, for
    another iterator, a dimension beyond the inputs', and unless some batch has several numbers per channel.
    Source: dataload/README.md#fitImageNormalize.
    Differs from Torch7: right for any number of samples, not only for multiples of 32.
    """
    cache = None if cache_path is None else Path(cache_path)
    if cache is not None and cache.is_file():
        try:
            saved = read_arrays(cache)
            return ImageNormalize(saved["mean"], saved["std"], dim)
        except (ValueError, KeyError) as error:
            raise ValueError(f"{cache}: no mean and std as fit_image_normalize keeps them: {error}") from error
    check_whole("fit_image_normalize", 1, n_samples=n_samples)
    if iterator not in ("sampleiter", "subiter"):
        raise ValueError(f'fit_image_normalize: expected iterator "sampleiter" or "subiter", got {iterator!r}')
    mean, std = _measured(trainset, n_samples, dim, iterator, seed)
    if cache is not None:
        with replacing(cache) as unfinished, unfinished.open("wb") as file:
            np.savez(file, mean=mean, std=std)
    if verbose:
        print(f"Mean: {mean}\nStd: {std}")
    return ImageNormalize(mean, std, dim)


def _measured(trainset: DataLoader, n_samples: int, dim: int, iterator: str, seed: Seed) -> tuple:
    """The mean and the standard deviation of each channel, averaged over batches."""
    sums, weights, before = [0.0, 0.0], [0, 0], 0
    for k, inputs, *_ in getattr(trainset, iterator)(min(32, n_samples), n_samples, seed=seed):
        if isinstance(inputs, (list, tuple, dict)):
            raise TypeError("fit_image_normalize: expected inputs that are one array, got a table")
        if not 1 <= dim <= np.ndim(inputs):
            raise ValueError(f"fit_image_normalize: expected dim from 1 to {np.ndim(inputs)}, got {dim}")
        channels = np.moveaxis(np.asarray(inputs), dim - 1, 0).reshape(inputs.shape[dim - 1], -1)
        measures = [channels.mean(1, dtype=np.float64)]
        if channels.shape[1] > 1:
            measures.append(channels.std(1, ddof=1, dtype=np.float64))
        for i, measure in enumerate(measures):
            sums[i] = sums[i] + measure * (k - before)
            weights[i] += k - before
        before = k
    if not weights[1]:
        raise ValueError("fit_image_normalize: expected several numbers of each channel in a batch, got one")
    return sums[0] / weights[0], sums[1] / weights[1]
