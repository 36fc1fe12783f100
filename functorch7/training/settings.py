"""What a `Trainer` is told, and what follows from it for a run: the step, the measures, the checkpoints, the score."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path

import jax
import numpy as np
import optax
from jax.typing import DTypeLike

from ..checks.numbers import check_amount, check_whole
from ..core import Module
from ..core.types import Input, Value
from ..optim import grad_param_clip
from .asked import asking
from .averaging import average_of, averaged
from .callbacks import Callback, TensorBoard
from .checkpoints import Checkpoints
from .given import check_callbacks, check_flags, check_floating_type, check_folder, check_optimizer, check_parts
from .guarded import make_guarded_step
from .measures import AccuracyResult, LossResult, Measured, ValidationMethod
from .records import check_names
from .rows import all_but_tables, descent_by_rows
from .sharding import Sharding
from .state import TrainState
from .step import descent, make_loss
from .validation import Loss, as_methods

FLAGS = ("by_rows", "validate_average", "keep_state", "larger_is_better", "tensorboard", "verbose")


def first_dimension(input: Input, target: Input) -> int:
    """How many examples a batch has: the size of its input's first dimension (1 of a number)."""
    return int((*np.shape(jax.tree.leaves(input)[0]), 1)[0])


@dataclass(frozen=True, eq=False)
class Settings:
    """How a network is trained; `Trainer` explains each.

    Raises: ValueError and TypeError for invalid settings.
    """

    module: Module
    criterion: Callable
    optimizer: optax.GradientTransformation
    folder: str | os.PathLike | None = None
    _: KW_ONLY
    methods: Sequence[ValidationMethod | Callable] | None = None
    callbacks: Sequence[Callback] = ()
    compute_dtype: DTypeLike | None = None
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
    on_damaged: str = "skip"
    monitor: str | None = None
    larger_is_better: bool | None = None
    patience: int | None = None
    count: Callable[[Value, Value], int] = first_dimension
    tensorboard: bool = False
    verbose: bool = True

    def __post_init__(self) -> None:
        check_parts("Trainer", self.module, self.criterion)
        check_optimizer("Trainer", self.optimizer)
        if self.folder is not None:
            check_folder("Trainer", self.folder)
        self._check_kinds()
        self._check_values()
        self._check_rows()
        self._check_methods()

    def _check_kinds(self) -> None:
        counts = ("accumulate", "log_every", "save_every", "keep_last", "patience")
        told = {name: getattr(self, name) for name in counts if getattr(self, name) is not None}
        check_whole("Trainer", 1, **told)
        check_whole("Trainer", 0, keep_best=self.keep_best)
        check_callbacks(self.callbacks)
        check_flags(**{name: getattr(self, name) for name in FLAGS if getattr(self, name) is not None})
        if not callable(self.count):
            raise TypeError(f"Trainer: expected a function (input, target) as count, got {self.count!r}")
        if self.sharding is not None and not isinstance(self.sharding, Sharding):
            raise TypeError(f"Trainer: expected a sharding, such as data_parallel(), got {self.sharding!r}")
        if self.compute_dtype is not None:
            check_floating_type("compute_dtype", self.compute_dtype)
        for name in ("clip", "average"):
            if getattr(self, name) is not None:
                check_amount("Trainer", name, getattr(self, name))

    def _check_values(self) -> None:
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"Trainer: expected clip above 0, got {self.clip}")
        if self.average is not None and not 0 <= self.average < 1:
            raise ValueError(f"Trainer: expected average from 0 to below 1, such as 0.999, got {self.average}")
        for name in ("save_every", "tensorboard"):
            if self.folder is None and getattr(self, name):
                raise ValueError(f"Trainer: {name}={getattr(self, name)} needs a folder to write to")
        if self.on_damaged not in ("skip", "raise"):
            raise ValueError(f'Trainer: expected on_damaged "skip" or "raise", got {self.on_damaged!r}')
        if self.validate_average and self.average is None:
            raise ValueError("Trainer: validate_average needs average, such as 0.999")

    def _check_rows(self) -> None:
        for name, plain in {"sharding": None, "accumulate": 1, "average": None}.items():
            if self.by_rows and getattr(self, name) != plain:
                raise ValueError(
                    f"Trainer: expected {name}={plain} with by_rows=True, which changes rows of tables at every step, "
                    f"on one device; got {name}={getattr(self, name)}"
                )

    def _check_methods(self) -> None:
        names = [str(method) for method in self.measures]
        check_names("Trainer", names)
        if len(set(names)) < len(names):
            raise ValueError(f"Trainer: expected methods of different names, got {', '.join(names)}")
        functions = [str(method) for method in self.measures if isinstance(method, Measured)]
        if self.larger_is_better is None and (self.monitor or next(iter(names), "loss")) in functions:
            name = self.monitor or names[0]
            raise ValueError(f"Trainer: {name} is monitored, a function; say larger_is_better=True or False")

    def averaged(self, state: TrainState) -> Value:
        """The averaged parameters in a state. Raises: ValueError if there are none."""
        if self.average is None:
            raise ValueError("Trainer.averaged: this trainer keeps no average; give it average=0.999")
        average = average_of(state.optimizer_state, self.average)
        return jax.tree.map(lambda mean, param: mean.astype(param.dtype), average, state.params)

    def validated(self, state: TrainState) -> Value:
        """The parameters in a state that validation looks at."""
        return self.averaged(state) if self.validate_average else state.params

    @cached_property
    def transformation(self) -> optax.GradientTransformation:
        """The optimizer, with clipping, average and accumulation around it."""
        made = all_but_tables(self.module, self.optimizer) if self.by_rows else asking(self.optimizer)
        if self.clip is not None:
            made = optax.chain(grad_param_clip(self.clip), made)
        if self.average is not None:
            made = averaged(made, self.average)
        if self.accumulate == 1:
            return made
        steps = optax.MultiSteps(made, self.accumulate)
        return optax.GradientTransformationExtraArgs(steps.init, steps.update)  # type: ignore[arg-type]

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
        return [Loss(self.criterion)] if self.methods is None else as_methods("Trainer", self.methods)

    @cached_property
    def listeners(self) -> Sequence[Callback]:
        """The callbacks, and that for TensorBoard if it is wanted."""
        if not self.tensorboard or self.folder is None:
            return self.callbacks
        return [*self.callbacks, TensorBoard(Path(self.folder, "tensorboard"))]

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
