"""randomkit: random numbers of many distributions, determined by `torch.manualSeed`.

NumPy's distributions, which come from randomkit, on the bits of Torch's generator give the same numbers.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from ...legacy.tensors.random import generator
from ...legacy.tensors.tensor import Tensor
from ..kinds import Crossing
from .elements import by_elements

CONTINUOUS = {
    "gauss": ("standard_normal", 0), "standard_normal": ("standard_normal", 0), "double": ("random_sample", 0),
    "random_sample": ("random_sample", 0), "standard_exponential": ("standard_exponential", 0),
    "standard_cauchy": ("standard_cauchy", 0), "normal": ("normal", 2), "exponential": ("exponential", 1),
    "uniform": ("uniform", 2), "standard_gamma": ("standard_gamma", 1), "gamma": ("gamma", 2), "beta": ("beta", 2),
    "chisquare": ("chisquare", 1), "noncentral_chisquare": ("noncentral_chisquare", 2), "f": ("f", 2),
    "noncentral_f": ("noncentral_f", 3), "standard_t": ("standard_t", 1), "vonmises": ("vonmises", 2),
    "pareto": ("pareto", 1), "weibull": ("weibull", 1), "power": ("power", 1), "laplace": ("laplace", 2),
    "gumbel": ("gumbel", 2), "logistic": ("logistic", 2), "lognormal": ("lognormal", 2), "rayleigh": ("rayleigh", 1),
    "wald": ("wald", 2), "triangular": ("triangular", 3), "negative_binomial": ("negative_binomial", 2),
    "poisson": ("poisson", 1), "zipf": ("zipf", 1), "geometric": ("geometric", 1), "logseries": ("logseries", 1),
}  # fmt: skip
"""NumPy's names, and how many parameters, by randomkit's."""


@lru_cache(1)
def _state(bits: np.random.BitGenerator) -> np.random.RandomState:
    """NumPy's distributions on a generator's bits; kept, as it holds the second of two normal numbers."""
    return np.random.RandomState(bits)


def _drawing(method: str, *arguments: Crossing) -> Crossing:
    return getattr(_state(generator().numpy.bit_generator), method)(*arguments)


def _distribution(name: str) -> Crossing:
    method, arity = CONTINUOUS[name]

    def draw(*given: Crossing) -> Crossing:
        return by_elements(f"randomkit.{name}", arity, partial(_drawing, method), given)

    draw.__name__ = draw.__qualname__ = name
    return draw


globals().update({name: _distribution(name) for name in CONTINUOUS})


def binomial(*given: Crossing) -> Crossing:
    """binomial([result,] n, p): successes of n trials of probability p."""
    return by_elements("randomkit.binomial", 2, lambda n, p, size: _drawing("binomial", _whole(n), p, size), given)


def hypergeometric(*given: Crossing) -> Crossing:
    """hypergeometric([result,] good, bad, sample): the number of good ones in a sample."""
    return by_elements(
        "randomkit.hypergeometric", 3,
        lambda good, bad, n, size: _drawing("hypergeometric", _whole(good), _whole(bad), _whole(n), size), given,
    )  # fmt: skip


def interval(*given: Crossing) -> Crossing:
    """interval([result,] max): whole numbers from 0 to max."""
    return by_elements(
        "randomkit.interval", 1, lambda most, size: _drawing("randint", 0, _whole(most) + 1, size), given
    )


def randint(*given: Crossing) -> Crossing:
    """randint([result,] low, high): whole numbers from low to high."""
    return by_elements(
        "randomkit.randint", 2, lambda low, high, size: _drawing("randint", _whole(low), _whole(high) + 1, size), given
    )


def random(*given: Crossing) -> Crossing:
    """random([result]): whole numbers of 32 bits."""
    return by_elements("randomkit.random", 0, _raw, given)


def ulong(*given: Crossing) -> Crossing:
    """ulong([result]): whole numbers of 64 bits."""
    return by_elements("randomkit.ulong", 0, _wide, given)


def long(*given: Crossing) -> Crossing:
    """long([result]): whole numbers of 63 bits."""
    return by_elements("randomkit.long", 0, lambda size: _wide(size) // 2, given)


def _raw(size: int | None) -> Crossing:
    return generator().numpy.bit_generator.random_raw(size)


def _wide(size: int | None) -> Crossing:
    pairs = _raw(2 * (size or 1)).astype(np.uint64).reshape(-1, 2)
    found = (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]
    return found[0] if size is None else found


def bytes(result: Tensor) -> Tensor:
    """The ByteTensor, filled with random bytes."""
    if not isinstance(result, Tensor) or result.type() != "torch.ByteTensor":
        raise TypeError("randomkit.bytes() can only store into a ByteTensor!")
    drawn = np.frombuffer(_drawing("bytes", result.nElement()), np.uint8)
    return result.copy(Tensor.of(drawn.reshape(result.shape)))


def _whole(value: Crossing) -> Crossing:
    return np.asarray(value).astype(np.int64)


__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    *CONTINUOUS, "binomial", "bytes", "hypergeometric", "interval", "long", "randint", "random", "ulong",
]  # fmt: skip
