"""Language models of stacked recurrent layers, as rnn's examples/recurrent-language-model.lua."""

from typing import Any, Literal

import jax
import optax

from .. import optim
from ..core import Module, Variables
from ..data import load_ptb
from ..data.datasets import WordSequence
from ..layers import CAddTable, Dropout, Identity, Linear, LogSoftMax, LookupTable, ParallelTable, Sequential, Sigmoid
from ..losses import ClassNLLCriterion
from ..recurrent import GRU, FastLSTM, Recurrence, SeqLSTM, Sequencer, SequencerCriterion
from .perplexity import Perplexity
from .rates import by_epoch, falling
from .recipe import Positive, Probability, Recipe, Task
from .texts import python_text, text_file

Cell = Literal["rnn", "gru", "lstm", "seqlstm"]


class Language(Recipe, frozen=True, tag="language"):
    """The next word of a text. The loss of a batch is summed over its time-steps, and averaged over its columns.

    Plain gradient descent with momentum, on gradients of limited norm; the state at the end of a batch is where the
    next one starts, as its words follow. The defaults are the script's.
    Source: rnn/README.md, Examples; rnn, examples/recurrent-language-model.lua.
    """

    text: str = "ptb"
    """ptb: the Penn Tree Bank; python: the text of Python's reference, which every Python has; or a text file."""
    datapath: str | None = None
    """The folder with the Penn Tree Bank's files."""
    min_frequency: Positive = 1
    """Rarer words of a text are one, <OOV>; the Penn Tree Bank has been cleaned already."""
    cell: Cell = "rnn"
    hidden_sizes: tuple[Positive, ...] = (200,)
    input_size: Positive | None = None
    """Of the words' vectors; by default the first hidden size."""
    dropout: Probability = 0
    uniform: float | None = 0.1
    """All parameters start uniformly distributed on +- this; None: as their layers do."""
    sequence_length: Positive = 5
    """Time-steps of a batch, and of back-propagation."""
    columns: Positive = 32
    """How many parts of the text are read side by side."""
    learning_rate: float = 0.05
    schedule: dict[int, float] | None = None
    """Epoch -> the rate after it. Without, the rate falls by equal steps to min_learning_rate in `saturate` epochs."""
    min_learning_rate: float = 1e-5
    saturate: Positive = 400
    momentum: Probability = 0.9
    cutoff: float = -1
    """The largest norm of the gradient; -1 is no limit."""
    max_out_norm: float = -1
    """The largest norm of a row of weights; -1 is no limit."""

    def task(self) -> Task:
        train, valid, test = self.texts()
        module = self.network(len(train.ivocab))
        steps = train.batches(self.sequence_length).per_epoch
        return Task(
            module, self.variables(module), SequencerCriterion(ClassNLLCriterion()), self.optimizer(steps),
            train, valid, test, self.sequence_length, [Perplexity()], words,
        )  # fmt: skip

    def texts(self) -> tuple[WordSequence, WordSequence, WordSequence]:
        """(train, valid, test)"""
        if self.text == "ptb":
            return load_ptb(self.columns, self.datapath)
        words = python_text() if self.text == "python" else text_file(self.text)
        return words.split(self.columns, self.min_frequency)

    def network(self, words: int) -> Module:
        """Words' numbers (T, B) -> logarithms of the next words' probabilities (T, B, words)."""
        sizes = (self.input_size or self.hidden_sizes[0], *self.hidden_sizes)
        drop = [Dropout(self.dropout)] if self.dropout else []
        start = [LookupTable(words, sizes[0]), *([] if self.cell == "gru" else drop)]
        end = [Linear(sizes[-1], words), LogSoftMax()]
        pairs = list(zip(sizes, self.hidden_sizes, strict=False))
        if self.cell == "seqlstm":
            layers = [each for pair in pairs for each in (SeqLSTM(*pair).remember(), *drop)]
            return Sequential(*start, *layers, Sequencer(Sequential(*end)))
        layers = [each for i, pair in enumerate(pairs) for each in (self.layer(*pair, first=i == 0), *drop)]
        mode = "eval" if self.cell == "rnn" else "both"
        return Sequential(*start, Sequencer(Sequential(*layers, *end)).remember(mode))

    def layer(self, inputs: int, hidden: int, first: bool) -> Module:
        """One time-step of a recurrent layer."""
        if self.cell == "gru":
            return GRU(inputs, hidden, p=self.dropout / 2)
        if self.cell == "lstm":
            return FastLSTM(inputs, hidden)
        words = Identity() if first and inputs == hidden else Linear(inputs, hidden)
        merged = Sequential(ParallelTable(words, Linear(hidden, hidden)), CAddTable(), Sigmoid())
        return Recurrence(merged, hidden, 1)

    def variables(self, module: Module) -> Variables:
        params, buffers = module.init(self.key)
        return Variables(params if self.uniform is None else spread(params, self.uniform, self.key), buffers)

    def optimizer(self, steps_per_epoch: int) -> optax.GradientTransformation:
        """dpnn's gradParamClip, updateGradParameters, updateParameters and maxParamNorm."""
        if self.schedule is None:
            rate = falling(self.learning_rate, self.min_learning_rate, self.saturate, steps_per_epoch)
        else:
            rate = by_epoch(self.learning_rate, self.schedule, steps_per_epoch)
        return optax.chain(
            optim.grad_param_clip(self.cutoff), optim.momentum(self.momentum), optax.scale_by_learning_rate(rate),
            optim.max_param_norm(self.max_out_norm),
        )  # fmt: skip


def spread(params: Any, bound: float, key: jax.Array) -> Any:
    """Arrays like params, uniformly distributed on +-bound."""
    leaves, structure = jax.tree.flatten(params)
    keys = jax.random.split(key, len(leaves))
    drawn = [jax.random.uniform(k, leaf.shape, leaf.dtype, -bound, bound) for k, leaf in zip(keys, leaves, strict=True)]
    return structure.unflatten(drawn)


def words(_: Any, targets: Any) -> int:
    """How many words a batch has to find."""
    return targets.size
