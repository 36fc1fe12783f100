"""Language models of stacked recurrent layers, as rnn's examples/recurrent-language-model.lua."""

from functools import partial
from typing import Literal

from ..core import Module
from ..data import load_ptb
from ..data.datasets import WordSequence
from ..layers import CAddTable, Identity, Linear, LogSoftMax, LookupTable, ParallelTable, Sequential, Sigmoid
from ..losses import ClassNLLCriterion
from ..recurrent import GRU, FastLSTM, Recurrence, SeqLSTM, Sequencer, SequencerCriterion
from .perplexity import Perplexity
from .recipe import Positive, Task
from .texts import Unit, python_text, text_file
from .word_model import WordModel, word_count

Cell = Literal["rnn", "gru", "lstm", "seqlstm"]


class Language(WordModel, frozen=True, tag="language"):
    """The next word of a text. The state at the end of a batch is where the next one starts, as its words follow.

    The defaults are the script's.
    Source: rnn/README.md, Examples; rnn, examples/recurrent-language-model.lua.
    """

    text: str = "ptb"
    """ptb: the Penn Tree Bank; python: the text of Python's reference, which every Python has; or a text file."""
    datapath: str | None = None
    """The folder with the Penn Tree Bank's files."""
    unit: Unit = "words"
    """What is read, and said, at once."""
    min_frequency: Positive = 1
    """Rarer words of a text are one, <OOV>; the Penn Tree Bank has been cleaned already."""
    cell: Cell = "rnn"

    def task(self) -> Task:
        train, valid, test = self.texts()
        module = self.network(len(train.ivocab))
        steps = self.steps_in(train, self.sequence_length)
        return Task(
            module, partial(self.initial, module), SequencerCriterion(ClassNLLCriterion()), self.optimizer(steps),
            train, valid, test, self.sequence_length, [Perplexity()], word_count, 2,
        )  # fmt: skip

    def texts(self) -> tuple[WordSequence, WordSequence, WordSequence]:
        """(train, valid, test)"""
        if self.text == "ptb":
            return load_ptb(self.columns, self.datapath)
        text = python_text(self.unit) if self.text == "python" else text_file(self.text, self.unit)
        try:
            return text.split(self.columns, self.min_frequency)
        except ValueError as error:
            raise ValueError(f"{self.text}: {error}") from error

    def network(self, words: int) -> Module:
        """Words' numbers (T, B) -> logarithms of the next words' probabilities (T, B, words)."""
        return Sequential(*self.reader(words), Sequencer(Sequential(Linear(self.sizes[-1], words), LogSoftMax())))

    def reader(self, words: int) -> list[Module]:
        """Words' numbers (T, B) -> what is remembered of them (T, B, last hidden size)."""
        sizes, drop = self.sizes, self.drop
        start = [LookupTable(words, sizes[0]), *([] if self.cell == "gru" else drop)]
        pairs = list(zip(sizes, self.hidden_sizes, strict=False))
        if self.cell == "seqlstm":
            return [*start, *(each for pair in pairs for each in (SeqLSTM(*pair).remember(), *drop))]
        layers = [each for i, pair in enumerate(pairs) for each in (self.layer(*pair, first=i == 0), *drop)]
        mode = "eval" if self.cell == "rnn" else "both"
        return [*start, Sequencer(Sequential(*layers)).remember(mode)]

    def layer(self, inputs: int, hidden: int, first: bool) -> Module:
        """One time-step of a recurrent layer."""
        if self.cell == "gru":
            return GRU(inputs, hidden, p=self.dropout / 2)
        if self.cell == "lstm":
            return FastLSTM(inputs, hidden)
        word = Identity() if first and inputs == hidden else Linear(inputs, hidden)
        merged = Sequential(ParallelTable(word, Linear(hidden, hidden)), CAddTable(), Sigmoid())
        return Recurrence(merged, hidden, 1)
