"""How Torch saves the layers of nn and dpnn that contain no modules."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax.typing import DTypeLike

from ... import layers
from ...core.types import Value
from ...layers.upsampling import MODES
from ..t7 import T7Object
from ..t7.values import NAMES, READ_TYPES, Fields
from .build import container, module, storage
from .neighbourhood import kernel_of
from .neighbourhood import parts as neighbourhood
from .node import Node
from .record import Record, plain
from .schema import (
    HAS_BIAS,
    Rule,
    Schema,
    constant,
    derived,
    needed,
    opposite,
    saved,
    size_of,
    sizes,
    torch_value,
)

OF_WEIGHT = {"input_size": size_of("weight", 1), "output_size": size_of("weight", 0), "bias": HAS_BIAS}
OF_BATCH = {
    "n_output": size_of("running_mean", 0),
    "affine": Rule(lambda record: record.has("weight"), lambda value: {"affine": value}),
}
OF_TABLE = {
    "n_index": size_of("weight", 0), "n_output": size_of("weight", 1), "padding_value": saved("paddingValue", 0),
    "scale_by_frequency": saved("shouldScaleGradByFreq", False),
}  # fmt: skip
GROUPS = Rule(lambda record: record.get("groups", 1), lambda count: {"groups": count} if count > 1 else {})


def _of_cudnn(spec: Any) -> str:
    """The name of a convolution's class: nn of Torch7 has no groups, but cudnn has."""
    return spec.torch_name() if spec.groups == 1 else f"cudnn.{type(spec).__name__}"


CONVOLUTION = {"padw": saved("padW", 0), "padh": saved("padH", 0), "bias": HAS_BIAS, "groups": GROUPS}
VOLUMETRIC = {"padt": saved("padT", 0), **CONVOLUTION}
POOLING: dict[str, Rule] = {"record": derived(lambda record: record.fields.get("record"))}
"""The reader adds the record that a pooling shares with its unpooling to the fields."""
TABLE: dict[str, Any] = {"grad_input": list}
PAIR: dict[str, Any] = {"grad_input": tuple}  # Torch writes into these tensors, so they must exist


def empties(*names: str, dtype: DTypeLike = np.float64) -> Value:
    """The tensors in which a layer keeps buffers, empty."""
    return lambda node, fields: {name: np.zeros(0, dtype) for name in names}


def _sizes(dimensions: int) -> Fields:
    """The sizes that an upsampling keeps of its last call, before any."""
    return {name: storage([0] * dimensions) for name in ("inputSize", "outputSize")}


def _upsampled(*names: str) -> dict[str, Rule]:
    def read(record: Record) -> Any:
        found = tuple(record.fields[name] for name in names if record.fields.get(name) is not None)
        return found or None

    def write(value: Any) -> dict[str, Any]:
        return {} if value is None else dict(zip(names[-len(value) :], value, strict=True))

    return {"sizes": Rule(read, write), "scale_factor": saved("scale_factor")}


def _glimpse_size(record: Record) -> Value:
    """The field that dpnn's first versions saved as `size`."""
    size = plain(record.get("size"))
    return (record.need("height"), record.need("width")) if size is None else size


def _glimpse_size_saved(value: Value) -> Fields:
    height, width = value
    return {"size": height if height == width else torch_value(value), "height": height, "width": width}


def _is_resampled(record: Record) -> bool:
    module = record.get("module")
    if isinstance(module, T7Object):
        return module.class_name == layers.SpatialReSampling.torch_name()
    return record.get("scale", 2) != 2


def _reducing(node: Node, fields: Fields) -> Fields:
    height, width = node.spec.size  # type: ignore[attr-defined]
    resampling = layers.SpatialReSampling(oheight=height, owidth=width)
    module = Node(resampling if node.spec.resampled else layers.SpatialAveragePooling(2, 2, 2, 2))  # type: ignore[attr-defined]
    return {"module": module, "modules": [module]}


def _out(letter: str) -> Rule:
    def write(value: Any) -> dict[str, Any]:
        return {f"out{letter}" if value >= 1 else f"ratio{letter}": value}

    return Rule(lambda record: record.need(f"out{letter}", f"ratio{letter}"), write)


