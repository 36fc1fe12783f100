"""Conversion from and to PyTorch's `state_dict`, for layers that both have. Only making tensors needs PyTorch."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from ..core import Map, Module, Variables, describe
from ..core.tree import by_position, child_names, dotted, named_children
from ..core.types import Array, ArrayLike, Params, Tree, Value
from ..network import Shared, check_variables, from_state_dict, load_state_dict, misfits, state_dict, structure_of
from .packages import package
from .pytorch_layers import GRUS, KIND_NAMES, RULES, Arrays, lstm_names, refusal
from .remote import replacing


def to_pytorch(
    module: Module, params: Params, buffers: Tree, names: Mapping[str, str] | None = None
) -> dict[str, Array]:  # fmt: skip
    """The state_dict for PyTorch's network of the same layers: `network.load_state_dict(to_pytorch(...))`.

    `names` is for PyTorch networks that are not chains: {"0": "conv1", "3": "head.linear"} maps places here (counted
    from 0) to places there. It may also map whole names, such as {"1.weight_ih_l0": "lstm.weight_ih_l1"}.
    Raises: ImportError without PyTorch; ValueError that lists all layers that PyTorch does not have, and for
    arrays that are not the module's.
    """
    torch = package("torch", "torch")

    def tensor(array: np.ndarray) -> Any:
        if array.dtype.kind != "V":
            return torch.from_numpy(array)
        bits = torch.from_numpy(array.view(f"i{array.dtype.itemsize}"))  # NumPy itself lacks these dtypes
        return bits.view(getattr(torch, array.dtype.name))

    arrays = pytorch_arrays(module, params, buffers, names)
    return {name: tensor(np.array(array, order="C")) for name, array in arrays.items()}


def pytorch_arrays(
    module: Module, params: Params, buffers: Tree, names: Mapping[str, str] | None = None
) -> dict[str, np.ndarray]:  # fmt: skip
    """As `to_pytorch`, but in NumPy arrays, so that PyTorch is not needed."""
    check_variables("to_pytorch", module, params, buffers)
    arrays = {name: np.asarray(array) for name, array in state_dict(module, Variables(params, buffers)).items()}
    return _renamed(_as_theirs(module, arrays), names)


def from_pytorch(
    module: Module,
    state: Mapping[str, ArrayLike],
    variables: Variables | None = None,
    names: Mapping[str, str] | None = None,
) -> Variables:
    """The params and buffers of `module` from a PyTorch state_dict (tensors or arrays), which must fit exactly.

    They have the dtypes of the state, or those of `variables` if given. `names`: as for `to_pytorch`.
    The two biases of an LSTM are added. Indices of embeddings count from 1 here, so inputs must be larger by one.
    num_batches_tracked is ignored; `to_pytorch` writes 0.
    Raises: ValueError that lists every missing or unexpected name and every wrong shape, in PyTorch's words, or
    all layers that PyTorch does not have; TypeError unless `state` is a state_dict.
    """
    if not isinstance(state, Mapping):
        raise TypeError(f"from_pytorch: expected a state_dict, such as torch.load gives, got {describe(state)}")
    here = _as_theirs(module, _blank(module))
    given = {name: _as_numpy(value) for name, value in state.items()}
    wanted = {
        name: array
        for name, array in _renamed(here, names).items()
        if name in given or not name.endswith("num_batches_tracked")
    }
    wrong = misfits(wanted, given)
    there = _renamed({name: name for name in here}, names)
    arrays = {own: given[theirs] for theirs, own in there.items() if theirs in given}
    found, unequal = (_as_ours(module, arrays), []) if not wrong else ({}, [])
    for owner, alias in _ties(module):
        if not wrong and not np.array_equal(found[owner], found.pop(alias)):
            unequal.append(f"{alias} is tied to {owner}, but differs from it")
    if wrong or unequal:
        raise ValueError(f"{module.torch_name()}: the PyTorch state does not fit: " + "; ".join(wrong + unequal))
    return from_state_dict(module, found) if variables is None else load_state_dict(module, variables, found)


def names_by_order(module: Module, state: Mapping[str, ArrayLike]) -> dict[str, str]:
    """`names` for a network whose layers have other names in PyTorch but the same order: first to first, and so on.

    Raises: ValueError if both do not have equally many layers with arrays.
    """
    ours, theirs = _places(_as_theirs(module, _blank(module))), _places(state)
    if len(ours) != len(theirs):
        raise ValueError(
            f"{module.torch_name()}: expected {len(ours)} layers with arrays ({', '.join(ours)}), "
            f"got {len(theirs)}: {', '.join(theirs)}"
        )
    return dict(zip(ours, theirs, strict=True))


def names_by_kind(module: Module) -> dict[str, str]:
    """`names` as PyTorch classes usually choose them, by kind: "embedding", "conv1", "conv2", "lstm", "linear".

    Stacked LSTM layers are one nn.LSTM if it can have their sizes: "lstm.weight_ih_l0", "lstm.weight_ih_l1".
    Raises: ValueError that lists all layers that PyTorch does not have.

    >>> import functorch7 as f7
    >>> names_by_kind(f7.Sequential(f7.LookupTable(9, 4), f7.SeqLSTM(4, 5), f7.SeqLSTM(5, 5)))["2.weight_hh_l0"]
    'lstm.weight_hh_l1'
    """
    _as_theirs(module, _blank(module))  # raises for layers that PyTorch does not have
    groups: list[list[tuple[str, Any]]] = []
    for _, place, layer in _layers(module):
        if groups and _one_lstm(groups[-1], layer):
            groups[-1].append((place, layer))
        else:
            groups.append([(place, layer)])
    kinds = [KIND_NAMES.get(type(group[0][1]), "layer") for group in groups]
    names = {}
    for i, (kind, group) in enumerate(zip(kinds, groups, strict=True)):
        name = kind if kinds.count(kind) == 1 else f"{kind}{kinds[: i + 1].count(kind)}"
        for level, (place, layer) in enumerate(group):
            if kind == "lstm":
                ours = [each for each in lstm_names(layer) if layer.torch_name() == "nn.SeqLSTMP" or "_hr" not in each]
                names |= {_join(place, each): f"{name}.{each.removesuffix('_l0')}_l{level}" for each in ours}
            else:
                names[place] = name
    return names


def _one_lstm(group: list[tuple[str, Any]], layer: Value) -> bool:
    """Whether a layer can be the next of an nn.LSTM, whose layers all have one output size."""
    if any(KIND_NAMES.get(type(each)) != "lstm" for each in (group[0][1], layer)):
        return False
    sizes = [(getattr(each, "hidden_size", None), each.output_size) for each in (group[0][1], layer)]
    return sizes[0] == sizes[1] and layer.input_size == group[-1][1].output_size


def save(
    path: str | os.PathLike, module: Module, params: Params, buffers: Tree, names: Mapping[str, str] | None = None
) -> None:  # fmt: skip
    """Writes `to_pytorch`'s result to a path or a URL: as .safetensors, or else, for any other ending, by torch.save.

    Raises: as `to_pytorch`, ImportError without safetensors or PyTorch; OSError.
    """
    if os.fspath(path).lower().endswith(".safetensors"):
        arrays = pytorch_arrays(module, params, buffers, names)
        write, refusal = package("safetensors.numpy").save_file, package("safetensors").SafetensorError
        written: dict[str, Any] = {name: np.array(array, order="C") for name, array in arrays.items()}
    else:
        written, write = to_pytorch(module, params, buffers, names), package("torch", "torch").save
        refusal = RuntimeError  # raised by PyTorch's writer of archives
    with replacing(path, refusal) as draft:
        write(written, draft)


def _places(state: Mapping[str, ArrayLike]) -> list[str]:
    """The places of the layers, in order: names without their last part."""
    layers = (name.replace(".parametrizations.weight.", ".").rpartition(".")[0] for name in state)
    return list(dict.fromkeys(layers))


# Places and names --------------------------------------------------------------------------------------------------


def _layers(module: Module, ours: str = "", theirs: str = "") -> Iterator[tuple[str, str, Module]]:
    """Every layer that has arrays, with its place here and in PyTorch, where Shared is no level of its own."""
    if type(module) in RULES or type(module) in GRUS:
        yield ours, theirs, module
        return
    if set(_own_names(module)) - set(child_names(module)):
        yield ours, theirs, module
    for name, child in named_children(module):
        place = theirs if isinstance(module, Shared) else _join(theirs, name)
        yield from _layers(child, _join(ours, name), place)


def _own_names(module: Module) -> list[str]:
    """The first parts of the names of a module's arrays."""
    if by_position(module):
        return [name for name, value in module.init_buffers().items() if hasattr(value, "shape")]
    arrayless = isinstance(module, Map)
    return [] if arrayless else [name.split(".")[0] for name in state_dict(module, structure_of(module))]


