"""How Torch saves the layers that draw words, or numbers of a distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import core, layers, reinforce
from ...checks.tables import as_dict
from ...core.types import Value
from ...layers.alias import alias_columns
from ..t7 import T7Object
from ..t7.values import Fields
from .node import Node
from .record import Record
from .schema import Rule, Schema, derived, saved, size_of


def _shares(value: Value) -> Fields:
    """Torch's constructor divides the unigrams by their sum, and a loaded NCEModule takes them for probabilities."""
    return {"unigrams": np.asarray(value.value, np.float64) / value.value.sum(dtype=np.float64)}


def _noise(node: Node, fields: Fields) -> Fields:
    """NCEModule's sampler: number i (from 1) with probability q_i, else J_i, all i being equally likely."""
    threshold, alias, room = alias_columns(fields["unigrams"])
    sampler = {"J": alias.astype(np.int64) + 1, "q": threshold / room, "dpnn_parameters": ["J", "q"]}
    return {"aliasmultinomial": T7Object("torch.AliasMultinomial", 1, sampler)}


def _of_parameters(spec: core.Module) -> type:
    """gradInput of a distribution, which is of both parameters if the second is part of the input."""
    return tuple if spec.traits.takes_table else np.ndarray


def _bigrams(record: Record) -> Value:
    return as_dict(record.need("bigrams"))


def _bigrams_saved(value: Value) -> Fields:
    records = value.value
    found: dict[int, Any] = {}
    for word in np.unique(records["word"]).tolist():
        rows = records[records["word"] == word]
        found[word] = {"index": rows["next"].astype(np.int64), "prob": np.array(rows["prob"])}
    return {"bigrams": found}


SCHEMAS = [
    Schema(layers.NCEModule, {
        "input_size": size_of("weight", 1), "output_size": size_of("weight", 0),
        "unigrams": Rule(lambda record: record.need("unigrams"), _shares),
        "Z": derived(lambda record: -1 if record.array("Z") is None else float(record.need("Z").ravel()[0])),
    }, buffers=("Z",), more=_noise, output=list, grad_input=tuple),
    Schema(layers.Bigrams, {"bigrams": Rule(_bigrams, _bigrams_saved)}),
    Schema(reinforce.ReinforceNormal, {"stdev": saved("stdev")}, grad_input=_of_parameters),
    Schema(reinforce.ReinforceGamma, {"scale": saved("scale")}, grad_input=_of_parameters),
]  # fmt: skip
