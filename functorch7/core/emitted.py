"""Side outputs: penalties and log-probabilities that `apply` leaves in the buffers it returns."""

from dataclasses import dataclass, field, replace

import jax
import jax.numpy as jnp

from .types import Tree, Value

KINDS = ("loss", "log_prob", "parameter", "report")
"""What side outputs are; `Emitted` says what each is for."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Emitted:
    """A side output in the buffers: `apply` writes it and never reads it; before a call its value is None.

    `kind` is "loss" (a scalar to add to the criterion's), "log_prob" (of a sample, element by element), "parameter"
    (the layer's weight, changed by the call), or "report" (a number that `legacy` shows). `time_axes` is the number of
    leading axes that sequencers have stacked.
    Raises: ValueError for another kind, which nobody would look for.
    """

    value: Value = None
    kind: str = field(default="loss", metadata={"static": True})
    time_axes: int = field(default=0, metadata={"static": True})

    def __post_init__(self) -> None:
        _check_kind("Emitted", self.kind)


def is_emitted(node: object) -> bool:
    """True for a side output; for use as `is_leaf`."""
    return isinstance(node, Emitted)


def _check_kind(who: str, kind: object) -> None:
    if kind not in KINDS:
        raise ValueError(f"{who}: expected {' or '.join(map(repr, KINDS))} as kind, got {kind!r}")


def emitted(buffers: Tree, kind: str) -> list[Emitted]:
    """All side outputs of one kind, in the tree's order. Raises: ValueError for a kind that there is not."""
    _check_kind("emitted", kind)
    nodes = jax.tree.leaves(buffers, is_leaf=is_emitted)
    return [node for node in nodes if is_emitted(node) and node.kind == kind]


def without_emitted(buffers: Tree) -> Tree:
    """`buffers` with every side output emptied: the structure that `init` gave."""
    return jax.tree.map(lambda b: Emitted(None, b.kind) if is_emitted(b) else b, buffers, is_leaf=is_emitted)


def penalty(buffers: Tree) -> jax.Array:
    """Sum of the emitted losses (L1Penalty and its kin), to be added to the criterion's.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.L1Penalty(0.5)
    >>> _, buffers = layer.apply({}, layer.init_buffers(), jnp.array([-1.0, 2.0]), train=True)
    >>> f7.penalty(buffers).item()
    1.5
    """
    values = [node.value for node in emitted(buffers, "loss") if node.value is not None]
    return sum(values, start=jnp.asarray(0.0))


def both(old: Value, new: Value) -> Value:
    """A buffer after one more call of its module in the same forward.

    Side outputs that are losses or log-probabilities, which share one reward, add up; of all others the new one counts.
    """
    if not is_emitted(new) or old is new or old.value is None or new.value is None or new.kind == "parameter":
        return new
    if old.value.shape != new.value.shape:
        raise TypeError(
            "a module that draws for REINFORCE may be called again in a forward only with an input of the same size"
        )
    return replace(new, value=old.value + new.value)
