"""Every module that a call runs, with its input and output; nothing is computed."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import jax

from ..core import Module
from ..core.recording import recording
from ..core.tree import Path, named_children
from ..recurrent import Sequencer, over_time


@dataclass(frozen=True)
class Visit:
    """A module at its place, the shapes of what it was given and gave, and `run(params, buffers, input) -> output`."""

    path: Path
    module: Module
    input: Any
    output: Any
    run: Callable


def visits(module: Module, params: Any, buffers: Any, input: Any, key: Any, train: bool) -> list[Visit]:
    """All modules that run, outer ones first. Inside the module of a Sequencer shapes are those of one step."""

    def call(params: Any, buffers: Any, input: Any) -> Any:
        with recording() as seen:
            output, _ = module.apply(params, buffers, input, key=key, train=train)
        return output, seen.inputs, seen.outputs

    output, inputs, outputs = jax.eval_shape(call, params, buffers, input)
    inputs, outputs = {(): input} | inputs, {(): output} | outputs

    def run(child: Module, way: Callable) -> Callable:
        return lambda params, buffers, input: way(child, params, buffers, input, key=key, train=train)[0]

    return [
        Visit(path, child, inputs[path], outputs[path], run(child, way))
        for path, child, way in _modules(module, type(module).apply)
        if path in outputs
    ]


def check_module(who: str, module: Any) -> None:
    """Raises TypeError for what is no description, saying how to get that of an object of `legacy`."""
    if not isinstance(module, Module):
        hint = "; take its functional()" if hasattr(module, "functional") else ""
        raise TypeError(f"{who}: expected the description of a module, such as functorch7.Tanh(), got {module!r}{hint}")


def innermost(path: Path, places: Collection[Path]) -> Path:
    """The longest of the places that a path is in; they have the outermost module's, ()."""
    return next(path[:end] for end in range(len(path), -1, -1) if path[:end] in places)


def _modules(module: Module, way: Callable, path: Path = ()) -> Iterator[tuple[Path, Module, Callable]]:
    """Every module with its place and how it is run."""
    yield path, module, way
    for name, child in named_children(module):
        below = over_time if isinstance(module, Sequencer) else type(child).apply
        yield from _modules(child, below, (*path, name))
