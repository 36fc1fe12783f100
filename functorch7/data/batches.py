"""Batches: from a loader onto a device, in an order that depends on a seed and can be resumed."""

from __future__ import annotations

import copy
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any

import jax
import numpy as np

from ..checks.errors import describe
from ..checks.numbers import check_whole
from ..checks.taken import check_taken
from ..core.types import Output
from .samples import Samples
from .workers import TIME_LIMIT, InProcesses, Threads, awaited, check_limit


class Batches(Iterator):
    """Yields (inputs, targets) as JAX arrays, while the next batches are read and put on the device.

    An epoch yields every sample once, in an order drawn from (seed, epoch), or in the loader's order without a seed.
    Its last batch may be smaller, unless `drop_last`. `epochs=None` never ends. Loaders of time-steps (`streaming`) are
    not shuffled: a batch is the next batch_size steps of every column, and an epoch is one pass.
    With several processes each reads its own samples (or columns, or sequences), all equally many: the remainder of an
    epoch is left out. `process_index` and `process_count` default to JAX's; batch_size counts the samples of one
    process. With a `sharding` the batches of all processes form global arrays.
    `workers` threads make up to workers + `prefetch` batches ahead; a loader that sets `in_processes` gets processes
    instead. With 0 workers the calling thread makes them, which suits data in memory. None of this changes the batches.
    A batch that takes workers longer than `timeout` seconds raises an error that names it (None: no limit).
    Other options are passed to `loader.index`, or to `loader.sub` for time-steps.

    `state` is a plain dict: `Batches` made with it continue where this one is. `per_epoch` counts an epoch's batches.
    Raises: at once, TypeError and ValueError for arguments out of range, and for a state of other batches or from
    within an epoch of another number of samples. In place of a batch: the loader's own errors; TypeError for a batch
    that is not (inputs, targets) of numbers; ValueError for whole numbers that do not fit JAX's integers.
    """

    def __init__(
        self,
        loader: Samples,
        batch_size: int,
        epochs: int | None = 1,
        seed: int | None = None,
        *,
        state: dict | None = None,
        drop_last: bool = False,
        workers: int = 0,
        prefetch: int = 2,
        timeout: float | None = TIME_LIMIT,
        sharding: jax.sharding.Sharding | None = None,
        process_index: int | None = None,
        process_count: int | None = None,
        **options: object,
    ):
        index, count = _part(process_index, process_count)
        check_whole("batches", 1, batch_size=batch_size)
        known = {name: value for name, value in (("epochs", epochs), ("seed", seed)) if value is not None}
        check_whole("batches", 0, workers=workers, prefetch=prefetch, **known)
        check_limit("batches", timeout)
        batch_size, seed = int(batch_size), None if seed is None else int(seed)  # which states are compared by
        self._made_of: dict[str, Any] = dict(
            loader=loader, batch_size=batch_size, epochs=epochs, seed=seed, drop_last=drop_last, workers=workers,
            prefetch=prefetch, timeout=timeout, sharding=sharding, process_index=process_index,
            process_count=process_count, **options,
        )  # fmt: skip
        threads = min(workers, 1) if loader.streaming else workers
        kind = _StepPlan if loader.streaming else _SamplePlan
        self._plan = kind(self._source(loader, threads), batch_size, seed, index, count, drop_last, options)
        self.per_epoch = self._plan.per_epoch
        if not self.per_epoch:
            among = f" of {count} processes" if count > 1 else ""
            raise ValueError(f"batches: not one batch of {batch_size} in {loader.size()} samples{among}")
        self._sharding = sharding
        self._state = self._started(state, seed, batch_size)
        self._plan.restore(self._state["loader"])
        self._next = _numbers(self._state["epoch"], self._state["batch"], epochs, self.per_epoch)
        self._workers, self._timeout = Threads(threads, "batches") if threads else None, timeout
        # Threads that make a batch hold the processes, which would not end before it is made.
        self._finish = weakref.finalize(self, _stop, [each for each in (self._workers, self._processes) if each])
        self._ahead = max(threads + prefetch, 1)
        self._pending: deque[Callable[[], Any]] = deque()

    def _source(self, loader: Samples, threads: int) -> Samples:
        """The loader, or processes that do its work."""
        self._processes = None
        if not threads or loader.streaming or not loader.in_processes:
            return loader
        source: Any = InProcesses(loader, threads)
        self._processes = source.processes
        return source

    def _started(self, state: dict | None, seed: int | None, batch_size: int) -> dict[str, Any]:
        """Where to begin: at a state, or else at the start. Raises: TypeError, ValueError if the state does not fit."""
        samples = self._plan.samples
        known = {
            "seed": seed, "batch_size": batch_size, "samples": samples, "epoch": 0, "batch": 0, "loader": None
        }  # fmt: skip
        if not isinstance(state, dict | None) or (state or {}).keys() - known.keys():
            raise TypeError(f"batches: expected a state of batches, a dict of {', '.join(known)}, got {state!r}")
        found: dict[str, Any] = known | (state or {})
        check_whole("batches: a state", 0, **{name: found[name] for name in ("samples", "epoch", "batch")})
        if (found["seed"], found["batch_size"]) != (seed, batch_size):
            raise ValueError(
                f"batches: expected a state of seed {seed} and batch_size {batch_size}, got one of seed "
                f"{found['seed']} and batch_size {found['batch_size']}"
            )
        if found["batch"] >= self.per_epoch:
            raise ValueError(f"batches: expected a state within an epoch of {self.per_epoch} batches, got {state}")
        if found["batch"] and found["samples"] != samples:  # the order would differ
            raise ValueError(
                f"batches: expected a state within an epoch of {samples} samples, got one of {found['samples']}; only "
                "from one epoch to the next may their number change"
            )
        return found | {"samples": samples}

    def __next__(self) -> tuple[Output, Output]:
        while len(self._pending) < self._ahead:
            numbers = next(self._next, None)
            if numbers is None:
                break
            request = (_made, self._plan, *numbers, self._sharding)
            if self._workers is None:
                self._pending.append(_at_once(*request))
                continue
            what = f"batches: batch {numbers[1] + 1} of epoch {numbers[0] + 1}"
            self._pending.append(partial(awaited, self._workers.submit(*request), what, self._timeout))
        if not self._pending:
            self.close()
            raise StopIteration
        batch, state = self._pending.popleft()()
        self._state = {**self._state, **state}
        return batch

    @property
    def state(self) -> dict:
        """Where it is, for another one to begin at; it cannot be set (`restarted`)."""
        return self._state

    def restarted(self, state: dict | None = None, epochs: int | None = None) -> Batches:
        """A new iterator with the same arguments that begins at `state` (None: the start); endless without `epochs`."""
        return Batches(**self._made_of | {"state": state, "epochs": epochs})

    def once_everywhere(self) -> Batches:
        """A new iterator over one epoch, of which each of several processes gets all, and places it itself."""
        alone = jax.process_count() == 1
        whole = {} if alone else {"process_index": 0, "process_count": 1, "sharding": None}
        return Batches(**self._made_of | {"state": None, "epochs": 1} | whole)

    def close(self) -> None:
        """Stops the workers, as the end of the object does; batches that are ready are dropped."""
        self._finish()
        self._pending.clear()
        self._next = iter(())

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _part(process_index: int | None, process_count: int | None) -> tuple[int, int]:
    """(process_index, process_count): JAX's unless given. Raises: TypeError, ValueError for an index out of range."""
    count = jax.process_count() if process_count is None else process_count
    index = jax.process_index() if process_index is None else process_index
    check_whole("batches", 0, process_index=index, process_count=count)
    if not index < count:
        raise ValueError(f"batches: expected a process among {count}, got {index}")
    return index, count


