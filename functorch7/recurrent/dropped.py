"""Dropout inside of cells: on the input and on the state of each gate, with masks that are kept for a sequence."""

from typing import TYPE_CHECKING, ClassVar

import jax
import jax.numpy as jnp

from ..core import check_positive, draws, is_concrete
from ..core.types import Array, State
from ..layers.dropout import Dropping
from .abstract import Cell


class DroppingCell(Dropping, Cell, abstract=True):
    """A cell that drops elements of its input and of its output with probability p, for each of `copies` gates.

    The masks are drawn at the first training step and kept for a sequence, one row for the whole batch if mono.
    Source: Gal, 2016.
    """

    drawn: ClassVar[tuple[str, ...]] = ("input_mask", "output_mask")
    copies: ClassVar[int]

    if TYPE_CHECKING:  # fields of subclasses, in Torch's order
        rho: int
        p: float
        mono: bool

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size, output_size=self.output_size, rho=self.rho)
        super().__post_init__()

    @property
    def drops(self) -> bool:
        """Whether there is dropout; it is assumed where p is an argument of the program."""
        return not is_concrete(self.p) or self.p != 0

    @property
    def tunable(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("p",) if self.drops else ()

    def draws(self, train: bool) -> bool:
        return train and self.drops

    def init_buffers(self) -> State:
        unused = () if self.drops else set(self.transient) - set(self.hidden)
        return {name: value for name, value in super().init_buffers().items() if name not in unused}

    def draw(self, key: Array, input: Array) -> State:
        sizes = {"input_mask": self.input_size, "output_mask": self.output_size}
        return {
            name: self._masks(jax.random.fold_in(key, i), input, size) for i, (name, size) in enumerate(sizes.items())
        }

    def _masks(self, key: Array, input: Array, size: int) -> Array:
        """A mask for each gate, for values of `size` features: elements are 0 or 1 / (1 - p)."""
        batch = (1,) * (input.ndim - 1) if self.mono else input.shape[:-1]
        kept = draws.happens(key, self.kept, (self.copies, *batch, size))
        return jnp.where(kept, jnp.asarray(self.gain, input.dtype), 0)


def masked_copies(value: Array, masks: Array | None, count: int) -> list:
    """`count` copies of a value, each with its mask; with masks None, unchanged."""
    if masks is None:
        return [value] * count
    steps = (1,) * (value.ndim + 1 - masks.ndim)  # one mask for all of them
    return [value * mask.reshape(steps + mask.shape) for mask in masks[:count]]
