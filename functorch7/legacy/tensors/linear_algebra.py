"""Torch's linear algebra: rows as those of `results.py`, by LAPACK."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .arguments import as_matrix, sized
from .computing import wide
from .rows import COLUMNS, SAME, Form, Row

_FAILED = {
    "gesv": "the matrix is singular", "inverse": "the matrix is singular", "trtrs": "the matrix is singular",
    "gels": "the matrix has not full rank", "eig": "the eigenvalues do not converge",
}  # fmt: skip


def _lapack(name: str, routine: str, *args: Any, **options: Any) -> tuple:
    """The results of a LAPACK routine, without the last one, which is 0 unless it failed.

    Raises ValueError if it failed.
    """
    from scipy.linalg import lapack  # takes a while to import, and few programs need it

    matrices = [np.asarray(each) if np.ndim(each) else each for each in args]
    of_floats = all(each.dtype != np.float64 for each in matrices if isinstance(each, np.ndarray))
    *found, info = getattr(lapack, f"{'s' if of_floats else 'd'}{routine}")(*matrices, **options)
    if info:
        reason = _FAILED.get(name, "the matrix is not positive definite")
        raise ValueError(f"torch.{name}: {reason} (LAPACK's {routine} gives {info})")
    return tuple(found)


def _system(name: str, a: Any, b: Any) -> tuple:
    """The matrix and the right sides of a X = b."""
    return a, _right_sides(name, b, len(as_matrix(name, a, square=True)))


def _right_sides(name: str, b: Any, rows: int) -> Any:
    """A matrix of so many rows; a vector is one column."""
    b = b[:, None] if b.ndim == 1 else as_matrix(name, b)
    return sized(name, f"{rows} rows, as the matrix has", b, len(b) == rows)


def _gesv(m: Any, b: Any, a: Any) -> tuple:
    lu, _, x = _lapack("gesv", "gesv", *_system("gesv", a, b))
    return x, lu


def _gels(m: Any, b: Any, a: Any) -> tuple:
    rows, columns = as_matrix("gels", a).shape
    b = _right_sides("gels", b, rows)
    padding = np.zeros((max(columns - rows, 0), b.shape[1]), b.dtype)
    factors, x = _lapack("gels", "gels", a, np.concatenate([b, padding]))
    return x, factors


def _trtrs(m: Any, b: Any, a: Any, part: str | None, transposed: str | None, unit: str | None) -> tuple:
    options = {"lower": part == "L", "trans": int(transposed == "T"), "unitdiag": unit == "U"}
    return (*_lapack("trtrs", "trtrs", *_system("trtrs", a, b), **options), np.array(a))


def _potrf(m: Any, a: Any, part: str | None) -> Any:
    return _lapack("potrf", "potrf", as_matrix("potrf", a, square=True), lower=part == "L", clean=1)[0]


def _pstrf(m: Any, a: Any, part: str | None) -> tuple:
    factor, places, _ = _lapack("pstrf", "pstrf", as_matrix("pstrf", a, square=True), lower=part == "L")
    return (np.tril if part == "L" else np.triu)(factor), places


def _potrs(m: Any, b: Any, chol: Any, part: str | None) -> Any:
    return _lapack("potrs", "potrs", *_system("potrs", chol, b), lower=part == "L")[0]


def _potri(m: Any, chol: Any, part: str | None) -> Any:
    (found,) = _lapack("potri", "potri", as_matrix("potri", chol, square=True), lower=part == "L")
    half = np.tril(found, -1) if part == "L" else np.triu(found, 1)
    return half + half.T + np.diag(np.diag(found))


def _symeig(m: Any, a: Any, wanted: str | None, part: str | None) -> tuple:
    values, vectors = np.linalg.eigh(wide(m, as_matrix("symeig", a, square=True)), "L" if part == "L" else "U")
    return values, vectors if wanted == "V" else np.zeros(0, a.dtype)


def _eig(m: Any, a: Any, wanted: str | None) -> tuple:
    real, imaginary, _, vectors = _lapack("eig", "geev", as_matrix("eig", a, square=True), compute_vl=0)
    return np.stack([real, imaginary], 1), vectors if wanted == "V" else np.zeros(0, a.dtype)


def _svd(m: Any, a: Any, wanted: str | None) -> tuple:
    u, s, vt = np.linalg.svd(wide(m, as_matrix("svd", a)), full_matrices=wanted == "A")
    return u, s, vt.T


def _inverse(m: Any, a: Any) -> Any:
    lu, places = _lapack("inverse", "getrf", as_matrix("inverse", a, square=True))
    return _lapack("inverse", "getri", lu, places)[0]


def _qr(m: Any, x: Any) -> tuple:
    return tuple(np.linalg.qr(wide(m, as_matrix("qr", x))))


def _geqrf(m: Any, a: Any) -> tuple:
    return _lapack("geqrf", "geqrf", as_matrix("geqrf", a))[:2]


def _orgqr(m: Any, reflectors: Any, tau: Any) -> Any:
    _check_factors("orgqr", reflectors, tau)
    rows, columns = reflectors.shape
    if rows < columns:
        raise ValueError(f"torch.orgqr: expected no more columns than rows, got size {rows}x{columns}")
    return _lapack("orgqr", "orgqr", reflectors, tau)[0]


def _check_factors(name: str, reflectors: Any, tau: Any) -> None:
    most = min(as_matrix(name, reflectors).shape)
    sized(name, f"a vector of factors for up to {most} reflectors", tau, tau.ndim == 1 and tau.size <= most)


def _ormqr(m: Any, reflectors: Any, tau: Any, matrix: Any, side: str | None, transposed: str | None) -> Any:
    _check_factors("ormqr", reflectors, tau)
    order, side = len(reflectors), side or "L"
    given = as_matrix("ormqr", matrix).shape["LR".index(side)]
    sized("ormqr", f"{order} {'rows' if side == 'L' else 'columns'}, as the reflectors' size", matrix, given == order)
    work = 64 * max(matrix.shape)
    return _lapack("ormqr", "ormqr", side, transposed or "N", reflectors[:, : tau.size], tau, matrix, work)[0]


_LETTERS = {
    "trtrs": ("UL", "NT", "NU"), "potrf": ("UL",), "pstrf": ("UL",), "potrs": ("UL",), "potri": ("UL",),
    "symeig": ("NV", "UL"), "eig": ("NV",), "svd": ("SA",), "ormqr": ("LR", "NT"),
}  # fmt: skip
"""The letters that may be passed."""

ONE, TWO, FIRST, SECOND = (COLUMNS,), (COLUMNS, COLUMNS), (COLUMNS, SAME), (SAME, COLUMNS)
LINEAR = {
    name: Row(name, (replace(form, of_fractions=True, choices=_LETTERS.get(name, ())),), words)
    for name, (form, words) in {
        "gesv": (Form("xt", _gesv, TWO), "the solution of a X = x for the matrix given next, and its factors"),
        "gels": (Form("xt", _gels, TWO), "the X of least squares |a X - x|, residuals below it, and a's factors"),
        "trtrs": (Form("xtCCC", _trtrs, TWO), "the same for a triangular matrix: 'U' or 'L', 'N' or 'T', 'N' or 'U'"),
        "potrf": (Form("xC", _potrf, ONE), "the Cholesky factor of a positive definite matrix, upper or ('L') lower"),
        "pstrf": (Form("xC", _pstrf, (COLUMNS, np.dtype(np.int32))), "the same with pivoting, and the rows' order"),
        "potrs": (Form("xtC", _potrs, ONE), "the solution of A X = x, given A's Cholesky factor"),
        "potri": (Form("xC", _potri, ONE), "the inverse of the matrix of a Cholesky factor"),
        "symeig": (Form("xCC", _symeig, SECOND), "a symmetric matrix's eigenvalues, and with 'V' its eigenvectors"),
        "eig": (Form("xC", _eig, SECOND), "eigenvalues, a row of real and imaginary part each; with 'V' eigenvectors"),
        "svd": (Form("xC", _svd, (COLUMNS, SAME, SAME)), "U, S and V of the singular values, some ('S') or all ('A')"),
        "inverse": (Form("x", _inverse, ONE), "the inverse of a matrix"),
        "qr": (Form("x", _qr, FIRST), "Q and R of a matrix, whose product it is"),
        "geqrf": (Form("x", _geqrf, FIRST), "LAPACK's reflectors of Q and R, and their factors"),
        "orgqr": (Form("xt", _orgqr, ONE), "Q of these reflectors, given their factors"),
        "ormqr": (Form("xttCC", _ormqr, ONE), "a matrix times this Q, on its left or ('R') right, or times Q' ('T')"),
    }.items()
}  # fmt: skip
"""The operations by name."""
