"""The training loop as one object: settings here, the loop itself in `run.py`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax

from ..core import Module, Variables
from .averaging import average_of, averaged
from .checkpoints import Checkpoints
from .guarded import make_guarded_step
from .interrupts import interrupts
from .rows import all_but_tables, descent_by_rows
from .run import Result, Run
from .sharding import Sharding
from .step import TrainState, descent, make_loss
from .validation import AccuracyResult, Loss, LossResult, ValidationMethod


def first_dimension(input: Any, target: Any) -> int:
    """How many examples a batch has: the size of its input's first dimension (1 of a number)."""
    return int((*np.shape(jax.tree.leaves(input)[0]), 1)[0])


@dataclass(frozen=True, eq=False)
class Trainer:
    """Trains a module by an optax optimizer: `Trainer(module, criterion, optimizer, "runs/digits").fit(data, 10)`.

    Into `folder` it writes checkpoints, metrics.jsonl (a record every `log_every` steps and at the end of each epoch),
    epochs.csv, and files for TensorBoard if `tensorboard`. Without a folder nothing is written.
    Checkpoints are written at the end of each epoch, and every `save_every` steps: the last `keep_last` are kept, and
    the `keep_best` best ones. What is best is decided by the result `monitor`, by default the first method's (of a
    function's, the first; without validation, the "loss" of training); less is better for losses, more for everything
    else, unless `larger_is_better` says so. `patience` epochs in a row without a better one end the run.

    A step is one batch. `clip` bounds the norm of all gradients together; with `accumulate` the parameters change at
    every so many steps, by the mean of the gradients (optax.MultiSteps); `average`, such as 0.999, keeps an exponential
    moving average of the parameters, which validation uses if `validate_average`. `compute_dtype=jnp.bfloat16` is mixed
    precision. With a `sharding`, such as `data_parallel()`, many devices share each batch; a smaller last one is left
    out. The learning rate, with its schedule, is the optimizer's; it is recorded if `optax.inject_hyperparams`
    made that. Recurrent state that the network remembers is forgotten at the start of each epoch, unless `keep_state`.
    `by_rows` is for large tables that a batch reads in places (of LookupTable and NCEModule; `make_sgd_step` lists the
    layers): only the rows that were read get a gradient and change, by row - rate * gradient, whatever else the
    optimizer does; the rate is the one that is recorded. All other parameters are the optimizer's, and `clip` bounds
    the norm of both together. It goes without `sharding`, `accumulate` and `average`.
    `count(input, target)` says how many examples (or words) a batch has. `verbose` prints a line for each epoch, and a
    progress bar on terminals.
    Losses are read when `log_every` steps were started, so that the device need not wait; so many batches are held.
    Raises: ValueError for settings that make no sense.
    """

    module: Module
    criterion: Callable
    optimizer: optax.GradientTransformation
    folder: str | os.PathLike | None = None
    _: KW_ONLY
    methods: Sequence[ValidationMethod] | None = None
    compute_dtype: Any = None
    sharding: Sharding | None = None
    by_rows: bool = False
    accumulate: int = 1
    clip: float | None = None
    average: float | None = None
    validate_average: bool = False
    keep_state: bool = False
    log_every: int = 50
    save_every: int | None = None
    keep_last: int = 2
    keep_best: int = 1
    monitor: str | None = None
    larger_is_better: bool | None = None
    patience: int | None = None
    count: Callable[[Any, Any], int] = first_dimension
    tensorboard: bool = False
    verbose: bool = True

    def __post_init__(self) -> None:
        for name in ("accumulate", "log_every", "save_every", "keep_last", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"Trainer: expected {name} of at least 1, got {value}")
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"Trainer: expected clip above 0, got {self.clip}")
        if self.keep_best < 0:
            raise ValueError(f"Trainer: expected keep_best of at least 0, got {self.keep_best}")
        if self.validate_average and self.average is None:
            raise ValueError("Trainer: validate_average needs average, such as 0.999")
        for name, plain in {"sharding": None, "accumulate": 1, "average": None}.items():
            if self.by_rows and getattr(self, name) != plain:
                raise ValueError(
                    f"Trainer: expected {name}={plain} with by_rows=True, which changes rows of tables at every step, "
                    f"on one device; got {name}={getattr(self, name)}"
                )
        names = [str(method) for method in self.measures]
        if len(set(names)) < len(names):
            raise ValueError(f"Trainer: expected methods of different names, got {', '.join(names)}")

    def fit(
        self,
        data: Any,
        epochs: int,
        *,
        validation: Any = None,
        batch_size: int | None = None,
        seed: int = 0,
        variables: Variables | None = None,
        resume: bool = True,
    ) -> Result:
        """Trains until `epochs` epochs are complete, counting those of a run in the folder, which is gone on with.

        `data` is an iterable of batches (input, target) that can be iterated for each epoch, or a function of the
        epoch's number, from 1, that gives one; a loader, or the tuple (inputs, targets) of arrays, with a `batch_size`:
        these are shuffled; or a loader's `batches(...)`. `validation` is any of these, or a function of (params,
        buffers) that gives numbers by name; `methods` measure it in evaluation mode after each epoch.
        The seed decides initial values (unless `variables` are given), the order of the data, and all keys. A run that
        was stopped, at whatever moment, goes on from its last checkpoint as if nothing had happened: losses are equal
        to the last bit, if the data are and the machine computes as before.
        SIGINT (Ctrl-C) and SIGTERM end it after the step, with a checkpoint; of several processes that share the
        devices, one that is signalled ends all, after the same step.
        Raises: FloatingPointError, naming the first module, for a loss or gradient that is not finite; OSError for what
        cannot be written; FileExistsError if there is a run and not `resume`; ValueError for data without a batch, and
        for a run with another seed; what the data raise. A note says which checkpoint is whole.
        """
        with interrupts(self.sharding) as signals, contextlib.ExitStack() as opened:
            run = Run(self, signals, opened, data, validation, batch_size, seed, variables, resume)
            return run.fit(epochs)

    def load(self, best: bool = False) -> TrainState:
        """The state of the last checkpoint in the folder, or of the best one.

        Raises: ValueError without a folder; FileNotFoundError if there is none.
        """
        checkpoints = self.checkpoints()
        if checkpoints is None:
            raise ValueError("Trainer.load: this trainer has no folder")
        with contextlib.closing(checkpoints):
            step = checkpoints.best() if best else checkpoints.last()
            if step is None:
                raise FileNotFoundError(f"Trainer.load: no checkpoint in {checkpoints.folder}")
            return checkpoints.load(step, self.sharding)[0]

    def last_step(self) -> int | None:
        """The step of the last checkpoint in the folder; None if there is none yet."""
        checkpoints = self.checkpoints()
        if checkpoints is None:
            return None
        with contextlib.closing(checkpoints):
            return checkpoints.last()

    def averaged(self, state: TrainState) -> Any:
        """The averaged parameters in a state. Raises: ValueError if there are none."""
        if self.average is None:
            raise ValueError("Trainer.averaged: this trainer keeps no average; give it average=0.999")
        return average_of(state.optimizer_state, self.average)

    @cached_property
    def transformation(self) -> optax.GradientTransformation:
        """The optimizer, with clipping, average and accumulation around it."""
        made = all_but_tables(self.module, self.optimizer) if self.by_rows else self.optimizer
        if self.clip is not None:
            made = optax.chain(optax.clip_by_global_norm(self.clip), made)
        if self.average is not None:
            made = averaged(made, self.average)
        return optax.MultiSteps(made, self.accumulate).gradient_transformation() if self.accumulate > 1 else made

    @cached_property
    def step(self) -> Callable:
        """The compiled step; see `make_guarded_step`."""
        loss = make_loss(self.module, self.criterion, self.compute_dtype)
        if self.by_rows:
            return make_guarded_step(self.module, descent_by_rows(self.module, loss, self.transformation))
        made = descent(self.module, loss, self.transformation, self.sharding)
        return make_guarded_step(self.module, made, self.sharding)

    @property
    def measures(self) -> Sequence[ValidationMethod]:
        """The methods of validation: the criterion, unless others were given."""
        return [Loss(self.criterion)] if self.methods is None else self.methods

    def checkpoints(self) -> Checkpoints | None:
        """The folder's checkpoints; to be closed."""
        if self.folder is None:
            return None
        folder = Path(self.folder, "checkpoints")
        return Checkpoints(folder, self.module, self.transformation, self.keep_last, self.keep_best)

    def score(self, results: dict[str, float]) -> float:
        """How good results are: more is better. Raises: ValueError if what is monitored is not among them."""
        name = self.monitor or next(name for name in (*results, "loss") if name != "loss" or len(results) == 1)
        if name not in results:
            raise ValueError(f"Trainer: no result {name} to monitor; there are {', '.join(results)}")
        larger = self.larger_is_better
        if larger is None:
            kinds = {str(method): method.kind for method in self.measures}
            larger = name != "loss" and not issubclass(kinds.get(name, AccuracyResult), LossResult)
        return results[name] if larger else -results[name]
