"""Every operation of tensors that fills or makes one, with formulas by NumPy and SciPy, for a test of all alike.

A case is the arguments and the formula. Operands are named by letters, and come in whole and in other numbers, of which
formulas get wide ones (int64, float64): what a type has no room for is cut off afterwards.
"""

import numpy as np
from scipy import signal, special

WHOLE, FLOATING = ("Byte", "Char", "Short", "Int", "Long"), ("BFloat16", "Half", "Float", "Double")

_random = np.random.default_rng(7)


def _numbers(*shape: int) -> np.ndarray:
    return _random.integers(0, 8, shape)


OPERANDS = {
    "x": _numbers(3, 3), "y": _numbers(3, 3), "z": _numbers(3, 3), "u": _numbers(3, 5), "w": _numbers(5, 3),
    "v": _numbers(3), "s": _numbers(3), "k": _numbers(5), "B": _numbers(2, 3, 4), "C": _numbers(2, 4, 3),
    "D": _numbers(2, 3, 3), "i": _numbers(4, 5), "I": _numbers(2, 4, 5), "J": _numbers(3, 4, 4), "K": _numbers(2, 3),
    "L": _numbers(2, 2, 3), "M": _numbers(3, 2, 2, 2), "N": _numbers(2, 2, 2), "R": _numbers(4, 6),
    "O": _random.permuted(np.tile(np.arange(7), (3, 1)), axis=1),  # no two alike in a row, nor in a column
}  # fmt: skip
OPERANDS["O"] += np.array([[0], [8], [16]])
OPERANDS["I4"] = _numbers(2, 3, 4, 4)
INDICES = {"columns": np.array([3, 1, 3]), "places": np.array([[2, 1], [3, 3], [1, 2]])}


class Positive(str):
    """An operand without zeros and negative numbers."""


class Unit(str):
    """An operand between -1 and 1."""


def wide(operand: str, kind: str) -> np.ndarray:
    """An operand's numbers for a type: some are negative where the type has such, halves where it has fractions."""
    found = OPERANDS[operand]
    if isinstance(operand, Unit):
        return found / 8 - 0.4375
    found = found + 1 if isinstance(operand, Positive) else found if kind == "Byte" else found - 3
    return found / 2 + 0.25 if kind in FLOATING else found


def _quotient(x, y):
    return np.trunc(x / y).astype(np.int64) if np.result_type(x, y).kind == "i" else x / y


def _remainder(x, y):
    return x - y * np.floor(x / y).astype(np.result_type(x, y))


def _fmod(x, y):
    return x - y * np.trunc(x / y).astype(np.result_type(x, y))


def _logical_shift(x, n, dtype):
    bits = 8 * dtype.itemsize
    return np.array([(each % (1 << bits)) >> n for each in x.ravel().tolist()], object).reshape(x.shape)


def _renormed(x, p, dim, most):
    norms = (abs(x) ** p).sum(2 - dim, keepdims=True) ** (1 / p)
    return np.where(norms > most, x * most / (norms + 1e-7), x)


