"""Language models that learn by noise-contrastive estimation, and are measured by their full softmax."""

from functools import partial

import numpy as np

from ..core import Module
from ..layers import NCEModule, ParallelTable, Sequential, SplitTable, ZipTable
from ..losses import NCECriterion
from ..recurrent import Sequencer, SequencerCriterion
from .billion_words import WithTargets
from .language import Language
from .perplexity import Perplexity
from .recipe import Positive, Task
from .word_model import word_count


class Contrastive(Language, frozen=True, tag="language-nce"):
    """Language, trained to tell each next word from `noise` words drawn as often as they occur.

    Source: dpnn/README.md#nn.NCEModule; Mnih & Teh, 2012.
    """

    noise: Positive = 25
    """Noise words that all words of a time-step are told from."""
    Z: float = -1
    """The scores' sum; -1: estimated from the first batch."""

    def task(self) -> Task:
        loaders = self.texts()
        words = len(loaders[0].ivocab)
        module = self.estimating(words, np.bincount(loaders[0].data.ravel(), minlength=words + 1)[1:])
        train, valid, test = map(WithTargets, loaders)
        steps = self.steps_in(train, self.sequence_length)
        return Task(
            module, partial(self.initial, module), SequencerCriterion(NCECriterion()), self.optimizer(steps),
            train, valid, test, self.sequence_length, [Perplexity()], word_count, 2,
        )  # fmt: skip

    def estimating(self, words: int, frequencies: np.ndarray) -> Module:
        """[words (T, B), next words (T, B)] -> T tables of NCEModule's; in evaluation T x B log-probabilities."""
        last = NCEModule(self.sizes[-1], words, self.noise, frequencies, self.Z, normalized=True, logsoftmax=True)
        reader = Sequential(*self.reader(words), SplitTable(1))
        return Sequential(ParallelTable(reader, SplitTable(1)), ZipTable(), Sequencer(last))
