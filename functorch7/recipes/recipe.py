"""Recipes: hyper-parameters that define a task, that is, a network, its data and how it learns."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import jax
import msgspec
import optax

from ..core import Module, Variables
from ..core.types import Tree, Value
from ..data import DataLoader
from ..training.measures import ValidationMethod
from ..training.settings import first_dimension

Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Probability = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Sizes = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)]
"""The sizes of layers, at least one."""
Schedule = dict[Positive, NotNegative]
"""Epoch -> the learning rate after it."""
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
"""JAX's keys take 32 bits of it."""

Devices = Literal["copies", "shards"]
Floating = Literal["bfloat16", "float16", "float32", "float64"]


class Task(NamedTuple):
    """Everything that a training run needs."""

    module: Module
    init: Callable[[jax.Array], Variables]
    """Returns the initial arrays for a key."""
    criterion: Callable
    optimizer: optax.GradientTransformation
    train: DataLoader
    validation: DataLoader
    test: DataLoader | None
    batch_size: int
    """The samples of a batch, or its time-steps if the loader yields sequences."""
    methods: Sequence[ValidationMethod]
    """The measures of quality; the first decides which epoch is the best."""
    count: Callable[[Value, Value], int] = first_dimension
    """Counts the examples, or words, of a batch (input, target)."""
    batch_dim: int = 1
    """The dimension, from 1, by which inputs and targets are divided among devices."""
    clip: float | None = None
    """The largest norm of the gradient."""
    by_rows: bool = False
    """Whether a batch only changes the rows of tables that it reads; see Trainer."""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="recipe", kw_only=True):
    """Hyper-parameters. A subclass adds its own and writes `task()`."""

    epochs: Positive = 10
    early_stop: Positive | None = None
    """The number of epochs without a new best one after which training ends; None never ends early."""
    seed: Seed = 0
    devices: Devices | None = None
    """Train on all devices, each with all parameters ("copies") or with a part of them ("shards")."""
    compute_dtype: Floating | None = None
    """The type in which the network computes; parameters stay float32."""

    def task(self) -> Task:
        """Reads the data and makes the network."""
        raise NotImplementedError

    def draw(self, task: Task, params: Tree, buffers: Tree, folder: Path) -> None:
        """Draws results for test data into a folder, in recipes that have pictures; by default nothing."""

    def steps_in(self, train: DataLoader, batch_size: int) -> int:
        """The steps of an epoch, by which rates change: many devices share whole batches only."""
        return train.batches(batch_size, drop_last=self.devices is not None).per_epoch

    @property
    def key(self) -> jax.Array:
        """The key of all random numbers."""
        return jax.random.key(self.seed)
