"""Checkpoints of a run: written in the background, there whole or not at all, the last ones and the best ones kept."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.experimental.multihost_utils import sync_global_devices

from ..core import Module
from ..interop import orbax
from ..interop.packages import package
from ..network import carry_of, with_carry
from . import distributed
from .sharding import Sharding
from .state import TrainState

if TYPE_CHECKING:
    from optax import GradientTransformation


class Checkpoints:
    """A folder of checkpoints, named by step, each of which `functorch7.interop.orbax.load` reads, too.

    Beside what that writes, a checkpoint has recurrent state, and a plain dict that says where the run is.
    Kept are the last `keep_last`, and the `keep_best` with the largest score.
    Raises: ImportError without orbax.
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        module: Module,
        optimizer: GradientTransformation,
        keep_last: int,
        keep_best: int,
    ):
        ocp = package("orbax.checkpoint", "functorch7[training]")
        policies = ocp.checkpoint_managers
        self.folder, self.module, self.optimizer = Path(folder).absolute(), module, optimizer
        self._best = _Best(keep_best, {})
        self._manager = ocp.CheckpointManager(
            self.folder,
            item_handlers=orbax.handlers(),
            options=ocp.CheckpointManagerOptions(
                preservation_policy=policies.AnyPreservationPolicy([policies.LatestN(keep_last), self._best]),
                cleanup_tmp_directories=True,
            ),
        )
        for step in self._manager.all_steps():
            self._best.scores[step] = self._facts(step).get("score")

    def last(self) -> int | None:
        """The step of the last checkpoint that is whole."""
        return self._manager.latest_step()

    def best(self) -> int | None:
        """The step of the checkpoint with the largest score; the last of them, if several."""
        return next(iter(self._best.among(self._manager.all_steps())), None)

    def save(self, state: TrainState, progress: dict[str, Any], score: float | None = None) -> None:
        """Copies the state, and writes it while the program goes on.

        Raises: OSError if this checkpoint, or the one before it, cannot be written.
        """
        ocp = package("orbax.checkpoint")
        step = int(state.step)
        items = orbax.items_of(self.module, state.params, state.buffers, state.optimizer_state)
        carry = carry_of(self.module, state.buffers)
        if jax.tree.leaves(carry):
            items["carry"] = ocp.args.StandardSave(carry)
        self._best.scores[step] = None if score is None or math.isnan(score) else score
        facts = {"progress": progress, "score": self._best.scores[step]}
        facts = json.loads(json.dumps(facts, default=int))  # positions of data may have NumPy's integers
        with self._said(step):
            if step in self._manager.all_steps():  # of an epoch whose validation was interrupted: there is more now
                self._remove(step)
            self._manager.save(step, args=ocp.args.Composite(**items), custom_metadata=facts)

    def wait(self) -> None:
        """Until all is written. Raises: OSError if it cannot be."""
        with self._said(None):
            self._manager.wait_until_finished()

    def load(self, step: int, sharding: Sharding | None = None) -> tuple[TrainState, dict[str, Any]]:
        """The state, laid out, and the progress of a checkpoint. Raises: as `functorch7.interop.orbax.load`."""
        ocp = package("orbax.checkpoint")
        placed = None if sharding is None else sharding.of_array
        source = self.folder / str(step)
        params, buffers, optimizer_state = orbax.load(source, self.module, self.optimizer, placed=placed)
        if (self.folder / str(step) / "carry").exists():
            found = self._manager.restore(step, args=ocp.args.Composite(carry=ocp.args.StandardRestore()))
            buffers = with_carry(self.module, buffers, found["carry"])
        progress = self._facts(step)["progress"]
        state = TrainState(params, buffers, optimizer_state, jnp.asarray(step, jnp.int32))
        return state if sharding is None else sharding.place(self.module, state), progress

    def _facts(self, step: int) -> dict[str, Any]:
        """Nothing of a checkpoint whose deletion was cut short; there are later and better ones than that."""
        return self._manager.metadata(step).custom_metadata or {}

    def _remove(self, step: int) -> None:
        """Takes the last checkpoint away at once, so that no half of it can be taken for a whole one."""
        self._manager.wait_until_finished()
        if distributed.is_first():
            removed = self.folder / f"removed-{step}.orbax-checkpoint-tmp"  # such names are cleared at the next start
            (self.folder / str(step)).rename(removed)
            shutil.rmtree(removed)
        sync_global_devices(f"the checkpoint of step {step} is removed")
        self._manager.reload()

    def close(self) -> None:
        """Lets what is being written finish, and ends the background's threads; `wait` is what raises errors."""
        with contextlib.suppress(Exception):
            self._manager.close()

    @contextlib.contextmanager
    def _said(self, step: int | None) -> Iterator[None]:
        """Errors out of the block as an OSError that says what is whole."""
        try:
            yield
        except Exception as error:
            what = "a checkpoint" if step is None else f"the checkpoint of step {step}, or the one before it,"
            raise OSError(f"Trainer: {what} could not be written to {self.folder}: {error}") from error


@dataclass
class _Best:
    """Preserves the `count` checkpoints with the largest scores; one has no score in the middle of an epoch."""

    count: int
    scores: dict[int, float | None]

    def among(self, steps: Iterable[int]) -> list[int]:
        known = [(score, step) for step in steps if (score := self.scores.get(step)) is not None]
        return [step for _, step in sorted(known, reverse=True)[: self.count]]

    def should_preserve(self, checkpoints: Sequence[Any], *, context: Any) -> list[bool]:
        best = self.among(checkpoint.step for checkpoint in checkpoints)
        return [checkpoint.step in best for checkpoint in checkpoints]
