"""DataLoader with Torch's calls, also over a loader of functorch7.data."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ... import data
from ...core.types import Value
from ...data.positions import Positions
from ...data.samples import Samples
from ...interop.t7.values import Fields
from ...losses.tables import map_leaves
from ..objects import nested
from ..objects.torch_object import InFiles
from ..tensors.kinds import Numbers
from ..tensors.random import generator
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped, wrapped


class DataLoader(InFiles, Positions):
    """A data set of inputs and targets, counted from 1. A subclass writes `size` and `index(indices, ...)`.

    `inputs` and `targets`, if given, are resized, overwritten and returned. Random numbers are `manualSeed`'s.
    Source: dataload/README.md#DataLoader.
    Differs from Torch7: iterators return new tensors; Torch overwrites the last ones.
    """

    _package = "dl"
    gcdelay = 200  # calls of collectgarbage between collections
    gccount = 0

    def index(self, indices: Numbers, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        """(inputs, targets) with the samples at `indices`, in that order."""
        raise NotImplementedError("Not Implemented")

    def shuffle(self) -> Self:
        """Permutes the samples."""
        raise NotImplementedError("Not Implemented")

    def split(self, ratio: float) -> tuple[DataLoader, DataLoader]:
        """Two loaders: the first floor(ratio * size) samples, and the rest."""
        raise NotImplementedError("Not Implemented")

    def isize(self, excludedim: int | bool = 1) -> Value:
        """The sizes of the inputs, without one dimension, by default the samples'."""
        raise NotImplementedError("Not Implemented")

    def tsize(self, excludedim: int | bool = 1) -> Value:
        """The sizes of the targets, likewise."""
        raise NotImplementedError("Not Implemented")

    def sample(self, batchsize: int, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        """(inputs, targets) of samples drawn uniformly, with replacement."""
        indices = generator().numpy.integers(1, self.size() + 1, batchsize)
        return self.index(Tensor.of(indices), inputs, targets, *extra)

    def sub(self, start: int, stop: int, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        """(inputs, targets) of the samples from start to stop, both included."""
        return self.index(Tensor.of(np.arange(start, stop + 1)), inputs, targets, *extra)

    def subiter(self, batchsize: int | None = None, epochsize: int | None = None, *extra: Value) -> Iterator:
        """Yields (k, inputs, targets) in order, at most batchsize (32) samples, until k is epochsize (size())."""
        for first, last, k, following in self.windows(batchsize or 32, epochsize or -1):
            batch = self.sub(first, last, None, None, *extra)
            self.start = following
            yield (k, *batch)

    def sampleiter(self, batchsize: int | None = None, epochsize: int | None = None, *extra: Value) -> Iterator:
        """Yields (k, inputs, targets) of random samples until k is epochsize (size())."""
        for n, k in self.counts(batchsize or 32, epochsize or -1):
            yield (k, *self.sample(n, None, None, *extra))

    def copied(self) -> DataLoader:
        """A copy with the same tensors and its own position, at the start."""
        made = copy.copy(self)
        made.reset()
        return made

    def collectgarbage(self) -> None:
        """Collects garbage at every `gcdelay`-th call. Iterators do not need it: Python frees tensors at once."""
        self.gccount += 1
        if self.gccount >= self.gcdelay:
            gc.collect()
            self.gccount = 0


OF_DATA_SETS = ("classes", "vocab", "ivocab", "wordfreq", "unigram")
"""What loaders of functorch7.data's data sets have beyond others, and Torch's as fields."""


class DescribedLoader(DataLoader):
    """A loader of functorch7.data with Torch's calls; `functional()` is that loader."""

    _computed_fields: ClassVar[tuple[str, ...]] = ()
    """Torch's fields that the class shows as properties."""
    _loader: Value

    def __init__(self, loader: data.DataLoader):
        self._loader = loader

    @property
    def streaming(self) -> bool:
        """Whether batches are windows of time-steps."""
        return self._loader.streaming

    @property
    def in_processes(self) -> bool:
        """Whether AsyncIterator should run it in processes."""
        return self._loader.in_processes

    def saved_fields(self) -> Fields:
        """Torch's fields, and those that a program has set."""
        known = {name: wrapped(each) for name, each in vars(self._loader).items() if name in OF_DATA_SETS}
        own = {name: each for name, each in vars(self).items() if not name.startswith("_") and name != "start"}
        return known | own | self._torch_fields() | {"_start": self.start}

    def _torch_fields(self) -> Fields:
        """The fields of Torch's class that the object does not have itself, with paths as texts, tuples as tables."""
        shared = [name for kind in type(self).__mro__ for name, each in vars(kind).items() if type(each) is forwarded]
        return {name: map_leaves(_as_text, getattr(self, name)) for name in (*shared, *self._computed_fields)}

    def take_saved(self) -> None:
        fields = dict(vars(self))
        vars(self).clear()
        start = fields.pop("_start", 1)
        self._loader = self._loader_of(fields)
        made = {name: each for name, each in fields.items() if not name.startswith("_")}
        vars(self).update(made, start=start)

    def _loader_of(self, fields: Fields) -> Value:
        """The loader of functorch7.data that a file's fields describe; removes those that the class shows itself."""
        raise NotImplementedError(f"{self.typename()} has no fields")

    def functional(self) -> Samples:
        """The same data set as a loader of functorch7.data."""
        return self._loader

    def size(self, *args: object) -> int:
        return self.functional().size(*args)

    def isize(self, excludedim: int | bool = 1) -> Value:
        return self.functional().isize(excludedim)

    def tsize(self, excludedim: int | bool = 1) -> Value:
        return self.functional().tsize(excludedim)

    def index(self, indices: Numbers, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        at = np.asarray(unwrapped(indices))
        whole = at.astype(np.int64)
        at = whole if (whole == at).all() else at  # the loader refuses fractions
        loader = self.functional()
        batch = loader.index(at, **loader.seeding(generator().numpy), **self._named(extra))
        return self._given(batch, inputs, targets)

    def sample(self, batchsize: int, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        return self._given(
            self.functional().sample(batchsize, generator().numpy, **self._named(extra)), inputs, targets
        )

    def sub(self, start: int, stop: int, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        batch = self.functional().sub(start, stop, seed=generator().numpy, **self._named(extra))
        return self._given(batch, inputs, targets)

    def sampleiter(self, batchsize: int | None = None, epochsize: int | None = None, *extra: Value) -> Iterator:
        if self._loader.streaming:
            raise NotImplementedError("Not Implemented. Use subiter instead.")
        return super().sampleiter(batchsize, epochsize, *extra)

    def reset(self) -> None:
        super().reset()
        self._loader.reset()

    def copied(self) -> DescribedLoader:
        made = copy.copy(self)
        made._loader = copy.copy(self._loader)
        made.reset()
        return made

    def _named(self, extra: tuple) -> dict[str, Any]:
        """The arguments after inputs and targets, by the loader's names."""
        if extra:
            raise TypeError(f"{type(self).__name__}: expected no arguments after inputs and targets, got {extra}")
        return {}

    def _given(self, batch: tuple, inputs: Any, targets: Any) -> tuple:
        """A batch as tensors, written into the given ones."""
        made = zip(wrapped(batch[:2]), (inputs, targets), strict=True)
        return *(new if old is None else nested.recursiveCopy(old, new)[0] for new, old in made), *batch[2:]

    def __getattr__(self, name: str) -> Any:
        """The loader's special attributes, such as `classes` and `vocab`."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._loader, name)
        if callable(value):
            return lambda *args: wrapped(value(*map(unwrapped, args)))
        return wrapped(value)


def _as_text(value: Value) -> Value:
    return str(value) if isinstance(value, Path) else value


class forwarded:
    """An attribute that is the loader's under another name."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, owner: Value, kind: type) -> Value:
        return self if owner is None else getattr(owner._loader, self.name)

    def __set__(self, owner: Value, value: Value) -> None:
        setattr(owner._loader, self.name, value)
