"""Arrays by name: "0.weight", "2.i2g.bias" (keys of the params and buffers trees, joined by dots)."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .module import Module, Variables, buffer_kinds
from .places import Path as Path
from .places import dotted as dotted


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


def leaves_by_name(tree: Any) -> dict[str, Any]:
    """All leaves of a tree of lists and dicts by dotted name, without those that are None."""
    return {dotted(path): leaf for path, leaf in _leaves(tree, ()) if leaf is not None}


def misfits(expected: dict[str, Any], given: dict[str, Any]) -> list[str]:
    """What is wrong with arrays by name: those that are missing, unexpected, or of another shape, a line for each."""
    missing = [f"missing {name}" for name in expected if name not in given]
    unexpected = [f"unexpected {name}" for name in given if name not in expected]
    return (
        missing
        + unexpected
        + [
            f"{name}: expected shape {tuple(array.shape)}, got {np.shape(given[name])}"
            for name, array in expected.items()
            if name in given and tuple(array.shape) != np.shape(given[name])
        ]
    )


def state_dict(module: Module, variables: Variables) -> dict[str, Any]:
    """Parameters (in Torch's order) and persistent buffers by dotted name, positions counted from 0."""
    found = [*named_parameters(module, variables.params), *named_buffers(module, variables.buffers)]
    return {dotted(path): value for path, value in found if value is not None}


def load_state_dict(module: Module, variables: Variables, state: dict[str, Any]) -> Variables:
    """`variables` with the arrays of `state`, cast to the dtypes that stand there.

    Raises ValueError that lists every missing and unexpected name and every shape that differs.
    """
    own = state_dict(module, variables)
    wrong = misfits(own, state)
    if wrong:
        raise ValueError(f"{module.torch_name()}: the state does not fit: " + "; ".join(wrong))

    arrays = {name: jnp.asarray(state[name], array.dtype) for name, array in own.items()}
    return Variables(_filled(variables.params, arrays, ()), _filled(variables.buffers, arrays, ()))


def from_state_dict(module: Module, state: dict[str, Any]) -> Variables:
    """The variables of `module` whose arrays are those of `state`, in their own dtypes; no recurrent state.

    Raises ValueError that lists every missing and unexpected name, every shape that differs, and 64-bit numbers where
    JAX does not keep them.
    """
    structure = check_state(module, state)
    arrays = {name: jnp.asarray(array) for name, array in state.items()}
    return Variables(_filled(structure.params, arrays, ()), _filled(structure.buffers, arrays, ()))


def check_state(module: Module, state: dict[str, Any]) -> Variables:
    """Raises the errors of `from_state_dict`, looking at shapes and dtypes only; gives what `structure_of` gives."""
    structure = structure_of(module)
    own = state_dict(module, structure)
    wrong = misfits(own, state)
    if not jax.config.read("jax_enable_x64"):
        large = [name for name in own if name in state and _is_float64(state[name])]
        wrong += [f"{name} is float64, which needs jax.enable_x64(True) or variables to cast to" for name in large]
    if wrong:
        raise ValueError(f"{module.torch_name()}: the state does not fit: " + "; ".join(wrong))
    return structure


def structure_of(module: Module) -> Variables:
    """What `init` gives, with shapes and dtypes in place of arrays; computes nothing."""
    return Variables(*jax.eval_shape(module.init, jax.random.key(0)))


def _is_float64(array: Any) -> bool:
    return getattr(array, "dtype", None) == np.float64


def _filled(tree: Any, arrays: dict[str, Any], path: Path) -> Any:
    if isinstance(tree, dict):
        return {name: _filled(branch, arrays, (*path, name)) for name, branch in tree.items()}
    if isinstance(tree, list):
        return [_filled(branch, arrays, (*path, i)) for i, branch in enumerate(tree)]
    return arrays.get(dotted(path), tree)
