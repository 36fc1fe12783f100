"""The training loop as one object: its settings in `settings.py`, the loop itself in `run.py`."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass

from ..core import Variables
from .feed import Data, Validation
from .interrupts import interrupts
from .resuming import described, newest_whole
from .run import Result, Run
from .settings import Settings
from .state import TrainState


@dataclass(frozen=True, eq=False)
class Trainer(Settings):
    """Trains a module with an optax optimizer: `Trainer(module, criterion, optimizer, "runs/digits").fit(data, 10)`.

    It writes into `folder`: checkpoints, metrics.jsonl (a record every `log_every` steps and at the end of each epoch),
    epochs.csv, and files for TensorBoard if `tensorboard`. Without a folder nothing is written.

    Checkpoints are written at the end of each epoch, and every `save_every` steps. The last `keep_last` of them are
    kept, and the `keep_best` best ones. The result named `monitor` decides what is best: by default that of the first
    method (for a function as validation, its first number; without validation or methods, the "loss" of training).
    Less is better for losses, more for everything else, unless `larger_is_better` is given. `patience` epochs in a row
    without a better result end the run. If the last checkpoint is damaged, a run resumes from the newest whole one,
    with a warning; on_damaged="raise" refuses. Damaged checkpoints are kept under other names.

    A step is one batch. `clip` bounds the norm of all gradients together. With `accumulate` the parameters change only
    every so many steps, by the mean of the gradients (optax.MultiSteps). `average`, such as 0.999, keeps an exponential
    moving average of the parameters, which validation uses if `validate_average`. `compute_dtype=jnp.bfloat16` is mixed
    precision. With a `sharding`, such as `data_parallel()`, many devices share each batch; a smaller last batch is left
    out. The optimizer sets the learning rate and its schedule; the rate is recorded if the optimizer was made by
    `optax.inject_hyperparams`. Recurrent state that the network remembers is forgotten at the start of each epoch,
    unless `keep_state`.

    `by_rows` is for large tables of which a batch reads only some rows (LookupTable, NCEModule and others, listed at
    `make_sgd_step`). Only the rows that were read get a gradient and change, by row - rate * gradient with the recorded
    rate, whatever the optimizer does. The optimizer updates all other parameters; `clip` bounds the norm of both
    together. `by_rows` cannot be combined with `sharding`, `accumulate` and `average`.

    `methods` are the measures of validation: methods, or functions (output, target) that give a number for each sample,
    or the mean of a batch. A function that is monitored needs `larger_is_better`. No measure may be called "loss", the
    name of the training loss. `callbacks` follow the run (`Callback`). `count(input, target)` gives the number of
    examples (or words) in a batch. `verbose` prints a line for each epoch, and a progress bar on terminals.

    Losses are read only after `log_every` steps have been started, so that the device never waits; that many batches
    are kept in memory.
    Raises: TypeError and ValueError for invalid settings.

    >>> import functorch7 as f7, numpy as np, optax
    >>> from functorch7.training import Trainer
    >>> trainer = Trainer(f7.Linear(2, 1), f7.MSECriterion(), optax.sgd(0.1), verbose=False)
    >>> x = np.eye(2, dtype=np.float32)
    >>> trainer.fit((x, x[:, :1]), epochs=2, batch_size=2).ended
    'all epochs'
    """

    def fit(
        self,
        data: Data,
        epochs: int,
        *,
        validation: Validation | None = None,
        batch_size: int | None = None,
        seed: int = 0,
        variables: Variables | None = None,
        resume: bool = True,
    ) -> Result:
        """Trains until `epochs` epochs are complete, and resumes a run in the folder, whose epochs count.

        `data` is an iterable of batches (input, target) that can be iterated for each epoch, or a function of the
        epoch's number, from 1, that returns one; or a loader, or the tuple (inputs, targets) of arrays, with a
        `batch_size`: these are shuffled; or a loader's `batches(...)`. `validation` is any of these, which `methods`
        measure in evaluation mode after each epoch, or a function of (params, buffers) that returns numbers by name.
        The seed decides the initial values (unless `variables` are given), the order of the data, and all keys. A run
        that was stopped, at any moment, resumes from its last checkpoint as if nothing had happened: its losses are
        equal to the last bit, if the data are the same and the machine computes as before.
        SIGINT (Ctrl-C) and SIGTERM end the run after the current step, with a checkpoint. If several processes share
        the devices, a signal to one of them ends all, after the same step.
        Raises: FloatingPointError, naming the first module, for a loss or gradient that is not finite, or the value
        that made it so; OSError if something cannot be written; BlockingIOError, naming the other process, while
        another run uses the folder; FileExistsError if it contains a run and `resume` is not set; ValueError for data
        without a batch, a first batch with invalid targets, a run with another seed, and an iterator as validation of
        more than one epoch; the errors of the data. A note says which checkpoint is whole.
        """
        with interrupts(self.sharding) as signals, contextlib.ExitStack() as opened:
            run = Run(self, signals, opened, data, validation, batch_size, seed, variables, resume)
            return run.fit(epochs)

    def load(self, best: bool = False) -> TrainState:
        """The state of the last checkpoint in the folder, or of the best one.

        If it is damaged, a warning says so, and the one before it, or the next best, is loaded; on_damaged="raise"
        refuses instead.
        Raises: ValueError without a folder, and for damaged checkpoints if no other is whole; FileNotFoundError if
        there is none.
        """
        checkpoints = self.checkpoints()
        if checkpoints is None:
            raise ValueError("Trainer.load: this trainer has no folder")
        with contextlib.closing(checkpoints):
            steps = checkpoints.by_score() if best else checkpoints.steps()[::-1]
            step, damaged = newest_whole(checkpoints, steps)
            said = f"Trainer.load: {described(checkpoints, damaged)}"
            if damaged and (step is None or self.on_damaged == "raise"):
                raise ValueError(said)
            if step is None:
                of_an_epoch = " of a whole epoch" if best else ""
                raise FileNotFoundError(f"Trainer.load: no checkpoint{of_an_epoch} in {checkpoints.folder}")
            if damaged:
                warnings.warn(f"{said}; loading that of step {step}", stacklevel=2)
            return checkpoints.load(step, self.sharding)[0]

    def last_step(self) -> int | None:
        """The step of the last checkpoint in the folder; None if there is none yet."""
        checkpoints = self.checkpoints()
        if checkpoints is None:
            return None
        with contextlib.closing(checkpoints):
            return checkpoints.last()
