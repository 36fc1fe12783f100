"""Checkpoints in orbax's format: parameters and buffers under their names in `state_dict`, and optimizer states."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..core import Module, Variables
from ..core.types import Params, Tree, Value
from ..network import check_state, check_variables, from_state_dict, misfits, state_dict, structure_of
from .packages import package
from .writing import replacing

if TYPE_CHECKING:
    from optax import GradientTransformation
    from orbax.checkpoint import Checkpointer, CheckpointHandler


class Checkpoint(NamedTuple):
    """The contents of a checkpoint; `optimizer_state` is None unless `load` was given the optimizer."""

    params: Any
    buffers: Any
    optimizer_state: Any = None


def save(
    path: str | os.PathLike, module: Module, params: Params, buffers: Tree, optimizer_state: object = None
) -> None:
    """Writes a checkpoint: a folder, which appears when it is complete. Keeps dtypes; leaves out recurrent state.

    Raises: ImportError without orbax; FileExistsError; ValueError if there are no arrays, or if they are not the
    module's; OSError if it cannot be written.
    """
    check_variables("orbax.save", module, params, buffers)
    ocp = package("orbax.checkpoint")
    target = Path(path).absolute()
    if target.exists():
        raise FileExistsError(f"orbax.save: {target} is there already")
    items = items_of(module, params, buffers, optimizer_state)
    if not items:
        raise ValueError(f"orbax.save: {module.torch_name()} has no arrays")
    # Several processes write to one folder, which orbax renames when all are done.
    alone = jax.process_count() == 1
    with replacing(target, ValueError) if alone else contextlib.nullcontext(target) as draft, checkpointer() as opened:
        opened.save(draft, ocp.args.Composite(**items))


def items_of(module: Module, params: Params, buffers: Tree, optimizer_state: object = None) -> dict[str, Value]:
    """The items that `save` writes, as orbax's arguments, so that others can add items of their own."""
    ocp = package("orbax.checkpoint")
    found = {"variables": state_dict(module, Variables(params, buffers)), "optimizer": _named(optimizer_state)}
    written = {name: _arrays(tree) for name, tree in found.items()}
    return {name: ocp.args.StandardSave(tree) for name, tree in written.items() if tree}


def load(
    path: str | os.PathLike,
    module: Module,
    optimizer: "GradientTransformation | None" = None,
    *,
    placed: Callable[[Value], jax.sharding.Sharding] | None = None,
) -> Checkpoint:
    """(params, buffers, optimizer_state) of a module, in the checkpoint's dtypes, on the first device of the process.

    The optimizer's state is read if the optimizer is given, and has the structure of `optimizer.init(params)`.
    `placed` maps an array's description to another sharding, such as `training.fully_sharded().of_array`; then each
    process reads only its own parts.
    Raises: ImportError without orbax; FileNotFoundError; ValueError for a folder that is not a checkpoint or is
    damaged. Before any array is read: ValueError that lists everything missing, unexpected or of another shape.
    """
    ocp = package("orbax.checkpoint")
    source = Path(path).absolute()
    if not source.exists():
        raise FileNotFoundError(f"orbax.load: no such folder: {source}")
    if not source.is_dir():
        raise ValueError(f"orbax.load: {source} is no checkpoint that orbax.save wrote, but a file")
    with checkpointer() as opened:
        saved = _structure(opened, source)
        structure = structure_of(module)
        initial = None if optimizer is None else jax.eval_shape(optimizer.init, structure.params)
        wanted = {"variables": state_dict(module, structure), "optimizer": _named(initial)}
        stored = {name: _as_wanted(wanted[name], tree, placed or _here) for name, tree in saved.items()}
        none = {name: _without_numbers(wanted[name], tree, placed or _here) for name, tree in stored.items()}
        check_state(module, stored["variables"] | none["variables"])
        wrong = [] if optimizer is None else misfits(wanted["optimizer"], stored["optimizer"] | none["optimizer"])
        if wrong:
            raise ValueError(f"orbax.load: the state of the optimizer does not fit: {'; '.join(wrong)}")
        items = {name: ocp.args.StandardRestore(tree) for name, tree in stored.items() if tree and wanted[name]}
        with _whole(source):
            read = opened.restore(source, ocp.args.Composite(**items)) if items else {}
    found = {name: {**(read[name] if name in items else {}), **none[name]} for name in stored}
    leaves = [found["optimizer"][name] for name in wanted["optimizer"]]
    state = jax.tree.unflatten(jax.tree.structure(initial), leaves)
    return Checkpoint(*from_state_dict(module, found["variables"]), state)


