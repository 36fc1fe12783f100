"""How good a network is on a data set: methods that measure batches, and results that add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import core, programs
from ..checks.taken import check_taken
from ..core import Module
from ..core.precision import widened
from ..core.types import Batch, Key, Output, Params, Tree, Value
from ..data import DataLoader
from ..data.batches import Batches
from ..losses import ClassNLLCriterion, Criterion
from ..network import carry_of, check_module, with_carry
from .given import as_it_is_now
from .measures import AccuracyResult, Measured, Result, ValidationMethod, rows_and_classes, samples_in

IN_ORDER = 32
"""The samples of a batch of a loader, if nobody says how many; as many as loaders' own iterators have."""


@dataclass(frozen=True)
class Top1Accuracy(ValidationMethod):
    """How often the largest score is that of the target's class, which counts from 1.

    A single score for each sample is class 1 from 0.5 on, and class 0 below.
    Shape: scores (B, n) with classes (B) or (B, 1), or one sample's (n) with one class.
    Raises: ValueError for other shapes.
    Source: BigDL, Top1Accuracy.

    >>> import jax.numpy as jnp
    >>> from functorch7.training import Top1Accuracy
    >>> Top1Accuracy()(jnp.array([[0.1, 0.9, 0.0], [0.8, 0.1, 0.1]]), jnp.array([2, 3])).result()
    (0.5, 2)
    """

    kind = AccuracyResult

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        rows, classes = rows_and_classes(self, output, target)
        if rows.shape[1] == 1:
            found = (rows[:, 0] >= 0.5).astype(jnp.int32)
        else:
            found = jnp.argmax(rows, 1).astype(jnp.int32) + 1
        return (found == classes).sum(), len(rows)


@dataclass(frozen=True)
class Top5Accuracy(ValidationMethod):
    """How often the target's class is among those of the five largest scores.

    Shape: scores (B, n) with classes (B) or (B, 1), or one sample's (n) with one class; n >= 5.
    Raises: ValueError for other shapes.
    Source: BigDL, Top5Accuracy.
    """

    kind = AccuracyResult

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        rows, classes = rows_and_classes(self, output, target)
        if rows.shape[1] < 5:
            raise ValueError(f"{self}: expected scores of at least 5 classes, got shape {jnp.shape(output)}")
        best = jax.lax.top_k(rows, 5)[1] + 1
        return (best == classes[:, None]).any(1).sum(), len(rows)


@dataclass(frozen=True)
class Loss(ValidationMethod):
    """A criterion's value, averaged over samples.

    The mean of a batch is weighted by its number of samples (the size of the target's first dimension, or the output's
    without a target), so that a smaller last batch counts less. A criterion that gives the sum over the batch
    (`size_average` is False) is not weighted. Class weights have an effect only within a batch.
    Raises: the errors of the criterion.
    Source: BigDL, Loss.
    Differs from BigDL: it averages the batches' values.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> from functorch7.training import Loss
    >>> Loss(f7.MSECriterion())(jnp.array([[1.0], [2.0]]), jnp.array([[1.0], [4.0]])).result()
    (2.0, 2)
    """

    criterion: Callable = field(default_factory=ClassNLLCriterion)

    @property
    def checks_values(self) -> bool:  # type: ignore[override]
        return getattr(self.criterion, "checks_values", False)

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        value, count = self.criterion(output, target), samples_in(output, target)
        return (value if _sums(self.criterion) else value * count), count


@dataclass(frozen=True)
class MAE(ValidationMethod):
    """The mean distance |argmax - target| between the numbers of the found and the target's class.

    Shape: scores (B, n) with classes (B) or (B, 1).  Raises: ValueError for other shapes.
    Source: BigDL, MAE.

    >>> import jax.numpy as jnp
    >>> from functorch7.training import MAE
    >>> MAE()(jnp.array([[0.1, 0.9, 0.0], [0.8, 0.1, 0.1]]), jnp.array([2, 3])).result()
    (1.0, 2)
    """

    def measure(self, output: Value, target: Value) -> tuple[Output, int]:
        rows, classes = rows_and_classes(self, output, target)
        return jnp.abs(jnp.argmax(rows, 1).astype(jnp.int32) + 1 - classes).sum(dtype=jnp.float32), len(rows)