FRACTIONAL = {"fixed": saved("newRandomPool", False), "outw": _out("W"), "outh": _out("H")}


def _planes(node: Node, fields: Fields) -> Fields:
    inputs, outputs = node.spec.conn_table.value.max(0).tolist()  # type: ignore[attr-defined]
    return {"nInputPlane": inputs, "nOutputPlane": outputs}


COLUMNS = empties("finput", "fgradInput")
INDICES = empties("indices", dtype=np.int64)


def _places(node: Node, fields: Fields) -> Fields:
    return dict(zip(("oH", "oW"), fields["weight"].shape, strict=False)) | COLUMNS(node, fields)


CONNECTIONS = {"conn_table": Rule(lambda r: r.need("connTable"), lambda v: {"connTable": v.value.astype(np.float64)})}


def _direction(node: Node, fields: Fields) -> Fields:
    v, g = (np.asarray(node.parameters[name]) for name in ("v", "g"))
    norm = np.maximum(np.sqrt((v * v).sum(1, keepdims=True)), node.spec.eps)  # type: ignore[attr-defined]
    scale = (g / norm).astype(v.dtype)
    return {"weight": v * scale, "norm": norm.astype(v.dtype), "scale": scale}


def _view_elements(node: Node, fields: Fields) -> Fields:
    return {"numElements": int(abs(np.prod(node.spec.size)))}  # type: ignore[attr-defined]


def _reshape_elements(node: Node, fields: Fields) -> Fields:
    size = node.spec.size  # type: ignore[attr-defined]
    return {"nelement": int(np.prod(size)), "batchsize": storage((0, *size))}


def _partition(record: Record) -> Value:
    found = record.array("partition")
    everything = found is None or np.array_equal(found, np.arange(1, record.need("outputsize") + 1))
    return None if everything else found


def _partition_fields(value: Value) -> Fields:
    return {} if value is None else {"partition": np.asarray(value.value, np.float64)}


def _partial(node: Node, fields: Fields) -> Fields:
    table = {name: fields.pop(name) for name in ("weight", "gradWeight") if name in fields}
    lookup = module("nn.LookupTable", version=4, **table)
    both = container("nn.ParallelTable", module("nn.Identity"), lookup, output=[], gradInput=[])
    product = module("nn.MM", transA=False, transB=True, gradInput=[np.zeros(0), np.zeros(0)])
    chain = container("nn.Sequential", both, product)
    columns = np.arange(1.0, fields["outputsize"] + 1)
    return {"network": chain, "allcolumns": columns, "partition": fields.get("partition", columns)}


def _rectified_both(node: Node, fields: Fields) -> Fields:
    negative = module("nn.MulConstant", constant_scalar=-1, inplace=False)
    both = container("nn.ConcatTable", module("nn.Identity"), negative, output=[])
    relu = module("nn.ReLU", threshold=0, val=0, inplace=fields["inplace"])
    return {"modules": [both, module("nn.JoinTable", dimension=2, size=storage([]), gradInput=[]), relu]}


def _copied(name: str, other: str) -> Rule:
    """nn.Copy has no fields for its types except the tensors that it fills; equal types mean that it copies nothing."""

    def read(record: Record) -> str | None:
        types = [getattr(record.fields.get(each), "dtype", None) for each in (name, other)]
        if any(each is None for each in types) or types[0] == types[1]:  # a dtype of float64 equals None
            return None
        return f"torch.{NAMES[types[0]]}Tensor"

    def write(value: str | None) -> dict[str, Any]:
        return {} if value is None else {name: np.zeros(0, READ_TYPES[value[len("torch.") : -len("Tensor")]])}

    return Rule(read, write)


def _entropy(node: Node, fields: Fields) -> Fields:
    scaled = module("nn.MulConstant", constant_scalar=1, inplace=False)
    logs = container(
        "nn.Sequential", module("nn.AddConstant", constant_scalar=0.000001, inplace=False), module("nn.Log")
    )
    total = {"dimension": 1, "sizeAverage": False, "squeeze": True}
    chain = container(
        "nn.Sequential",
        module("nn.Sum", **total),
        scaled,
        container("nn.ConcatTable", module("nn.Identity"), logs, output=[]),
        module("nn.CMulTable", gradInput=[]),
        module("nn.Sum", **total),
        module("nn.MulConstant", constant_scalar=-1, inplace=False),
    )
    return {"module": chain, "modules": [chain], "_mul": scaled, "minusOne": np.array([-float(fields["scale"])])}


