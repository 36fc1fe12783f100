"""All modules that a call runs, with the shapes of their inputs and outputs; nothing is computed."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ..core import Module
from ..core.tree import Path, places
from ..core.types import Input, Key, Tree, Value
from ..network.shapes import shapes_by_path
from ..recurrent.bidirectional import ways as ways_inside


@dataclass(frozen=True)
class Visit:
    """A module, its place, the shapes of its input and output, and `run(params, buffers, input) -> output`."""

    path: Path
    module: Module
    input: Value
    output: Value
    run: Callable


def visits(module: Module, params: Tree, buffers: Tree, input: Input, key: Key, train: bool) -> list[Visit]:
    """All modules that run, outer ones first. Inside a Sequencer shapes are those of one step."""

    inputs, outputs = shapes_by_path(module, params, buffers, input, key=key, train=train)
    ways = {
        (*path, *inner): way
        for path, each in places(module)
        if path in inputs
        for inner, way in ways_inside(each, inputs[path]).items()
    }

    def run(path: Path, child: Module) -> Callable:
        way = ways.get(path, type(child).apply)
        return lambda params, buffers, input: way(child, params, buffers, input, key=key, train=train)[0]

    return [
        Visit(path, child, inputs[path], outputs[path], run(path, child))
        for path, child in places(module)
        if path in outputs
    ]


def innermost(path: Path, places: Collection[Path]) -> Path:
    """The longest of the places that contain a path; the outermost, (), must be among them."""
    return next(path[:end] for end in range(len(path), -1, -1) if path[:end] in places)
