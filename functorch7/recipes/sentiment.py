"""Whether a tweet is sad or happy, as rnn's examples/twitter_sentiment_rnn.lua."""

from typing import Annotated, Literal

import msgspec
import optax

from .. import optim
from ..core import Module
from ..data import load_sentiment140
from ..layers import Dropout, Linear, LogSoftMax, Select, Sequential, Transpose
from ..losses import ClassNLLCriterion
from ..recurrent import LookupTableMaskZero, SeqLSTM
from ..training.validation import Loss, Top1Accuracy
from .recipe import NotNegative, Positive, Probability, Recipe, Sizes, Task


class Sentiment(Recipe, frozen=True, tag="sentiment"):
    """The class of a sequence of words: 1 negative, 2 positive. The defaults are the script's.

    Source: rnn, examples/twitter_sentiment_rnn.lua; Go et al., 2009.
    """

    datapath: str | None = None
    sequence_length: Positive = 25
    min_frequency: Positive = 10
    """Rarer words are one, <OOV>."""
    valid_ratio: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.2
    input_size: Positive = 128
    input_dropout: Probability = 0
    hidden_sizes: Sizes = (256, 256)
    dropout: Probability = 0
    batch_size: Positive = 128
    rule: Literal["sgd", "adam"] = "sgd"
    learning_rate: NotNegative = 0.001
    learning_rate_decay: NotNegative = 1e-7
    momentum: Probability = 0

    def task(self) -> Task:
        train, valid, test = load_sentiment140(
            self.datapath, self.min_frequency, self.sequence_length, self.valid_ratio, progress=False
        )
        module = self.network(len(train.ivocab))
        return Task(
            module, module.init, ClassNLLCriterion(), self.optimizer(), train, valid, test, self.batch_size,
            [Top1Accuracy(), Loss()],
        )  # fmt: skip

    def network(self, words: int) -> Module:
        """Words' numbers (B, T), with zeros before short tweets -> logarithms of the classes' probabilities (B, 2)."""
        sizes = (self.input_size, *self.hidden_sizes)
        start = [Dropout(self.input_dropout)] if self.input_dropout else []
        drop = [Dropout(self.dropout)] if self.dropout else []
        layers = [
            each
            for inputs, hidden in zip(sizes, self.hidden_sizes, strict=False)
            for each in (SeqLSTM(inputs, hidden, maskzero=True), *drop)
        ]
        return Sequential(
            Transpose((1, 2)), LookupTableMaskZero(words, sizes[0]), *start, *layers,
            Select(1, -1), Linear(sizes[-1], 2), LogSoftMax(),
        )  # fmt: skip

    def optimizer(self) -> optax.GradientTransformation:
        """Adam or gradient descent, as `rule` says."""
        if self.rule == "adam":
            return optim.adam(self.learning_rate, learning_rate_decay=self.learning_rate_decay)
        return optim.sgd(self.learning_rate, self.learning_rate_decay, momentum=self.momentum)