def _ties(module: Module, place: str = "") -> Iterator[tuple[str, str]]:
    """The names of each tie's owner and alias."""
    if isinstance(module, Shared):
        for owner, alias in module.ties:
            yield _join(place, 0, *owner), _join(place, 0, *alias)
    for name, child in named_children(module):
        yield from _ties(child, _join(place, name))


def _join(*parts: Value) -> str:
    return dotted(tuple(part for part in parts if part != ""))


def _inside(arrays: Arrays, place: str) -> Arrays:
    """The arrays at a place, under their names inside it."""
    start = place + "." if place else ""
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def _renamed(arrays: Arrays, names: Mapping[str, str] | None) -> Arrays:
    """The arrays under other names: the longest entry of `names` that a name starts with replaces that part."""
    names = names or {}
    used = set()

    def renamed(name: str) -> str:
        parts = name.split(".")
        starts = [".".join(parts[:n]) for n in range(len(parts), -1, -1)]
        found = next((start for start in starts if start in names), None)
        if found is None:
            return name
        used.add(found)
        return _join(names[found], *parts[len(found.split(".")) if found else 0 :])

    result = {renamed(name): array for name, array in arrays.items()}
    if len(result) < len(arrays) or used != set(names):
        unused = sorted(set(names) - used)
        why = f"no arrays at {', '.join(unused)}" if unused else "two places have the same name in PyTorch"
        raise ValueError(f"names: {why}; the arrays are {', '.join(arrays)}")
    return result


