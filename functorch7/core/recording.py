"""Values from inside a network: what each child received and gave, and gradients with respect to its input.

Nothing is recorded, and nothing costs anything, unless a `Recorder` is open.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp

from . import watching
from .contexts import during
from .tree import Path


class Recorder:
    """Collects, by path, each child's `input`, `output` and the values its layer exposes.

    `perturbations` (by path, zeros shaped as the child's input) are added to the children's inputs: the
    gradient with respect to one is the gradient at that input.
    """

    def __init__(self, perturbations: dict[Path, Any] | None = None, path: Path = ()):
        self.path = path
        self.perturbations = perturbations or {}
        self.inputs: dict[Path, Any] = {}
        self.outputs: dict[Path, Any] = {}
        self.exposed: dict[Path, dict[str, Any]] = {}

    def values(self) -> tuple[dict, dict, dict]:
        return self.inputs, self.outputs, self.exposed

    def add(self, inputs: dict, outputs: dict, exposed: dict) -> None:
        self.inputs.update(inputs)
        self.outputs.update(outputs)
        self.exposed.update(exposed)


_open: ContextVar[Recorder | None] = ContextVar("open", default=None)


def recorder() -> Recorder | None:
    """The innermost recorder that is open in this context (thread, or asynchronous task), if any."""
    return _open.get()


def recording(perturbations: dict[Path, Any] | None = None, path: Path = ()) -> AbstractContextManager[Recorder]:
    """Opens a recorder for the calls made in the block (in the same trace)."""
    return during(_open, Recorder(perturbations, path))


def unrecorded() -> Any:
    """A block whose calls are not recorded: one that finds out shapes."""
    return during(_open, None)


def expose(**values: Any) -> None:
    """Lets a layer show intermediate values (a dropout mask, the winners of a pooling) to whoever records."""
    here = recorder()
    if here is not None:
        here.exposed.setdefault(here.path, {}).update(values)


@contextmanager
def below(name: int | str):
    """A block whose calls are recorded below a child's place."""
    here = recorder()
    if here is None:
        yield
        return
    outer, here.path = here.path, (*here.path, name)
    try:
        yield
    finally:
        here.path = outer


def recorded_call(run: Callable[[Any], tuple[Any, Any]], input: Any) -> tuple[Any, Any]:
    """Calls the child at the recorder's path, notes its input and output, and adds its perturbation.

    Of a child that is called several times, the output is that of the last call, and input and perturbation (whose
    gradient is what backward leaves, which comes to the first call last) those of the first.
    """
    here = recorder()
    if here is None:
        return run(input)
    if here.path not in here.inputs and here.path in here.perturbations:
        input = jax.tree.map(perturbed, input, here.perturbations[here.path])
    here.inputs.setdefault(here.path, input)
    output, buffers = run(input)
    here.outputs[here.path] = output
    return output, buffers


def perturbed(value: Any, by: Any) -> Any:
    """A floating-point value with something added; integers as they are."""
    return value + by if jnp.issubdtype(jnp.result_type(value), jnp.inexact) else value


def scan(body: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any, first: int = 0) -> tuple[Any, Any]:
    """`lax.scan` that lets recordings out of its body: the last step's values, and gradients at step 0's inputs.

    `first` is the number of the first step that is scanned (1 if step 0 ran before the scan).
    """
    outer = recorder()
    if outer is None:
        return watching.scan(body, carry, xs, first)

    def recorded_body(state, x):
        step, carry = state
        at_start = {
            path: jax.tree.map(lambda zero: jnp.where(step == 0, zero, 0), zeros)
            for path, zeros in outer.perturbations.items()
        }
        with recording(at_start, outer.path) as inner:
            carry, y = body(carry, x)
        return (step + 1, carry), (y, inner.values())

    (_, carry), (ys, values) = watching.scan(recorded_body, (first, carry), xs, first)
    outer.add(*jax.tree.map(lambda value: value[-1], values))
    return carry, ys