def _binary(node: Node, fields: Fields) -> Fields:
    window = fields["kW"] * fields["kH"]
    counts = {"iwh": fields["nInputPlane"] * window, "owh": fields["nOutputPlane"] * window}
    return counts | COLUMNS(node, fields)


def _extreme(name: str) -> Value:
    return empties(f"{name}Idx", "mask", f"{name}Vals", "gradMaxVals")


def _mixed(node: Node, fields: Fields) -> Fields:
    return {"size": storage([]), "size2": storage([]), "batchSize": 0, "backwardSetup": False}


def _selected(node: Node, fields: Fields) -> Fields:
    indices = {name: np.zeros(0, np.int64) for name in ("_maskIndices", "_maskIndexBuffer")}
    buffers = {"_maskIndexBufferCPU": np.zeros(0, np.float32), "_gradMask": np.zeros(0, np.uint8)}
    return {**indices, **buffers, "_gradBuffer": np.zeros(0)}


def _indexed(node: Node, fields: Fields) -> Fields:
    tensors = {name: np.zeros(0) for name in ("gradWeightBuffer", "valuesBuffer", "normalizedValues")}
    tables = {name: [] for name in ("sizesCache", "cumSumSizesCache")}
    calls = {name: [] for name in ("cumSumSizes", "keys", "gradWeight")}  # since the gradient was last set to zeros
    return {**tensors, **tables, "running": {**calls, "counter": 1}, "weightDecay": 0}


COLUMNS_OF_NORMALIZED = 4
"""Torch saves whether an IndexLinear normalizes as the number of its weight's additional columns."""


def _converted(node: Node, fields: Fields) -> Fields:
    before, after = fields["inputShape"], fields["outputShape"]
    return {
        "inputBatchDim": before.find("b") + 1, "outputBatchDim": after.find("b") + 1, "nInputDim": len(before),
        "nOutputDim": len(after), "transposition": sorted(before) == sorted(after),
        "modules": [],
    }  # fmt: skip


def _lp_windows(node: Node, fields: Fields) -> Fields:
    average: Any = node.children[1].spec
    return {"kW": average.kw, "kH": average.kh, "dW": average.dw, "dH": average.dh}


KERNEL = {"kernel": Rule(kernel_of, lambda value: {"kernel": np.array(value.value)})}

