"""Arrays by name: "0.weight", "2.i2g.bias" (keys of the params and buffers trees, joined by dots)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import jax
import jax.numpy as jnp
import numpy as np

from ..checks.errors import MISUSE, describe
from ..checks.kinds import is_of_numbers
from ..core.module import Module, Variables
from ..core.tree import Path, dotted, leaves_with_path, named_children, places, split
from ..core.types import Array, ArrayLike, Params, Tree, Value
from .fitting import check_module, check_variables
from .kinds import buffer_kinds

Pair = Variables | tuple[Any, Any]
"""A module's arrays, (params, buffers)."""


def find(module: Module, name: str) -> Path | None:
    """The place of the module that is `named` so, as a path into the trees of arrays: (0, "i2g"); None if missing.

    Raises: ValueError if several modules have the name; TypeError for a name that is no text.
    Source: BigDL, AbstractModule.apply(name).

    >>> import functorch7 as f7
    >>> f7.find(f7.Sequential(f7.Tanh(), f7.Linear(3, 2).named("last")), "last")
    (1,)
    """
    check_module("find", module)
    if not isinstance(name, str):
        raise TypeError(f"find: expected the name of a module, got {describe(name)}")
    found = [path for path, each in places(module) if each.own_name == name]
    if len(found) > 1:
        at = " and ".join(dotted(path) or "the top" for path in found)
        raise ValueError(f"{module.torch_name()}: find multiple modules with same name {name!r}: at {at}")
    return found[0] if found else None


def in_order(module: Module, names: Iterable[str]) -> list[str]:
    """A module's own names of parameters in Torch's order, those without a place in it last."""
    order = module.parameter_order
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def named_parameters(module: Module, params: Params, path: Path = ()) -> Iterator[tuple[Path, Array]]:
    """Every learnable array with its path, in Torch's order (weight before bias, children in order)."""
    own, branches = split(module, params)
    for name in in_order(module, own):
        yield (*path, name), own[name]
    for (name, child), branch in zip(named_children(module), branches, strict=True):
        yield from named_parameters(child, branch, (*path, name))


def named_buffers(
    module: Module, buffers: Tree, kinds: Collection[str] = ("persistent",)
) -> Iterator[tuple[Path, Array]]:
    """Every buffer of these kinds with its path."""
    kind_at = dict(leaves_with_path(buffer_kinds(module, buffers)))
    return ((path, value) for path, value in leaves_with_path(buffers) if kind_at.get(path) in kinds)


def leaves_by_name(tree: Tree) -> dict[str, Value]:
    """All leaves of a tree of lists and dicts by dotted name, except None."""
    return {dotted(path): leaf for path, leaf in leaves_with_path(tree) if leaf is not None}


def misfits(expected: Mapping[str, Value], given: Mapping[str, Value]) -> list[str]:
    """A line for each array that is missing, unexpected, or of another shape, by name."""
    missing = [f"missing {name}" for name in expected if name not in given]
    unexpected = [f"unexpected {name}" for name in given if name not in expected]
    shared = [name for name in expected if name in given]
    return missing + unexpected + [line for name in shared for line in _misfit(name, expected[name], given[name])]


def _misfit(name: str, array: Any, given: Any) -> list[str]:
    if type(given).__module__.partition(".")[0] == "torch":
        return [f"{name}: expected an array, got a tensor of PyTorch's; interop.pytorch.from_pytorch takes its states"]
    dtype = given.dtype if hasattr(given, "dtype") else np.asarray(given).dtype
    is_like = is_of_numbers(dtype) or dtype == array.dtype  # as random keys are
    if not is_like or isinstance(given, np.ma.MaskedArray) or hasattr(given, "todense"):
        return [f"{name}: expected numbers, got {describe(given)}"]
    if jnp.issubdtype(dtype, np.complexfloating) and not jnp.issubdtype(array.dtype, np.complexfloating):
        return [f"{name}: expected real numbers, got {dtype}"]
    wanted, found = tuple(array.shape), np.shape(given)
    return [] if wanted == found else [f"{name}: expected shape {wanted}, got {found}"]


