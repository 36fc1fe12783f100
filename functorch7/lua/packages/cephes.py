"""cephes: special functions and cumulative distributions of numbers or tensors, from SciPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ..kinds import Crossing
from .elements import by_elements

OF_NUMPY = {
    **dict.fromkeys(
        "exp exp2 log log2 log10 log1p expm1 sqrt cbrt sin cos tan sinh cosh tanh floor ceil fabs signbit isnan isinf "
        "isfinite".split(),
        1,
    ),
    **dict.fromkeys("arcsin arccos arctan arcsinh arccosh arctanh".split(), 1),
    **dict.fromkeys("power arctan2 hypot".split(), 2),
}
"""NumPy's functions, with their numbers of arguments."""

OF_SCIPY = {
    **dict.fromkeys(
        "i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1 psi gamma rgamma erf erfc ndtr ndtri spence zetac exp10 sindg cosdg "
        "tandg cosm1 ellipe ellipk gammaln factorial dawsn expi".split(),
        1,
    ),
    **dict.fromkeys(
        "iv jv beta zeta chdtr chdtrc chdtri struve ellipeinc ellipkinc jn kn yn expn pdtr pdtrc pdtri betaln gammainc "
        "gammaincc gammainccinv stdtr stdtrit".split(),
        2,
    ),
    **dict.fromkeys("betainc betaincinv gdtr gdtrc hyp1f1 fdtr fdtrc fdtri bdtr bdtrc bdtri nbdtr nbdtrc".split(), 3),
    "hyp2f1": 4,
}
"""The same for SciPy, which is imported when one of them is called."""

OTHER_NAMES = {
    "arcsin": ("asin",), "arccos": ("acos",), "arctan": ("atan",), "arcsinh": ("asinh",), "arccosh": ("acosh",),
    "arctanh": ("atanh",), "power": ("pow",), "arctan2": ("atan2",), "psi": ("psi", "digamma"), "gammaln": ("lgam",),
    "ellipe": ("ellpe",), "ellipk": ("ellpk",), "ellipeinc": ("ellie",), "ellipkinc": ("ellik",), "factorial": ("fac",),
    "expi": ("ei",), "betaln": ("lbeta",), "gammainc": ("igam",), "gammaincc": ("igamc",), "gammainccinv": ("igami",),
    "stdtrit": ("stdtri",), "betainc": ("incbet", "btdtr"), "betaincinv": ("incbi",), "hyp1f1": ("hyperg",),
}  # fmt: skip
"""Cephes's names, where they differ."""

WHOLE_FIRST = {"factorial", "jn", "kn", "yn", "expn", "pdtr", "pdtrc", "pdtri", "stdtr", "stdtrit"}
"""Those whose first argument C truncates to a whole number."""

ORIGINALS = {name: each for each in (*OF_NUMPY, *OF_SCIPY) for name in OTHER_NAMES.get(each, (each,))}
"""The names here, by cephes's."""


@cache
def _computing(name: str) -> Callable:
    from scipy import special

    found = getattr(np if name in OF_NUMPY else special, name)
    return (lambda first, *others: found(np.trunc(first), *others)) if name in WHOLE_FIRST else found


def _function(name: str) -> Callable:
    its_name = ORIGINALS[name]
    arity = (OF_NUMPY | OF_SCIPY)[its_name]

    def call(*given: Crossing) -> Crossing:
        with np.errstate(all="ignore"):
            return by_elements(f"cephes.{name}", arity, lambda *values: _computing(its_name)(*values[:-1]), given)

    call.__name__ = call.__qualname__ = name
    return call


globals().update({name: _function(name) for name in ORIGINALS})
ffi = type("ffi", (), {name: staticmethod(_function(name)) for name in ORIGINALS})
"""The same functions, for calls as C functions."""

nan = float("nan")


def polygamma(m: int, x: Crossing) -> Crossing:
    """The m-th derivative of digamma."""
    from scipy.special import polygamma

    return by_elements("cephes.polygamma", 1, lambda value, size: polygamma(int(m), value), (x,))


def betagrad(x: Crossing, y: Crossing) -> Crossing:
    """The derivative of beta(x, y) by x."""
    beta, psi = _computing("beta"), _computing("psi")

    def compute(a: Crossing, b: Crossing, size: int | None) -> Crossing:
        return beta(a, b) * (psi(a) - psi(a + b))

    return by_elements("cephes.betagrad", 2, compute, (x, y))


def lmvgam(x: Crossing, p: float) -> Crossing:
    """The logarithm of the multivariate gamma function of degree p."""

    def compute(value: Crossing, size: int | None) -> Crossing:
        steps = [_computing("gammaln")(value + (1 - j) / 2) for j in range(1, int(p) + 1)]
        return p * (p - 1) / 4 * np.log(np.pi) + sum(steps)

    return by_elements("cephes.lmvgam", 1, compute, (x,))


def mvgam(x: Crossing, p: float) -> Crossing:
    """The multivariate gamma function of degree p."""
    return globals()["exp"](lmvgam(x, p))


def setErrorLevel(level: str | float) -> None:
    """Does nothing: values that are not defined are nan or infinite, as they are by default."""


__all__ = [*ORIGINALS, "betagrad", "ffi", "lmvgam", "mvgam", "nan", "polygamma", "setErrorLevel"]  # pyright: ignore[reportUnsupportedDunderAll]
