"""How the layers that PyTorch has, too, keep their arrays there and here."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core import Module
from ..core.types import Value
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
    MultiHeadAttention,
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
from ..recurrent import GRU, FastLSTM, LookupTableMaskZero, SeqGRU, SeqLSTM, SeqLSTMP, StepGRU, StepLSTM, cudnn
from ..recurrent.gates import in_order
from ..recurrent.simple import LinearNoBias

Arrays = dict[str, Any]


class Rule(NamedTuple):
    """How a layer's arrays, by their names within it, become those of PyTorch's layer, and back."""

    theirs: Callable[[Any, Arrays], Arrays]
    ours: Callable[[Any, Arrays], Arrays]


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


def _frames_to_taps(layer: Value, weight: Value) -> Value:
    return weight.reshape(len(weight), layer.kw, -1).swapaxes(1, 2)


def _taps_to_frames(layer: Value, weight: Value) -> Value:
    return weight.swapaxes(1, 2).reshape(len(weight), -1)


def _kernels(layer: Value) -> tuple[int, ...]:
    return layer.n_input_plane // layer.groups, layer.kh, layer.kw


def _without_tracked(layer: object, arrays: Arrays) -> Arrays:
    return {name: array for name, array in arrays.items() if name != "num_batches_tracked"}


def _by_input_plane(layer: Value, arrays: Arrays) -> Arrays:
    """SpatialDepthWiseConvolution's kernels, those of the first input plane first."""
    weight = arrays["weight"].reshape(layer.n_output_plane, *_kernels(layer))
    made = {"weight": weight.swapaxes(0, 1).reshape(-1, 1, layer.kh, layer.kw)}
    return made | ({"bias": arrays["bias"].T.reshape(-1)} if layer.bias else {})


def _by_output_plane(layer: Value, arrays: Arrays) -> Arrays:
    planes = layer.n_input_plane, layer.n_output_plane
    weight = arrays["weight"].reshape(*planes, layer.kh, layer.kw).swapaxes(0, 1)
    made = {"weight": weight.reshape(layer.n_output_plane, -1)}
    return made | ({"bias": arrays["bias"].reshape(planes).T} if layer.bias else {})


def _first_row_zero(layer: Value, weight: Value) -> Value:
    """Index 0 gives zeros; here by rule, there because its row is."""
    return np.concatenate([np.zeros_like(weight[:1]), weight[1:]])


def lstm_names(layer: object) -> tuple[str, str, str, str, str]:
    """PyTorch's names of an LSTM's weights, biases and projection: those of nn.LSTM, or of nn.LSTMCell."""
    end = "_l0" if isinstance(layer, SeqLSTM) else ""
    return f"weight_ih{end}", f"weight_hh{end}", f"bias_ih{end}", f"bias_hh{end}", f"weight_hr{end}"


def _lstm_theirs(layer: Value, rows: Value, bias: Value, order: str) -> Arrays:
    """PyTorch's matrices and biases from one matrix for [x, h], its rows in some order of gates."""
    of_input, of_state, bias_ih, bias_hh, _ = lstm_names(layer)
    rows, bias = in_order(rows, order, "ifgo"), in_order(bias, order, "ifgo")
    of_x, of_h = rows[:, : layer.input_size], rows[:, layer.input_size :]
    return {of_input: of_x, of_state: of_h, bias_ih: bias, bias_hh: np.zeros_like(bias)}


def _lstm_ours(layer: object, arrays: Arrays, order: str) -> tuple[Any, Any]:
    of_input, of_state, bias_ih, bias_hh, _ = lstm_names(layer)
    rows = np.concatenate([arrays[of_input], arrays[of_state]], 1)
    return in_order(rows, "ifgo", order), in_order(arrays[bias_ih] + arrays[bias_hh], "ifgo", order)


def _lstm_layer_theirs(layer: object, arrays: Arrays) -> Arrays:
    made = _lstm_theirs(layer, arrays["weight"].T, arrays["bias"], "ifog")
    return made | ({lstm_names(layer)[4]: arrays["weightO"].T} if "weightO" in arrays else {})


def _lstm_layer_ours(layer: object, arrays: Arrays) -> Arrays:
    (rows, bias), projection = _lstm_ours(layer, arrays, "ifog"), lstm_names(layer)[4]
    made = {"weight": rows.T, "bias": bias}
    return made | ({"weightO": arrays[projection].T} if projection in arrays else {})


def _fast_lstm_theirs(layer: object, arrays: Arrays) -> Arrays:
    rows = np.concatenate([arrays["i2g.weight"], arrays["o2g.weight"]], 1)
    return _lstm_theirs(layer, rows, arrays["i2g.bias"], "igfo")


def _fast_lstm_ours(layer: Value, arrays: Arrays) -> Arrays:
    rows, bias = _lstm_ours(layer, arrays, "igfo")
    of_x, of_h = rows[:, : layer.input_size], rows[:, layer.input_size :]
    return {"i2g.weight": of_x, "i2g.bias": bias, "o2g.weight": of_h}


