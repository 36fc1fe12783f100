"""PyTorch's `state_dict`, both ways, for the layers that both have. Needs PyTorch only to make its tensors."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core import Map, Module, Variables
from ..core.tree import by_position, child_names, dotted, named_children
from ..layers import (
    BatchNormalization,
    Bilinear,
    Embedding,
    GroupNorm,
    LayerNorm,
    LayerNormalization,
    Linear,
    LinearWeightNorm,
    LookupTable,
    PReLU,
    RMSNorm,
    SpatialBatchNormalization,
    SpatialConvolution,
    SpatialConvolutionMM,
    SpatialDepthWiseConvolution,
    SpatialDilatedConvolution,
    SpatialFullConvolution,
    TemporalConvolution,
    TemporalRowConvolution,
    VolumetricBatchNormalization,
    VolumetricConvolution,
    VolumetricDilatedConvolution,
    VolumetricFullConvolution,
)
from ..network import Shared, from_state_dict, load_state_dict, misfits, state_dict, structure_of
from ..recurrent import GRU, FastLSTM, LookupTableMaskZero, SeqGRU, SeqLSTM, SeqLSTMP, StepGRU, StepLSTM
from ..recurrent.simple import LinearNoBias
from .packages import package

Arrays = dict[str, Any]


class Rule(NamedTuple):
    """How a layer's arrays, by their names within it, become those of PyTorch's layer, and back."""

    theirs: Callable[[Any, Arrays], Arrays]
    ours: Callable[[Any, Arrays], Arrays]


def to_pytorch(
    module: Module, params: Any, buffers: Any, names: Mapping[str, str] | None = None
) -> dict[str, Any]:  # fmt: skip
    """The state_dict of PyTorch's network of the same layers: `network.load_state_dict(to_pytorch(...))`.

    `names` is for PyTorch networks that are no chains: {"0": "conv1", "3": "head.linear"} says which place here
    (counted from 0) is which there; whole names such as {"1.weight_ih_l0": "lstm.weight_ih_l1"} may stand in it, too.
    Raises: ImportError without PyTorch; ValueError that lists all layers that PyTorch does not have.
    """
    torch = package("torch", "torch")

    def tensor(array: np.ndarray) -> Any:
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    arrays = pytorch_arrays(module, params, buffers, names)
    return {name: tensor(np.array(array, order="C")) for name, array in arrays.items()}


def pytorch_arrays(
    module: Module, params: Any, buffers: Any, names: Mapping[str, str] | None = None
) -> dict[str, np.ndarray]:  # fmt: skip
    """As `to_pytorch`, in NumPy arrays and without PyTorch."""
    arrays = {name: np.asarray(array) for name, array in state_dict(module, Variables(params, buffers)).items()}
    return _renamed(_as_theirs(module, arrays), names)


def from_pytorch(
    module: Module,
    state: Mapping[str, Any],
    variables: Variables | None = None,
    names: Mapping[str, str] | None = None,
) -> Variables:
    """The params and buffers of `module` from a PyTorch state_dict (tensors or arrays), which has to fit exactly.

    They have the dtypes of the state, or, if `variables` are given, theirs. `names`: as for `to_pytorch`.
    The two biases of an LSTM are added up. Indices of embeddings count from 1 here, so that inputs have to be one
    larger. num_batches_tracked is ignored, and 0 in what `to_pytorch` gives.
    Raises: ValueError that lists every missing and unexpected name and every shape that differs, in PyTorch's words, or
    all layers that PyTorch does not have.
    """
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


def names_by_order(module: Module, state: Mapping[str, Any]) -> dict[str, str]:
    """`names` for a network whose layers have other names in PyTorch, but the same order: the first to the first, ....

    Raises: ValueError if there are not as many layers with arrays in both.
    """
    ours, theirs = _places(_as_theirs(module, _blank(module))), _places(state)
    if len(ours) != len(theirs):
        raise ValueError(
            f"{module.torch_name()}: expected {len(ours)} layers with arrays ({', '.join(ours)}), "
            f"got {len(theirs)}: {', '.join(theirs)}"
        )
    return dict(zip(ours, theirs, strict=True))


def _places(state: Mapping[str, Any]) -> list[str]:
    """Where there are layers, in order: names without their last part."""
    layers = (name.replace(".parametrizations.weight.", ".").rpartition(".")[0] for name in state)
    return list(dict.fromkeys(layers))


# Places and names --------------------------------------------------------------------------------------------------


def _layers(module: Module, ours: str = "", theirs: str = "") -> Iterator[tuple[str, str, Module]]:
    """Every layer that has arrays, with its place here and there; Shared has no level of its own there."""
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


def _join(*parts: Any) -> str:
    return dotted(tuple(part for part in parts if part != ""))


def _inside(arrays: Arrays, place: str) -> Arrays:
    """The arrays at a place, by their names within it."""
    start = place + "." if place else ""
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def _renamed(arrays: Arrays, names: Mapping[str, str] | None) -> Arrays:
    """The same under other names: the longest entry of `names` that a name starts with says which."""
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
    """Arrays by name that have the right shapes, and take no memory."""
    own = state_dict(module, structure_of(module))
    return {name: np.broadcast_to(np.zeros((), array.dtype), array.shape) for name, array in own.items()}


def _as_theirs(module: Module, arrays: Arrays) -> Arrays:
    for owner, alias in _ties(module):
        arrays[alias] = arrays[owner]
    result: Arrays = {}
    wrong = []
    for ours, theirs, layer in _layers(module):
        reason = _refusal(layer)
        if reason:
            wrong.append(f"{layer.torch_name()}{f' (at {ours})' if ours else ''}: {reason}")
        else:
            made = RULES[type(layer)].theirs(layer, _inside(arrays, ours))
            result |= {_join(theirs, name): array for name, array in made.items()}
    if wrong:
        raise ValueError(f"{module.torch_name()}: no PyTorch form: " + "; ".join(wrong))
    return result


def _refusal(layer: Any) -> str | None:
    """Why a layer has no kin in PyTorch; None if it has."""
    if isinstance(layer, GRUS):
        return "PyTorch's GRU is another function: it has r (U h + b) where Torch's has U (r h) + b"
    if isinstance(layer, FastLSTM) and (layer.p or layer.bn):
        return "PyTorch's LSTMCell has no dropout or batch normalisation inside"
    return None if type(layer) in RULES else "PyTorch has no such layer"


def _as_ours(module: Module, arrays: Arrays) -> Arrays:
    result: Arrays = {}
    for ours, theirs, layer in _layers(module):
        made = RULES[type(layer)].ours(layer, _inside(arrays, theirs))
        result |= {_join(ours, name): array for name, array in made.items()}
    return result


def _as_numpy(value: Any) -> np.ndarray:
    if not hasattr(value, "detach"):
        return np.asarray(value)
    value = value.detach().cpu()
    if str(value.dtype) == "torch.bfloat16":
        import ml_dtypes  # NumPy has no such numbers by itself

        return value.float().numpy().astype(ml_dtypes.bfloat16)
    return value.numpy()


# The layers --------------------------------------------------------------------------------------------------------


def _weight(theirs: Callable[[Any, Any], Any], ours: Callable[[Any, Any], Any]) -> Rule:
    """A rule for layers whose weight alone lies differently."""
    return Rule(
        lambda layer, a: {**a, "weight": theirs(layer, a["weight"])},
        lambda layer, a: {**a, "weight": ours(layer, a["weight"])},
    )


def _renaming(names: dict[str, str]) -> Rule:
    """A rule for arrays that only have other names there: {ours: theirs}."""
    back = {theirs: ours for ours, theirs in names.items()}
    return Rule(
        lambda layer, a: {names[name]: array for name, array in a.items()},
        lambda layer, a: {back[name]: array for name, array in a.items()},
    )


def _frames_to_taps(layer: Any, weight: Any) -> Any:
    return weight.reshape(len(weight), layer.kw, -1).swapaxes(1, 2)


def _taps_to_frames(layer: Any, weight: Any) -> Any:
    return weight.swapaxes(1, 2).reshape(len(weight), -1)


def _kernels(layer: Any) -> tuple[int, ...]:
    return layer.n_input_plane // layer.groups, layer.kh, layer.kw


def _without_tracked(layer: Any, arrays: Arrays) -> Arrays:
    return {name: array for name, array in arrays.items() if name != "num_batches_tracked"}


def _by_input_plane(layer: Any, arrays: Arrays) -> Arrays:
    """SpatialDepthWiseConvolution's kernels, those of the first input plane first."""
    weight = arrays["weight"].reshape(layer.n_output_plane, *_kernels(layer))
    made = {"weight": weight.swapaxes(0, 1).reshape(-1, 1, layer.kh, layer.kw)}
    return made | ({"bias": arrays["bias"].T.reshape(-1)} if layer.bias else {})


