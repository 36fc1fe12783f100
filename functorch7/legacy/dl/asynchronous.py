"""AsyncIterator with Torch's calls."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import data
from ...core.types import Value
from ..tensors.kinds import Numbers
from ..tensors.random import drawing_from, generator
from .loader import DataLoader


class _Worker(DataLoader):
    """The workers' call: a method of the loader, with the request's own random numbers."""

    def __init__(self, dataset: DataLoader):
        self.dataset, self.streaming, self.in_processes = dataset, dataset.streaming, dataset.in_processes

    def size(self, *args: Any) -> int:
        return self.dataset.size(*args)

    def reset(self) -> None:
        self.dataset.reset()

    def run(self, name: str, args: tuple, random: np.random.Generator) -> Any:
        """dataset.name(*args)."""
        with drawing_from(random):
            return getattr(self.dataset, name)(*args)


class AsyncIterator(DataLoader):
    """A loader with iterators whose batches `nthread` threads make ahead, in order.

    `serialmode` ("ascii" or "binary") says how Torch copies the loader to its threads; here they share its tensors.
    `threadInit`, if given, is called once. Each batch draws from a generator of its own. Field: querymode, the name of
    the iterator that was made last.
    Source: dataload/README.md#AsyncIterator.
    Differs from Torch7: as `functorch7.data.AsyncIterator`.
    """

    gcdelay = 50
    querymode: str | None = None

    def __init__(
        self,
        dataloader: DataLoader,
        nthread: int | None = None,
        verbose: bool | None = None,
        serialmode: str | None = None,
        threadInit: Callable[[], object] | None = None,
    ):
        if not isinstance(dataloader, DataLoader):
            raise TypeError(f"AsyncIterator: expected a dl.DataLoader, got {type(dataloader).__name__}")
        if serialmode not in (None, "ascii", "binary"):
            raise ValueError(f"AsyncIterator: Serial mode can only be ascii or binary, got {serialmode!r}")
        if threadInit is not None:
            threadInit()
        self.dataset, self.nthread, self.verbose = dataloader, nthread or 2, bool(verbose)
        self.serialmode = serialmode or "ascii"
        dataloader.reset()
        self._workers = data.AsyncIterator(_Worker(dataloader.copied()), self.nthread)  # type: ignore[arg-type]

    def size(self, *args: object) -> int:
        return self.dataset.size(*args)

    def isize(self, excludedim: int | bool = 1) -> Value:
        return self.dataset.isize(excludedim)

    def tsize(self, excludedim: int | bool = 1) -> Value:
        return self.dataset.tsize(excludedim)

    def index(self, indices: Numbers, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        return self.dataset.index(indices, inputs, targets, *extra)

    def sample(self, batchsize: int, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        return self.dataset.sample(batchsize, inputs, targets, *extra)

    def sub(self, start: int, stop: int, inputs: Value = None, targets: Value = None, *extra: Value) -> tuple:
        return self.dataset.sub(start, stop, inputs, targets, *extra)

    def subiter(self, batchsize: int | None = None, epochsize: int | None = None, *extra: Value) -> Iterator:
        self.querymode = "subiter"
        windows = self.windows(batchsize or 32, epochsize or -1)
        return self._iterate(("sub", (first, last, None, None, *extra), *then) for first, last, *then in windows)

    def sampleiter(self, batchsize: int | None = None, epochsize: int | None = None, *extra: Value) -> Iterator:
        self.querymode = "sampleiter"
        counts = self.counts(batchsize or 32, epochsize or -1)
        return self._iterate(("sample", (n, None, None, *extra), k, self.start) for n, k in counts)

    def _iterate(self, requests: Iterator) -> Iterator:
        drawing = (("run", (name, args, self._random()), {}, *then) for name, args, *then in requests)
        return self._delivered(self._workers.iterate(drawing))

    @staticmethod
    def _random() -> np.random.Generator:
        return generator().numpy.spawn(1)[0]

    def asyncPut(self, fn: str, args: Sequence, size: int) -> None:
        """Asks a thread for dataset.fn(*args); the result comes with `size`."""
        self._workers.async_put("run", (fn, tuple(args), self._random()), size)

    def asyncGet(self) -> dict:
        """The oldest result: its values under 1, 2, ..., and `size`."""
        size, batch = self._workers.async_get()
        return {**dict(enumerate(batch, 1)), "size": size}

    def synchronize(self) -> None:
        """Waits for the threads and drops their results and requests."""
        self._workers.synchronize()
        gc.collect()

    def forceCollectGarbage(self) -> None:
        """Collects garbage."""
        gc.collect()

    def reset(self) -> None:
        self._workers.reset()
        super().reset()

    def close(self) -> None:
        """Stops the threads for good, as the object's end does."""
        self._workers.close()

    def clone(self, *share_names: str) -> AsyncIterator:
        """A deep copy of the loader, with its own threads."""
        return AsyncIterator(self.dataset.clone(*share_names), self.nthread, self.verbose, self.serialmode)
