"""Numbers in Torch's files: as in memory, or as words of a text."""

from __future__ import annotations

import re
from typing import BinaryIO

import numpy as np

from ...interop.t7.words import words

WORD = re.compile(rb"\s*(\S+)")
BYTES_OF_A_WORD = 64


def as_text(values: np.ndarray, spaces: bool) -> bytes:
    """Numbers as words, with spaces and a line end or without; bytes and characters stay as they are."""
    if values.dtype.itemsize == 1:
        text = values.tobytes()
    else:
        text = (" " if spaces else "").join(words(values)).encode()
    return text + b"\n" * (spaces and len(values) > 0)


def read_text(file: BinaryIO, dtype: np.dtype, count: int, spaces: bool) -> np.ndarray:
    """Reads up to `count` numbers from a file's words and, with `spaces`, the line end after them."""
    if dtype.itemsize == 1:
        values = np.frombuffer(file.read(count), dtype)
    else:
        values = _words(file, dtype, count)
    start = file.tell()
    if spaces and len(values) and file.read(1) != b"\n":
        file.seek(start)
    return values


def _words(file: BinaryIO, dtype: np.dtype, count: int) -> np.ndarray:
    """The next words that are numbers of this type, at most `count`; the file is after them then."""
    start, size = file.tell(), BYTES_OF_A_WORD * (count + 1)
    while True:
        file.seek(start)
        data = file.read(size)
        words = [match for match, _ in zip(WORD.finditer(data), range(count), strict=False)]
        if len(data) < size or (len(words) == count and (not words or words[-1].end() < len(data))):
            break
        size *= 2
    values, end, number = [], 0, int if dtype.kind == "i" else float
    for word in words:
        try:
            with np.errstate(over="ignore"):  # a float that is too large is infinite, a whole number is an error
                values.append(dtype.type(number(word[1])))
        except (ValueError, OverflowError):
            break
        end = word.end()
    file.seek(start + end)
    return np.array(values, dtype)
