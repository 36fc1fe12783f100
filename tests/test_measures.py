"""BLEU and ROUGE, by hand and by the examples of their papers."""

import math

import pytest

import functorch7 as f7


def words(text):
    return text.split()


def test_bleu_by_hand():
    # Papineni's example: "the" counts twice, as in the reference.
    assert f7.bleu(words("the the the the the the the"), words("the cat is on the mat"), 1) == pytest.approx(2 / 7)
    # 3 of 4 words, 1 of 3 pairs, then half of 2 triples and a quarter of 1 run of four.
    assert f7.bleu(words("a b c d"), words("a b x d")) == pytest.approx((3 / 4 * 1 / 3 * 0.5 / 2 * 0.25) ** 0.25)
    assert f7.bleu(words("a b"), words("a b c d"), 2) == pytest.approx(math.exp(1 - 4 / 2))
    assert f7.bleu([1, 2], [1, 2]) == 1
    assert f7.bleu([1, 2], []) == pytest.approx((0.5 / 2 * 0.25 / 1) ** 0.25)
    with pytest.raises(ValueError, match="bleu: expected a candidate of at least 1 tokens, got 0"):
        f7.bleu([], [1])


def test_rouge_n_by_hand():
    candidate, reference = words("a b d"), words("a b c d")
    assert f7.rouge_n(candidate, reference, 1) == pytest.approx(3 / 4)
    assert f7.rouge_n(candidate, reference, 2) == pytest.approx(1 / 3)
    assert f7.rouge_n(candidate, reference, 2, [1, 3]) == pytest.approx((3 / 4 + 3 * 1 / 3) / 4)
    assert f7.rouge_n(candidate, reference) == 0
    assert f7.rouge_n(words("a a a"), words("a a b"), 1) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="rouge_n: expected a reference of at least 4 tokens, got 3"):
        f7.rouge_n(reference, candidate)
    with pytest.raises(ValueError, match="rouge_n: expected 2 weights"):
        f7.rouge_n(candidate, reference, 2, [1])


@pytest.mark.parametrize("candidate, score", [
    ("police kill the gunman", 3 / 6), ("the gunman kill police", 1 / 6), ("the gunman police killed", 2 / 6),
])  # fmt: skip
def test_rouge_s_of_lins_examples(candidate, score):
    assert f7.rouge_s(words(candidate), words("police killed the gunman")) == pytest.approx(score)


def test_rouge_s_by_hand():
    assert f7.rouge_s(words("a x c"), words("a b c"), dskip=2) == 0
    # With neighbours only: 1 of the reference's 2 pairs, and the candidate's only pair.
    assert f7.rouge_s([1, 2], [1, 2, 3], 2) == pytest.approx(5 * 0.5 * 1 / (0.5 + 4 * 1))
    # (a, a) once in common; 3 pairs there, 6 here, all of them (a, a).
    assert f7.rouge_s(words("a a a"), words("a a b")) == pytest.approx(1 / 3)
    for wrong in (([1], [1, 2]), ([1, 2], [1])):
        with pytest.raises(ValueError, match="of at least 2 tokens, got 1"):
            f7.rouge_s(*wrong)
    with pytest.raises(ValueError, match="rouge_s: expected dskip >= 2, got 1"):
        f7.rouge_s([1, 2], [1, 2], dskip=1)
