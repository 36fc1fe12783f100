"""Which module's output, or gradient, is the first that is not finite."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from ..core import Module, places, raise_found, recording, reporting, title
from ..core.precision import is_inexact
from ..core.tree import Path, child_at, dotted
from ..core.types import Batch, Key, Tree
from ..network import named_parameters
from ..programs import Compiled
from .state import TrainState
from .step import make_loss


class Finding(NamedTuple):
    """What is not finite, and the lines that say where, as those of an error's notes."""

    text: str
    places: tuple[str, ...] = ()


def not_finite(
    module: Module,
    criterion: Callable,
    state: TrainState,
    batch: Batch,
    key: Key,
    compute_dtype: DTypeLike | None = None,
) -> Finding:
    """What is not finite first in a training step from `state`.

    In the order in which a step computes: the batch's input, parameters, outputs, the loss, and gradients from the last
    module to the first. Where that module, or the criterion, looks at values, it is what its check says. Inside loops
    over time, outputs are those of the last step, and gradients with respect to inputs those at the first.
    """
    run = _looking(module, make_loss(module, criterion, compute_dtype))
    error, results = run(state.params, state.buffers, batch, key)
    sound, outputs, gradients, at_inputs = jax.device_get(results)
    if not _finite(batch[0]):
        return Finding("the batch's input is not finite")
    if bad := _bad(jax.device_get(_by_path(module, state.params))):
        return Finding(f"the parameter {dotted(bad[0])} is not finite")
    first = min(_bad(outputs), key=lambda path: (*_positions(module, path), float("inf")), default=None)
    looking = criterion if first is None else dict(places(module))[first]
    said = _said(error) if isinstance(looking, Module) and looking.traits.checks_values else None
    if said is not None:
        return said
    if first is not None:
        return _at(module, first, "output")
    if not sound:
        name = title(criterion) if isinstance(criterion, Module) else criterion
        return Finding(f"all outputs are finite, but the loss is not: {name}, or a penalty")
    bad = _bad(at_inputs) + [path[:-1] for path in _bad(gradients)]
    if bad:  # backwards, so that the last is the first, but a container still comes after what is in it
        first = min(bad, key=lambda path: (*(-place for place in _positions(module, path)), float("inf")))
        return _at(module, first, "gradient")
    return Finding("every output and every gradient is finite, but not the gradients' norm: they are too large")


def _looking(module: Module, loss: Callable) -> Callable:
    """A compiled step that gives, by path, whether outputs and gradients are finite, and whether the loss is."""

    @Compiled
    @jax.jit
    @reporting
    def run(params: Tree, buffers: Tree, batch: Any, key: Key) -> tuple[Any, ...]:
        def seen(params: Tree, perturbations: dict) -> tuple[Any, tuple[dict, dict]]:
            with recording(perturbations) as recorder:
                value, _ = loss(params, buffers, batch, key)
            return value, (recorder.inputs, recorder.outputs)

        value, (inputs, outputs) = seen(params, {})
        zeros = jax.tree.map(lambda a: jnp.zeros(jnp.shape(a), jnp.result_type(a)), inputs)
        _, pull = jax.vjp(lambda *both: seen(*both)[0], params, zeros)
        gradients, at_inputs = pull(jnp.ones_like(value))
        outputs, at_inputs = ({path: _finite(x) for path, x in each.items()} for each in (outputs, at_inputs))
        return _finite(value), outputs, _by_path(module, gradients), at_inputs

    return run


def _bad(fine: dict[Path, Any]) -> list[Path]:
    return [path for path, is_fine in fine.items() if not is_fine]


def _said(error: Any) -> Finding | None:
    """The first wrong value that checks have found."""
    try:
        raise_found(error)
    except ValueError as found:
        return Finding(str(found), tuple(getattr(found, "__notes__", ())))
    return None


def _at(module: Module, path: Path, what: str) -> Finding:
    parents = [module]
    for name in path:
        parents.append(child_at(parents[-1], name)[1])
    shown = [name + 1 if isinstance(name, int) else name for name in path]
    places = [f"In {name} module of {parent.torch_name()}:" for name, parent in zip(shown, parents, strict=False)]
    return Finding(f"the first {what} that is not finite is that of {title(parents[-1])}", tuple(reversed(places)))


def _positions(module: Module, path: Path) -> tuple[int, ...]:
    """A path as positions among the children, which follow the order of computation."""
    places = []
    for name in path:
        position, module = child_at(module, name)
        places.append(position)
    return tuple(places)


def _by_path(module: Module, tree: Any) -> dict[Path, Any]:
    return {path: _finite(leaf) for path, leaf in named_parameters(module, tree) if leaf is not None}


def _finite(tree: Any) -> Any:
    """Whether every number of a tree is finite."""
    numbers = [leaf for leaf in jax.tree.leaves(tree) if is_inexact(leaf)]
    return jnp.array([jnp.isfinite(leaf).all() for leaf in numbers]).all()
