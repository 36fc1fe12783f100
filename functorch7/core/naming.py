"""Arrays by name: "0.weight", "2.i2g.bias" (keys of the params and buffers trees, joined by dots)."""

from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp

from .module import Module, Variables, buffer_kinds

Path = tuple[int | str, ...]


def named_parameters(module: Module, params: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every learnable array with its path, in Torch's order (weight before bias, children in order)."""
    children = module.children()
    if isinstance(children, tuple):
        for i, child in enumerate(children):
            yield from named_parameters(child, params[i], (*path, i))
        return
    order = module.parameter_order
    for name in sorted(set(params) - set(children), key=lambda n: (order.index(n) if n in order else len(order), n)):
        yield (*path, name), params[name]
    for name, child in children.items():
        yield from named_parameters(child, params[name], (*path, name))


def _leaves(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    branches = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if branches is None:
        yield path, tree
    else:
        for name, branch in branches:
            yield from _leaves(branch, (*path, name))


def named_buffers(module: Module, buffers: Any) -> Iterator[tuple[Path, Any]]:
    """Every persistent buffer with its path."""
    kinds = dict(_leaves(buffer_kinds(module, buffers), ()))
    for path, value in _leaves(buffers, ()):
        if kinds.get(path) == "persistent":
            yield path, value


def dotted(path: Path) -> str:
    """A path as text: (2, "weight") is "2.weight"."""
    return ".".join(map(str, path))


def state_dict(module: Module, variables: Variables) -> dict[str, Any]:
    """Parameters (in Torch's order) and persistent buffers by dotted name, positions counted from 0."""
    found = [*named_parameters(module, variables.params), *named_buffers(module, variables.buffers)]
    return {dotted(path): value for path, value in found if value is not None}


def load_state_dict(module: Module, variables: Variables, state: dict[str, Any]) -> Variables:
    """`variables` with the arrays of `state`, cast to the dtypes that stand there.

    Raises ValueError that lists every missing and unexpected name and every shape that differs.
    """
    own = state_dict(module, variables)
    wrong = [f"missing {name}" for name in own if name not in state]
    wrong += [f"unexpected {name}" for name in state if name not in own]
    wrong += [
        f"{name}: expected shape {jnp.shape(own[name])}, got {jnp.shape(state[name])}"
        for name in own
        if name in state and jnp.shape(own[name]) != jnp.shape(state[name])
    ]
    if wrong:
        raise ValueError(f"{module.torch_name()}: the state does not fit: " + "; ".join(wrong))

    def filled(tree: Any, path: Path) -> Any:
        if isinstance(tree, dict):
            return {name: filled(branch, (*path, name)) for name, branch in tree.items()}
        if isinstance(tree, list):
            return [filled(branch, (*path, i)) for i, branch in enumerate(tree)]
        name = dotted(path)
        return jnp.asarray(state[name], own[name].dtype) if name in own else tree

    return Variables(filled(variables.params, ()), filled(variables.buffers, ()))