def _sums(criterion: Any) -> bool:
    """Whether a criterion's value is the sum over a batch; of one made of others, these decide."""
    values = [getattr(criterion, each.name) for each in fields(criterion)] if isinstance(criterion, Criterion) else []
    nested = (value if isinstance(value, tuple) else (value,) for value in values)
    inner = [each for group in nested for each in group if isinstance(each, Criterion)]
    return all(map(_sums, inner)) if inner else getattr(criterion, "size_average", True) is False


def evaluate(
    module: Module,
    params: Params,
    buffers: Tree,
    batches: Iterable[Batch] | Batch,
    methods: Sequence[ValidationMethod | Callable],
    batch_size: int | None = None,
    *,
    key: jax.Array | None = None,
) -> list[tuple[Result, ValidationMethod]]:
    """[(result, method)] of a network in evaluation mode, summed over a data set.

    `batches` is any iterable of (input, target); with `batch_size`, the pair of all inputs and all targets (arrays, or
    tables of them, whose first dimension is the sample); or a loader of `functorch7.data` (32 samples at once, unless
    `batch_size` says otherwise). The last batch may be smaller. If arrays would leave a last batch of one sample, it
    joins the batch before, because View and Reshape do not take a single sample for a batch, as in Torch. Every batch
    starts from `buffers`; only recurrent state that the network remembers in evaluation (`remember`) flows from batch
    to batch. 16-bit outputs are measured in float32. Each shape of batch is compiled once, and results are read from
    the device at the end.
    Raises: TypeError for other data and methods; ValueError for no batch, for a wrong shape, and at the end for wrong
    values (a class 0) that checks found.
    Source: BigDL, AbstractModule.evaluate(dataset, methods, batchSize).

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> params, buffers = f7.Identity().init(jax.random.key(0))
    >>> scores, classes = jnp.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), jnp.array([2, 2, 2])
    >>> for result, method in evaluate(f7.Identity(), params, buffers, (scores, classes), [Top1Accuracy()], 2):
    ...     print(method, result)
    Top1Accuracy Accuracy(correct: 2, count: 3, accuracy: 0.6666666666666666)
    """
    methods = as_methods("evaluate", methods)
    measured = list(_running(_measures, module, methods, params, buffers, pairs(batches, batch_size), key))
    if not measured:
        raise ValueError(f"evaluate: {module.torch_name()} was given no batches")
    values = []
    for error, result in jax.device_get(measured):
        core.raise_found(error)
        values.append(result)
    return list(zip(totals(methods, values), methods, strict=True))


def as_methods(who: str, methods: Sequence[ValidationMethod | Callable]) -> tuple[ValidationMethod, ...]:
    """The methods; functions (output, target) become such. Raises TypeError unless they are a list of these."""
    if not isinstance(methods, (list, tuple)) or not all(map(_is_method, methods)):
        raise TypeError(f"{who}: expected a list of methods, such as [Top1Accuracy()], got {methods!r}")
    return tuple(each if isinstance(each, ValidationMethod) else Measured(each) for each in methods)


def _is_method(given: Any) -> bool:
    return isinstance(given, ValidationMethod) or (callable(given) and not isinstance(given, (type, Module)))


def totals(methods: Sequence[ValidationMethod], values: list) -> list:
    """The results of methods, from what they measured of each batch."""
    return [method.gathered(list(column)) for method, column in zip(methods, zip(*values, strict=True), strict=True)]


def by_name(found: Iterable[tuple[Result, ValidationMethod]]) -> dict[str, float]:
    """What `evaluate` found: the measures, by the names of their methods."""
    return {str(method): float(result.result()[0]) for result, method in found}