@contextlib.contextmanager
def checkpointer() -> "Iterator[Checkpointer]":
    """A reader and writer of checkpoints for the block, without orbax's log messages."""
    ocp = package("orbax.checkpoint")
    with quiet(), ocp.Checkpointer(ocp.CompositeCheckpointHandler(**handlers())) as opened:
        yield opened


@contextlib.contextmanager
def _whole(source: Path) -> Iterator[None]:
    """Turns errors of orbax while it reads into a ValueError of one sentence: files are missing or damaged."""
    try:
        yield
    except Exception as error:
        said = (str(error) or type(error).__name__).split(" [tensorstore_spec=")[0].splitlines()[0]
        raise ValueError(f"orbax.load: {source} is damaged: {said}") from error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silences orbax's log in the block: it logs each error with its traceback several times and then raises it."""

    def is_others(record: logging.LogRecord) -> bool:
        return "orbax" not in Path(record.pathname).parts

    logger = logging.getLogger("absl")
    logger.addFilter(is_others)
    try:
        yield
    finally:
        logger.removeFilter(is_others)


def handlers() -> "dict[str, CheckpointHandler]":
    """The handler of each item; only checkpoints of training runs have "carry", the recurrent state."""
    ocp = package("orbax.checkpoint")
    return {name: ocp.StandardCheckpointHandler() for name in ("variables", "optimizer", "carry")}


def _named(tree: Any) -> dict[str, Any]:
    """Every leaf by name, "0.mu.2.weight"."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}


def _arrays(tree: dict[str, Any]) -> dict[str, Any]:
    """The arrays to write: all but empty ones, which orbax refuses (galore's state has some)."""
    found = {name: leaf if isinstance(leaf, jax.Array) else np.asarray(leaf) for name, leaf in tree.items()}
    return {name: array for name, array in found.items() if array.size}


def _without_numbers(wanted: dict[str, Any], saved: dict[str, Any], placed: Callable) -> dict[str, Any]:
    """The empty arrays, which were not written."""
    none = {name: own for name, own in wanted.items() if not own.size and name not in saved}
    return {name: jax.device_put(np.zeros(own.shape, own.dtype), placed(own)) for name, own in none.items()}


def _here(array: Any) -> jax.sharding.Sharding:
    return jax.sharding.SingleDeviceSharding(jax.local_devices()[0])


def _structure(opened: Any, source: Path) -> dict[str, dict[str, Any]]:
    """The shapes and dtypes in a checkpoint."""
    with _whole(source):
        items = opened.metadata(source).item_metadata or {}
    if not any(name in items for name in ("variables", "optimizer")):
        raise ValueError(f"orbax.load: {source} is no checkpoint that orbax.save wrote")

    found = {name: items[name].tree if name in items else {} for name in ("variables", "optimizer")}
    return {
        name: {key: jax.ShapeDtypeStruct(stored.shape, np.dtype(stored.dtype)) for key, stored in tree.items()}
        for name, tree in found.items()
    }


def _as_wanted(wanted: dict[str, Any], saved: dict[str, Any], placed: Callable) -> dict[str, Any]:
    """The saved arrays' descriptions with their new places, since they may have been written on other devices.

    Random keys, such as noisy_sgd's, are listed by orbax as their numbers; they are read as keys if those are wanted.
    """

    def described(name: str, stored: Any) -> jax.ShapeDtypeStruct:
        own = wanted.get(name)
        if own is not None and jnp.issubdtype(own.dtype, jax.dtypes.prng_key):
            numbers = jax.eval_shape(jax.random.key_data, own)
            stored = own if (numbers.shape, numbers.dtype) == (stored.shape, stored.dtype) else stored
        return jax.ShapeDtypeStruct(stored.shape, stored.dtype, sharding=placed(stored))

    return {name: described(name, stored) for name, stored in saved.items()}