def _numbers(epoch: int, batch: int, epochs: int | None, per_epoch: int) -> Iterator[tuple[int, int]]:
    """(epoch, batch) of all from one on; no method: an object that holds a generator of its own lives too long."""
    while epochs is None or epoch < epochs:
        for number in range(batch, per_epoch):
            yield epoch, number
        epoch, batch = epoch + 1, 0


def _at_once(function: Callable, *args: Any) -> Callable[[], Any]:
    """Calls a function now, and returns a function that returns its result, or raises its error."""
    made: Future = Future()
    try:
        made.set_result(function(*args))
    except Exception as error:
        made.set_exception(error)
    return made.result


def _stop(workers: list[Threads]) -> None:
    for each in workers:
        each.close()


def _made(plan: _Plan, epoch: int, number: int, sharding: Any) -> tuple[Any, dict]:
    """A batch on the device, and the state after it."""
    who, made = type(plan.loader).__name__, plan.batch(epoch, number)
    if not isinstance(made, (tuple, list)) or len(made) < 2:
        raise TypeError(f"{who}: expected a batch (inputs, targets), got {describe(made)}")
    arrays = made[0], made[1]
    check_taken(who, arrays)
    if sharding is None:
        placed = jax.device_put(arrays)
    else:
        placed = jax.tree.map(lambda array: jax.make_array_from_process_local_data(sharding, array), arrays)
    last = number + 1 == plan.per_epoch
    state = {"epoch": epoch + last, "batch": 0 if last else number + 1, "loader": plan.state()}
    return placed, state


