"""Torch's confusion matrix: how often each class was taken for each other."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks.declared import whole_number
from ...checks.errors import describe
from ...checks.kinds import fault_of_real
from ...checks.taken import array_of
from ..objects.torch_object import InFiles
from ..tensors.kinds import Numbers
from ..tensors.named import Written
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped
from .pictures import new_figure, pixels, show, write

TITLES = {
    "score": "Confusion matrix [sorted by scores, global accuracy = {:.3f}%, per-class accuracy = {:.3f}%]",
    "occurrence": "Confusion matrix [sorted by occurrences, accuracy = {:.3f}%, per-class accuracy = {:.3f}%]",
}

DPI = 64  # a power of two, so that sizes in inches are whole numbers of pixels


def _mean_of_numbers(values: np.ndarray) -> float:
    """The mean of the numbers that are not NaN; NaN if there are none."""
    numbers = values[~np.isnan(values)]
    # Added one after the other, as in Torch: the printed text has 14 digits.
    return float(np.cumsum(numbers)[-1] / numbers.size) if numbers.size else math.nan


class ConfusionMatrix(Written, InFiles):
    """mat[t][p] counts the examples of class t that were taken for class p; classes count from 1.

    `ConfusionMatrix(nclasses)`, `(nclasses, names)` or `(names)`. Fields: mat (nclasses x nclasses, integers),
    nclasses, classes (the names, or an empty list); and, from the last `updateValids`, valids and unionvalids (one for
    each class), totalValid, averageValid, averageUnionValid. `str(confusion)` updates these and is what Torch prints.
    Raises: ValueError unless there is at least one class, and for more names than classes.
    Differs from Torch7: a vector of scores needs one for each class; the error names classes outside 1 to nclasses.
    Source: torch/optim, ConfusionMatrix.lua.
    """

    _package = "optim"

    def __init__(self, nclasses: int | Sequence[str], classes: Sequence | None = None):
        if isinstance(nclasses, (list, tuple)):
            nclasses, classes = len(nclasses), nclasses
        count = whole_number(nclasses)
        if count is None or count < 1:
            raise ValueError(
                f"optim.ConfusionMatrix: expected a number of classes >= 1, or their names; got {nclasses!r}"
            )
        self.nclasses = count
        self.classes = list(classes or [])
        if len(self.classes) > self.nclasses:
            raise ValueError(f"optim.ConfusionMatrix: expected {nclasses} names of classes, got {len(self.classes)}")
        self.mat = Tensor.of(np.zeros((self.nclasses, self.nclasses), np.int64))
        self.valids = Tensor.of(np.zeros(self.nclasses, np.float32))
        self.unionvalids = Tensor.of(np.zeros(self.nclasses, np.float32))
        self.totalValid = self.averageValid = self.averageUnionValid = 0.0

    def take_saved(self) -> None:
        fields = vars(self)
        mat = fields.get("mat")
        if not isinstance(mat, Tensor) or mat.dim() != 2 or mat.shape != 2 * (mat.shape[0],):
            raise ValueError(f"expected counts, n x n, got {describe(mat)} as mat")
        classes = fields.get("classes")
        made = vars(ConfusionMatrix(mat.shape[0], classes if isinstance(classes, list) else None))
        self.__dict__ = {**made, **fields, "nclasses": made["nclasses"], "classes": made["classes"]}
        for name in ("valids", "unionvalids"):
            given = vars(self)[name]
            if not isinstance(given, Tensor) or given.shape != made[name].shape:
                raise ValueError(f"expected a rate of each class, got {describe(given)} as {name}")

    def add(self, prediction: Numbers, target: Numbers) -> None:
        """Counts one example. Both are classes, or vectors with a score for each class (the largest counts).

        Targets <= 0 mean missing and are ignored. Raises ValueError for unknown classes, vectors of other sizes,
        and a vector as target of a class.
        """
        pair = [_numbers("add", value) for value in (prediction, target)]
        if pair[0].ndim > 1 or pair[1].ndim > pair[0].ndim:
            raise ValueError(
                "optim.ConfusionMatrix.add: expected a class, or a vector of scores, with a class or a vector as "
                f"target; got shapes {pair[0].shape} and {pair[1].shape}"
            )
        self._count("add", *(self._chosen("add", value) if value.ndim else value[None] for value in pair))

    def batchAdd(self, predictions: Numbers, targets: Numbers) -> None:
        """Counts a batch. Both have a class (n or n x 1) or scores (n x nclasses) for every example.

        Targets <= 0 mean missing and are ignored. Raises ValueError for unknown classes and other shapes.
        """
        pair = []
        for name, values in (("predictions", predictions), ("targets", targets)):
            array = _numbers("batchAdd", values)
            if array.ndim not in (1, 2):
                raise ValueError(
                    f"optim.ConfusionMatrix.batchAdd: {name} has invalid number of dimensions: {array.shape}"
                )
            single = array.ndim == 1 or array.shape[1] == 1
            pair.append(array.reshape(-1) if single else self._chosen("batchAdd", array))
        if len(pair[0]) != len(pair[1]):
            raise ValueError(
                f"optim.ConfusionMatrix.batchAdd: expected as many targets as predictions, "
                f"got {len(pair[0])} predictions and {len(pair[1])} targets"
            )
        self._count("batchAdd", *pair)

    def _chosen(self, method: str, scores: np.ndarray) -> np.ndarray:
        """The class with the largest score, the first among equals, for each vector."""
        if scores.shape[-1] != self.nclasses:
            raise ValueError(
                f"optim.ConfusionMatrix.{method}: expected scores of {self.nclasses} classes, got shape {scores.shape}"
            )
        return np.atleast_1d(scores.argmax(-1) + 1)

    def _count(self, method: str, predictions: np.ndarray, targets: np.ndarray) -> None:
        known = ~(targets <= 0)
        pairs = np.stack([targets[known], predictions[known]])
        wrong = pairs[~((pairs >= 1) & (pairs <= self.nclasses) & (pairs == np.floor(pairs)))]
        if wrong.size:
            raise ValueError(
                f"optim.ConfusionMatrix.{method}: expected classes from 1 to {self.nclasses}, got {wrong[0]:g}"
            )
        row, column = pairs.astype(np.int64) - 1
        counts = np.bincount(row * self.nclasses + column, minlength=self.nclasses**2)
        self.mat.add(counts.reshape(self.nclasses, self.nclasses))

    def zero(self) -> None:
        """Sets all counts and rates to zero."""
        for tensor in (self.mat, self.valids, self.unionvalids):
            tensor.zero()
        self.totalValid = self.averageValid = self.averageUnionValid = 0.0

    def updateValids(self) -> None:
        """valids: mat[t][t] / the row's sum; unionvalids: mat[t][t] / (the row's + the column's sum - mat[t][t]).

        totalValid is the trace divided by all counts, averageValid and averageUnionValid are means over the classes
        that occur as targets; NaN where there is nothing to divide by.
        """
        mat = np.asarray(self.mat, np.float64)
        right, rows, columns = mat.diagonal(), mat.sum(1), mat.sum(0)
        with np.errstate(invalid="ignore"):
            self.valids.copy(right / rows)
            self.unionvalids.copy(right / (rows + columns - right))
            self.totalValid = float(right.sum() / mat.sum())
        valids, unions = (np.asarray(tensor, np.float64) for tensor in (self.valids, self.unionvalids))
        self.averageValid = _mean_of_numbers(valids)
        self.averageUnionValid = _mean_of_numbers(unions[~np.isnan(valids)])

    def farFrr(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(classFrrs, classFars, frrs, fars): each class's rates of false rejection and of false acceptance.

        frr_i = 1 - mat[i][i] / n_i, and far_i is the mean of mat[j][i] / n_j over the other classes j that occur as
        targets. The first two tensors hold -1 for classes without examples, which the last two leave out.
        """
        mat = np.asarray(self.mat, np.float64)
        found = mat.sum(1) > 0
        rates = mat[found] / mat[found].sum(1, keepdims=True)
        right = rates[np.arange(len(rates)), found.nonzero()[0]]
        with np.errstate(invalid="ignore"):
            compact = 1 - right, (rates.sum(0)[found] - right) / (len(rates) - 1)
        per_class = np.full((2, self.nclasses), -1.0)
        per_class[:, found] = compact
        return Tensor.of(per_class[0]), Tensor.of(per_class[1]), Tensor.of(compact[0]), Tensor.of(compact[1])

    def __repr__(self) -> str:
        self.updateValids()
        counts = np.asarray(self.mat).astype(np.int64)
        width = max(8, 1 + math.ceil(math.log10(max(counts.max(), 1))))
        text = "ConfusionMatrix:\n["
        for t, (row, valid) in enumerate(zip(counts, self.valids.numpy().tolist(), strict=True)):
            text += ("[" if t == 0 else " [") + "".join(f"{count:{width}d}" for count in row)
            text += ("]]  " if t == self.nclasses - 1 else "]   ") + f"{valid * 100:.3f}% "
            if self.classes:
                text += f"\t[class: {self._name(t, '')}]"
            text += "\n"
        # Numbers as Lua writes them.
        text += f" + average row correct: {self.averageValid * 100:.14g}% \n"
        text += f" + average rowUcol correct (VOC measure): {self.averageUnionValid * 100:.14g}% \n"
        return text + f" + global correct: {self.totalValid * 100:.14g}%"

    def _name(self, position: int, nameless: str) -> str:
        """The name of the class at a position, from 0."""
        return str(self.classes[position]) if position < len(self.classes) else nameless

    def render(
        self,
        sortmode: str = "score",
        display: bool = False,
        block: int = 25,
        legendwidth: int = 200,
        path: str | os.PathLike | None = None,
    ) -> Tensor:
        """A picture, 3 x height x width from 0 to 1, of each row divided by its sum; written to `path` if given.

        Classes come in descending order of their share of right answers ('score') or number of examples ('occurrence').
        A class is `block` pixels high; on the right, `legendwidth` pixels wide, are the classes' names and numbers of
        examples. `display` also opens a window if there is a screen.
        Raises ValueError for another mode, ImportError without matplotlib.
        """
        if sortmode not in TITLES:
            raise ValueError(
                f"optim.ConfusionMatrix.render: sort mode must be one of: score | occurrence, got {sortmode!r}"
            )
        mat = np.asarray(self.mat, np.float64)
        counts = mat.sum(1)
        rates = mat / np.maximum(counts, 1)[:, None]
        order = np.argsort(-(rates.diagonal() if sortmode == "score" else counts), kind="stable")
        size = ((self.nclasses * block + legendwidth) / DPI, self.nclasses * block / DPI)
        figure: Any = new_figure("optim.ConfusionMatrix.render", display, figsize=size, dpi=DPI, facecolor="black")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.axis("off")
        _draw_rates(axes, rates[np.ix_(order, order)], legendwidth / block)
        for place, target in enumerate(order):
            share = f"[{counts[target] / max(counts.sum(), 1) * 100:.2f}% labels]"
            for part, text in ((0.05, share), (0.6, self._name(target, str(target + 1)))):
                x = self.nclasses + part * legendwidth / block
                axes.text(x, place + 0.5, text, color="white", verticalalignment="center", fontsize=0.4 * block)
        if display:
            self.updateValids()
            title = TITLES[sortmode].format(self.totalValid * 100, self.averageValid * 100)
            figure.canvas.manager.set_window_title(title)
            show(figure)
        if path is not None:
            write(figure, path)
        return Tensor.of(pixels(figure).transpose(2, 0, 1))


