"""Measures of sequences, under Torch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import recurrent
from ..tensors.values import unwrapped


def _tokens(given: Any) -> list:
    values = unwrapped(given)
    return values.tolist() if hasattr(values, "tolist") else list(values)


def get_bleu(cand: Sequence, ref: Sequence, n: int = 4) -> float:
    """`functorch7.bleu` of two tables or tensors of tokens."""
    return recurrent.bleu(_tokens(cand), _tokens(ref), n)


def get_rougeN(cand: Sequence, ref: Sequence, n: int = 4, weight: Sequence | None = None) -> float:
    """`functorch7.rouge_n` of two tables or tensors of tokens; an empty table of weights is none."""
    return recurrent.rouge_n(_tokens(cand), _tokens(ref), n, weight or None)


def get_rougeS(cand: Sequence, ref: Sequence, beta: float = 1, dskip: int | None = None) -> float:
    """`functorch7.rouge_s` of two tables or tensors of tokens."""
    return recurrent.rouge_s(_tokens(cand), _tokens(ref), beta, dskip)
