"""How Torch saves the modules of rnn: only the step matters, not its clones for each time step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import recurrent
from ...core.types import Value
from ...recurrent.lstm import GateNormalization
from ...recurrent.masking import GIVEN
from ..t7 import T7Object
from ..t7.values import Fields
from . import steps
from .layers import OF_BATCH, OF_TABLE
from .node import Node
from .record import Record, records_in
from .schema import Rule, Schema, children_named, constant, derived, masking, saved, size_of, torch_name
from .states import by_sequence, by_step

LINEAR = ("nn.Linear", "nn.LinearNoBias")
MASKS = ("nn.MaskZero", "nn.TrimZero")


def step_of(record: Record) -> T7Object:
    """The module of one step; Torch's maskZero() and trimZero() put it into a decorator."""
    found = record.need("recurrentModule", "module", "modules")
    found = found[0] if isinstance(found, list) else found
    return records_in(found.fields["modules"])[0] if found.class_name in MASKS else found


def _mask(record: Record) -> int | str | None:
    found = record.get("recurrentModule")
    return masking(found.fields) if getattr(found, "class_name", None) in MASKS else None


def _trims(record: Record) -> bool:
    return getattr(record.get("recurrentModule"), "class_name", None) == "nn.TrimZero"


MASKED = {"masked": derived(_mask), "trims": derived(_trims)}
STEPS: dict[str, Rule] = {**MASKED, "rho": saved("rho", 9999)}


def inside(object: T7Object, names: tuple[str, ...]) -> list[T7Object]:
    """All objects of these classes in an object's tree, outer ones and earlier ones first."""
    found, waiting, seen = [], [object], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:  # a module may be in several places of a file, and in itself
            continue
        seen.add(id(each))
        if each.class_name in names:
            found.append(each)
        fields = each.fields if isinstance(each.fields, dict) else {}
        waiting += reversed(records_in(fields.get("modules")))
    return found


def _layers(record: Record, count: int) -> list[T7Object]:
    found = inside(step_of(record), LINEAR)
    if len(found) < count:
        raise record.error(f"expected {count} linear layers, found {len(found)}")
    return found


def _parallel(record: Record, name: str) -> T7Object:
    """With dropout, i2g and o2g are chains with the linear layers side by side."""
    return next(each for each in records_in(record.need(name).fields["modules"]) if inside(each, LINEAR))


def _fast_lstm(record: Record) -> list[T7Object]:
    if not _normalized(record):
        if record.get("p", 0):
            return [_parallel(record, "i2g"), _parallel(record, "o2g")]
        return [record.need("i2g"), record.need("o2g")]
    step = step_of(record)
    normalizations, bias = inside(step, ("nn.BatchNormalization",)), inside(step, ("nn.Add",))
    of_x, of_h, of_c = normalizations
    return [record.need("i2g"), of_x, record.need("o2g"), of_h, *bias, of_c]


def _gru(record: Record) -> list[T7Object]:
    if record.get("p", 0):
        return [_parallel(record, "i2g"), _parallel(record, "o2g"), *_layers(record, 6)[-2:]]
    return [record.need("i2g"), record.need("o2g"), *_layers(record, 4)[-2:]]


def _normalized(record: Record) -> bool:
    found = record.get("recurrentModule")
    return found is not None and bool(inside(found, ("nn.BatchNormalization",)))


def _recurrence() -> Fields:
    """The fields in which all recurrent modules keep their steps, before the first step."""
    tables = ("outputs", "gradInputs", "gradOutputs", "_gradOutputs", "cells", "gradCells")
    tensors = {name: np.zeros(0) for name in ("zeroTensor", "typeTensor")}
    counts = {"step": 1, "updateGradInputStep": 1, "accGradParametersStep": 1, "nSharedClone": 1}
    return {**counts, "rmInSharedClones": True, **tensors, **{name: [] for name in tables}}


def _composed(build: Callable[[Node], steps.Built]) -> Value:
    def more(node: Node, fields: dict[str, Any]) -> dict[str, Any]:
        made, parts = build(node)
        return _recurrence() | parts | steps.unmasked(node.spec, made)

    return more


def _module_of_step(node: Node, fields: Fields) -> Fields:
    return _recurrence() | steps.unmasked(node.spec, node.children[0]) | {"module": node.children[0]}


def _parts_of_recurrent(node: Node, fields: Fields) -> Fields:
    return _recurrence() | steps.recurrent(node)


def _five(record: Record) -> list[T7Object]:
    names = ("startModule", "inputModule", "feedbackModule", "transferModule", "mergeModule")
    return [record.need(name) for name in names]


def _one_step(record: Record) -> list[T7Object]:
    return [step_of(record)]


def sequenced(record: Record) -> list[T7Object]:
    """The module that a Sequencer runs: older files have no Recursor around modules that are not recurrent."""
    return records_in([record.need("module", "rnn")])


def _flat(name: str) -> str:
    """inputsize: the Seq layers write their sizes in lower case."""
    return name.replace("_", "") if name.endswith("_size") else torch_name(name)


def _output_sizes(record: Record) -> Value:
    def sizes(value: Any) -> Any:
        value = value.array.tolist() if hasattr(value, "array") else value
        return tuple(each if isinstance(each, int) else sizes(each) for each in value)

    found = record.need("outputSize")
    return (found,) if isinstance(found, int) else sizes(found)


def _input_size(record: Record) -> int:
    linear = _layers(record, 1)[0]
    return linear.fields["weight"].shape[1] - _output_sizes(record)[0]


def _n_index(record: Record) -> int:
    return inside(step_of(record), ("nn.LookupTableMaskZero",))[0].fields["weight"].shape[0] - 1