def _draw_rates(axes: Any, rates: np.ndarray, room: float) -> None:
    """A grey square of size 1, with its percentage, for each rate; on the right is room for a legend."""
    n = len(rates)
    axes.set(xlim=(0, n + room), ylim=(n, 0))
    axes.imshow(rates, cmap="gray", vmin=0, vmax=1, extent=(0, n, n, 0), aspect="auto")
    axes.hlines(range(1, n + 1), 0, n, color="0.1", linewidth=0.7)
    axes.vlines(range(1, n + 1), 0, n, color="0.1", linewidth=0.7)
    size = 0.4 * axes.figure.bbox.height / n
    for (row, column), rate in np.ndenumerate(rates):
        text, shade = f"{math.floor(rate * 100 + 0.5):02d}", "white" if rate < 0.5 else "black"
        axes.text(column + 0.5, row + 0.5, text, color=shade, ha="center", va="center", fontsize=size)


def _numbers(method: str, value: Numbers) -> np.ndarray:
    """Classes or scores as an array. Raises TypeError, ValueError for anything but real numbers."""
    who = f"optim.ConfusionMatrix.{method}"
    array = array_of(who, unwrapped(value))
    if (fault := fault_of_real(array, "classes or scores")) is not None:
        raise type(fault)(f"{who}: {fault}")
    return array.astype(np.float64)
