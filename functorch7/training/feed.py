"""Where a run's batches come from, and where they go on after it was stopped."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from ..core.types import Batch, Tree, Value
from ..data import DataLoader, TensorLoader
from ..data.batches import Batches
from .given import as_batch, as_batches, as_it_is_now
from .validation import closed_after, in_order

Whole: TypeAlias = DataLoader | tuple[Value, Value] | Iterable[Batch]
"""A loader, its batches, a pair of arrays (or of tables of them), or batches."""

Validation: TypeAlias = Whole | Callable[[Tree, Tree], Mapping[str, Value]]
"""The same, or a function of (params, buffers) that gives numbers by name."""

Data: TypeAlias = Whole | Callable[[int], Iterable[Batch]]
"""Those, or a function of the epoch that gives its batches."""


class LoaderFeed:
    """Batches of a loader, which goes on exactly where it was."""

    def __init__(self, batches: Batches, position: dict | None):
        self.batches = batches.restarted(position)
        self.per_epoch: int | None = batches.per_epoch

    @property
    def position(self) -> dict:
        """What comes next: {"epoch": ..., "batch": ..., ...}, both counted from 0."""
        return self.batches.state

    def epoch(self) -> Iterator[Batch]:
        """The rest of the epoch."""
        for batch in self.batches:
            yield batch
            if not self.position["batch"]:
                return

    def close(self) -> None:
        """Stops the workers."""
        self.batches.close()


OF_EPOCH = "batches (input, target) from the function of the epoch, such as loader.batches(batch_size)"


class IterableFeed:
    """Batches of an iterable, or of a function of the epoch; what was done before is read again and dropped."""

    def __init__(self, data: Iterable | Callable[[int], Iterable], position: dict | None):
        self.data = data
        self.position = position or {"epoch": 0, "batch": 0}
        self.per_epoch: int | None = len(data) if hasattr(data, "__len__") else None  # type: ignore[arg-type]

    def epoch(self) -> Iterator[Batch]:
        """The rest of the epoch."""
        epoch, done = self.position["epoch"], self.position["batch"]
        batches = as_batches(self.data(epoch + 1), OF_EPOCH) if callable(self.data) else self.data
        left = iter(batches)
        if (again := sum(1 for _ in islice(left, done))) < done:
            raise ValueError(
                f"Trainer.fit: the run was stopped after {done} batches of epoch {epoch + 1}, which has {again} now"
            )
        for batch in left:
            done += 1
            self.position = {"epoch": epoch, "batch": done}
            yield as_it_is_now(as_batch(batch), batches)
        if not done:
            raise ValueError(
                f"Trainer.fit: no batches in epoch {epoch + 1}; pass something that can be iterated again in every "
                "epoch: a list, a loader, or a function of the epoch's number"
            )
        self.position = {"epoch": epoch + 1, "batch": 0}

    def close(self) -> None:
        """Nothing to stop."""


def feed(
    data: Data, batch_size: int | None, seed: int, position: dict | None, drop_last: bool = False
) -> LoaderFeed | IterableFeed:  # fmt: skip
    """The batches of `data` from `position` on (None: the beginning).

    `data` is a loader, or the tuple (inputs, targets) of arrays, shuffled by `seed`, with a batch_size; a loader's
    `batches(...)`; an iterable of batches that can be iterated for each epoch; or a function of the epoch's number,
    from 1, that gives one. Of a loader's batches, the last is left out if it is smaller and `drop_last`.
    Raises: ValueError for a batch_size that is missing; TypeError for anything else.
    """
    if isinstance(data, Batches):
        return LoaderFeed(data, position)
    data = _loaded(data)
    if isinstance(data, DataLoader):
        if batch_size is None:
            raise ValueError("Trainer.fit: a loader, or a pair of arrays, needs a batch_size")
        return LoaderFeed(data.batches(batch_size, None, seed, drop_last=drop_last), position)
    return IterableFeed(data if callable(data) else as_batches(data), position)


def check_repeats(data: Validation | None, epochs: int) -> None:
    """Raises ValueError for data that can be gone through once, where they are to be after each of several epochs."""
    if isinstance(data, Iterator) and not isinstance(data, Batches) and epochs > 1:
        raise ValueError(
            f"Trainer.fit: expected validation that can be iterated after each of {epochs} epochs, a list, a loader or "
            f"a function of (params, buffers), got an iterator, {type(data).__name__}"
        )


def validation_batches(data: Whole, batch_size: int | None) -> Iterable:
    """The batches of `data`, as `feed` takes it, once and in order; all of them in every process."""
    if isinstance(data, Batches):
        return closed_after(data.once_everywhere())
    data = _loaded(data)
    if isinstance(data, DataLoader):
        return in_order(data, batch_size, process_index=0, process_count=1)
    return as_batches(data)


def _loaded(data: Any) -> Any:
    """A pair of arrays as a loader; all else as it is."""
    return TensorLoader(*data) if isinstance(data, tuple) and len(data) == 2 else data