class IncompatibleKeys(NamedTuple):
    """The names that a loaded state lacked, and those that had no place."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not (self.missing_keys or self.unexpected_keys):
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def state_dict(module: Module, variables: Pair) -> dict[str, Array]:
    """Parameters (in Torch's order) and persistent buffers by dotted name, positions counted from 0.

    Here and in `load_state_dict`, `variables` may also be a plain pair (params, buffers).
    Raises: TypeError for anything but a pair; ValueError for arrays that are nested differently from the module's.

    >>> import functorch7 as f7, jax
    >>> network = f7.Sequential(f7.Linear(3, 2), f7.BatchNormalization(2))
    >>> list(f7.state_dict(network, network.init(jax.random.key(0))))
    ['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var']
    """
    if not isinstance(variables, (tuple, list)) or len(variables) != 2:
        raise TypeError(f"state_dict: expected variables, (params, buffers), got {describe(variables)}")
    params, buffers = variables
    try:
        found = [*named_parameters(module, params), *named_buffers(module, buffers)]
    except MISUSE:
        check_variables("state_dict", module, params, buffers)
        raise
    return {dotted(path): value for path, value in found if value is not None}


def fitting(
    who: str, own: Mapping[str, Value], state: Mapping[str, Value], strict: bool, others: Sequence[str] = ()
) -> IncompatibleKeys:
    """The names in which a state differs from a module. Raises `load_state_dict`'s errors, in the name of `who`.

    `others`: additional expected names, which may have any values.
    """
    if not isinstance(state, Mapping):
        raise TypeError(f"{who}: expected a state_dict, got {type(state).__name__}")
    own = {**own} | {name: None for name in others if name not in state}
    state = {name: value for name, value in state.items() if name not in others}
    shared = {name: array for name, array in own.items() if name in state}
    wrong = misfits(own, state) if strict else misfits(shared, {name: state[name] for name in shared})
    if wrong:
        raise ValueError(f"{who}: the state does not fit: " + "; ".join(wrong))
    return IncompatibleKeys([n for n in own if n not in state], [n for n in state if n not in own])


@overload
def load_state_dict(
    module: Module, variables: Pair, state: Mapping[str, ArrayLike], strict: Literal[True] = True
) -> Variables: ...
@overload
def load_state_dict(
    module: Module, variables: Pair, state: Mapping[str, ArrayLike], strict: bool
) -> tuple[Variables, IncompatibleKeys]: ...
def load_state_dict(
    module: Module, variables: Pair, state: Mapping[str, ArrayLike], strict: bool = True
) -> Variables | tuple[Variables, IncompatibleKeys]:
    """`variables` with the arrays of `state`, cast to the existing dtypes.

    With strict=False names may be missing and unexpected: (variables, (missing_keys, unexpected_keys)).
    Raises TypeError unless `state` is a mapping, and ValueError that lists every missing and unexpected name (if
    strict) and every shape that differs.

    >>> import functorch7 as f7, jax, numpy as np
    >>> layer = f7.Linear(2, 1)
    >>> state = {"weight": np.array([[1.0, 2.0]]), "bias": np.array([3.0])}
    >>> f7.load_state_dict(layer, layer.init(jax.random.key(0)), state).params["weight"].tolist()
    [[1.0, 2.0]]
    """
    own = state_dict(module, variables)
    keys = fitting(module.torch_name(), own, state, strict)
    arrays = {name: jnp.asarray(state[name], array.dtype) for name, array in own.items() if name in state}
    loaded = Variables(*(_filled(tree, arrays, ()) for tree in variables))
    return loaded if strict else (loaded, keys)


def from_state_dict(module: Module, state: Mapping[str, ArrayLike]) -> Variables:
    """The variables of `module` with the arrays of `state`, in their own dtypes, without recurrent state.

    Raises ValueError that lists every missing and unexpected name, every shape that differs, and 64-bit numbers where
    JAX does not keep them.

    >>> import functorch7 as f7, numpy as np
    >>> from functorch7.network import from_state_dict
    >>> state = {"weight": np.float32([[1, 2]]), "bias": np.float32([3])}
    >>> from_state_dict(f7.Linear(2, 1), state).params["bias"].tolist()
    [3.0]
    """
    structure = check_state(module, state)
    arrays = {name: jnp.asarray(array) for name, array in state.items()}
    return Variables(_filled(structure.params, arrays, ()), _filled(structure.buffers, arrays, ()))


def check_state(module: Module, state: Mapping[str, ArrayLike]) -> Variables:
    """The result of `structure_of`, if a state fits a module; only shapes and dtypes are checked.

    Raises: ValueError for names that are missing or too many, other shapes, and float64 without JAX's x64 mode.
    """
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
    """The result of `init`, with shapes and dtypes in place of arrays; computes nothing."""
    return Variables(*jax.eval_shape(module.init, jax.random.key(0)))


def _is_float64(array: Any) -> bool:
    return getattr(array, "dtype", None) == np.float64


def _filled(tree: Any, arrays: dict[str, Any], path: Path) -> Any:
    if isinstance(tree, dict):
        return {name: _filled(branch, arrays, (*path, name)) for name, branch in tree.items()}
    if isinstance(tree, list):
        return [_filled(branch, arrays, (*path, i)) for i, branch in enumerate(tree)]
    return arrays.get(dotted(path), tree)