def predict(
    module: Module,
    params: Params,
    buffers: Tree,
    batches: Iterable[Value],
    batch_size: int | None = None,
    *,
    key: jax.Array | None = None,
) -> Output:
    """The outputs of a network in evaluation mode for all samples, in order: NumPy arrays, or tables of them.

    `batches` is an iterable of inputs, or of tuples (input, target), whose targets are ignored; with `batch_size`, all
    inputs (an array, or a table of arrays, whose first dimension is the sample); a single array; or a loader of
    `functorch7.data`. Otherwise as `evaluate`.
    Raises: TypeError for other data; ValueError for no batch, a wrong shape, and wrong values that checks found.
    Source: BigDL, AbstractModule.predict(dataset); Layer.predict_local.

    >>> import functorch7 as f7, numpy as np
    >>> from functorch7.training import predict
    >>> predict(f7.Square(), {}, {}, np.array([[1.0], [2.0], [3.0]], np.float32), batch_size=3).tolist()
    [[1.0], [4.0], [9.0]]
    """
    outputs = []
    waiting: Any = None
    for now in _running(_output, module, (), params, buffers, inputs(batches, batch_size), key):
        if waiting is not None:  # is read while the next batch is computed
            outputs.append(_read(waiting))
        waiting = now
    if waiting is None:
        raise ValueError(f"predict: {module.torch_name()} was given no batches")
    outputs.append(_read(waiting))
    return joined_batches(outputs, samples_of(batches, batch_size))


def samples_of(batches: Iterable[Value], batch_size: int | None) -> int | None:
    """How many samples `predict` is given; None where its batches are not cut from arrays."""
    cut = batch_size is not None and not isinstance(batches, DataLoader)
    return len(jax.tree.leaves(batches)[0]) if cut else None


def joined_batches(outputs: list, samples: int | None = None) -> Output:
    """The outputs of all batches one after the other, one of each sample; that of a batch of one may be no batch."""

    def one(*parts: Any) -> np.ndarray:
        most = max(part.ndim for part in parts)
        if not most:
            return np.stack(parts)
        whole = np.concatenate([part if part.ndim == most else part[None] for part in parts])
        return np.stack(parts) if len(parts) == samples != len(whole) else whole

    return jax.tree.map(one, *outputs)


def predict_class(
    module: Module,
    params: Params,
    buffers: Tree,
    batches: Iterable[Value],
    batch_size: int | None = None,
    *,
    key: jax.Array | None = None,
) -> np.ndarray:
    """The class, from 1, of the largest score of each sample; arguments as those of `predict`.

    Raises: ValueError unless each sample's output is one row of scores; as `predict`.
    Source: BigDL, AbstractModule.predictClass(dataset).

    >>> import functorch7 as f7, numpy as np
    >>> from functorch7.training import predict_class
    >>> predict_class(f7.Identity(), {}, {}, np.array([[0.1, 0.9], [0.8, 0.2]], np.float32)).tolist()
    [2, 1]
    """
    output = predict(module, params, buffers, batches, batch_size, key=key)
    if not isinstance(output, np.ndarray) or output.ndim != 2:
        raise ValueError(f"predict_class: expected one row of scores for each sample, got {core.describe(output)}")
    return output.argmax(1) + 1


def _output(module: Module, _: tuple, params: Tree, buffers: Tree, batch: Any, key: Key) -> tuple[Any, Any]:
    """The output, and recurrent state after it."""
    output, new = module.apply(params, buffers, batch, key=key)
    return output, carry_of(module, new)


def _measures(module: Module, methods: tuple, params: Tree, buffers: Tree, batch: Any, key: Key) -> tuple[list, Any]:
    output, carry = _output(module, (), params, buffers, batch[0], key)
    output = widened(output)
    return [method.measure(output, batch[1]) for method in methods], carry


_checking = {way: core.reporting(way) for way in (_output, _measures)}
_compiled = {way: programs.Compiled(jax.jit(function, static_argnums=(0, 1))) for way, function in _checking.items()}


