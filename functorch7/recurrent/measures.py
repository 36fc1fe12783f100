"""Measures of agreement between a sequence of tokens and a reference: BLEU and ROUGE."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

Tokens = Sequence[Hashable]


def _counts(tokens: Tokens, length: int) -> Counter:
    """The number of occurrences of each run of `length` tokens."""
    return Counter(tuple(tokens[i : i + length]) for i in range(len(tokens) - length + 1))


def _common(first: Counter, second: Counter) -> int:
    """The number of occurrences that two counts have in common."""
    return (first & second).total()


def _check(name: str, least: int, **given: Tokens) -> None:
    for what, tokens in given.items():
        if len(tokens) < least:
            raise ValueError(f"{name}: expected a {what} of at least {least} tokens, got {len(tokens)}")


def bleu(candidate: Tokens, reference: Tokens, n: int = 4) -> float:
    """exp(1 - max(1, |reference| / |candidate|)) (prod_{k <= n} p_k)^(1/n), from 0 to 1.

    p_k is the share of the candidate's runs of k tokens that are in the reference, each at most as often as there. The
    first k without any counts as half a run, the next as a quarter, and so on; a k for which the candidate is too
    short is left out of the product.
    Raises: ValueError for a candidate without tokens, and for n below 1.
    Source: rnn (2017), measure.lua; Papineni et al., 2002; the smoothing is that of Chen & Cherry, 2014.

    >>> from functorch7 import bleu
    >>> bleu("the cat sat".split(), "the cat sat".split())
    1.0
    """
    _check("bleu", 1, candidate=candidate)
    if n < 1:
        raise ValueError(f"bleu: expected n >= 1, got {n}")
    half, product = 1.0, 1.0
    for length in range(1, min(n, len(candidate)) + 1):
        runs = _counts(candidate, length)
        found: float = _common(runs, _counts(reference, length))
        if not found:
            found = half = half / 2
        product *= found / runs.total()
    return math.exp(1 - max(1, len(reference) / len(candidate))) * product ** (1 / n)


def rouge_n(candidate: Tokens, reference: Tokens, n: int = 4, weight: Iterable[float] | None = None) -> float:
    """sum_{k <= n} w_k r_k / sum_k w_k, from 0 to 1; only r_n by default.

    r_k is the share of the reference's runs of k tokens that are in the candidate, each at most as often as there.
    Raises: ValueError unless there is a weight for each k, and for a reference too short for a k that has weight.
    Source: rnn (2017), measure.lua; Lin, 2004.
    """
    weights = [0.0] * (n - 1) + [1.0] if weight is None else list(weight)
    if len(weights) != n or not sum(weights):
        raise ValueError(f"rouge_n: expected {n} weights with a sum that is not 0, got {weights}")
    total = 0.0
    for length, factor in enumerate(weights, 1):
        if factor:
            _check("rouge_n", length, reference=reference)
            runs = _counts(reference, length)
            total += factor * _common(runs, _counts(candidate, length)) / runs.total()
    return total / sum(weights)


def rouge_s(candidate: Tokens, reference: Tokens, beta: float = 1, dskip: int | None = None) -> float:
    """(1 + beta^2) R P / (R + beta^2 P), from 0 to 1, for pairs of tokens in order, with any gap; 0 if none agree.

    R and P are the shares of the reference's and of the candidate's pairs that are also in the other. A pair's tokens
    are among `dskip` consecutive ones (by default, and at most, as many as the candidate has).
    Raises: ValueError for fewer than 2 tokens, also in dskip.
    Differs from Torch7: R is the recall and P the precision (Torch exchanges them, which matters where beta is not 1),
    and pairs that occur several times count each time.
    Source: rnn (2017), measure.lua; Lin, 2004.
    """
    _check("rouge_s", 2, candidate=candidate, reference=reference)
    window = len(candidate) if dskip is None else min(dskip, len(candidate))
    if window < 2:
        raise ValueError(f"rouge_s: expected dskip >= 2, got {dskip}")

    def pairs(tokens: Tokens) -> Counter:
        places = combinations(range(len(tokens)), 2)
        return Counter((tokens[i], tokens[j]) for i, j in places if j - i < window)

    ours, theirs = pairs(candidate), pairs(reference)
    common = _common(ours, theirs)
    if not common:
        return 0.0
    recall, precision = common / theirs.total(), common / ours.total()
    return (1 + beta**2) * recall * precision / (recall + beta**2 * precision)
