"""Google Billion Words: shuffled sentences of news."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..fetch import fetch_archive
from ..folders import data_path
from ..sequences import MultiSequence, Ragged
from .gbw_text import CORPUS, END, START, prepare_gbw
from .torch_files import load
from .words import Sentences, batchsizes

SOURCE = f"https://www.statmt.org/lm-benchmark/{CORPUS}.tar.gz"
CHECKSUM = "sha256:01ba60381110baf7f189dfd2b8374de371e8c9a340835793f190bdae9e90a34e"
SENTENCE_START, SENTENCE_END = 793470, 793471  # of <S> and </S> in the whole corpus's vocabulary


def load_gbw(
    batchsize: int | Sequence[int],
    trainfile: str = "train_data.th7",
    datapath: str | os.PathLike | None = None,
    srcurl: str | None = None,
    verbose: bool = True,
) -> tuple[Sentences, Sentences, Sentences]:
    """Google Billion Words' (train, valid, test): sentences <S> ... </S> of words' numbers, int32.

    batchsize: one number, or one for each set. The corpus has 30 million sentences of 25 words on the average, and
    793,471 different words; those that occur less than three times are <UNK>.
    Torch's files word_map.th7, word_freq.th7, trainfile (train_tiny.th7 or train_small.th7 for a part), valid_data.th7
    and test_data.th7 are read from datapath (data_path()/BillionWords). If they are not there, the archive srcurl is
    downloaded: the text of the benchmark, which is checked and from which prepare_gbw makes these files, once; or a
    mirror's, of text or of Torch's files.
    Raises: OSError that says which files are wanted; ValueError naming a file that is damaged, or has a sentence that
    does not end with </S>.
    Differs from Torch7: the source is the benchmark's text, not an archive of Torch's files, so prepare_gbw numbers the
    words; numbers are int32; sentences are not cached in *.cache.t7, as splitting a file takes seconds.
    Source: dataload/README.md#loadGBW; Chelba et al., 2013.
    """
    sizes = batchsizes("load_gbw", batchsize)
    folder = data_path() / "BillionWords" if datapath is None else Path(datapath)
    if not (folder / "word_map.th7").is_file():
        if not (folder / CORPUS).is_dir():
            _download(folder, SOURCE if srcurl is None else srcurl)
        if not (folder / "word_map.th7").is_file():
            prepare_gbw(folder, verbose)
    ivocab = dict(enumerate(load(folder / "word_map.th7"), 1))
    vocab = {word: number for number, word in ivocab.items()}
    if START not in vocab or END not in vocab:
        raise ValueError(f"{folder / 'word_map.th7'}: has no words {START} and {END}")
    wordfreq = np.asarray(load(folder / "word_freq.th7"))
    loaders = []
    for name, size in zip([trainfile, "valid_data.th7", "test_data.th7"], sizes, strict=True):
        sentences = _sentences(folder / name, vocab[START], vocab[END], verbose)
        loaders.append(Sentences(sentences, size, vocab, ivocab, wordfreq))
    return tuple(loaders)


def multi_sequence_gbw(
    datapath: str | os.PathLike, filename: str, batchsize: int, verbose: bool = True
) -> MultiSequence:
    """One of the files of load_gbw, of the whole corpus, as a MultiSequence. Source: dataload, loadGBW.lua."""
    return MultiSequence(_sentences(Path(datapath, filename), SENTENCE_START, SENTENCE_END, verbose), batchsize)


def _download(folder: Path, srcurl: str) -> None:
    known_hash = CHECKSUM if srcurl == SOURCE else None
    wanted = f"the folder {CORPUS}, or Torch's word_map.th7, word_freq.th7, train_data.th7, ...,"
    fetch_archive("load_gbw", srcurl, folder, known_hash=known_hash, wanted=wanted)


def _sentences(path: Path, start: int, end: int, verbose: bool) -> Ragged:
    """The file's rows (row at which the sentence starts, word) as sentences with `start` in front of each."""
    if not path.is_file():
        raise OSError(f"load_gbw: there is no file {path}")
    if verbose:
        print("loading", path)
    rows: Any = load(path)
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.shape[1] != 2 or not len(rows):
        raise ValueError(f"{path}: expected a tensor with 2 columns, got {getattr(rows, 'shape', type(rows).__name__)}")
    starts, words = rows[:, 0], rows[:, 1]
    first = np.flatnonzero(np.diff(starts, prepend=starts[0] - 1))
    last = np.append(first[1:], len(rows)) - 1
    unended = np.flatnonzero(words[last] != end)
    if unended.size:
        row = last[unended[0]] + 1
        raise ValueError(
            f"{path}: sentence {unended[0] + 1} does not end with word {end}, but {words[row - 1]} (row {row})"
        )
    offsets = np.append(first, len(rows)) + np.arange(len(first) + 1)
    values = np.empty(len(rows) + len(first), np.int32)
    is_start = np.zeros(len(values), bool)
    is_start[offsets[:-1]] = True
    values[is_start], values[~is_start] = start, words
    return Ragged(values, offsets)
