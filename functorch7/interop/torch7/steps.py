"""The modules of which rnn composes its cells, built around a cell's linear layers as Torch's constructors do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import core, layers
from ...core.types import Value
from ..t7 import T7Object
from ..t7.values import NAMES, Fields
from .build import container, module, storage
from .node import Node, shared_clone
from .schema import masking_saved

Built = tuple[Any, dict[str, Any]]
"""A step's module, and the cell's fields that name parts of it."""


def _chain(*modules: Value) -> T7Object:
    return container("nn.Sequential", *modules)


def _each(*modules: Value) -> T7Object:
    return container("nn.ConcatTable", *modules, output=[])


def _beside(*modules: Value) -> T7Object:
    return container("nn.ParallelTable", *modules, output=[], gradInput=[])


def _entry(index: int) -> T7Object:
    return module("nn.SelectTable", index=index, gradInput=[])


def _entries(offset: int, length: int) -> T7Object:
    return module("nn.NarrowTable", offset=offset, length=length, output=[], gradInput=[])


def _sum() -> T7Object:
    return module("nn.CAddTable", inplace=False, gradInput=[])


def _product() -> T7Object:
    return module("nn.CMulTable", gradInput=[])


def _flat() -> T7Object:
    return module("nn.FlattenTable", output=[], input_map=[], gradInput=[])


def _joined() -> T7Object:
    return module("nn.JoinTable", dimension=2, size=storage([]), gradInput=[])


def _dropout(spec: Value) -> T7Object:
    return module(
        "nn.Dropout", p=spec.p, v2=True, train=True, inplace=False, stochastic_inference=False, lazy=True,
        mono=spec.mono, flag=True, noise=np.zeros(0),
    )  # fmt: skip


def _split(gates: int, size: int) -> list[T7Object]:
    return [
        module(
            "nn.Reshape", size=storage([gates, size]), nelement=gates * size, batchsize=storage([0, gates, size])
        ),
        module("nn.SplitTable", dimension=1, nInputDims=2),
    ]  # fmt: skip


def _with_dropout(spec: Value, layers: Node) -> Node | T7Object:
    """Layers side by side, behind a Dropout each if the step has any."""
    if not spec.p:
        return layers
    copies = [_dropout(spec) for _ in layers.children]
    return _chain(_each(*copies), _beside(*layers.children), _joined())


def unmasked(spec: Value, step: Value) -> Fields:
    """The fields that hold a step's module, in a MaskZero or TrimZero where `mask_zero` or `trim_zero` was called."""
    if spec.masked is not None:
        kind = "nn.TrimZero" if spec.trims else "nn.MaskZero"
        step = container(kind, step, module=step, silent=True, **masking_saved(spec.masked))
    return {"recurrentModule": step, "modules": [step], "sharedClones": [step]}


def lstm(node: Node) -> Built:
    """nn.LSTM: the module is composed in the description, too; its gates have names."""
    model = node.children[0]
    cell = model.children[0].children[1]
    kept, let_in = cell.children[0].children
    shown = model.children[2].children[0]
    return model, {
        "cellLayer": cell, "forgetGate": kept.children[0].children[0], "inputGate": let_in.children[0].children[0],
        "hiddenLayer": let_in.children[0].children[1], "outputGate": shown.children[0].children[0],
    }  # fmt: skip


def fast_lstm(node: Node) -> Built:
    """nn.FastLSTM: all gates at once."""
    spec: Any = node.spec
    if spec.bn:
        inner, of_x, outer, of_h, bias, of_c = node.children
        of_input, of_output, shown = _chain(inner, of_x), _chain(outer, of_h, bias), [of_c, module("nn.Tanh")]
    else:
        i2g, o2g = node.children
        inner, outer = _with_dropout(spec, i2g), _with_dropout(spec, o2g)
        of_input, of_output, shown = inner, outer, [module("nn.Tanh")]
    transfer = _beside(*(module(f"nn.{name}") for name in ("Sigmoid", "Tanh", "Sigmoid", "Sigmoid")))
    gates = _chain(_entries(1, 2), _beside(of_input, of_output), _sum(), *_split(4, spec.output_size), transfer)
    hidden = _chain(_entries(1, 2), _product())
    kept = _chain(_each(_entry(3), _entry(5)), _product())
    cell = _chain(_each(hidden, kept), _sum())
    output = _chain(_each(_chain(_entry(1), *shown), _entry(2)), _product())
    step = _chain(
        _each(gates, _entry(3)), _flat(), _each(cell, _entry(4)), _flat(), _each(output, _entry(1))
    )  # fmt: skip
    return step, {"i2g": inner, "o2g": outer, "cell2gate": False}


