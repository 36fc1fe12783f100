"""AsyncIterator: workers that make batches while the program computes."""

from __future__ import annotations

import contextlib
import copy
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from itertools import islice

import numpy as np

from ..checks.errors import describe
from ..checks.numbers import check_whole
from ..core.types import Indices, Value
from .loader import DataLoader
from .positions import Positions
from .seeds import Seed, generators
from .workers import TIME_LIMIT, Processes, Threads, awaited, check_limit


class AsyncIterator(DataLoader):
    """A loader whose iterators make batches ahead, in `n_workers` workers; batches and their order stay the same.

    Workers are threads, since image decoders and NumPy's functions release Python's lock. A loader that sets
    `in_processes` gets processes and must be picklable. A loader of time-steps (`streaming`) has one worker, since its
    batches continue each other. At most n_workers batches are ready or being made at a time.
    An error in a worker is raised in place of the batch. So is an error that names the batch if the worker's process
    dies, or if the batch takes longer than `timeout` seconds (None: no limit). `close`, or leaving a `with` block,
    stops the workers; so does the end of the object or of the program, even if a worker hangs.
    Source: dataload/README.md#AsyncIterator.
    Differs from Torch7: the order is kept with any number of workers; no sample is dropped at the end of the data.
    """

    def __init__(self, loader: DataLoader, n_workers: int = 2, timeout: float | None = TIME_LIMIT):
        check_whole("AsyncIterator", 1, n_workers=n_workers)
        check_limit("AsyncIterator", timeout)
        if not isinstance(loader, Positions):
            raise TypeError(
                f"AsyncIterator: expected a loader, such as TensorLoader(inputs, targets), got {describe(loader)}"
            )
        self.loader, self.timeout = loader, timeout
        self.n_workers = 1 if loader.streaming else n_workers
        self.streaming, self.draws = loader.streaming, loader.draws
        self._pending: deque[tuple[int, Future]] = deque()
        self._taken = 0  # batches since the last call of synchronize
        self._round = 0  # counts these calls
        self._copy = copy.copy(loader)  # data are shared, positions are not
        self._copy.reset()
        self._workers = (
            Processes(self.n_workers, self._copy) if loader.in_processes else Threads(self.n_workers, "AsyncIterator")
        )

    def size(self, *args: object) -> int:
        return self.loader.size(*args)

    def isize(self, exclude_dim: int | bool = 1) -> Value:
        return self.loader.isize(exclude_dim)

    def tsize(self, exclude_dim: int | bool = 1) -> Value:
        return self.loader.tsize(exclude_dim)

    def index(self, indices: Indices, **options: object) -> tuple:
        """(inputs, targets) from the loader itself, or from a worker that is a process."""
        if self.loader.in_processes:
            samples = ", ".join(map(str, np.ravel(indices)[:5]))
            what = f"AsyncIterator: the batch of the samples {samples}, ..."
            return awaited(self._submitted("index", (indices,), options), what, self.timeout)
        return self.loader.index(indices, **options)

    def draw(self, batch_size: int, random: np.random.Generator) -> np.ndarray:
        return self.loader.draw(batch_size, random)

    def sub(self, start: int, stop: int, *, seed: Seed = None, **options: object) -> tuple:
        return self.loader.sub(start, stop, seed=seed, **options)

    # Iteration -------------------------------------------------------------------------------------------------

    def subiter(self, batch_size: int = 32, epoch_size: int = -1, *, seed: Seed = None, **options: object) -> Iterator:
        """As DataLoader.subiter. Making an iterator makes earlier ones unusable."""
        windows, random = self.windows(batch_size, epoch_size), generators(seed)
        requests = (("sub", (first, last), {"seed": next(random), **options}, *then) for first, last, *then in windows)
        return self._delivered(self.iterate(requests))

    def sampleiter(self, batch_size: int = 32, epoch_size: int = -1, *, seed: Seed, **options: object) -> Iterator:
        """As DataLoader.sampleiter. Making an iterator makes earlier ones unusable."""
        if self.streaming:
            return self.loader.sampleiter(batch_size, epoch_size, seed=seed)  # raises its own error
        drawn = self.drawn(batch_size, epoch_size, seed)
        requests = (("index", (indices,), seeding | options, k, self.start) for indices, seeding, k in drawn)
        return self._delivered(self.iterate(requests))

    def iterate(self, requests: Iterator) -> Iterator:
        """Yields (k, following, result) for requests (name, args, options, k, following), n_workers of them ahead."""
        self.synchronize()
        made = self._round
        sent: deque[tuple[int, int]] = deque()

        def send(count: int) -> None:
            for name, args, options, k, following in islice(requests, count):
                self.async_put(name, args, k, **options)
                sent.append((k, following))

        send(self.n_workers)

        def received() -> Iterator:
            while sent:
                if self._round != made:
                    raise RuntimeError("Can only support one iterator per synchronize()")
                k, following = sent.popleft()
                batch = self.async_get()[1]
                send(1)
                yield k, following, batch

        return received()

    # Requests --------------------------------------------------------------------------------------------------

    def async_put(self, name: str, args: tuple, size: int, **options: object) -> None:
        """Asks a worker for loader.name(*args, **options); async_get returns `size` with the result."""
        self._pending.append((size, self._submitted(name, args, options)))

    def _submitted(self, name: str, args: tuple, options: dict) -> Future:
        if self.loader.in_processes:
            return self._workers.submit(name, args, options)
        return self._workers.submit(partial(getattr(self._copy, name), *args, **options))

    def async_get(self) -> tuple[int, Value]:
        """Waits for the oldest request and returns its (size, result), or raises the worker's error."""
        if not self._pending:
            raise RuntimeError("AsyncIterator.async_get: nothing was asked for with async_put")
        size, future = self._pending.popleft()
        self._taken += 1
        try:
            return size, awaited(future, f"AsyncIterator: batch {self._taken}", self.timeout)
        finally:
            del future  # as `awaited` does

    def synchronize(self) -> None:
        """Waits for the workers, and drops all requests and results."""
        for _, future in self._pending:
            future.cancel()
        for _, future in self._pending:
            if not future.cancelled():
                with contextlib.suppress(Exception):
                    awaited(future, "AsyncIterator: a batch that is not wanted any more", self.timeout)
        self._pending.clear()
        self._round, self._taken = self._round + 1, 0

    def reset(self) -> None:
        self.synchronize()
        super().reset()
        self._copy.reset()

    def clone(self, *share_names: str) -> AsyncIterator:
        """A deep copy of the loader, with workers of its own."""
        made = copy.copy(self)
        AsyncIterator.__init__(made, self.loader.clone(*share_names), self.n_workers, self.timeout)
        return made

    def batches(self, batch_size: int, epochs: int | None = 1, seed: int | None = None, **options: object) -> Iterator:
        """The loader's `batches`, with this number of workers."""
        loader = self if self.loader.in_processes else self.loader
        return DataLoader.batches(
            loader, batch_size, epochs, seed, **{"workers": self.n_workers, "timeout": self.timeout, **options}
        )

    # Workers ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Stops the workers for good, even in the middle of a batch."""
        for _, future in self._pending:
            future.cancel()
        self._pending.clear()
        self._round += 1
        self._workers.close()

    def __enter__(self) -> AsyncIterator:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
