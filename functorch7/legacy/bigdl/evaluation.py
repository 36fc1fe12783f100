"""Networks on data sets, in evaluation mode."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from functools import partial
from typing import Any

import jax

from ... import core, programs
from ...core.types import Value
from ..objects.described import Described
from ..tensors.tensor import Tensor
from ..tensors.type_names import precision_of
from ..tensors.values import unwrapped, wrapped


@programs.Compiled
@partial(jax.jit, static_argnums=0)
@core.reporting
def _measured(method: Any, output: Any, target: Any) -> Any:
    return method.measure(output, target)


class Evaluation(Described):
    """Module's methods that measure and use it."""

    def isTraining(self) -> bool:
        """Whether it is in training mode."""
        return self.in_training

    def _measured(self, dataset: Any, methods: Any, batchSize: int | None) -> Any:
        """The result of `evaluate` for a data set."""
        if methods is None:
            raise TypeError(f"{self.title()}: evaluate takes no arguments, or a data set and a list of methods")
        from ...training import validation  # few programs need it, and it takes a while to import

        pure = [described(method) for method in validation.as_methods("evaluate", methods)]
        measured = []
        with self._evaluating():
            for input, target in validation.pairs(_arrays(dataset, batchSize), batchSize):
                output = unwrapped(self.forward(input))  # type: ignore[attr-defined]
                measured.append([_measured(method, output, unwrapped(target)) for method in pure])
        if not measured:
            raise ValueError(f"{self.title()}: evaluate was given no batches")
        values = [[_value(each) for each in batch] for batch in jax.device_get(measured)]
        totals = validation.totals(methods, values)
        return list(zip(totals, methods, strict=True))

    def predict(self, dataset: Value, batchSize: int | None = None) -> Value:
        """The outputs for all samples in evaluation mode, in order: a tensor, or a table of them.

        The data set is a tensor, taken in batches of batchSize (without it or for -1, at once); a table of tensors with
        a batchSize; an iterable of inputs, or of tuples (input, target); or a loader. Afterwards every module has its
        former mode. Raises TypeError for other data, ValueError for no batches.
        """
        from ...training import validation

        size = None if batchSize == -1 else batchSize
        data = _arrays(dataset, size)
        batches = validation.inputs(data, size)
        with self._evaluating():
            outputs = [jax.device_get(unwrapped(self.forward(each))) for each in batches]  # type: ignore[attr-defined]
        if not outputs:
            raise ValueError(f"{self.title()}: predict was given no batches")
        return wrapped(validation.joined_batches(outputs, validation.samples_of(data, size)))

    def predictClass(self, dataset: Value, batchSize: int | None = None) -> Tensor:
        """The class, from 1, of the largest score of each sample. Arguments as those of `predict`.

        Raises ValueError unless each sample's output is one row of scores.
        """
        output = self.predict(dataset, batchSize)
        if not isinstance(output, Tensor) or output.dim() != 2:
            raise ValueError(f"{self.title()}: predictClass expects one row of scores for each sample, got {output!r}")
        return Tensor.of(output.numpy().argmax(1) + 1)

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Evaluation mode in the module's precision; afterwards all modules have their former modes."""
        modes = [(module, module.in_training) for module in self._members()]
        self._in_mode(False)
        try:
            with precision_of(self._type):
                yield
        finally:
            for module, train in modes:
                if module.in_training != train:
                    if hasattr(module._spec, "has_memory"):
                        module.forget()
                    module.train = train


def described(method: Value) -> Value:
    """A method with a criterion's description in place of the object."""
    criterion = getattr(method, "criterion", None)
    return (
        dataclasses.replace(method, criterion=criterion.description()) if isinstance(criterion, Described) else method
    )


def _value(outcome: tuple[Any, Any]) -> Any:
    """A method's measurement. Raises ValueError for wrong values found by its checks."""
    error, value = outcome
    core.raise_found(error)
    return value


def _arrays(dataset: Any, batch_size: int | None) -> Any:
    """Whole tensors as arrays, so that they can be cut into batches."""
    from ...data import DataLoader

    whole = isinstance(dataset, Tensor) or (batch_size is not None and not isinstance(dataset, DataLoader))
    return unwrapped(dataset) if whole else dataset