class _Plan:
    """Which batch has which number."""

    samples: int
    per_epoch: int

    def __init__(
        self,
        loader: Samples,
        batch_size: int,
        seed: int | None,
        process_index: int,
        process_count: int,
        drop_last: bool,
        options: dict,
    ):
        self.loader, self.batch_size, self.seed, self.options = loader, batch_size, seed, options
        self.process_index, self.process_count = process_index, process_count
        self.samples = n = self.prepare()
        self.per_epoch = n // batch_size if drop_last else -(-n // batch_size)

    def prepare(self) -> int:
        """Prepares the part of this process; returns its number of samples."""
        raise NotImplementedError

    def batch(self, epoch: int, number: int) -> tuple:
        """(inputs, targets, ...) of batch `number` of an epoch, both counted from 0."""
        raise NotImplementedError

    def state(self) -> dict | None:
        """The loader's state, where batches depend on it."""

    def restore(self, state: dict | None) -> None:
        """Restores the loader's state."""

    def random(self, *numbers: int) -> np.random.Generator | None:
        """The random generator of a batch or an epoch."""
        return (
            None if self.seed is None else np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=numbers))
        )


class _SamplePlan(_Plan):
    """Batches of samples, in the epoch's order."""

    def prepare(self) -> int:
        self._order: tuple[int, np.ndarray] | None = None
        return self.loader.size() // self.process_count

    def batch(self, epoch: int, number: int) -> tuple:
        first = number * self.batch_size
        indices = self.order(epoch)[first : first + self.batch_size]
        if not self.loader.draws:
            return self.loader.index(indices, **self.options)
        return self.loader.index(indices, seed=self.random(epoch, number, self.process_index), **self.options)

    def order(self, epoch: int) -> np.ndarray:
        """The process's indices in an epoch."""
        known = self._order  # read once: another thread may replace it by the next epoch's
        if known is None or known[0] != epoch:
            random, size = self.random(epoch), self.loader.size()
            everyone = np.arange(size) if random is None else random.permutation(size)
            part = everyone[self.process_index :: self.process_count][: size // self.process_count]
            known = self._order = (epoch, part + 1)
        return known[1]


class _StepPlan(_Plan):
    """Batches of consecutive time-steps, made one after the other from a copy of the loader."""

    def prepare(self) -> int:
        if self.process_count > 1:
            self.part = self.loader.shard(self.process_index, self.process_count)
        else:
            self.part = copy.copy(self.loader)
        self.part.reset()
        self.n_steps = self.part.size()
        if self.process_count > 1:  # the smallest share decides, so that all yield equally many
            self.n_steps = min(self.loader.shard(i, self.process_count).size() for i in range(self.process_count))
        return self.n_steps

    def batch(self, epoch: int, number: int) -> tuple:
        first = number * self.batch_size + 1
        last = min(first + self.batch_size - 1, self.n_steps)
        return self.part.sub(first, last, seed=self.random(epoch, number, self.process_index), **self.options)

    def state(self) -> dict:
        return self.part.get_state()

    def restore(self, state: dict | None) -> None:
        if state is not None:
            self.part.set_state(state)
