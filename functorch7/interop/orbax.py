"""Checkpoints by orbax: parameters and buffers by their names in `state_dict`, and the optimizer's state."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from ..core import Module, Variables
from ..core.types import Tree, Value
from ..network import check_state, check_variables, from_state_dict, misfits, state_dict, structure_of
from .packages import package
from .writing import replacing

if TYPE_CHECKING:
    from optax import GradientTransformation
    from orbax.checkpoint import Checkpointer, CheckpointHandler


class Checkpoint(NamedTuple):
    """What a checkpoint holds; `optimizer_state` is None unless `load` was given the optimizer."""

    params: Any
    buffers: Any
    optimizer_state: Any = None


def save(path: str | os.PathLike, module: Module, params: Tree, buffers: Tree, optimizer_state: object = None) -> None:
    """Writes a checkpoint, a folder that is there when all is written: arrays in their dtypes, no recurrent state.

    Raises: ImportError without orbax; FileExistsError; ValueError if there are no arrays at all, or others than the
    module's.
    """
    check_variables("orbax.save", module, params, buffers)
    ocp = package("orbax.checkpoint")
    target = Path(path).absolute()
    if target.exists():
        raise FileExistsError(f"orbax.save: {target} is there already")
    items = items_of(module, params, buffers, optimizer_state)
    if not items:
        raise ValueError(f"orbax.save: {module.torch_name()} has no arrays")
    # Several processes write to one place, which orbax gives its name when all are done.
    alone = jax.process_count() == 1
    with replacing(target) if alone else contextlib.nullcontext(target) as draft, checkpointer() as opened:
        opened.save(draft, ocp.args.Composite(**items))


def items_of(module: Module, params: Tree, buffers: Tree, optimizer_state: object = None) -> dict[str, Value]:
    """What `save` writes, as orbax takes it: the items of a checkpoint, into which others may write more of them."""
    ocp = package("orbax.checkpoint")
    found = {"variables": state_dict(module, Variables(params, buffers)), "optimizer": _named(optimizer_state)}
    return {name: ocp.args.StandardSave(_arrays(tree)) for name, tree in found.items() if tree}


def load(
    path: str | os.PathLike,
    module: Module,
    optimizer: "GradientTransformation | None" = None,
    *,
    placed: Callable[[Value], jax.sharding.Sharding] | None = None,
) -> Checkpoint:
    """(params, buffers, optimizer_state) of a module, in the dtypes of the checkpoint, on the process's first device.

    The optimizer's state is read, in the structure that `optimizer.init(params)` has, if the optimizer is given.
    `placed` says where an array of some shape goes instead, such as `training.fully_sharded().of_array`: each process
    then reads its parts alone.
    Raises: ImportError without orbax; FileNotFoundError; ValueError for what is no checkpoint, or a damaged one,
    and one that lists everything that is missing, unexpected or of another shape, before any array is read.
    """
    ocp = package("orbax.checkpoint")
    source = Path(path).absolute()
    if not source.exists():
        raise FileNotFoundError(f"orbax.load: no such folder: {source}")
    if not source.is_dir():
        raise ValueError(f"orbax.load: {source} is no checkpoint that orbax.save wrote, but a file")
    with checkpointer() as opened:
        saved = _structure(opened, source, placed or _here)
        check_state(module, saved["variables"])
        empty = None if optimizer is None else jax.eval_shape(optimizer.init, structure_of(module).params)
        wanted = _named(empty)
        wrong = [] if optimizer is None else misfits(wanted, saved["optimizer"])
        if wrong:
            raise ValueError(f"orbax.load: the state of the optimizer does not fit: {'; '.join(wrong)}")
        read = {"variables": saved["variables"], "optimizer": saved["optimizer"] if wanted else {}}
        items = {name: ocp.args.StandardRestore(tree) for name, tree in read.items() if tree}
        with _whole(source):
            found = opened.restore(source, ocp.args.Composite(**items)) if items else {}
    params, buffers = from_state_dict(module, found["variables"] if read["variables"] else {})
    arrays = found["optimizer"] if read["optimizer"] else {}
    leaves = [arrays[name] for name in wanted]
    return Checkpoint(params, buffers, jax.tree.unflatten(jax.tree.structure(empty), leaves))


@contextlib.contextmanager
def checkpointer() -> "Iterator[Checkpointer]":
    """What reads and writes checkpoints within the block, silently."""
    ocp = package("orbax.checkpoint")
    with quiet(), ocp.Checkpointer(ocp.CompositeCheckpointHandler(**handlers())) as opened:
        yield opened


@contextlib.contextmanager
def _whole(source: Path) -> Iterator[None]:
    """Errors out of the block, where orbax reads, as a ValueError in one sentence: files are missing or damaged."""
    try:
        yield
    except Exception as error:
        said = (str(error) or type(error).__name__).split(" [tensorstore_spec=")[0].splitlines()[0]
        raise ValueError(f"orbax.load: {source} is damaged: {said}") from error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Within the block orbax logs nothing: it logs every error with its traceback, several times, and raises it too."""

    def is_others(record: logging.LogRecord) -> bool:
        return "orbax" not in Path(record.pathname).parts

    logger = logging.getLogger("absl")
    logger.addFilter(is_others)
    try:
        yield
    finally:
        logger.removeFilter(is_others)


def handlers() -> "dict[str, CheckpointHandler]":
    """What reads and writes each item; "carry", recurrent state, is in checkpoints of training runs."""
    ocp = package("orbax.checkpoint")
    return {name: ocp.StandardCheckpointHandler() for name in ("variables", "optimizer", "carry")}


def _named(tree: Any) -> dict[str, Any]:
    """Every leaf by name, "0.mu.2.weight"."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}


def _arrays(tree: dict[str, Any]) -> dict[str, Any]:
    return {name: leaf if isinstance(leaf, jax.Array) else np.asarray(leaf) for name, leaf in tree.items()}


def _here(array: Any) -> jax.sharding.Sharding:
    return jax.sharding.SingleDeviceSharding(jax.local_devices()[0])


def _structure(opened: Any, source: Path, placed: Callable) -> dict[str, dict[str, Any]]:
    """The shapes and dtypes in a checkpoint, and where they go: it may have been written on other devices."""
    with _whole(source):
        items = opened.metadata(source).item_metadata or {}
    if not any(name in items for name in ("variables", "optimizer")):
        raise ValueError(f"orbax.load: {source} is no checkpoint that orbax.save wrote")

    def described(stored: Any) -> jax.ShapeDtypeStruct:
        array = jax.ShapeDtypeStruct(stored.shape, np.dtype(stored.dtype))
        return array.update(sharding=placed(array))

    found = {name: items[name].tree if name in items else {} for name in ("variables", "optimizer")}
    return {name: {key: described(stored) for key, stored in tree.items()} for name, tree in found.items()}
