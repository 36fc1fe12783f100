"""Words and their numbers: vocabularies, texts as arrays, bigrams."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..checks.numbers import check_amount
from .samples import Samples

OOV = "<OOV>"


def build_vocab(tokens: Sequence[str], minfreq: float = -1) -> tuple[dict[str, int], dict[int, str], dict[str, int]]:
    """(vocab, ivocab, wordfreq): the number of each word, the word of each number, and how often each word occurs.

    Words that occur at least minfreq times are numbered from 1 in sorted order (by code points). If there are others,
    "<OOV>" stands for them all, and for itself where it is among the tokens: it has the last number and the sum of
    their frequencies.
    Raises: TypeError unless tokens is a list of strings. Source: dataload, utils.lua.
    """
    if not isinstance(tokens, (list, tuple)):
        raise TypeError(f"build_vocab: Expecting table, got {type(tokens).__name__}")
    if not all(isinstance(token, str) for token in tokens):
        raise TypeError("build_vocab: Expecting table of strings")
    check_amount("build_vocab", "minfreq", minfreq)
    wordfreq = dict(Counter(tokens))
    words = sorted(word for word, count in wordfreq.items() if count >= minfreq)
    if len(words) < len(wordfreq):
        rare = sum(count for word, count in wordfreq.items() if count < minfreq or word == OOV)
        words = [*(word for word in words if word != OOV), OOV]
        wordfreq[OOV] = rare
    return {word: i for i, word in enumerate(words, 1)}, dict(enumerate(words, 1)), wordfreq


def text2tensor(tokens: Iterable[str], vocab: Mapping[str, int]) -> np.ndarray:
    """The words' numbers, shape (number of tokens,), int32; words that vocab does not have get that of "<OOV>".

    Raises: ValueError naming a word that is unknown where vocab has no "<OOV>". Source: dataload, utils.lua.
    """
    oov = vocab.get(OOV)
    numbers = []
    for token in tokens:
        number = vocab.get(token, oov)
        if number is None:
            raise ValueError(f"text2tensor: the vocabulary has neither {token!r} nor {OOV!r}")
        numbers.append(number)
    return np.array(numbers, np.int32)


def build_bigrams(dataset: Samples) -> dict[int, dict[str, np.ndarray]]:
    """For each word, the words that follow it (index, int64, ascending) and their relative frequencies (prob, float32).

    dataset is a loader of words, such as load_ptb's: its subiter(1) gives inputs and targets of shape 1 x batchsize,
    and each target follows its input. The result is what the layer Bigrams takes.
    Raises: ValueError for batches of another shape.
    Differs from Torch7: the zeros that mask steps between sequences have no entry.
    Source: dataload, buildBigrams.lua.
    """
    pairs = []
    for _, inputs, targets, *_ in dataset.subiter(1):
        words, following = np.asarray(inputs), np.asarray(targets)
        if words.ndim != 2 or len(words) != 1 or words.shape != following.shape:
            raise ValueError(
                f"build_bigrams: expected inputs and targets of size 1 x batchsize, "
                f"got shapes {words.shape} and {following.shape}"
            )
        pairs.append(np.stack([words[0], following[0]], 1).astype(np.int64))
    distinct, counts = np.unique(np.concatenate(pairs), axis=0, return_counts=True)
    followers: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for (word, next_word), count in zip(distinct.tolist(), counts.tolist(), strict=True):
        if word > 0:
            followers[word].append((next_word, count))
    return {word: _distribution(entries) for word, entries in followers.items()}


def _distribution(entries: list[tuple[int, int]]) -> dict[str, np.ndarray]:
    index, counts = np.array(entries, np.int64).T
    return {"index": index.copy(), "prob": (counts / counts.sum()).astype(np.float32)}


def split_string(text: str, sep: str = ":") -> list[str]:
    """The parts of text that are not empty, between the characters of sep (each of which separates).

    Raises: ValueError for a sep without characters.
    """
    if not sep:
        raise ValueError("split_string: expected at least one character that separates, got ''")
    return re.findall(f"[^{re.escape(sep)}]+", text)


def get_number_of_lines(filename: str | os.PathLike) -> int:
    """The number of lines of a file; a last line need not end."""
    with open(filename, "rb") as file:
        return sum(1 for _ in file)
