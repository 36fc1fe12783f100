"""Checkpoints of a run: written in the background, there whole or not at all, the last ones and the best ones kept."""

from __future__ import annotations

import contextlib
import json
import math
import operator
import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from ..core import Module
from ..interop import orbax
from ..interop.packages import check_installed, package
from ..network import carry_of, with_carry
from . import distributed, whole
from .records import Record
from .sharding import Sharding
from .state import TrainState

if TYPE_CHECKING:
    from optax import GradientTransformation
    from orbax.checkpoint import AsyncCheckpointer

ORBAX = "orbax.checkpoint", "functorch7[training]"
UNFINISHED, REMOVED, DAMAGED = ".unfinished", ".removed", ".damaged"
"""What follows the step in the names of folders that are no checkpoints: yet, any more, or so that one can use them."""


class Checkpoints:
    """A folder of checkpoints, named by step, each of which `functorch7.interop.orbax.load` reads, too.

    Beside what that writes, a checkpoint has recurrent state, and a list of its files with their checksums, in which a
    plain dict says where the run is. It is written under another name, and gets its own when all is there; it loses
    that before anything of it is deleted. Kept are the last `keep_last`, and the `keep_best` with the largest score.
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
        check_installed(*ORBAX)
        self.folder, self.module, self.optimizer = Path(folder).absolute(), module, optimizer
        self._kept, self._scores = (keep_last, keep_best), dict[int, float | None]()
        self._opened = contextlib.ExitStack()
        self._opened.enter_context(orbax.quiet())
        self._thread = ThreadPoolExecutor(1, "checkpoints")
        self._commit: Future | None = None
        self.newest: int | None = None
        """The step that was saved, or loaded, last; it may not be whole yet."""

    @cached_property
    def _ocp(self) -> ModuleType:
        return package(*ORBAX)

    @cached_property
    def _checkpointer(self) -> AsyncCheckpointer:
        """Made for the first checkpoint: a run's first step does not wait for orbax."""
        return self._ocp.AsyncCheckpointer(self._ocp.CompositeCheckpointHandler(**orbax.handlers()))

    # What is there ---------------------------------------------------------------------------------------------

    def steps(self) -> list[int]:
        """The steps of the checkpoints that are there, the last one last."""
        names = [path.name for path in self._folders()]
        return sorted(int(name) for name in names if name.isascii() and name.isdecimal())

    def _folders(self) -> list[Path]:
        """The folders in this one; whatever else somebody has put there is left alone."""
        return [path for path in self.folder.iterdir() if path.is_dir()] if self.folder.is_dir() else []

    def last(self) -> int | None:
        """The step of the last checkpoint."""
        return max(self.steps(), default=None)

    def by_score(self) -> list[int]:
        """The steps of the checkpoints that have a score, the largest first; of equal ones the last.

        Before them come those whose score cannot be read, which may have been the best.
        """
        steps = self.steps()
        best = self._best(steps)[::-1]
        return [*(step for step in reversed(steps) if step not in self._scores), *best]

    def problem(self, step: int) -> str | None:
        """What is wrong with a checkpoint, if it is damaged."""
        return whole.problem(self.folder / str(step))

    def _best(self, steps: Iterable[int]) -> list[int]:
        known = [(score, step) for step in steps if (score := self._score(step)) is not None]
        return [step for _, step in sorted(known)]

    def _score(self, step: int) -> float | None:
        if step not in self._scores:
            with contextlib.suppress(OSError, ValueError):
                self._scores[step] = whole.facts(self.folder / str(step)).get("score")
        return self._scores.get(step)

    # Saving ----------------------------------------------------------------------------------------------------

    def save(self, state: TrainState, progress: Record, score: float | None = None) -> None:
        """Copies the state, and writes it while the program goes on; in the place of one of the same step.

        Raises: OSError if this checkpoint, or the one before it, cannot be written.
        """
        step = int(state.step)
        items = orbax.items_of(self.module, state.params, state.buffers, state.optimizer_state)
        carry = carry_of(self.module, state.buffers)
        if jax.tree.leaves(carry):
            items["carry"] = self._ocp.args.StandardSave(carry)
        facts = {"progress": progress, "score": None if score is None or math.isnan(score) else score}
        facts = json.loads(json.dumps(facts, default=operator.index))  # positions of data may have NumPy's integers
        self.wait()
        with self._said(f"the checkpoint of step {step}"):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._checkpointer.save(self._place(step, UNFINISHED), args=self._ocp.args.Composite(**items))
        self.newest = step
        self._commit = self._thread.submit(self._committed, step, facts)

    def wait(self) -> None:
        """Until all is written, by all processes, which have to call this together, as they do `save`.

        The first one gives a checkpoint its name when the others have nothing to do any more: they wait for that, too.
        Raises: OSError, in each of them, if one could not write.
        """
        if self._commit is not None:
            with self._said(f"the checkpoint of step {self.newest}"):
                distributed.raise_together(self.finish())

    def finish(self) -> Exception | None:
        """Until this process has done its part, without the others; what went wrong, if anything did."""
        commit, self._commit = self._commit, None
        return None if commit is None else commit.exception()  # type: ignore[return-value]

    def _committed(self, step: int, facts: dict[str, Any]) -> None:
        """When orbax has written all, makes it the checkpoint of its step, and deletes those that are not kept."""
        self._checkpointer.wait_until_finished()
        if not distributed.is_first():
            return
        draft, final = self._place(step, UNFINISHED), self.folder / str(step)
        whole.seal(draft, facts)
        older = self._set_aside(step, REMOVED) if final.exists() else None
        draft.rename(final)
        self._scores[step] = facts["score"]
        if older is not None:
            shutil.rmtree(older)
        steps, (last, best) = self.steps(), self._kept
        kept = {*steps[-last:], *(self._best(steps)[-best:] if best else ())}
        for each in steps:
            if each not in kept:
                shutil.rmtree(self._set_aside(each, REMOVED))

    def _place(self, step: int, ending: str) -> Path:
        return self.folder / f"{step}{ending}"

    def _set_aside(self, step: int, ending: str) -> Path:
        """Gives a checkpoint another name, at once, and one that nothing has yet."""
        place, number = self._place(step, ending), 1
        while place.exists():
            place, number = self._place(step, f"{ending}-{number}"), number + 1
        return (self.folder / str(step)).rename(place)

    def set_aside(self, steps: Iterable[int]) -> list[str]:
        """Keeps damaged checkpoints under other names, which are returned, so that nothing is written over them."""
        return [self._set_aside(step, DAMAGED).name for step in steps]

    def clear(self) -> None:
        """Deletes what a program that was killed has left unfinished."""
        for path in self._folders():
            if UNFINISHED in path.name or REMOVED in path.name:
                shutil.rmtree(path)

    def close(self) -> None:
        """Lets what is being written finish, and ends the background's threads; `wait` is what raises errors."""
        self.finish()
        self._thread.shutdown()
        if "_checkpointer" in vars(self):
            with contextlib.suppress(Exception):
                self._checkpointer.close()
        self._opened.close()

    @contextlib.contextmanager
    def _said(self, what: str) -> Iterator[None]:
        """Errors out of the block as an OSError that says what could not be written."""
        try:
            yield
        except Exception as error:
            raise OSError(f"Trainer: {what} could not be written to {self.folder}: {error}") from error

    # Loading ---------------------------------------------------------------------------------------------------

    def load(self, step: int, sharding: Sharding | None = None) -> tuple[TrainState, Record]:
        """The state, laid out, and the progress of a whole checkpoint.

        Raises: as `functorch7.interop.orbax.load`.
        """
        placed = None if sharding is None else sharding.of_array
        source = self.folder / str(step)
        params, buffers, optimizer_state = orbax.load(source, self.module, self.optimizer, placed=placed)
        if (source / "carry").exists():
            with orbax.checkpointer() as checkpointer:
                wanted = self._ocp.args.Composite(carry=self._ocp.args.StandardRestore())
                buffers = with_carry(self.module, buffers, checkpointer.restore(source, wanted)["carry"])
        progress, self.newest = whole.facts(source)["progress"], step
        state = TrainState(params, buffers, optimizer_state, jnp.asarray(step, jnp.int32))
        return state if sharding is None else sharding.place(self.module, state), progress
