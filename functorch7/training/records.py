"""What a run measured: a file of JSON lines, a table of the epochs."""

import contextlib
import csv
import json
import math
import os
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from ..interop.writing import replacing

Record: TypeAlias = dict[str, Any]
"""What a run has measured at a step, by name: numbers, and texts such as its kind."""

OWN = ("kind", "step", "epoch", "loss")
"""What an epoch's record has of the run itself; results of validation have other names."""


def check_names(who: str, names: Iterable[str]) -> None:
    """Raises ValueError for results of validation that would take the place of a run's own numbers."""
    taken = [name for name in names if name in OWN]
    if taken:
        raise ValueError(f"{who}: expected another name of a measure than {taken[0]!r}, the run's own in its records")


class Records:
    """Writes records, which are plain dicts with a "step", into a folder.

    metrics.jsonl has every record on a line, epochs.csv a row for each whose "kind" is "epoch". `size` bytes of
    metrics.jsonl are kept, those that a checkpoint knows of, with a warning if there are fewer; what comes after them
    is dropped. From a damaged line on
    the file is cut, with a warning; metrics.jsonl.damaged has all of it. Without a folder, only `epochs`, the list of
    the records of epochs, is kept.
    Raises: OSError.
    """

    def __init__(self, folder: Path | None, size: int):
        self.epochs: list[dict[str, Any]] = []
        self._folder, self._file = folder, None
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._file = open(folder / "metrics.jsonl", "a+b")
        there = os.fstat(self._file.fileno()).st_size
        if there < size:
            text = f"{self._file.name} has {there} bytes, and had {size}: the records of earlier epochs are missing"
            warnings.warn(f"Trainer: {text}", stacklevel=5)
        self._file.truncate(min(size, there))
        self._file.seek(0)
        self.epochs = [record for record in self._read() if record["kind"] == "epoch"]

    def _read(self) -> list[dict[str, Any]]:
        """The records of the file; what cannot be read is cut off, and all that follows it."""
        assert self._folder and self._file
        found: list[dict[str, Any]] = []
        good = 0
        for number, line in enumerate(self._file, 1):
            record = _record(line)
            if record is None:
                whole = self._folder / "metrics.jsonl.damaged"
                shutil.copyfile(self._file.name, whole)
                self._file.truncate(good)
                self._file.seek(good)
                text = f"line {number} is damaged; it and what follows are cut off, and kept in {whole}"
                warnings.warn(f"Trainer: {self._file.name}: {text}", stacklevel=6)
                break
            found.append(record)
            good += len(line)
        return found

    @property
    def size(self) -> int:
        """How many bytes metrics.jsonl has."""
        return self._file.tell() if self._file else 0

    def write(self, record: Record) -> None:
        """Adds a record; in the file, what is not finite is null."""
        if record["kind"] == "epoch":
            self.epochs.append(record)
        if self._file is None:
            return
        finite = {name: None if isinstance(n, float) and not math.isfinite(n) else n for name, n in record.items()}
        try:
            self._file.write(json.dumps(finite).encode() + b"\n")
            self._file.flush()
            if record["kind"] == "epoch":
                self._write_table()
        except OSError as error:
            raise OSError(f"Trainer: {self._file.name} could not be written: {error}") from error

    def _write_table(self) -> None:
        assert self._folder
        columns = dict.fromkeys(name for record in self.epochs for name in record if name != "kind")
        with replacing(self._folder / "epochs.csv") as draft, open(draft, "w", newline="") as file:
            rows = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
            rows.writeheader()
            rows.writerows(self.epochs)

    def synchronize(self) -> None:
        """Returns when all lines are on the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Closes the files; `write` is what raises errors."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()


def recorded(path: Path) -> list[Record]:
    """The records of a file, without an incomplete last one: a run may be writing it, or have been killed.

    Raises: OSError; ValueError naming the line that is no record.
    """
    with open(path, "rb") as file:
        lines = list(file)
    found = [_record(line) for line in lines]
    if found and found[-1] is None and not lines[-1].endswith(b"\n"):
        found.pop()
    if None in found:
        raise ValueError(f"{path}: line {found.index(None) + 1} is no record of a Trainer's")
    return [record for record in found if record is not None]


def _record(line: bytes) -> dict[str, Any] | None:
    """The record of a line, with NaN for null; None if it is none."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(found, dict) and {"kind", "step", "loss"} <= found.keys() and line.endswith(b"\n")
    return {name: math.nan if value is None else value for name, value in found.items()} if whole else None
