"""Sentiment140: tweets, and whether they are sad or happy."""

import os
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...core.types import ArrayLike, Value
from ...interop import t7
from ..fetch import fetch_archive
from ..folders import data_path
from ..tensors import TensorLoader, check_part
from ..text import OOV
from ..twokenize import read_rows, tokenize_csv
from .torch_files import load

SOURCE = "https://cs.stanford.edu/people/alecmgo/trainingandtestdata.zip"
CHECKSUM = "sha256:004a3772c8a7ff9bbfeb875880f47f0679d93fc63e5cf9cff72d54a8a6162e57"
TRAINING, TEST = "training.1600000.processed.noemoticon.csv", "testdata.manual.2009.06.14.csv"
TOKENS = {TRAINING: "traintokens.1600000.processed.noemoticon.csv", TEST: "testtokens.manual.2009.06.14.csv"}
TARGETS = {"0": 1, "2": None, "4": 2}  # negative, neutral, positive
FIELDS = 6
SHUFFLING_SEED = 0  # fixed, so that the validation set is the same wherever it is made


class Tweets(TensorLoader):
    """A TensorLoader of tweets, with vocab (word -> number), ivocab (number -> word) and unigram, their frequencies."""

    def __init__(self, inputs: Value, targets: Value, ivocab: dict[int, str], unigram: np.ndarray):
        super().__init__(inputs, targets)
        self.ivocab, self.unigram = ivocab, unigram
        self.vocab = {word: number for number, word in ivocab.items()}

    def tensor2text(self, tensor: ArrayLike) -> str:
        """The words of the numbers in a vector, between spaces; numbers of 0 and less are left out."""
        numbers = np.asarray(tensor)
        if numbers.ndim != 1:
            raise ValueError(f"tensor2text: expected a vector, got shape {numbers.shape}")
        return " ".join(self.ivocab[number] for number in numbers.tolist() if number > 0)


def load_sentiment140(
    datapath: str | os.PathLike | None = None,
    minfreq: int = 3,
    seqlen: int = 50,
    validratio: float = 1 / 8,
    srcurl: str | None = None,
    progress: bool = True,
    *,
    overwrite: bool = False,
) -> tuple[Tweets, Tweets, Tweets]:
    """Sentiment140's (train, valid, test): 1,400,000, 200,000 and 359 tweets as words' numbers.

    Shape: inputs N x seqlen, int64, with zeros before short tweets; of long ones the first seqlen words are kept.
    targets N, int64: 1 negative, 2 positive; neutral tweets are left out. Word 1 is "<OOV>", for the training set's
    words that occur less than minfreq times and unknown ones; the others are numbered from 2 in sorted order.
    The training set is shuffled once, always in the same way; valid is its last part, validratio.
    The two CSV files are read from datapath (data_path()/Twitter), or from the archive srcurl, which is downloaded if
    they are not there (the usual one is checked). What is made of them is kept beside: files of tokens, and
    cache_[minfreq]_[seqlen].t7, a Torch file, which the next call reads unless `overwrite`.
    `progress` prints the sizes when the cache is made.
    Raises: OSError that says which files are wanted; ValueError naming a file that is damaged or in another encoding.
    Differs from Torch7: tweets are not cut at the first comma or quotation mark, so that the vocabulary is larger; rows
    of neutral tweets leave nothing in others. Source: dataload/README.md#loadSentiment140; Go et al., 2009.
    """
    check_part("load_sentiment140", "validratio", validratio)
    folder = data_path() / "Twitter" if datapath is None else Path(datapath)
    cache = folder / f"cache_{minfreq}_{seqlen}.t7"
    if overwrite or not cache.is_file():
        token_files = [_token_file(folder, name, srcurl, progress) for name in (TRAINING, TEST)]
        train, test = _encoded(token_files, minfreq, seqlen, progress)
        t7.write(cache, [_torch_object(train), _torch_object(test)])
    else:
        train, test = _cached(cache)
    first, last = (
        Tweets(part.inputs, part.targets, train.ivocab, train.unigram) for part in train.split(1 - validratio)
    )
    return first, last, test


def sentiment140_loader(
    filename: str | os.PathLike, vocab: int | dict[str, int], maxlen: int = 50
) -> tuple[TensorLoader, int]:
    """(loader, maxlen) of a file of tokens, as load_sentiment140's: rows of 6 fields, polarity first, tokens last.

    A number for vocab is the minfreq of a new vocabulary, and the loader a `Tweets`; a vocabulary is used as it is, and
    its word 1 for unknown words.
    Raises: ValueError for maxlen below 1, and naming the line of a row that is none.
    Source: dataload, loadSentiment140.lua.
    """
    if maxlen < 1:
        raise ValueError(f"sentiment140_loader: Expecting max tweet len at arg 3, got {maxlen}")
    rows = [(_target(filename, number, row), row[-1].split()) for number, row in _numbered(filename)]
    if isinstance(vocab, dict):
        return TensorLoader(*_arrays(rows, vocab, maxlen)), maxlen
    ivocab, unigram = _vocabulary((tokens for _, tokens in rows), vocab)
    numbers = {word: number for number, word in ivocab.items()}
    return Tweets(*_arrays(rows, numbers, maxlen), ivocab, unigram), maxlen