def _by_output_plane(layer: Any, arrays: Arrays) -> Arrays:
    planes = layer.n_input_plane, layer.n_output_plane
    weight = arrays["weight"].reshape(*planes, layer.kh, layer.kw).swapaxes(0, 1)
    made = {"weight": weight.reshape(layer.n_output_plane, -1)}
    return made | ({"bias": arrays["bias"].reshape(planes).T} if layer.bias else {})


def _first_row_zero(layer: Any, weight: Any) -> Any:
    """Index 0 gives zeros; here by rule, there because its row is."""
    return np.concatenate([np.zeros_like(weight[:1]), weight[1:]])


def _gates(rows: Any, source: str, target: str) -> Any:
    """Four blocks of rows in another order."""
    blocks = dict(zip(source, np.split(rows, 4), strict=True))
    return np.concatenate([blocks[gate] for gate in target])


def _lstm_names(layer: Any) -> tuple[str, str, str, str, str]:
    end = "_l0" if isinstance(layer, SeqLSTM) else ""
    return f"weight_ih{end}", f"weight_hh{end}", f"bias_ih{end}", f"bias_hh{end}", f"weight_hr{end}"


def _lstm_theirs(layer: Any, rows: Any, bias: Any, order: str) -> Arrays:
    """PyTorch's matrices and biases from one matrix for [x, h], its rows in some order of gates."""
    of_input, of_state, bias_ih, bias_hh, _ = _lstm_names(layer)
    rows, bias = _gates(rows, order, "ifgo"), _gates(bias, order, "ifgo")
    of_x, of_h = rows[:, : layer.input_size], rows[:, layer.input_size :]
    return {of_input: of_x, of_state: of_h, bias_ih: bias, bias_hh: np.zeros_like(bias)}


