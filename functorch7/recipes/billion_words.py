"""A language model of a large vocabulary, as rnn's examples/noise-contrastive-estimate.lua."""

import copy
from functools import partial
from typing import ClassVar

import numpy as np

from ..core import Module
from ..data import DataLoader, load_gbw
from ..data.seeds import Seed
from ..layers import (
    NCEModule,
    ParallelTable,
    Sequential,
    SplitTable,
    ZipTable,
)
from ..losses import NCECriterion
from ..recurrent import LookupTableMaskZero, MaskZero, MaskZeroCriterion, SeqLSTM, Sequencer, SequencerCriterion
from ..training.validation import Loss
from .recipe import Positive, Sizes, Task
from .word_model import WordModel, word_count


class WithTargets(DataLoader):
    """A loader of time-steps whose inputs become [inputs, targets]: noise-contrastive estimation looks at both."""

    streaming: ClassVar[bool] = True

    def __init__(self, loader: DataLoader):
        self.loader = loader

    def size(self) -> int:
        return self.loader.size()

    def sub(self, start: int, stop: int, *, seed: Seed = None) -> tuple:
        inputs, targets = self.loader.sub(start, stop, seed=seed)
        return [inputs, targets], targets

    def __copy__(self) -> "WithTargets":
        """Each iterator of batches goes through a copy, whose place is its own: that of the loader inside."""
        return WithTargets(copy.copy(self.loader))

    def reset(self) -> None:
        self.loader.reset()

    def get_state(self) -> dict:
        return self.loader.get_state()

    def set_state(self, state: dict) -> None:
        self.loader.set_state(state)

    def shard(self, index: int, count: int) -> "WithTargets":
        return WithTargets(self.loader.shard(index, count))


class BillionWords(WordModel, frozen=True, tag="billion-words"):
    """The next word of a sentence, by noise-contrastive estimation; sentences are independent of each other.

    Words 0 are between the sentences of a column; there the state starts anew.
    Source: rnn/README.md, Examples; rnn, examples/noise-contrastive-estimate.lua; Mnih & Teh, 2012.
    """

    datapath: str | None = None
    """The folder with the corpus."""
    train_file: str = "train_data.th7"
    """train_tiny.th7 and train_small.th7 are parts of the corpus."""
    hidden_sizes: Sizes = (200, 200)
    sequence_length: Positive = 50
    noise: Positive = 25
    """Noise words that all words of a time-step are told from."""
    Z: float = -1
    """The scores' sum; -1: estimated from the first batch."""
    by_rows: bool = True
    """Rows of words that a batch reads learn by gradient descent, without momentum; false: all, with it, every time."""

    def task(self) -> Task:
        train, valid, test = load_gbw(self.columns, self.train_file, self.datapath, verbose=False)
        module = self.network_of(len(train.ivocab), np.asarray(train.wordfreq, np.float32))
        train, valid, test = map(WithTargets, (train, valid, test))
        criterion = SequencerCriterion(MaskZeroCriterion(NCECriterion(), 0))
        steps = self.steps_in(train, self.sequence_length)
        return Task(
            module, partial(self.initial, module), criterion, self.rule(steps), train, valid, test,
            self.sequence_length, [Loss(criterion)], word_count, 2,
            clip=self.cutoff if self.cutoff > 0 else None, by_rows=self.by_rows,
        )  # fmt: skip

    def network_of(self, vocabulary: int, frequencies: np.ndarray) -> Module:
        """[words (T, B), next words (T, B)] -> T tables of NCEModule's."""
        sizes, drop = self.sizes, self.drop
        layers = [
            each
            for inputs, hidden in zip(sizes, self.hidden_sizes, strict=False)
            for each in (SeqLSTM(inputs, hidden, maskzero=True).remember(), *drop)
        ]
        reader = Sequential(LookupTableMaskZero(vocabulary, sizes[0]), *drop, *layers, SplitTable(1))
        estimate = NCEModule(sizes[-1], vocabulary, self.noise, frequencies, self.Z)
        return Sequential(ParallelTable(reader, SplitTable(1)), ZipTable(), Sequencer(MaskZero(estimate, 1)).remember())