SCHEMAS = [
    # Linear
    Schema(layers.Linear, OF_WEIGHT),
    Schema(layers.SparseLinear, {k: v for k, v in OF_WEIGHT.items() if k != "bias"},
           more=lambda node, fields: {"sparseUpdate": 0}, **TABLE),
    Schema(layers.Bilinear, {
        "input_size1": size_of("weight", 1), "input_size2": size_of("weight", 2), "output_size": size_of("weight", 0),
        "bias": HAS_BIAS,
    }, **PAIR),
    Schema(layers.LinearWeightNorm, {"bias": HAS_BIAS}, more=_direction),
    Schema(layers.PartialLinear, {
        "input_size": needed("inputsize"), "output_size": needed("outputsize"), "bias": HAS_BIAS,
        "partition": Rule(_partition, _partition_fields),
    }, more=_partial),
    Schema(layers.IndexLinear, {
        "keys_offset": Rule(lambda record: record.get("offset", -1) + 1, lambda value: {"offset": value - 1}),
        "weight": constant(None), "bias": constant(None),
        "normalize": Rule(lambda record: bool(record.get("normalize")),
                          lambda value: {"normalize": COLUMNS_OF_NORMALIZED if value else 0}),
    }, more=_indexed),
    # Component by component
    Schema(layers.Add, {"input_size": size_of("bias", 0), "fill": constant(None), "scalar": saved("scalar", False)},
           more=lambda node, fields: {"_ones": np.ones(1, fields["bias"].dtype)}),
    Schema(layers.CAdd, {"size": sizes("size"), "fill": constant(None)}),
    Schema(layers.CMul, {"size": sizes("size"), "fill": constant(None)}),
    Schema(layers.PReLU, {
        "n_output_plane": Rule(lambda record: record.get("nOutputPlane") or None,
                               lambda value: {"nOutputPlane": value or 0}),
    }, more=empties("gradWeightBuf", "gradWeightBuf2")),
    Schema(layers.ReLU, {"threshold": saved("threshold", 0), "val": saved("val", 0)}),
    Schema(layers.RReLU, more=empties("noise")),
    Schema(layers.CReLU, more=_rectified_both),
    Schema(layers.TanhShrink, more=lambda node, fields: {"tanh": module("nn.Tanh")}),
    Schema(layers.Constant, {"value": Rule(lambda record: record.need("value"), lambda v: {"value": v.value})}),
    Schema(layers.Copy, {
        "input_type": _copied("gradInput", "output"), "output_type": _copied("output", "gradInput"),
        "force_copy": constant(False)}),
    Schema(layers.CategoricalEntropy, more=_entropy),
    Schema(layers.ArgMax, more=lambda node, fields: {"output": np.zeros(0, np.int64)} if fields["asLong"] else {}),
    Schema(layers.SpatialFeatNormalization, more=lambda node, fields: {"noOfFeats": len(fields["mean"])}),
    Schema(layers.WhiteNoise, more=empties("noise")),
    # Distances and centres
    Schema(layers.Cosine, {"input_size": size_of("weight", 1), "output_size": size_of("weight", 0)}),
    *(Schema(each, {"input_size": size_of("weight", 0), "output_size": size_of("weight", 1)},
             more=lambda node, fields: {"fastBackward": True})
      for each in (layers.Euclidean, layers.WeightedEuclidean)),
    # Lookup
    Schema(layers.LookupTable, OF_TABLE, version=4,
           more=lambda node, fields: {"_count": np.zeros(0, np.int32), "_input": np.zeros(0, np.int64)}),
    # Normalisation
    *(Schema(each, OF_BATCH, version=2, buffers=("running_mean", "running_var"))
      for each in (layers.BatchNormalization, layers.SpatialBatchNormalization, layers.VolumetricBatchNormalization)),
    *(Schema(each, KERNEL, more=neighbourhood)
      for each in (layers.SpatialSubtractiveNormalization, layers.SpatialDivisiveNormalization,
                   layers.SpatialContrastiveNormalization)),
    Schema(layers.SpatialNormalization,
           {**KERNEL, "n_input_plane": needed("nfeatures"), "threshold": saved("fixedThres")}, more=neighbourhood),
    # Dropout
    Schema(layers.Dropout, {"v1": opposite("v2"), "lazy": saved("lazy", False), "mono": saved("mono", False)},
           more=lambda node, fields: {"noise": np.zeros(0), "flag": True}),
    *(Schema(each, more=empties("noise")) for each in (layers.SpatialDropout, layers.VolumetricDropout)),
    # Convolution
    Schema(layers.SpatialConvolution, CONVOLUTION, more=COLUMNS, name_of=_of_cudnn),
    Schema(layers.VolumetricConvolution, VOLUMETRIC, more=COLUMNS, name_of=_of_cudnn),
    Schema(layers.VolumetricDilatedConvolution, VOLUMETRIC, more=COLUMNS),
    *(Schema(each, CONVOLUTION, more=COLUMNS) for each in (
        layers.SpatialConvolutionMM, layers.SpatialDilatedConvolution, layers.SpatialDepthWiseConvolution)),
    Schema(layers.SpatialBinaryConvolution, {**CONVOLUTION, "bias": constant(False)}, more=_binary),
    Schema(layers.SpatialConvolutionLocal, {k: v for k, v in CONVOLUTION.items() if k.startswith("pad")},
           more=_places),
    *(Schema(each, CONNECTIONS, more=_planes)
      for each in (layers.SpatialConvolutionMap, layers.SpatialFullConvolutionMap)),
    *(Schema(each, {"bias": HAS_BIAS}, more=empties("ones", "finput", "fgradInput"))
      for each in (layers.SpatialFullConvolution, layers.VolumetricFullConvolution)),
    Schema(layers.TemporalRowConvolution, {"bias": HAS_BIAS}),
    # Pooling
    *(Schema(each, POOLING, more=INDICES) for each in (
        layers.SpatialMaxPooling, layers.SpatialDilatedMaxPooling, layers.VolumetricDilatedMaxPooling)),
    Schema(layers.VolumetricMaxPooling, POOLING, version=2, more=INDICES),
    Schema(layers.SpatialLPPooling, more=_lp_windows),
    *(Schema(each, parts=("pooling",)) for each in (layers.SpatialMaxUnpooling, layers.VolumetricMaxUnpooling)),
    Schema(layers.SpatialFractionalMaxPooling,
           {**FRACTIONAL, "kw": needed("poolSizeW"), "kh": needed("poolSizeH")}),
    Schema(layers.VolumetricFractionalMaxPooling,
           {**FRACTIONAL, "outt": _out("T"), "kt": needed("poolSizeT"), "kw": needed("poolSizeW"),
            "kh": needed("poolSizeH")}),
    # Shapes
    Schema(layers.Reshape, {"size": sizes("size"), "batch_mode": saved("batchMode")}, more=_reshape_elements),
    Schema(layers.View, {"size": sizes("size")}, more=_view_elements),
    Schema(layers.Narrow, {"offset": needed("index")}),
    Schema(layers.Replicate, {"n_features": needed("nfeatures")}),
    Schema(layers.Transpose, {"num_input_dims": saved("numInputDims")}),
    Schema(layers.Mean, {"size_average": Rule(lambda _: True, lambda _: {"sizeAverage": True})}),
    Schema(layers.PixelShuffle,
           more=lambda node, fields: {"upscaleFactorSquared": fields["upscaleFactor"] ** 2}),
    Schema(layers.SpatialUpSampling, more=lambda node, fields: _sizes(4)),
    Schema(layers.SpatialUpSamplingNearest, more=lambda node, fields: _sizes(4)),
    Schema(layers.SpatialUpSamplingBilinear, _upsampled("oheight", "owidth"), more=lambda node, fields: _sizes(4)),
    Schema(layers.SpatialReSamplingEx,
           more=lambda node, fields: {"mode_c": MODES.index(fields["mode"]), **_sizes(4)}),
    Schema(layers.UpSampling, _upsampled("odepth", "oheight", "owidth"), more=lambda node, fields: _sizes(5)),
    # Images
    Schema(layers.SpatialGlimpse, {"size": Rule(_glimpse_size, _glimpse_size_saved),
                                   "resampled": derived(_is_resampled)}, more=_reducing, **TABLE),
    # Tables
    *(Schema(each, **TABLE) for each in (
        layers.CAddTable, layers.CSubTable, layers.CDivTable, layers.CMulTable, layers.CAddTensorTable)),
    *(Schema(each, **PAIR) for each in (layers.DotProduct, layers.CosineDistance, layers.MM, layers.MV, layers.Index)),
    Schema(layers.CMaxTable, more=_extreme("max"), **TABLE),
    Schema(layers.CMinTable, more=_extreme("min"), **TABLE),
    Schema(layers.PairwiseDistance, more=empties("diff"), **TABLE),
    Schema(layers.MixtureTable, more=_mixed, **TABLE),
    Schema(layers.MaskedSelect, more=_selected),
    Schema(layers.SelectTable, **TABLE),
    *(Schema(each, output=list, grad_input=list) for each in (
        layers.NarrowTable, layers.ZipTable, layers.ReverseTable)),
    Schema(layers.ZipTableOneToMany, more=empties("gradInputEl"), output=list, grad_input=list),
    Schema(layers.Kmeans, more=lambda node, fields: {"loss": 0, "clusterSampleCount": np.zeros(fields["k"])}),
    Schema(layers.Convert, more=_converted),
    Schema(layers.GradientReversal, version=2),  # if it is missing, Torch reads lambda as 1
    Schema(layers.Padding, more=lambda node, fields: {"outputSize": storage([])}),
    Schema(layers.JoinTable, more=lambda node, fields: {"size": storage([])}, **TABLE),
    Schema(layers.FlattenTable, more=lambda node, fields: {"input_map": []}, output=list, grad_input=list),
]  # fmt: skip
