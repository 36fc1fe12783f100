"""What a Trainer and a training step are given: whether it is what it is meant to be."""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.typing import DTypeLike

from ..checks.errors import with_hint
from ..checks.taken import check_taken
from ..core import Module, Variables, describe
from ..core.types import Tree, Value
from ..losses import Criterion
from ..network import check_module, check_variables
from .callbacks import Callback
from .records import check_names


def check_parts(who: str, module: object, criterion: object) -> None:
    """Raises TypeError unless given a module and a criterion; for a class of them, for instance."""
    check_module(who, module)
    other = isinstance(criterion, Module) and not isinstance(criterion, Criterion)
    if not callable(criterion) or isinstance(criterion, type) or other or hasattr(criterion, "functional"):
        raise TypeError(f"{who}: expected a criterion, such as functorch7.MSECriterion(), got {with_hint(criterion)}")


def check_optimizer(who: str, optimizer: object) -> None:
    """Raises TypeError for anything but an optimizer of optax; for a function that makes one, for instance."""
    if not all(callable(getattr(optimizer, name, None)) for name in ("init", "update")):
        raise TypeError(f"{who}: expected an optimizer of optax, such as optax.adam(1e-3), got {optimizer!r}")


def check_optimizer_state(
    optimizer: optax.GradientTransformation, params: Tree, given: Value, error: Exception
) -> None:  # fmt: skip
    """Raises ValueError from an optimizer's error where the state that it was given is not one of its own."""
    expected = jax.eval_shape(optimizer.init, params)
    if jax.tree.structure(expected) != jax.tree.structure(given):
        said = "make_train_step: the state is that of another optimizer, or of another network; init_state makes it"
        raise ValueError(said) from error


def check_updates(params: Value, updates: Value) -> None:
    """Raises ValueError for updates of other shapes, which would be repeated: some optimizers reduce gradients."""
    if jax.tree.structure(params) != jax.tree.structure(updates):
        return  # of which optax knows more
    for (path, param), update in zip(jax.tree.leaves_with_path(params), jax.tree.leaves(updates), strict=True):
        if jnp.shape(param) != jnp.shape(update):
            place = f"params{jax.tree_util.keystr(path)} of shape {jnp.shape(param)}"
            raise ValueError(
                "make_train_step: expected updates of the parameters' shapes from the optimizer, got "
                f"{jnp.shape(update)} for {place}; does it want a gradient of each example?"
            )


def is_number(value: object) -> bool:
    """Whether a loss is a single number, of an array's or of Python's."""
    return isinstance(value, (jax.Array, np.ndarray, np.generic, float, int)) and jnp.shape(value) == ()


def name_of(criterion: Callable) -> str:
    """As Torch prints it, or a function's name."""
    return criterion.torch_name() if isinstance(criterion, Module) else getattr(criterion, "__name__", repr(criterion))


def check_flags(**values: object) -> None:
    """Raises TypeError for anything but True or False: any text would be as good as True."""
    for name, value in values.items():
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"Trainer: expected {name} to be True or False, got {value!r}")


def check_folder(who: str, given: object) -> None:
    """Raises TypeError for what is no path, and ValueError for an empty one, which would mean the working directory."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{who}: expected the path of a folder, got {given!r}")
    if not os.fspath(given):
        raise ValueError(f'{who}: expected the path of a folder, got an empty text; the working directory is "."')


def check_floating_type(name: str, given: DTypeLike) -> None:
    """Raises TypeError for anything but a type of floating-point numbers."""
    try:
        found = jnp.issubdtype(jnp.dtype(given), jnp.floating)
    except (TypeError, ValueError):  # what NumPy says of a table depends on its entries
        found = False
    if not found:
        raise TypeError(f"Trainer: expected a floating-point type as {name}, such as jnp.bfloat16, got {given!r}")


def check_callbacks(callbacks: object) -> None:
    """Raises TypeError unless it is a list of callbacks."""
    if not isinstance(callbacks, Sequence) or not all(isinstance(each, Callback) for each in callbacks):
        raise TypeError(f"Trainer: expected a list of callbacks, such as [EarlyStop()], got {callbacks!r}")


def as_variables(who: str, module: Module, given: Value) -> Variables:
    """A module's variables, also of a plain pair. Raises: TypeError for others; ValueError for another module's."""
    if not isinstance(given, tuple) or len(given) != 2:
        raise TypeError(f"{who}: expected variables, (params, buffers), got {describe(given)}")
    check_variables(who, module, *given)
    return Variables(*given)


def as_batches(
    batches: Value, wanted: str = "a loader, the tuple (inputs, targets) of arrays, or batches (input, target)"
) -> Iterable:
    """What can be iterated. Raises: TypeError for what cannot, and for an array, whose rows would be the batches."""
    if hasattr(batches, "shape") or isinstance(batches, str) or not isinstance(batches, Iterable):
        raise TypeError(f"Trainer.fit: expected {wanted}, got {describe(batches)}")
    return batches


def as_batch(batch: Value) -> Value:
    """A pair. Raises: TypeError for anything else; as `check_taken` for what is in it."""
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise TypeError(
            f"Trainer.fit: expected batches (input, target), got {describe(batch)} as one; all inputs and all targets "
            "are given as a tuple of arrays, with a batch_size"
        )
    check_taken("Trainer.fit", batch)
    return batch


def as_it_is_now(batch: Value, batches: Iterable) -> Value:
    """A batch whose arrays stay as they are, whatever else comes of `batches`.

    JAX reads NumPy's arrays later, and may keep them where they lie, when a generator has written the next batch there.
    Those of a list are all there, and nobody writes to them.
    """
    if isinstance(batches, (list, tuple)):
        return batch
    return jax.tree.map(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, batch)


def as_results(found: Value) -> dict[str, float]:
    """The numbers by name that a function of validation gives. Raises: TypeError, ValueError for anything else."""
    if isinstance(found, Mapping):
        check_names("Trainer.fit", found)
        with contextlib.suppress(TypeError):
            return {name: float(value) for name, value in found.items()}
    raise TypeError(f"Trainer.fit: expected numbers by name from the function of validation, got {found!r}")
