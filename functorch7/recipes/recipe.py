"""What a recipe is: hyper-parameters that make a task, which is a network, what it learns from and how."""

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
"""Of layers, at least one."""
Schedule = dict[Positive, NotNegative]
"""Epoch -> the learning rate after it."""
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
"""JAX's keys take 32 bits of it."""

Devices = Literal["copies", "shards"]
Floating = Literal["bfloat16", "float16", "float32", "float64"]


class Task(NamedTuple):
    """All that a training run needs."""

    module: Module
    init: Callable[[jax.Array], Variables]
    """Initial arrays from a key."""
    criterion: Callable
    optimizer: optax.GradientTransformation
    train: DataLoader
    validation: DataLoader
    test: DataLoader | None
    batch_size: int
    """Samples of a batch; time-steps where the loader is one of sequences."""
    methods: Sequence[ValidationMethod]
    """How good it is; the first decides which epoch was the best."""
    count: Callable[[Value, Value], int] = first_dimension
    """How many examples, or words, a batch (input, target) has."""
    batch_dim: int = 1
    """The dimension of inputs and targets that devices share, from 1."""
    clip: float | None = None
    """The largest norm of the gradient."""
    by_rows: bool = False
    """Whether of its tables a batch changes the rows that it reads; see Trainer."""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="recipe", kw_only=True):
    """Hyper-parameters. A subclass adds its own and writes `task()`."""

    epochs: Positive = 10
    early_stop: Positive | None = None
    """Epochs without a new best one after which training ends; None goes on."""
    seed: Seed = 0
    devices: Devices | None = None
    """Train on all devices: with all parameters on each ("copies"), or a part of them on each ("shards")."""
    compute_dtype: Floating | None = None
    """In which type the network computes; parameters stay float32."""

    def task(self) -> Task:
        """Reads the data and makes the network."""
        raise NotImplementedError

    def draw(self, task: Task, params: Tree, buffers: Tree, folder: Path) -> None:
        """Draws what the network does with test data into a folder, where that can be seen; here it cannot."""

    @property
    def key(self) -> jax.Array:
        """What all random numbers come from."""
        return jax.random.key(self.seed)