def _lstm_ours(layer: Any, arrays: Arrays, order: str) -> tuple[Any, Any]:
    of_input, of_state, bias_ih, bias_hh, _ = _lstm_names(layer)
    rows = np.concatenate([arrays[of_input], arrays[of_state]], 1)
    return _gates(rows, "ifgo", order), _gates(arrays[bias_ih] + arrays[bias_hh], "ifgo", order)


def _lstm_layer_theirs(layer: Any, arrays: Arrays) -> Arrays:
    made = _lstm_theirs(layer, arrays["weight"].T, arrays["bias"], "ifog")
    return made | ({_lstm_names(layer)[4]: arrays["weightO"].T} if "weightO" in arrays else {})


def _lstm_layer_ours(layer: Any, arrays: Arrays) -> Arrays:
    (rows, bias), projection = _lstm_ours(layer, arrays, "ifog"), _lstm_names(layer)[4]
    made = {"weight": rows.T, "bias": bias}
    return made | ({"weightO": arrays[projection].T} if projection in arrays else {})


def _fast_lstm_theirs(layer: Any, arrays: Arrays) -> Arrays:
    rows = np.concatenate([arrays["i2g.weight"], arrays["o2g.weight"]], 1)
    return _lstm_theirs(layer, rows, arrays["i2g.bias"], "igfo")


def _fast_lstm_ours(layer: Any, arrays: Arrays) -> Arrays:
    rows, bias = _lstm_ours(layer, arrays, "igfo")
    of_x, of_h = rows[:, : layer.input_size], rows[:, layer.input_size :]
    return {"i2g.weight": of_x, "i2g.bias": bias, "o2g.weight": of_h}


SAME = Rule(lambda layer, arrays: arrays, lambda layer, arrays: arrays)
NORMALIZATION = Rule(
    lambda layer, arrays: {**arrays, "num_batches_tracked": np.zeros((), np.int64)}, _without_tracked
)  # fmt: skip
LSTM_LAYER = Rule(_lstm_layer_theirs, _lstm_layer_ours)

RULES: dict[type[Module], Rule] = {
    **dict.fromkeys(
        (Linear, LinearNoBias, Bilinear, PReLU, LookupTable, SpatialConvolution, SpatialDilatedConvolution,
         VolumetricConvolution, VolumetricDilatedConvolution, SpatialFullConvolution, VolumetricFullConvolution,
         TemporalRowConvolution, LayerNorm, RMSNorm, GroupNorm, Embedding), SAME,
    ),
    **dict.fromkeys((BatchNormalization, SpatialBatchNormalization, VolumetricBatchNormalization), NORMALIZATION),
    **dict.fromkeys((SeqLSTM, SeqLSTMP, StepLSTM), LSTM_LAYER),
    FastLSTM: Rule(_fast_lstm_theirs, _fast_lstm_ours),
    LookupTableMaskZero: _weight(_first_row_zero, lambda layer, weight: weight),
    LayerNormalization: _renaming({"4.weight": "weight", "5.bias": "bias"}),
    LinearWeightNorm: _renaming(
        {"v": "parametrizations.weight.original1", "g": "parametrizations.weight.original0", "bias": "bias"}
    ),
    TemporalConvolution: _weight(_frames_to_taps, _taps_to_frames),
    SpatialConvolutionMM: _weight(
        lambda layer, weight: weight.reshape(-1, *_kernels(layer)),
        lambda layer, weight: weight.reshape(len(weight), -1),
    ),
    SpatialDepthWiseConvolution: Rule(_by_input_plane, _by_output_plane),
}  # fmt: skip
"""Layers whose output PyTorch's layer of the same arrays gives, too. Subclasses may compute something else."""

GRUS = (GRU, SeqGRU, StepGRU)