P, Q = Positive("y"), Positive("z")
SMALL = Positive("x")
POINTWISE = {
    "abs": [("x", lambda x: np.where(x < 0, -x, x))], "sign": [("x", lambda x: (x > 0) * 1 - (x < 0))],
    "sqrt": [((SMALL,), lambda x: x**0.5)], "exp": [("x", lambda x: np.e**x)], "log": [((P,), np.log)],
    "log1p": [((P,), lambda x: np.log(1 + x))], "floor": [("x", lambda x: x - x % 1)], "neg": [("x", lambda x: 0 - x)],
    "ceil": [("x", lambda x: -(-x // 1))], "trunc": [("x", lambda x: np.where(x < 0, -(-x // 1), x // 1))],
    "round": [("x", lambda x: np.sign(x) * ((abs(x) + 0.5) // 1))], "frac": [("x", lambda x: x - np.trunc(x))],
    "tanh": [("x", lambda x: 1 - 2 / (np.exp(2 * x) + 1))], "sin": [("x", lambda x: np.exp(1j * x).imag)],
    "cos": [("x", lambda x: np.exp(1j * x).real)], "tan": [((Unit("x"),), lambda x: np.sin(x) / np.cos(x))],
    "sinh": [("x", lambda x: (np.exp(x) - np.exp(-x)) / 2)], "cosh": [("x", lambda x: (np.exp(x) + np.exp(-x)) / 2)],
    "sigmoid": [("x", special.expit)], "rsqrt": [((P,), lambda x: x**-0.5)], "cinv": [((P,), lambda x: 1 / x)],
    "asin": [((Unit("x"),), lambda x: np.angle(np.sqrt(1 - x**2) + 1j * x))],
    "acos": [((Unit("x"),), lambda x: np.angle(x + 1j * np.sqrt(1 - x**2)))],
    "atan": [("x", lambda x: np.angle(1 + 1j * x))], "atan2": [("xy", lambda y, x: np.angle(x + 1j * y))],
    "add": [(("x", 2.75), lambda x, n: x + n), (("x", -1), lambda x, n: x + n), (("x", 300), lambda x, n: x + n),
            ("xy", lambda x, y: x + y), (("x", 2, "y"), lambda x, n, y: x + n * y)],
    "csub": [(("x", 3), lambda x, n: x - n), ("xy", lambda x, y: x - y), (("x", 2, "y"), lambda x, n, y: x - n * y)],
    "mul": [(("x", 2.75), lambda x, n: x * n)], "div": [(("x", 2.75), _quotient), (("x", 3), _quotient)],
    "fmod": [(("x", 2), _fmod)], "mod": [(("x", 2), _fmod)], "remainder": [(("x", 2), _remainder)],
    "cfmod": [(("x", P), _fmod)], "cmod": [(("x", P), _fmod)], "cremainder": [(("x", P), _remainder)],
    "lerp": [(("x", "y", 0.25), lambda x, y, n: 0.75 * x + 0.25 * y)],
    "pow": [(("x", 3), lambda x, n: x * x * x), ((2, "x"), lambda n, x: np.exp(x * np.log(n)))],
    "clamp": [(("x", 1.5, 4), lambda x, a, b: np.where(x < a, a, np.where(x > b, b, x)))],
    "cmul": [("xy", lambda x, y: x * y)], "cdiv": [(("x", P), _quotient)],
    "cpow": [((SMALL, Positive("s2")), lambda x, y: np.round(np.exp(y * np.log(x)), 12))],
    "cmax": [(("x", 1.5), lambda x, n: np.where(x < n, n, x)), ("xy", lambda x, y: np.where(x < y, y, x))],
    "cmin": [(("x", 1.5), lambda x, n: np.where(x < n, x, n)), ("xy", lambda x, y: np.where(x < y, x, y))],
    "bitand": [(("x", 5), lambda x, n: x & n)], "cbitand": [("xy", lambda x, y: x & y)],
    "bitor": [(("x", 5), lambda x, n: x | n)], "cbitor": [("xy", lambda x, y: x | y)],
    "bitxor": [(("x", 5), lambda x, n: x ^ n)], "cbitxor": [("xy", lambda x, y: x ^ y)],
    "lshift": [(("x", 2), lambda x, n: x * 4)], "clshift": [(("x", Positive("s2")), lambda x, n: x * 2**n)],
    "rshift": [(("x", 2), lambda x, n, dtype: _logical_shift(x, n, dtype) if dtype.kind in "iu" else x / 4)],
    "crshift": [((SMALL, Positive("s2")), lambda x, n: x // 2**n if x.dtype.kind == "i" else x / 2**n)],
    "renorm": [
        (("x", 1, 2, 3), _renormed), (("x", 2, 1, 3), _renormed),
        (("x", 2, 1.5, 3), lambda x, p, _, most: _renormed(x, p, 1, most)),
    ],
    "addcmul": [("xyz", lambda x, a, b: x + a * b), (("x", 2, "y", "z"), lambda x, n, a, b: x + n * a * b)],
    "addcdiv": [(("x", "y", Q), lambda x, a, b: x + _quotient(a, b)),
                (("x", 2, "y", Q), lambda x, n, a, b: x + _quotient(n * a, b))],
}  # fmt: skip
OPERANDS["s2"] = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1]])


def _added(x, one, other, product):
    """x plus a product, with no number, one before the product, or one before each."""
    return [
        ((x, one, other), lambda x, a, b: x + product(a, b)),
        ((x, 2, one, other), lambda x, n, a, b: x + n * product(a, b)),
        ((2, x, 3, one, other), lambda m, x, n, a, b: m * x + n * product(a, b)),
    ]


PRODUCTS = {
    "mm": [("uw", lambda a, b: np.einsum("ij,jk", a, b))], "mv": [("wv", lambda a, b: np.einsum("ij,j", a, b))],
    "ger": [("vk", lambda a, b: np.einsum("i,j", a, b))], "bmm": [("BC", lambda a, b: np.einsum("bij,bjk->bik", a, b))],
    "addmm": _added("x", "u", "w", lambda a, b: np.einsum("ij,jk", a, b)),
    "addmv": _added("v", "u", "k", lambda a, b: np.einsum("ij,j", a, b)),
    "addr": _added("x", "v", "s", lambda a, b: np.einsum("i,j", a, b)),
    "addbmm": _added("x", "B", "C", lambda a, b: np.einsum("bij,bjk->ik", a, b)),
    "baddbmm": _added("D", "B", "C", lambda a, b: np.einsum("bij,bjk->bik", a, b)),
}  # fmt: skip


def _sorted(x, axis=1, descending=False):
    order = np.argsort(-x if descending else x, axis, kind="stable")
    return np.take_along_axis(x, order, axis), order + 1


def _slice(found, axis, *at):
    return tuple(np.take(each, at, axis) for each in found)


def _extreme(function):
    def along(x, dim):
        found = function(x, dim - 1, keepdims=True)
        return found, np.argmax(x == found, dim - 1, keepdims=True) + 1

    return [("x", lambda x: function(x)), (("x", 1), along), (("x", 2), along)]


def _comparison(function):
    by_number = [(("x", n), lambda x, n: function(x, n) * 1) for n in (2, 1.5)]
    return [*by_number, ("xy", lambda x, y: function(x, y) * 1)]


def _mode(x, dim=2):
    rows = x if dim == 2 else x.T
    found = [min(set(row), key=lambda v: (-row.count(v), v)) for row in rows.tolist()]
    at = [len(row) - row[::-1].index(v) for row, v in zip(rows.tolist(), found, strict=True)]
    pair = np.array(found)[:, None], np.array(at)[:, None]
    return pair if dim == 2 else tuple(each.T for each in pair)


def _histogram(x, bins, low, high):
    places = ((x - low) / (high - low) * bins).astype(int) - (x == high)
    return np.array([(places[(low <= x) & (x <= high)] == i).sum() for i in range(bins)])


def _p_norm(x, p):
    return (abs(x) ** p).sum() ** (1 / p)


def _cross(x, y, dim):
    return np.stack([x[i - 2] * y[i - 1] - x[i - 1] * y[i - 2] for i in range(3)])


def _places_of_others_than_0(x):
    return np.array([[i + 1, j + 1] for i in range(3) for j in range(3) if x[i, j]]).reshape(-1, 2)


def _columns(x, dim, at):
    return np.stack([x[:, i - 1] for i in at], 1)


def _picked(x, dim, at):
    return np.array([[x[i, j - 1] for j in row] for i, row in enumerate(at)])


RESULTS = {
    "eq": _comparison(lambda x, y: x == y), "ne": _comparison(lambda x, y: x != y),
    "lt": _comparison(lambda x, y: x < y), "le": _comparison(lambda x, y: x <= y),
    "gt": _comparison(lambda x, y: x > y), "ge": _comparison(lambda x, y: x >= y),
    "sum": [("x", lambda x: sum(x.ravel().tolist())), (("x", 1), lambda x, d: np.ones((1, 3), int) @ x),
            (("x", 2), lambda x, d: x @ np.ones((3, 1), int))],
    "prod": [("s", lambda x: x[0] * x[1] * x[2]), (("x", 1), lambda x, d: (x[0] * x[1] * x[2])[None])],
    "mean": [("x", lambda x: x.sum() / 9), (("x", 2), lambda x, d: x.sum(1, keepdims=True) / 3)],
    "var": [("x", lambda x: ((x - x.mean()) ** 2).sum() / 8), (("x", True), lambda x, b: x.var()),
            (("x", 1), lambda x, d: x.var(0, ddof=1, keepdims=True)), (("x", 1, True), lambda x, d, b: x.var(0)[None])],
    "std": [("x", lambda x: (((x - x.mean()) ** 2).sum() / 8) ** 0.5), (("x", True), lambda x, b: x.var() ** 0.5),
            (("x", 2), lambda x, d: x.var(1, ddof=1, keepdims=True) ** 0.5),
            (("x", 2, True), lambda x, d, b: x.var(1, keepdims=True) ** 0.5)],
    "norm": [("x", lambda x: _p_norm(x, 2)), (("x", 1), _p_norm), (("x", 0), lambda x, p: (x != 0).sum()),
             (("x", 3, 2), lambda x, p, d: np.array([[_p_norm(row, 3)] for row in x]))],
    "dist": [("xy", lambda x, y: _p_norm(x - y, 2)), (("x", "y", 1), lambda x, y, p: _p_norm(x - y, p))],
    "match": [("xy", lambda x, y: ((x[:, None] - y) ** 2).sum(-1)),
              (("x", "y", 2), lambda x, y, n: 2 * ((x[:, None] - y) ** 2).sum(-1))],
    "dot": [("xy", lambda x, y: sum((x * y).ravel().tolist()))],
    "trace": [("x", lambda x: x[0, 0] + x[1, 1] + x[2, 2])],
    "min": _extreme(np.min), "max": _extreme(np.max),
    "cumsum": [(("x",), lambda x: np.tri(3, dtype=int) @ x), (("x", 2), lambda x, d: x @ np.tri(3, dtype=int).T)],
    "cumprod": [(("x",), lambda x: np.stack([x[0], x[0] * x[1], x[0] * x[1] * x[2]])),
                (("x", 2), lambda x, d: np.stack([x[:, 0], x[:, 0] * x[:, 1], x[:, 0] * x[:, 1] * x[:, 2]], 1))],
    "sort": [("x", _sorted), (("x", 1), lambda x, d: _sorted(x, 0)), (("x", True), lambda x, d: _sorted(x, 1, True)),
             (("x", 1, True), lambda x, d, down: _sorted(x, 0, True))],
    "topk": [("O", lambda x: _slice(_sorted(x), 1, 0)), (("O", 2), lambda x, k: _slice(_sorted(x), 1, 0, 1)),
             (("O", 2, 1, True, True), lambda x, k, d, down, ordered: _slice(_sorted(x, 0, True), 0, 0, 1))],
    "kthvalue": [(("O", 3), lambda x, k: _slice(_sorted(x), 1, 2)),
                 (("O", 2, 1), lambda x, k, d: _slice(_sorted(x, 0), 0, 1))],
    "median": [("O", lambda x: _slice(_sorted(x), 1, 3)), (("O", 1), lambda x, d: _slice(_sorted(x, 0), 0, 1))],
    "mode": [("R", _mode), (("R", 1), _mode)],
    "index": [(("x", 2, "columns"), _columns)], "gather": [(("x", 2, "places"), _picked)],
    "nonzero": [("x", _places_of_others_than_0)],
    "tril": [("u", lambda x: x * np.tri(3, 5, dtype=int)), (("u", -1), lambda x, k: x * np.tri(3, 5, -1, dtype=int))],
    "triu": [("u", lambda x: x * (1 - np.tri(3, 5, -1, int))), (("u", 2), lambda x, k: x * (1 - np.tri(3, 5, 1, int)))],
    "diag": [("u", lambda x: x[[0, 1, 2], [0, 1, 2]]), (("u", 1), lambda x, k: x[[0, 1, 2], [1, 2, 3]]),
             (("v", -1), lambda x, k: np.pad(np.eye(3, dtype=int) * x, ((1, 0), (0, 1))))],
    "histc": [(("R", 4, -1, 3), _histogram), (("R", 5), lambda x, n: _histogram(x, n, x.min(), x.max()))],
    "bhistc": [(("R", 4, -1, 3), lambda x, *how: np.stack([_histogram(row, *how) for row in x]))],
    "cross": [(("x", "y", 1), _cross)],
}  # fmt: skip
"""Where several are equal, the place of one of them is undetermined in Torch: those cases have none."""


def _convolutions(name):
    flipped, one = name.startswith("conv"), "valid"
    function = signal.convolve if flipped else signal.correlate

    def every(x, kernel, mode="V"):
        how, axes = "full" if mode == "F" else one, int(name[-1])
        if kernel.ndim == axes:
            return function(x, kernel, how, "direct")
        if kernel.ndim == axes + 1:
            return np.stack([function(a, b, how, "direct") for a, b in zip(x, kernel, strict=True)])
        return np.stack([sum(function(a, b, how, "direct") for a, b in zip(x, each, strict=True)) for each in kernel])

    pairs = {"2": ("iK", "IL", "IM"), "3": ("JN", ("I4", "M2"), ("I4", "M3"))}[name[-1]]
    return [((*pair, *mode), every) for pair in pairs for mode in ((), ("F",), ("V",))]


OPERANDS |= {"M2": _numbers(2, 2, 2, 2), "M3": _numbers(3, 2, 2, 2, 2)}
CONVOLUTIONS = {name: _convolutions(name) for name in ("conv2", "xcorr2", "conv3", "xcorr3")}

OF_FRACTIONS = (
    "sqrt exp log log1p floor ceil trunc round frac tanh sin cos tan sinh cosh sigmoid rsqrt cinv asin acos atan atan2 "
    "lerp pow renorm neg mean var std norm dist histc bhistc"
).split()
"""Operations that Torch7 has for Float and Double only (and functorch7 for 16 bits)."""

OF_BITS = "bitand bitor bitxor cbitand cbitor cbitxor".split()


def kinds_of(name: str) -> tuple[str, ...]:
    """The types for which an operation is defined."""
    if name in OF_FRACTIONS:
        return FLOATING
    if name == "abs":
        return ("Short", "Int", "Long", *FLOATING)
    return WHOLE if name in OF_BITS else (*WHOLE, *FLOATING)


TABLE = POINTWISE | PRODUCTS | RESULTS | CONVOLUTIONS
