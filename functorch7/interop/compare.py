"""Finds the layer where a network's outputs first differ from recorded ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import core
from ..core.module import Functional
from ..core.tree import Path, child_at, child_names, dotted
from ..core.types import Array, ArrayLike, Input, Key, Tree, Value
from ..network import Shared
from . import t7
from .torch7.node import Node, functional
from .torch7.reader import Reader


@dataclass(frozen=True)
class Deviation:
    """The first layer whose output differs from the recorded one."""

    name: str
    """Its dotted name, with positions from 0 as in `state_dict`; "" is the whole network."""
    layer: core.Module
    expected: Value
    got: Value
    difference: float
    """The largest difference between them; infinite if shapes differ or only one of two numbers is NaN."""

    def __str__(self) -> str:
        shapes = " and ".join(str(jax.tree.map(np.shape, value)) for value in (self.expected, self.got))
        where = f"layer {self.name}" if self.name else "the whole network"
        return f"{where}, {core.title(self.layer)}: deviates by {self.difference:.3g} (shapes {shapes})"


def compare(
    model: tuple[core.Module, Tree, Tree] | Functional | str | os.PathLike, inputs: Input,
    outputs: Input | Mapping[str, ArrayLike] | None = None, *, rtol: float = 1e-4, atol: float = 1e-5,
    train: bool = False, key: Key = None,
) -> Deviation | None:  # fmt: skip
    """The first layer, in the order of computation, whose output deviates from a recorded one; None if none does.

    `model` is (module, params, buffers), an object of `functorch7.legacy`, or the path of a Torch7 file. `outputs` is
    the network's output, or a dict from layers' dotted names ("0", "2.1"; "" is the network) to outputs. Without it,
    the outputs that the modules in a file kept from their last call are used; `inputs` must be the input of that call.
    Numbers agree if they differ by at most atol + rtol * |expected|. They are computed in the network's precision,
    whatever JAX's x64 mode is.
    Raises: TypeError for another model; ValueError for unknown names of layers, and if no outputs are recorded.
    """
    with jax.enable_x64(True):
        return _compared(model, inputs, outputs, rtol, atol, train=train, key=key)


def _compared(
    model: Value, inputs: Value, outputs: Value, rtol: float, atol: float, *, train: bool, key: Key
) -> Deviation | None:
    module, (params, buffers), recorded = _taken_apart(model)
    if outputs is not None:
        recorded = outputs if isinstance(outputs, Mapping) else {"": outputs}
    if not recorded:
        raise ValueError("compare: there are no recorded outputs; give them as outputs")
    with core.recording() as seen:
        given = jax.tree.map(jnp.asarray, inputs)
        output, _ = module.apply(params, buffers, given, key=key, train=train)
    prefix = (0,) if isinstance(module, Shared) else ()
    found = {dotted(path[len(prefix) :]): value for path, value in seen.outputs.items()} | {"": output}
    unknown = [name for name in recorded if name not in found]
    if unknown:
        raise ValueError(f"compare: no layer {unknown[0]!r}; there are {', '.join(map(repr, found))}")
    for name, got in found.items():
        if name in recorded:
            difference = _difference(recorded[name], got, rtol, atol)
            if difference is not None:
                root = module.module if isinstance(module, Shared) else module
                return Deviation(name, _layer(root, name), recorded[name], got, difference)
    return None


def _taken_apart(model: Value) -> tuple[core.Module, core.Variables, dict[str, Array]]:
    """A model's description, its arrays, and the outputs that its file has kept."""
    if isinstance(model, (str, os.PathLike)):
        node = Reader().read(t7.read(model))
        return *functional(node), kept_outputs(node)
    if hasattr(model, "functional"):
        return *model.functional(), {}
    if not isinstance(model, tuple) or len(model) != 3:
        wanted = "(module, params, buffers), an object of functorch7.legacy, or the path of a Torch7 file"
        raise TypeError(f"compare: expected {wanted}, got {core.describe(model)}")
    module, params, buffers = model
    return module, core.Variables(params, buffers), {}


def kept_outputs(node: Node) -> dict[str, Array]:
    """The outputs kept by the modules of a file, by dotted name, without those that a later layer has overwritten."""
    found: dict[str, Any] = {}
    places: dict[int, str] = {}

    def walk(node: Node, path: Path) -> None:
        for name, child in zip(child_names(node.spec), node.children, strict=True):
            walk(child, (*path, name))
        output = node.output
        if isinstance(output, np.ndarray) and output.size:
            start = output.__array_interface__["data"][0]
            if places.get(start) is not None:  # overwritten in place by the later layer
                found.pop(places[start], None)
            places[start] = dotted(path)
            found[dotted(path)] = output

    walk(node, ())
    return found


def _layer(module: core.Module, name: str) -> core.Module:
    for part in name.split(".") if name else ():
        _, module = child_at(module, part)
    return module


def _difference(expected: Value, got: Value, rtol: float, atol: float) -> float | None:
    expected, got = ([np.asarray(leaf, np.float64) for leaf in jax.tree.leaves(value)] for value in (expected, got))
    if [e.shape for e in expected] != [g.shape for g in got]:
        return float("inf")
    if all(np.allclose(g, e, rtol, atol, equal_nan=True) for e, g in zip(expected, got, strict=True)):
        return None
    return max(_largest(e, g) for e, g in zip(expected, got, strict=True))


def _largest(expected: np.ndarray, got: np.ndarray) -> float:
    """The largest difference: 0 for equal infinities and for two NaNs, infinite for a NaN and a number."""
    same = (expected == got) | (np.isnan(expected) & np.isnan(got))
    with np.errstate(invalid="ignore"):  # infinity - infinity
        apart = np.nan_to_num(np.abs(expected - got), nan=np.inf, posinf=np.inf)
    return float(np.max(apart, where=~same, initial=0))