def _token_file(folder: Path, name: str, srcurl: str | None, progress: bool) -> Path:
    tokens = folder / TOKENS[name]
    if not tokens.is_file():
        if not (folder / name).is_file():
            known_hash = CHECKSUM if srcurl is None else None
            wanted = f"{TRAINING} and {TEST}"
            fetch_archive("load_sentiment140", srcurl or SOURCE, folder, known_hash=known_hash, wanted=wanted)
        source = folder / name
        if progress:
            print("twokenizing", source)
        tokenize_csv(source, tokens, _encoding(source), lambda number, row: _target(source, number, row))
    return tokens


def _encoding(path: Path) -> str:
    """The published files are in Latin-1, where any byte has a meaning; what is UTF-8 throughout is no Latin-1."""
    try:
        with path.open(encoding="utf-8") as file:
            for _ in file:
                pass
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _encoded(token_files: list[Path], minfreq: int, seqlen: int, progress: bool) -> tuple[Tweets, Tweets]:
    begin = time.monotonic()
    if progress:
        print("Load & processing training data.")
    train, _ = sentiment140_loader(token_files[0], minfreq, seqlen)
    assert isinstance(train, Tweets)
    if progress:
        print(f"Number of tweets: {train.size()}")
        print(f"Vocabulary size: {len(train.ivocab)}")
        print(f"Number of occurences replaced with {OOV} token: {train.unigram[0]}")
        print(f"Tweet corpus size (in number of tokens): {train.unigram.sum()}")
    train.shuffle(SHUFFLING_SEED)
    if progress:
        print(f"trainset set processed in {time.monotonic() - begin}s")
    test, _ = sentiment140_loader(token_files[1], train.vocab, seqlen)
    return train, Tweets(test.inputs, test.targets, train.ivocab, train.unigram)


def _numbered(filename: str | os.PathLike) -> Iterable[tuple[int, list[str]]]:
    return enumerate(read_rows(filename, "utf-8"), 1)


def _target(filename: str | os.PathLike, number: int, row: list[str]) -> int | None:
    if len(row) != FIELDS or row[0] not in TARGETS:
        what = f"got {len(row)} fields" if len(row) != FIELDS else f"Unrecognized target: {row[0]!r}"
        raise ValueError(
            f"{filename}, row {number}: {what}; expected {FIELDS} fields, the first 0, 2 or 4, in Latin-1 or UTF-8"
        )
    return TARGETS[row[0]]


def _vocabulary(tweets: Iterable[list[str]], minfreq: int) -> tuple[dict[int, str], np.ndarray]:
    """(number -> word, frequencies of the words 1, 2, ...)."""
    counts: Counter[str] = Counter()
    for tokens in tweets:
        counts.update(tokens)
    words = sorted(word for word, count in counts.items() if count >= minfreq)
    frequencies = [counts[word] for word in words]
    unigram = np.array([counts.total() - sum(frequencies), *frequencies], np.int64)
    return dict(enumerate([OOV, *words], 1)), unigram


def _arrays(
    rows: list[tuple[int | None, list[str]]], vocab: dict[str, int], maxlen: int
) -> tuple[np.ndarray, np.ndarray]:
    kept = [(target, tokens[:maxlen]) for target, tokens in rows if target is not None]
    inputs = np.zeros((len(kept), maxlen), np.int64)
    for row, (_, tokens) in zip(inputs, kept, strict=True):
        row[maxlen - len(tokens) :] = [vocab.get(token, 1) for token in tokens]
    return inputs, np.array([target for target, _ in kept], np.int64)


def _torch_object(tweets: Tweets) -> t7.T7Object:
    fields = ("inputs", "targets", "vocab", "ivocab", "unigram")
    return t7.T7Object("dl.TensorLoader", 1, {name: getattr(tweets, name) for name in fields})


def _cached(path: Path) -> tuple[Tweets, Tweets]:
    try:
        train, test = (found.fields for found in load(path))
        words = dict(enumerate(train["ivocab"], 1))
        first, second = (Tweets(part["inputs"], part["targets"], words, train["unigram"]) for part in (train, test))
        return first, second
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a cache of load_sentiment140 ({error}); delete it, or pass overwrite") from error
