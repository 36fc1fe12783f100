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
    """Trains a module by an optax optimizer: `Trainer(module, criterion, optimizer, "runs/digits").fit(data, 10)`.

    Into `folder` it writes checkpoints, metrics.jsonl (a record every `log_every` steps and at the end of each epoch),
    epochs.csv, and files for TensorBoard if `tensorboard`. Without a folder nothing is written.
    Checkpoints are written at the end of each epoch, and every `save_every` steps: the last `keep_last` are kept, and
    the `keep_best` best ones. What is best is decided by the result `monitor`, by default the first method's (of a
    function's, the first; without validation or methods, the "loss" of training); less is better for losses, more for
    everything else, unless `larger_is_better` says so. If the last checkpoint is damaged, a run goes on from the newest
    whole one, with a warning; on_damaged="raise" refuses. Damaged ones are kept under other names. `patience` epochs in
    a row without a better one end the run.

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
    `methods` are measures of validation: methods, or functions (output, target) that give a number for each sample, or
    the mean of a batch; one that is monitored needs `larger_is_better`, and none is called "loss", which is that of
    training. `callbacks` are told of the run (`Callback`).
    `count(input, target)` says how many examples (or words) a batch has. `verbose` prints a line for each epoch, and a
    progress bar on terminals.
    Losses are read when `log_every` steps were started, so that the device need not wait; so many batches are held.
    Raises: TypeError and ValueError for settings that make no sense.

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
        Raises: FloatingPointError, naming the first module, for a loss or gradient that is not finite, or the value
        that made it so; OSError for what cannot be written; BlockingIOError, naming the other process, while
        another run is in the folder; FileExistsError if there is a run in it and not `resume`;
        ValueError for data without a batch, a first batch whose target makes no sense, a run with another seed, and an
        iterator as validation of more than one epoch;
        what the data raise. A note says which checkpoint is whole.
        """
        with interrupts(self.sharding) as signals, contextlib.ExitStack() as opened:
            run = Run(self, signals, opened, data, validation, batch_size, seed, variables, resume)
            return run.fit(epochs)

    def load(self, best: bool = False) -> TrainState:
        """The state of the last checkpoint in the folder, or of the best one.

        Of damaged ones a warning is given, and the one before is loaded, or the next best, unless on_damaged="raise".
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