def _blank(module: Module) -> Arrays:
    """Arrays of the right shapes, by name, which take no memory."""
    own = state_dict(module, structure_of(module))
    return {name: np.broadcast_to(np.zeros((), array.dtype), array.shape) for name, array in own.items()}


def _as_theirs(module: Module, arrays: Arrays) -> Arrays:
    for owner, alias in _ties(module):
        arrays[alias] = arrays[owner]
    result: Arrays = {}
    wrong = []
    for ours, theirs, layer in _layers(module):
        reason = refusal(layer)
        if reason:
            wrong.append(f"{layer.torch_name()}{f' (at {ours})' if ours else ''}: {reason}")
        else:
            made = RULES[type(layer)].theirs(layer, _inside(arrays, ours))
            result |= {_join(theirs, name): array for name, array in made.items()}
    if wrong:
        raise ValueError(f"{module.torch_name()}: no PyTorch form: " + "; ".join(wrong))
    return result


def _as_ours(module: Module, arrays: Arrays) -> Arrays:
    result: Arrays = {}
    for ours, theirs, layer in _layers(module):
        made = RULES[type(layer)].ours(layer, _inside(arrays, theirs))
        result |= {_join(ours, name): array for name, array in made.items()}
    return result


def _as_numpy(value: Value) -> np.ndarray:
    if not hasattr(value, "detach"):
        return np.asarray(value)
    value = value.detach().cpu()
    kind = jnp.dtype(str(value.dtype).removeprefix("torch."))
    if kind.kind != "V":
        return value.numpy()
    torch = package("torch", "torch")
    bits = value.contiguous().view({1: torch.int8, 2: torch.int16}[kind.itemsize])
    return bits.numpy().view(kind)
