"""How Torch saves containers, decorators, and criterions that contain others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import layers, losses, recurrent, reinforce
from ...layers.decorators import SHARED
from ..t7 import T7Object, T7Storage
from ..t7.values import NAMES, TIMER, Fields
from .build import module, storage
from .node import Node
from .record import Record, plain, records_in
from .schema import MASKING, OfOne, Rule, Schema, children_named, constant, derived, needed, saved


def _first_module(record: Record) -> list[T7Object]:
    """The only module of a decorator, or of a shared map whose clones are saved with it."""
    return records_in(record.get("modules"))[:1] or records_in([record.get("module")])


def _mapped(record: Record) -> list[T7Object]:
    return _first_module(record) if record.get("shared", True) else records_in(record.get("modules"))


_as_module = children_named("module")
"""What becomes the first module inside, also under the name `module`."""


def _watched(node: Node, fields: Fields) -> Fields:
    counts = dict.fromkeys(("numFwds", "numBwds", "summedFwdTime", "summedBwdTime"), 0)
    return {**counts, "timer": T7Object(TIMER, 1, np.zeros(0, np.uint8)), **_as_module(node, fields)}


def _bottled(node: Node, fields: Fields) -> Fields:
    inside, outside = fields["nInputDim"], fields["nOutputDim"]
    shapes = {"inShape": np.zeros(inside), "outShape": np.zeros(outside)}
    return {"dimDelta": inside - outside, **shapes, **_as_module(node, fields)}


def _own_type(node: Node, fields: Fields) -> Fields:
    """A DontCast's own type, without which Torch's cannot cast: unless it is said, that of the parameters inside."""
    inner = next(_parameters(node), None)
    if fields.get("moduleType") is not None or inner is None:
        return _as_module(node, fields)
    return {"moduleType": f"torch.{NAMES.get(inner.dtype, 'Float')}Tensor", **_as_module(node, fields)}  # of bfloat16


def _parameters(node: Node) -> Iterator[Any]:
    """The parameters of a node and of those inside."""
    yield from node.parameters.values()
    for each in node.children:
        yield from _parameters(each)


def _weights(record: Record) -> tuple:
    return tuple(plain(record.get("weights", ())))


def _weights_saved(value: tuple) -> Fields:
    return {"weights": T7Storage(np.array(value, np.float64))}


def _target_buffers(node: Node, fields: Fields) -> Fields:
    return {"output_tensor": np.zeros(1), "total_weight_tensor": np.ones(1), "target": np.zeros(1, np.int64)}


def _in_nll(name: str, default: object) -> Rule:
    return derived(lambda record: record.need("nll").fields.get(name, default))


def _parts_of_cross_entropy(node: Node, fields: Fields) -> Fields:
    spec: Any = node.spec
    inner: dict[str, Any] = {"sizeAverage": spec.size_average, "ignoreIndex": spec.ignore_index}
    if spec.weights is not None:
        inner["weights"] = np.array(spec.weights.value)
    nll = module("nn.ClassNLLCriterion", **_target_buffers(node, inner), **inner)
    return {"lsm": module("nn.LogSoftMax"), "nll": nll} | dict.fromkeys(
        ("sizeAverage", "oldSizeAverage"), spec.size_average
    )


def _simplex(node: Node, fields: Fields) -> Fields:
    return {"simplex": np.asarray(node.spec.simplex, np.float64), "_target": np.zeros(0)}  # type: ignore[attr-defined]


DECORATORS = (
    layers.Decorator, layers.NaN, layers.GPU, layers.Serial, layers.Inception,
    layers.SoftMaxForest, recurrent.VariableLength, recurrent.ReverseUnreverse,
    recurrent.SeqBGRU, recurrent.SeqBLSTM,
)  # fmt: skip


def _shared_params(record: Record) -> tuple[str, ...]:
    """What the modules of a MapTable share; Torch names the usual parameters even where none is shared."""
    names = tuple(plain(record.get("sharedparams", list(SHARED))))
    return () if names == SHARED and not record.get("shared", True) else names


SCHEMAS = [
    *(Schema(each, children=_first_module, more=_as_module) for each in DECORATORS),
    Schema(layers.DontCast, children=_first_module, more=_own_type),
    *(Schema(each, {"n_input_dim": MASKING}, children=_first_module, more=_as_module)
      for each in (recurrent.MaskZero, recurrent.TrimZero)),
    Schema(recurrent.MaskZeroCriterion, {"n_input_dim": MASKING}, parts=("criterion",)),
    Schema(layers.Profile, {"number": derived(lambda _: layers.Profile.new_number())},
           children=_first_module, more=_watched),
    Schema(layers.Bottle, children=_first_module, more=_bottled),
    Schema(layers.MapTable, {
               "shared": Rule(lambda record: bool(record.get("shared", True)), lambda v: {"shared": v}),
               "shared_params": Rule(_shared_params, lambda v: {"sharedparams": list(v or SHARED)}),
           },
           children=_mapped, more=_as_module, output=list, grad_input=list),
    *(Schema(each, more=lambda node, fields: {"outputSize": storage([])})
      for each in (layers.Concat, layers.DepthConcat)),
    Schema(layers.Parallel, {"input_dimension": saved("inputDimension"), "output_dimension": saved("outputDimension")},
           more=lambda node, fields: {"totalOutputSize": storage([])}),
    Schema(layers.ConcatTable, output=list),
    Schema(layers.ParallelTable, output=list, grad_input=list),
    # Criterions
    Schema(losses.CriterionTable, parts=("criterion",),
           grad_input=list),
    Schema(losses.ModuleFromCriterion, parts=("criterion",), grad_input=list),
    Schema(losses.ClassNLLCriterion, more=_target_buffers),
    Schema(losses.SpatialClassNLLCriterion, more=_target_buffers),
    Schema(losses.CrossEntropyCriterion, {
        "weights": _in_nll("weights", None), "size_average": _in_nll("sizeAverage", True),
        "ignore_index": _in_nll("ignoreIndex", -100),
    }, more=_parts_of_cross_entropy),
    Schema(losses.ClassSimplexCriterion, more=_simplex),
    Schema(losses.MultiLabelSoftMarginCriterion, more=lambda node, fields: {"sigmoid": module("nn.Sigmoid")}),
    Schema(losses.MultiLabelMarginCriterion, more=lambda node, fields: {"isTarget": np.zeros(0)}),
    Schema(losses.SoftMarginCriterion, {"unused": constant(None)}),
    Schema(losses.WeightedMSECriterion, {"weight": needed("weight")}),
    *(Schema(each, {"weights": Rule(_weights, _weights_saved)}, parts=("criterions",), grad_input=kind)
      for each, kind in ((losses.MultiCriterion, np.ndarray), (losses.ParallelCriterion, list))),
    *(Schema(each, grad_input=tuple) for each in (losses.CosineEmbeddingCriterion, losses.L1HingeEmbeddingCriterion)),
    Schema(losses.MarginRankingCriterion, grad_input=OfOne),
    Schema(losses.ModuleCriterion, parts=("criterion", "input_module", "target_module")),
    *(Schema(each, parts=("criterion",), more=lambda node, fields: {"clones": []}, grad_input=list)
      for each in (recurrent.SequencerCriterion, recurrent.RepeaterCriterion)),
    Schema(layers.FireModule, {
        "e3x3": Rule(lambda record: record.need("e3x3", "e1x3"), lambda value: {"e3x3": value, "e1x3": value})},
        children=_first_module, more=_as_module),
    *(Schema(each, parts=("criterion",)) for each in (
        reinforce.VRClassReward, reinforce.BinaryClassReward)),
]  # fmt: skip
