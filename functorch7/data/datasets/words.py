"""Loaders of words: they know their vocabulary."""

from collections.abc import Mapping, Sequence

import numpy as np

from ...checks.numbers import check_whole
from ..sequences import MultiSequence, Ragged, SequenceLoader


class _OfWords:
    """What loaders of words know: vocab (word -> number), ivocab (number -> word) and wordfreq."""

    def __init__(
        self, words: np.ndarray | Sequence[np.ndarray] | Ragged, batchsize: int, vocab: dict, ivocab: dict,
        wordfreq: Mapping[str, int] | np.ndarray,
    ):  # fmt: skip
        super().__init__(words, batchsize)  # type: ignore[call-arg]
        self.vocab, self.ivocab, self.wordfreq = vocab, ivocab, wordfreq


class WordSequence(_OfWords, SequenceLoader):
    """A SequenceLoader of words' numbers, with vocab (word -> number), ivocab (number -> word) and wordfreq."""


class Sentences(_OfWords, MultiSequence):
    """A MultiSequence of words' numbers, with vocab (word -> number), ivocab (number -> word) and wordfreq."""


def batchsizes(title: str, batchsize: int | Sequence[int]) -> list[int]:
    """Three batch sizes, for train, valid and test, from one or three numbers. Raises: TypeError, ValueError."""
    sizes = list(batchsize) if isinstance(batchsize, Sequence) else [batchsize] * 3
    for size in sizes:
        check_whole(title, 1, batchsize=size)
    if len(sizes) != 3:
        raise ValueError(f"{title}: expected one batch size, or three (train, valid, test), got {batchsize!r}")
    return sizes
