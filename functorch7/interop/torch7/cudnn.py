"""How Torch saves cudnn's recurrent layers, and its words for their settings."""

from __future__ import annotations

import numpy as np

from ...core.types import Value
from ...recurrent.cudnn import KINDS, LAYERS
from ..t7.values import Fields
from .node import Node
from .record import Record
from .schema import Rule, Schema, saved
from .states import StateForm, whole

WORDS: dict[str, tuple[str, dict[Value, str]]] = {
    "kind": ("mode", {kind: f"CUDNN_{kind}" for kind in KINDS}),
    "bidirectional": ("bidirectional", {False: "CUDNN_UNIDIRECTIONAL", True: "CUDNN_BIDIRECTIONAL"}),
    "skip_input": ("inputMode", {False: "CUDNN_LINEAR_INPUT", True: "CUDNN_SKIP_INPUT"}),
}
"""By a description's field: Torch's field, and what that says for each value."""


def value_of(name: str, word: Value) -> Value:
    """The value of a description's field for Torch's word; another word stays, for the description to refuse."""
    return next((value for value, known in WORDS[name][1].items() if known == word), word)


def _rule(name: str) -> Rule:
    field, words = WORDS[name]
    first = next(iter(words.values()))
    return Rule(lambda record: value_of(name, record.get(field, first)), lambda value: {field: words[value]}, field)


def _more(node: Node, fields: Fields) -> Fields:
    empty = ("reserve", "hiddenOutput", "cellOutput", "gradHiddenInput", "gradCellInput")
    settings = {
        "numDirections": node.spec.directions,  # type: ignore[attr-defined]
        "datatype": "CUDNN_DATA_FLOAT", "seqLength": 1, "miniBatch": 1,
        "seed": 0x01234567, "sync": True, "inputPacked": False,
    }  # fmt: skip
    return settings | {name: np.zeros(0) for name in empty}


def _state(record: Record) -> Fields:
    """What the last sequence has left; it is remembered if `rememberStates` says so."""
    if not record.get("rememberStates", False):
        return {}
    kind = KINDS.get(value_of("kind", record.get("mode")))
    return whole({name: record.array(f"{name}Output") for name in (kind.state if kind else ())})


SCHEMAS = [
    Schema(
        layer,
        {**{name: _rule(name) for name in WORDS}, "mode": saved("_remember", "neither")},
        more=_more,
        state=StateForm(_state, lambda state: {f"{name}Output": value for name, value in state.items()}),
    )
    for layer in LAYERS
]