def _names_in_a_row(layer: Value, what: str) -> list[str]:
    """PyTorch's names of the matrices, or the biases, of each layer and direction."""
    ends = [f"_l{i}{end}" for i in range(layer.num_layers) for end in ("", "_reverse")[: layer.directions]]
    return [f"{what}_{of}{end}" for end in ends for of in ("ih", "hh")]


def _in_a_row_theirs(layer: Value, arrays: Arrays) -> Arrays:
    parts = layer.parts(arrays["weight"])
    matrices = [matrix for of_x, of_h, *_ in parts for matrix in (of_x, of_h)]
    biases = [bias for *_, of_x, of_h in parts for bias in (of_x, of_h)]
    names = _names_in_a_row(layer, "weight") + _names_in_a_row(layer, "bias")
    return dict(zip(names, [*matrices, *biases], strict=True))


def _in_a_row_ours(layer: Value, arrays: Arrays) -> Arrays:
    names = _names_in_a_row(layer, "weight") + _names_in_a_row(layer, "bias")
    return {"weight": np.concatenate([arrays[name].reshape(-1) for name in names])}


PROJECTED = ("queries", "keys", "values")


def _attention_theirs(layer: Value, arrays: Arrays) -> Arrays:
    """What projects the inputs is one matrix there, in this order."""
    parts = ("weight", "bias") if layer.bias else ("weight",)
    made = {f"in_proj_{part}": np.concatenate([arrays[f"{name}.{part}"] for name in PROJECTED]) for part in parts}
    return made | {f"out_proj.{part}": arrays[f"output.{part}"] for part in parts}


def _attention_ours(layer: Value, arrays: Arrays) -> Arrays:
    parts = ("weight", "bias") if layer.bias else ("weight",)
    split = {part: np.split(arrays[f"in_proj_{part}"], len(PROJECTED)) for part in parts}
    made = {f"{name}.{part}": split[part][i] for i, name in enumerate(PROJECTED) for part in parts}
    return made | {f"output.{part}": arrays[f"out_proj.{part}"] for part in parts}


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
    **dict.fromkeys(cudnn.LAYERS, Rule(_in_a_row_theirs, _in_a_row_ours)),
    FastLSTM: Rule(_fast_lstm_theirs, _fast_lstm_ours),
    LookupTableMaskZero: _weight(_first_row_zero, lambda layer, weight: weight),
    LayerNormalization: _renaming({"4.weight": "weight", "5.bias": "bias"}),
    LinearWeightNorm: _renaming(
        {"v": "parametrizations.weight.original1", "g": "parametrizations.weight.original0", "bias": "bias"}
    ),
    MultiHeadAttention: Rule(_attention_theirs, _attention_ours),
    TemporalConvolution: _weight(_frames_to_taps, _taps_to_frames),
    SpatialConvolutionMM: _weight(
        lambda layer, weight: weight.reshape(-1, *_kernels(layer)),
        lambda layer, weight: weight.reshape(len(weight), -1),
    ),
    SpatialDepthWiseConvolution: Rule(_by_input_plane, _by_output_plane),
}  # fmt: skip
"""Layers whose output PyTorch's layer of the same arrays gives, too. Subclasses may compute something else."""

KIND_NAMES: dict[type[Module], str] = {
    **dict.fromkeys((Linear, LinearNoBias, LinearWeightNorm), "linear"),
    **dict.fromkeys(
        (SpatialConvolution, SpatialConvolutionMM, SpatialDilatedConvolution, SpatialDepthWiseConvolution,
         VolumetricConvolution, VolumetricDilatedConvolution, SpatialFullConvolution, VolumetricFullConvolution,
         TemporalConvolution, TemporalRowConvolution), "conv",
    ),
    **dict.fromkeys(
        (BatchNormalization, SpatialBatchNormalization, VolumetricBatchNormalization, LayerNormalization, LayerNorm,
         RMSNorm, GroupNorm), "norm",
    ),
    **dict.fromkeys((LookupTable, LookupTableMaskZero, Embedding), "embedding"),
    **dict.fromkeys((SeqLSTM, SeqLSTMP, StepLSTM, FastLSTM), "lstm"),
    **{layer: layer.kind.partition("_")[0].lower() for layer in cudnn.LAYERS},
    PReLU: "prelu", Bilinear: "bilinear", MultiHeadAttention: "attention",
}  # fmt: skip
"""What attributes of PyTorch's classes are usually called."""

GRUS = (GRU, SeqGRU, StepGRU)


def refusal(layer: object) -> str | None:
    """Why a layer has no kin in PyTorch; None if it has."""
    if isinstance(layer, GRUS):
        return "PyTorch's GRU is another function: it has r (U h + b), as CudnnGRU, where Torch's has U (r h) + b"
    if isinstance(layer, FastLSTM) and (layer.p or layer.bn):
        return "PyTorch's LSTMCell has no dropout or batch normalisation inside"
    if isinstance(layer, cudnn.CudnnRNN) and layer.skip_input:
        return "PyTorch's recurrent layers multiply their input by a matrix"
    return None if type(layer) in RULES else "PyTorch has no such layer"
