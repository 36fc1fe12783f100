"""TensorLoader, SequenceLoader and MultiSequence with Torch's calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import data
from ...core.types import Value
from ...data.nested import recursive_map
from ...data.tensors import count_of_first
from ...interop.t7.values import Fields
from ..objects import nested
from ..tensors.random import generator
from ..tensors.tensor import Tensor
from ..tensors.values import Input, as_tensors, unwrapped, wrapped
from .loader import DescribedLoader, forwarded
from .trackers import follow_trackers, trackers_of


class TensorLoader(DescribedLoader):
    """Samples in tensors, or in nested tables of tensors; the first dimension is the sample.

    `inputs` and `targets` are the tensors themselves: what is written to them, the loader returns.
    Source: dataload/README.md#TensorLoader.
    """

    def __init__(self, inputs: Value, targets: Value):
        self.inputs, self.targets = as_tensors(inputs), as_tensors(targets)
        super().__init__(self.functional())

    def _loader_of(self, fields: Fields) -> Value:
        self.inputs, self.targets = fields["inputs"], fields["targets"]
        return self.functional()

    def functional(self) -> data.TensorLoader:
        return data.TensorLoader(unwrapped(self.inputs), unwrapped(self.targets))

    def shuffle(self) -> tuple[TensorLoader, Tensor]:
        """Applies one permutation to inputs and targets, as new tensors; returns (self, the old index of each)."""
        shuffled, indices = self.functional().shuffle(generator().numpy)
        self.inputs, self.targets = wrapped(shuffled.inputs), wrapped(shuffled.targets)
        return self, Tensor.of(indices)

    def split(self, ratio: float) -> tuple[TensorLoader, TensorLoader]:
        """Two loaders that share the tensors' storages: the first floor(ratio * size) samples, and the rest."""
        size, first = self.size(), count_of_first(self.size(), ratio)

        def part(start: int, count: int) -> TensorLoader:
            both = [self.inputs, self.targets]
            return TensorLoader(*recursive_map(lambda tensor: tensor.narrow(1, start, count), both))

        return part(1, first), part(first + 1, size - first)


class SequenceLoader(DescribedLoader):
    """One long sequence as batchsize columns; see `functorch7.data.SequenceLoader`.

    `sub` turns the tensors that it is given into views of `data`.
    Source: dataload/README.md#SequenceLoader.
    """

    batchsize = forwarded("batch_size")
    bidirectional = forwarded("bidirectional")
    _computed_fields = ("data",)

    def __init__(self, sequence: Input, batchsize: int, bidirectional: bool = False):
        super().__init__(data.SequenceLoader(unwrapped(as_tensors(sequence)), batchsize, bool(bidirectional)))

    @property
    def data(self) -> Tensor:
        """The steps, L x batchsize x ...."""
        return Tensor.of(self._loader.data)

    def _loader_of(self, fields: Fields) -> Value:
        steps, batchsize = np.asarray(fields.pop("data")), fields.pop("batchsize")
        columns = steps.swapaxes(0, 1).reshape(-1, *steps.shape[2:])
        return data.SequenceLoader(columns, batchsize, bool(fields.pop("bidirectional", False)))

    def _given(self, batch: tuple, inputs: Any, targets: Any) -> tuple:
        made = (wrapped(part) for part in batch)
        pairs = zip(made, (inputs, targets), strict=True)
        return tuple(new if old is None else nested.recursiveSet(old, new)[0] for new, old in pairs)


class MultiSequence(DescribedLoader):
    """Independent sequences as endless streams in batchsize columns; see `functorch7.data.MultiSequence`.

    Source: dataload/README.md#MultiSequence.
    """

    batchsize = forwarded("batch_size")
    randseq = forwarded("randseq")
    _computed_fields = ("sequences", "seqlen")

    def __init__(self, sequences: Value, batchsize: int):
        super().__init__(data.MultiSequence([unwrapped(as_tensors(each)) for each in sequences], batchsize))

    @property
    def sequences(self) -> list[Tensor]:
        """The sequences as tensors."""
        return [Tensor.of(each) for each in self._loader.sequences]

    @property
    def seqlen(self) -> int:
        """The time-steps of an epoch."""
        return self.size()

    def _torch_fields(self) -> Fields:
        return super()._torch_fields() | {"trackers": trackers_of(self._loader.columns)}

    def _loader_of(self, fields: Fields) -> Value:
        sequences, trackers = fields.pop("sequences"), fields.pop("trackers", {})
        loader = data.MultiSequence([np.asarray(each) for each in sequences], fields.pop("batchsize"))
        loader.randseq, _ = bool(fields.pop("randseq", False)), fields.pop("seqlen", None)
        follow_trackers(loader.columns, trackers)
        return loader