def _running(
    way: Callable, module: Module, methods: tuple, params: Tree, buffers: Tree, batches: Iterable, key: Key
) -> Iterator[tuple[Any, Any]]:
    """(error, result) of each batch; nothing is waited for."""
    who = "evaluate" if way is _measures else "predict"
    check_module(who, module)
    run = (_compiled if module.traits.traceable else _checking)[way]
    for number, batch in enumerate(batches):
        check_taken(who, batch)
        own = None if key is None else jax.random.fold_in(key, number)
        error, (result, carry) = run(module, methods, params, buffers, jax.tree.map(_on_device, batch), own)
        buffers = with_carry(module, buffers, carry)
        yield error, result


def _on_device(array: Any) -> Any:
    return array if isinstance(array, jax.Array) else jax.device_put(array)  # jnp.asarray compiles for each shape


def _read(outcome: tuple[Any, Any]) -> Any:
    error, output = outcome
    core.raise_found(error)
    return jax.device_get(output)


def in_order(loader: DataLoader, batch_size: int | None, **options: int) -> Iterator[Value]:
    """A loader's batches in its order, of `IN_ORDER` samples unless a number is given."""
    return closed_after(loader.batches(IN_ORDER if batch_size is None else batch_size, **options))


def closed_after(batches: Batches) -> Iterator[Value]:
    """The batches, whose workers are stopped at the end, or when one cannot be made."""
    with batches:
        yield from batches


def pairs(batches: Iterable[Value], batch_size: int | None) -> Iterable:
    """The batches (input, target) of what `evaluate` takes."""
    if isinstance(batches, DataLoader):
        return in_order(batches, batch_size)
    if batch_size is None:
        return map(_pair, _iterated("evaluate", "batches (input, target)", batches))
    if not isinstance(batches, (tuple, list)) or len(batches) != 2:
        raise TypeError(f"evaluate: with a batch_size, expected (inputs, targets), got {core.describe(batches)}")
    return _split("evaluate", tuple(batches), batch_size)


def _pair(batch: Any) -> Any:
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise TypeError(
            f"evaluate: without a batch_size, expected batches (input, target), got {core.describe(batch)} as one"
        )
    return batch


def _iterated(name: str, what: str, batches: Iterable[Value]) -> Iterable:
    try:
        each = iter(batches)
    except TypeError:
        raise TypeError(f"{name}: expected {what}, got {core.describe(batches)}") from None
    return (as_it_is_now(batch, batches) for batch in each)


def inputs(batches: Iterable[Value], batch_size: int | None) -> Iterable:
    """The batches of what `predict` takes."""
    if isinstance(batches, DataLoader):
        return (input for input, _ in in_order(batches, batch_size))
    if batch_size is not None:
        return _split("predict", batches, batch_size)
    if hasattr(batches, "ndim"):
        return [batches]
    each = _iterated("predict", "inputs", batches)
    return (batch[0] if isinstance(batch, tuple) and len(batch) == 2 else batch for batch in each)


def _split(name: str, whole: Any, size: int) -> Iterator[Any]:
    """Consecutive batches of the arrays of a tree; the last may be smaller, or larger by one that would be left."""
    if not isinstance(size, (int, np.integer)):
        raise TypeError(f"{name}: expected a whole number as batch_size, got {size!r}")
    whole = jax.tree.map(lambda leaf: leaf if hasattr(leaf, "ndim") else np.asarray(leaf), whole)
    counts = {leaf.shape[0] if leaf.ndim else 0 for leaf in jax.tree.leaves(whole)}
    if len(counts) != 1 or 0 in counts or size < 1:
        raise ValueError(
            f"{name}: expected arrays of equally many samples and a batch_size above 0, got "
            f"{[tuple(leaf.shape) for leaf in jax.tree.leaves(whole)]} and {size}"
        )
    count = counts.pop()
    starts = range(0, max(count - (size > 1), 1), size)
    for first, end in zip(starts, [*starts[1:], count], strict=True):
        yield jax.tree.map(lambda leaf, cut=slice(first, end): leaf[cut], whole)