def _maskzero(record: Record) -> bool | str:
    """Whether rows of zeros are masked; in the newer rnn with given masks, masks are required."""
    return bool(record.get("maskzero", False)) and (GIVEN if record.get("v2", False) else True)


MASKZERO = Rule(_maskzero, lambda value: {"maskzero": bool(value)} | ({"v2": True} if value == GIVEN else {}))
REMEMBERED = {"mode": saved("_remember", "neither")}
STARTS_ANEW = {"mode": constant("neither")}
"""Whatever such a sequencer is to remember: it does not."""
SEQUENCE = {**REMEMBERED, "maskzero": MASKZERO}
RECURRENCE = {**STEPS, "output_size": Rule(_output_sizes, lambda value: {"outputSize": _as_tables(value)})}


def _as_tables(value: Value) -> Value:
    return [_as_tables(each) for each in value] if isinstance(value, tuple) else value


OUTPUTS, OUTPUTS_AND_CELLS = by_step(output="outputs"), by_step(output="outputs", cell="cells")

SEQUENCE_BUFFERS = ("gates", "buffer1", "buffer2", "buffer3", "grad_a_buffer", "h0", "grad_h0", "grad_x")


def _lstm_buffers(node: Node, fields: Fields) -> Fields:
    empty = {name: np.zeros(0) for name in (*SEQUENCE_BUFFERS, "cell", "c0", "grad_c0")}
    return {"hiddensize": node.spec.output_size} | empty | fields  # type: ignore[attr-defined]


def _gru_buffers(node: Node, fields: Fields) -> Fields:
    return {"seqLength": 1, "miniBatch": 1, **{name: np.zeros(0) for name in SEQUENCE_BUFFERS}}


_rnn_and_action = children_named("rnn", "action")

SCHEMAS = [
    Schema(recurrent.LinearNoBias, {
        "input_size": size_of("weight", 1), "output_size": size_of("weight", 0),
        "bias": constant(False)}),
    Schema(recurrent.LookupTableMaskZero, OF_TABLE),
    Schema(recurrent.LSTM, {
        **STEPS, "cell2gate": saved("cell2gate", True), "p": saved("p", 0), "mono": saved("mono", False)},
        children=_one_step, more=_composed(steps.lstm), state=OUTPUTS_AND_CELLS),
    Schema(recurrent.FastLSTM, {**STEPS, "bn": Rule(_normalized, lambda value: {"bn": value})},
           children=_fast_lstm, more=_composed(steps.fast_lstm), state=OUTPUTS_AND_CELLS),
    Schema(GateNormalization, OF_BATCH, version=2, buffers=("running_mean", "running_var"),
           name_of=lambda spec: "nn.BatchNormalization"),
    Schema(recurrent.GRU, STEPS, children=_gru, more=_composed(steps.gru), state=OUTPUTS),
    Schema(recurrent.MuFuRu, STEPS, children=lambda record: _layers(record, 4)[:4], more=_composed(steps.mufuru),
           state=OUTPUTS),
    Schema(recurrent.Recurrent, STEPS, children=_five, more=_parts_of_recurrent, state=OUTPUTS),
    Schema(recurrent.Recurrence, RECURRENCE, children=_one_step, more=_module_of_step, state=OUTPUTS),
    Schema(recurrent.LinearRNN, {**RECURRENCE, "input_size": derived(_input_size)}, children=_one_step,
           more=_module_of_step, state=OUTPUTS),
    Schema(recurrent.LookupRNN, {**RECURRENCE, "n_index": derived(_n_index)}, children=_one_step,
           more=_module_of_step, state=OUTPUTS),
    # A Recursor has no state of its own: a mask around its module is equivalent to its own mask.
    Schema(recurrent.Recursor, {"masked": constant(None), "trims": constant(False), "rho": saved("rho", 9999999)},
           children=lambda record: records_in([record.need("recurrentModule", "module")]), more=_module_of_step),
    *(Schema(each, STEPS, children=_one_step, more=_module_of_step, spell=_flat, state=state)
      for each, state in ((recurrent.RecLSTM, OUTPUTS_AND_CELLS), (recurrent.RecGRU, OUTPUTS))),
    Schema(recurrent.NormStabilizer, {**MASKED, "beta": saved("beta", 1)}, children=lambda record: [],
           more=_composed(steps.stabilizer)),
    Schema(recurrent.Sequencer, REMEMBERED, children=sequenced, inside=1,
           more=lambda node, fields: {
               "module": node.children[0], "_output": [], "tableoutput": [], "tablegradInput": []},
           output=list),
    Schema(recurrent.Repeater, {
        **STARTS_ANEW, "rho": Rule(lambda record: record.need("rho", "nStep"), lambda value: {"rho": value})},
        children=sequenced, inside=1, more=children_named("module"), output=list),
    Schema(recurrent.RecurrentAttention, STARTS_ANEW, inside=2, output=list,
           more=lambda node, fields: {**_rnn_and_action(node, fields), "actions": [], "gradHidden": []}),
    *(Schema(each, SEQUENCE, more=_lstm_buffers, spell=_flat, state=by_sequence(output="h0", cell="c0"))
      for each in (recurrent.SeqLSTM, recurrent.SeqLSTMP)),
    Schema(recurrent.SeqGRU, SEQUENCE, more=_gru_buffers, state=by_sequence(output="h0")),
    *(Schema(each, {"maskzero": MASKZERO}, spell=_flat)
      for each in (recurrent.StepLSTM, recurrent.StepGRU)),
    Schema(recurrent.SeqBRNN, more=children_named("module")),
    Schema(recurrent.BiSequencer, more=lambda node, fields: steps.both_ways(node), output=list, grad_input=list),
    Schema(recurrent.BiSequencerLM, inside=3, more=lambda node, fields: steps.both_ways_of_model(node),
           output=list, grad_input=list),
]  # fmt: skip
