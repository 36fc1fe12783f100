"""Learning by rows: of its tables, a batch changes the rows that it reads."""

from collections.abc import Callable
from typing import Any

import jax
import optax

from ..core import Module
from ..core.rows import Gathered
from ..core.types import Key, Tree
from .asked import asking
from .guarded import learning_rate
from .row_gradients import merged_reads, read_by_rows, value_and_row_grad
from .step import Descent


def all_but_tables(module: Module, optimizer: optax.GradientTransformation) -> optax.GradientTransformation:
    """The optimizer for the parameters that are not read by rows; gradients of the others pass as they are."""

    def others(params: Tree) -> Any:
        return jax.tree.map(lambda is_table: not is_table, read_by_rows(module, params))

    return optax.masked(asking(optimizer), others)


def descent_by_rows(module: Module, loss: Callable, optimizer: optax.GradientTransformation) -> Descent:
    """That of `make_loss`'s loss by an optimizer with `all_but_tables` in it; row - rate * gradient for tables.

    In the tree of gradients, those of the rows that were read are in the place of a table's. Each row is there once, so
    that their norm is that of the dense gradients. The rate is what the optimizer shows (`optax.inject_hyperparams`),
    which gets no functions of the parameters, as it has not all of them.
    Raises: ValueError for an optimizer that shows no rate, or several.
    """
    differentiate = value_and_row_grad(module, loss)

    def gradient(params: Tree, buffers: Tree, batch: Any, key: Key) -> tuple[Any, Any, list[Gathered | None]]:
        found, gradients = differentiate(params, buffers, batch, key)
        leaves, structure = jax.tree.flatten(params)
        tables = iter(zip(gradients.reads, gradients.rows, strict=True))
        placed = [
            (None, own) if own is not None else merged_reads(leaf, *next(tables))
            for leaf, own in zip(leaves, gradients.dense, strict=True)
        ]
        return found, structure.unflatten([own for _, own in placed]), [place for place, _ in placed]

    asked = asking(optimizer)

    def known(params: Tree, buffers: Tree, batch: Any, key: Key, value: Any, gradients: Any) -> dict[str, Any]:
        return {"value": value}

    def update(
        params: Tree, optimizer_state: Any, gradients: Any, places: list[Gathered | None], **known: Any
    ) -> tuple[Any, Any]:
        updates, optimizer_state = asked.update(gradients, optimizer_state, params, **known)
        rate = learning_rate(optimizer_state)
        if rate is None:
            raise ValueError(
                "Trainer: by_rows=True needs an optimizer that shows its learning rate, such as "
                "optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)"
            )
        leaves, structure = jax.tree.flatten(params)
        changes = zip(leaves, structure.flatten_up_to(updates), places, strict=True)
        new = [
            (leaf + change).astype(leaf.dtype) if place is None else place.update(leaf, -rate * change)
            for leaf, change, place in changes
        ]
        return structure.unflatten(new), optimizer_state

    return Descent(gradient, known, update)
