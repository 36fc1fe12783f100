"""The text of the Billion Words benchmark, turned into Torch's files."""

import os
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ...interop import t7

CORPUS = "1-billion-word-language-modeling-benchmark-r13output"
SETS = {
    "train_data.th7": "training-monolingual.tokenized.shuffled/news.en-*",
    "valid_data.th7": "heldout-monolingual.tokenized.shuffled/news.en.heldout-00001-of-*",
    "test_data.th7": "heldout-monolingual.tokenized.shuffled/news.en.heldout-00000-of-*",
}
UNKNOWN, START, END = "<UNK>", "<S>", "</S>"
LEAST_FREQUENCY = 3


def prepare_gbw(datapath: str | os.PathLike, verbose: bool = True) -> None:
    """Writes Torch's files of the benchmark's text, which lies unpacked in datapath, beside it.

    word_map.th7: the words that occur at least three times in the training set, in sorted order, then <UNK> for all
    others, <S> and </S>. word_freq.th7: how often each occurs, the last two as often as there are sentences.
    train_data.th7, valid_data.th7, test_data.th7: for each word a row (row at which its sentence starts, word), each
    sentence with </S> at its end. The held-out part 0 is the test set, as in the benchmark, and part 1 the validation.
    Raises: OSError if there is no text; ValueError naming a file that is not in UTF-8.
    """
    folder = Path(datapath)
    files = {name: sorted((folder / CORPUS).glob(pattern)) for name, pattern in SETS.items()}
    for name, found in files.items():
        if not found:
            raise OSError(f"prepare_gbw: {folder / CORPUS} has no text for {name}: {SETS[name]}")
    counts: Counter[str] = Counter()
    n_sentences = 0
    for words in _sentences(files["train_data.th7"], verbose):
        counts.update(words)
        n_sentences += 1
    frequent = sorted(word for word, count in counts.items() if count >= LEAST_FREQUENCY)
    rare = counts.total() - sum(counts[word] for word in frequent)
    vocab = {word: number for number, word in enumerate([*frequent, UNKNOWN, START, END], 1)}
    for name, found in files.items():
        t7.write(folder / name, _rows(_sentences(found, verbose), vocab))
    wordfreq = [*(counts[word] for word in frequent), rare, n_sentences, n_sentences]
    t7.write(folder / "word_freq.th7", np.array(wordfreq, np.int64))
    t7.write(folder / "word_map.th7", list(vocab))  # last: where it is, the others are


def _sentences(paths: Sequence[Path], verbose: bool) -> Iterator[list[str]]:
    for path in paths:
        if verbose:
            print("reading", path)
        try:
            with path.open(encoding="utf-8", newline="\n") as file:
                for line in file:
                    if words := [word for word in line.strip("\n").split(" ") if word]:
                        yield words
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not in UTF-8: {error}") from error


def _rows(sentences: Iterable[list[str]], vocab: dict[str, int]) -> np.ndarray:
    words, lengths = array("i"), array("i")
    unknown, end = vocab[UNKNOWN], vocab[END]
    for sentence in sentences:
        words.extend([vocab.get(word, unknown) for word in sentence])
        words.append(end)
        lengths.append(len(sentence) + 1)
    sizes = np.frombuffer(lengths, np.int32)
    starts = np.repeat(np.cumsum(sizes, dtype=np.int32) - sizes + 1, sizes)
    return np.stack([starts, np.frombuffer(words, np.int32)], 1)
