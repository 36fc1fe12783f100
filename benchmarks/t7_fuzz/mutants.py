"""Hostile files, one after the other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from functorch7.interop.t7 import T7FormatError, deserialize, serialize

from .damage import damaged
from .structure import CLASSES, absurd, mutated
from .uses import outcomes


def mutants(originals: Sequence[bytes], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """(what it is, its bytes): a third with damaged bytes, a third with other values, a third with absurd fields."""
    generator = random.Random(seed)
    for number in range(count):
        if number % 3 == 0:
            yield "bytes", damaged(generator.choice(originals), generator)
        elif number % 3 == 1:
            yield "structure", serialize(mutated(deserialize(generator.choice(originals)), generator))
        else:
            name = CLASSES[number // 3 % len(CLASSES)]
            yield f"fields of {name}", serialize(absurd(generator, name))


def used(files: Iterator[tuple[str, bytes]], folder: Path, watch_memory: bool = False) -> tuple[Counter, dict]:
    """How often each use of the files ended in which way; and one file for each way that must not be."""
    counts, faults = Counter(), {}
    path = folder / "mutant.t7"
    for what, data in files:
        path.write_bytes(data)
        for use, outcome in outcomes(path, watch_memory).items():
            counts[use, outcome.kind] += 1
            if outcome.kind not in ("read", "refused"):
                faults.setdefault((use, outcome), (what, data))
    return counts, faults


def fuzz(originals: list[bytes], count: int, seed: int, read: Callable = deserialize) -> Counter:
    """How many of `count` files with damaged bytes were read, and refused; any other error is raised as it is."""
    generator, found = random.Random(seed), Counter()
    for _ in range(count):
        data = damaged(generator.choice(originals), generator)
        try:
            read(data)
        except T7FormatError as error:
            assert 0 <= error.offset <= len(data)
            found["refused"] += 1
        else:
            found["read"] += 1
    return found
