"""Texts as sequences of words' numbers."""

import math
import re
from pathlib import Path
from typing import Literal, NamedTuple

from ..data import build_vocab, text2tensor
from ..data.datasets import WordSequence
from ..data.text import OOV

Unit = Literal["words", "characters"]
WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_+")
VALIDATION = 0.05
"""The part of a text, at its end, that is for validation; as much before it is for the test."""


class Text(NamedTuple):
    """A text's words and punctuation marks, in lower case, with <eos> at the ends of lines; or its characters."""

    tokens: list[str]
    unit: Unit = "words"

    @classmethod
    def of(cls, text: str, unit: Unit = "words") -> "Text":
        """Of words, lines that are empty leave nothing."""
        if unit == "characters":
            return cls(list(text), unit)
        lines = (WORD.findall(line.lower()) for line in text.splitlines())
        return cls([token for line in lines if line for token in (*line, "<eos>")])

    def split(self, columns: int, min_frequency: int) -> tuple[WordSequence, WordSequence, WordSequence]:
        """(train, valid, test), numbered by the words of the first, or by all characters; rarer words are <OOV>.

        Raises: ValueError if there are too few words, or characters, and for words that are not in the first part
        where none of its words is rare.
        """
        held = int(len(self.tokens) * VALIDATION)
        if held < 2 * columns:
            raise ValueError(
                f"a text of {len(self.tokens)} {self.unit} leaves {held} for validation, too few for {columns} "
                f"columns, which take {math.ceil(2 * columns / VALIDATION):,} {self.unit}"
            )
        parts = self.tokens[: -2 * held], self.tokens[-held:], self.tokens[-2 * held : -held]
        counted = self.tokens if self.unit == "characters" else parts[0]  # of the whole text, as char-rnn
        vocab, ivocab, frequencies = build_vocab(counted, min_frequency)
        unknown = None if OOV in vocab else next((token for token in self.tokens if token not in vocab), None)
        if unknown is not None:
            raise ValueError(
                f"{unknown!r} is in the part held out alone, and no word before it is rarer than {min_frequency}, to "
                f"be {OOV} with it: raise min_frequency"
            )

        def loader(part: list[str]) -> WordSequence:
            return WordSequence(text2tensor(part, vocab), columns, vocab, ivocab, frequencies)

        train, valid, test = map(loader, parts)
        return train, valid, test


def python_text(unit: Unit = "words") -> Text:
    """Python's reference manual as `help()` has it: about 100,000 words, in every installation."""
    from pydoc_data.topics import topics

    return Text.of("\n".join(topics[name] for name in sorted(topics)), unit)


def text_file(path: str, unit: Unit = "words") -> Text:
    """The text in a file, without the mark that some begin with. Raises: OSError; ValueError if it is not in UTF-8."""
    try:
        return Text.of(Path(path).read_text(encoding="utf-8-sig"), unit)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected a text in UTF-8, got byte {error.start} that is not") from error