def gru(node: Node) -> Built:
    """nn.GRU."""
    spec: Any = node.spec
    i2g, o2g, i2h, o2h = node.children
    inner, outer = _with_dropout(spec, i2g), _with_dropout(spec, o2g)
    transfer = _beside(module("nn.Sigmoid"), module("nn.Sigmoid"))
    gates = _chain(_beside(inner, outer), _sum(), *_split(2, spec.output_size), transfer)
    dropout = [_dropout(spec)] if spec.p else []
    of_input = _chain(_entry(1), *dropout, i2h)
    of_state = _chain(_entries(2, 2), _product(), *([_dropout(spec)] if spec.p else []), o2h)
    hidden = _chain(_each(of_input, of_state), _sum(), module("nn.Tanh"))
    new = _chain(_each(hidden, _chain(_entry(4), module("nn.SAdd", addend=-1, negate=True))), _product())
    kept = _chain(_entries(4, 2), _product())
    step = _chain(
        _each(module("nn.Identity"), gates), _flat(), _each(_entries(1, 4), _entry(2)), _flat(),
        _chain(_each(new, kept), _sum()),
    )  # fmt: skip
    return step, {"i2g": inner, "o2g": outer}


def _parts_of(node: Node) -> Callable[..., Node]:
    """Makes nodes of modules without arrays, with the type of a cell's tensors."""
    settings = {"_type": f"torch.{NAMES[np.dtype(node.children[0].parameters['weight'].dtype)]}Tensor"}

    def part(spec: core.Module) -> Node:
        return Node(spec, children=list(map(part, spec.child_modules())), settings=settings)

    return part


def mufuru(node: Node) -> Built:
    """nn.MuFuRu: the last step combines the old state, the feature and the operations' weights, in this order."""
    spec: Any = node.spec
    part = _parts_of(node)
    reset_input, reset_output, of_both, mixture = node.children
    stacked = layers.MapTable(layers.Unsqueeze(1))
    extremes = {name: layers.Sequential(stacked, layers.JoinTable(1), kind(1))
                for name, kind in (("max", layers.Max), ("min", layers.Min))}  # fmt: skip
    operations = extremes | {
        "keep": layers.SelectTable(1), "replace": layers.SelectTable(2), "mul": layers.CMulTable(),
        "diff": layers.CSubTable(), "forget": layers.Sequential(layers.SelectTable(1), layers.MulConstant(0.0)),
        "sqrt_diff": layers.Sequential(layers.CSubTable(), layers.Abs(), layers.Sqrt(), layers.MulConstant(0.25)),
    }  # fmt: skip
    chosen = [part(operations[name]) for name in spec.ops]
    sigmoid = layers.Sigmoid()
    reset = _chain(_beside(reset_input, reset_output), _sum(), part(sigmoid))
    feature = _chain(_each(_entry(1), _chain(_entries(2, 2), _product())), _joined(), of_both, part(sigmoid))
    by_operation = layers.View(len(chosen), spec.output_size).set_num_input_dims(1)
    weights = _chain(
        _entries(1, 2),
        _joined(),
        mixture,
        part(by_operation),
        part(layers.Transpose((1, 2))),
        part(layers.SoftMax()),
    )
    results = _chain(_entries(1, 2), _each(*chosen), part(stacked), part(layers.JoinTable(1, 3)))
    mixed = _chain(_each(results, _entry(3)), _product(), part(layers.Sum(1, 3)))
    step = _chain(_each(_entry(1), _entry(2), reset), _each(_entry(2), feature, weights), mixed)
    return step, {"num_ops": len(chosen), "operations": chosen}


def stabilizer(node: Node) -> Built:
    """nn.NormStabilizer."""
    return module("nn.CopyGrad"), {"rho": 99999}


def recurrent(node: Node) -> Fields:
    """nn.Recurrent: the first step has its own module."""
    start, input, feedback, transfer, merge = node.children
    first = _chain(shared_clone(input), start, shared_clone(transfer))
    later = _chain(_beside(input, feedback), merge, transfer)
    names = ("startModule", "inputModule", "feedbackModule", "transferModule", "mergeModule")
    return {
        **dict(zip(names, node.children, strict=True)), "modules": list(node.children), "initialModule": first,
        "recurrentModule": later, "sharedClones": {2: later},
    }  # fmt: skip


def both_ways(node: Node) -> Fields:
    """nn.BiSequencer: the parts of its chain have names."""
    chain = node.children[0]
    forward, reversal = chain.children[0].children
    sequencers = {"fwdSeq": forward, "bwdSeq": reversal.children[1], "mergeSeq": chain.children[2]}
    return {"module": chain, **sequencers, **_modules_of(sequencers)}


def both_ways_of_model(node: Node) -> Fields:
    """nn.BiSequencerLM."""
    forward, reversal, merge = node.children
    sequencers = {"fwdSeq": forward, "bwdSeq": reversal.children[1], "mergeSeq": merge.children[1]}
    return {"_fwd": forward, "_bwd": reversal, "_merge": merge, **sequencers, **_modules_of(sequencers)}


def _modules_of(sequencers: dict[str, Node]) -> dict[str, Node]:
    names = {"fwdSeq": "forwardModule", "bwdSeq": "backwardModule", "mergeSeq": "mergeModule"}
    return {names[name]: _unwrapped(sequencer.children[0]) for name, sequencer in sequencers.items()}


def _unwrapped(step: Node) -> Node:
    return step.children[0] if step.spec.torch_name() == "nn.Recursor" else step
