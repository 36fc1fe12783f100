"""Torch's linear algebra, by what its results have to satisfy, and the examples of torch7/doc/maths.md."""

import numpy as np
import pytest

from functorch7.legacy import torch

from .helpers import same, values

SQUARE, TALL, WIDE = values(4, 4, seed=1), values(6, 4, seed=2), values(3, 5, seed=3)
B, B6, B3 = values(4, 2, seed=4), values(6, 2, seed=5), values(3, 2, seed=6)
SYMMETRIC = SQUARE + SQUARE.T
POSITIVE = SQUARE @ SQUARE.T + np.eye(4)
UPPER = np.triu(SQUARE) + 3 * np.eye(4)
LOWER = np.linalg.cholesky(POSITIVE)
Q, R = np.linalg.qr(TALL)


def holds(found, *pairs):
    for got, expected in pairs:
        np.testing.assert_allclose(got, expected, rtol=2e-3, atol=2e-3 if found.dtype == np.float32 else 1e-9)


def eigenpairs(e, v):
    """A v = e v, pair of conjugates by pair of conjugates, as LAPACK packs them."""
    complex_values, vectors, at = e[:, 0] + 1j * e[:, 1], v.astype(complex), 0
    while at < len(e):
        if e[at, 1]:
            vectors[:, at], vectors[:, at + 1] = v[:, at] + 1j * v[:, at + 1], v[:, at] - 1j * v[:, at + 1]
            at += 1
        at += 1
    return SQUARE @ vectors, vectors * complex_values


CALLS = {  # the arguments, and pairs that are equal if the results are right
    "gesv": ((B, SQUARE), lambda x, lu: [(SQUARE @ x, B), (abs(np.diag(lu).prod()), abs(np.linalg.det(SQUARE)))]),
    "gels": ((B6, TALL), lambda x, qr: [(x[:4], np.linalg.lstsq(TALL, B6)[0]),
             ((x[4:] ** 2).sum(0), ((TALL @ x[:4] - B6) ** 2).sum(0))]),
    "gels of fewer equations": ((B3, WIDE), lambda x, lq: [(x, np.linalg.pinv(WIDE) @ B3)]),
    "trtrs": ((B, UPPER), lambda x, a: [(UPPER @ x, B), (a, UPPER)]),
    "trtrs, lower, transposed": ((B, LOWER, "L", "T"), lambda x, a: [(LOWER.T @ x, B)]),
    "trtrs of ones": ((B, UPPER, "U", "N", "U"), lambda x, a: [((np.triu(UPPER, 1) + np.eye(4)) @ x, B)]),
    "potrf": ((POSITIVE,), lambda u: [(u.T @ u, POSITIVE), (np.tril(u, -1), 0 * u)]),
    "potrf, lower": ((POSITIVE, "L"), lambda found: [(found, LOWER)]),
    "pstrf": ((POSITIVE,), lambda u, at: [(u.T @ u, POSITIVE[at - 1][:, at - 1])]),
    "pstrf, lower": ((POSITIVE, "L"), lambda low, at: [(low @ low.T, POSITIVE[at - 1][:, at - 1])]),
    "potrs": ((B, LOWER.T), lambda x: [(POSITIVE @ x, B)]),
    "potrs, lower": ((B, LOWER, "L"), lambda x: [(POSITIVE @ x, B)]),
    "potri": ((LOWER.T,), lambda found: [(found @ POSITIVE, np.eye(4))]),
    "potri, lower": ((LOWER, "L"), lambda found: [(found @ POSITIVE, np.eye(4))]),
    "symeig": ((SYMMETRIC, "V"), lambda e, v: [(v * e @ v.T, SYMMETRIC), (np.sort(e), e)]),
    "symeig, lower": ((np.tril(SYMMETRIC), "V", "L"), lambda e, v: [(v * e @ v.T, SYMMETRIC)]),
    "symeig, values": ((SYMMETRIC,), lambda e, v: [(e.sum(), np.trace(SYMMETRIC)), (v.size, 0)]),
    "eig": ((SQUARE, "V"), lambda e, v: [eigenpairs(e, v)]),
    "eig, values": ((SQUARE,), lambda e, v: [(e.sum(0), [np.trace(SQUARE), 0]), (v.size, 0)]),
    "svd": ((TALL,), lambda u, s, v: [(u * s @ v.T, TALL), (u.shape, (6, 4)), (-np.sort(-s), s)]),
    "svd, all": ((TALL, "A"), lambda u, s, v: [(u[:, :4] * s @ v.T, TALL), (u.T @ u, np.eye(6))]),
    "inverse": ((SQUARE,), lambda found: [(found @ SQUARE, np.eye(4))]),
    "qr": ((TALL,), lambda q, r: [(q @ r, TALL), (q.T @ q, np.eye(4)), (np.tril(r, -1), 0 * r)]),
    "geqrf": ((TALL,), lambda m, tau: [(abs(np.triu(m)[:4]), abs(R)), (tau.shape, (4,))]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["Float", "Double"])
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_results(call, is_transposed, kind):
    args, pairs = CALLS[call]
    make, name = getattr(torch, f"{kind}Tensor"), call.split(",")[0].split(" ")[0]

    def made(array):
        return make(np.ascontiguousarray(array.T)).t() if is_transposed else make(array)

    given = [made(each) if isinstance(each, np.ndarray) else each for each in args]

    def check(found):
        found = found if isinstance(found, tuple) else (found,)
        assert found[0].type() == f"torch.{kind}Tensor"
        holds(found[0], *pairs(*map(np.asarray, found)))
        return found

    results = [type_of(each) for each in check(getattr(torch, name)(*given))]
    check(getattr(given[0], name)(*given[1:]))
    into = getattr(torch, name)(*results, *given)
    assert check(into)[0] is results[0]
    apart = [torch.Tensor.of(np.zeros((*each.shape, 2), each.dtype)) for each in results]
    apart = [each.select(each.dim(), 1) if each.dim() else each for each in apart]
    check(getattr(apart[0], name)(*apart[1:], *given))
    tensors = [each for each in given if isinstance(each, torch.Tensor)]
    if len(tensors) >= len(results) and all(each.dtype == given[0].dtype for each in results):
        check(getattr(torch, name)(*tensors[: len(results)], *given))  # results are arguments


BY_ROW = {"eig": 0, "qr": 1, "svd": 2}
"""The result that lies in its storage row after row; the other matrices do so column after column."""


@pytest.mark.parametrize("call", CALLS)
def test_strides(call):
    args, _ = CALLS[call]
    name = call.split(",")[0].split(" ")[0]
    given = [torch.DoubleTensor(each) if isinstance(each, np.ndarray) else each for each in args]
    found = getattr(torch, name)(*given)
    found = found if isinstance(found, tuple) else (found,)
    results = [type_of(each) for each in found]
    getattr(torch, name)(*results, *given)
    for at, pair in enumerate(zip(found, results, strict=True)):
        for each in pair:
            if each.dim() == 2:
                expected = [each.size(2), 1] if BY_ROW.get(name) == at else [1, each.size(1)]
                assert each.stride().totable() == expected, at


@pytest.mark.parametrize("name", ["gesv", "gels", "trtrs", "potrs"])
def test_one_right_side_may_be_a_vector(name):
    a, b = torch.DoubleTensor(UPPER), torch.DoubleTensor(B)
    found, of_matrix = (getattr(torch, name)(each, a) for each in (b.select(2, 1), b.narrow(2, 1, 1)))
    same(*(each[0] if isinstance(each, tuple) else each for each in (found, of_matrix)))


def type_of(tensor):
    return getattr(torch, tensor.type().split(".")[1])(3)


def test_reflectors():
    m, tau = torch.geqrf(torch.DoubleTensor(TALL))
    q = np.asarray(torch.orgqr(m, tau))
    same(abs(q), abs(Q))
    c = values(6, 3, seed=9)
    whole = np.asarray(torch.ormqr(m, tau, torch.DoubleTensor(np.eye(6))))
    same(whole[:, :4], q)
    for side, flag, expected in (("L", "N", whole @ c), ("L", "T", whole.T @ c)):
        same(torch.ormqr(m, tau, torch.DoubleTensor(c), side, flag), expected)
    same(torch.ormqr(m, tau, torch.DoubleTensor(c.T.copy()), "R", "N"), c.T @ whole)


def test_documented_examples():
    a = torch.DoubleTensor([[12, -51, 4], [6, 167, -68], [-4, 24, -41]])
    q, r = torch.qr(a)
    same(q, [[-0.8571, 0.3943, 0.3314], [-0.4286, -0.9029, -0.0343], [0.2857, -0.1714, 0.9429]], atol=5e-5)
    same(r, [[-14, -21, 14], [0, -175, 70], [0, 0, -35]], atol=1e-9)
    same((q * r).round(), a)
    a = torch.DoubleTensor(
        [[1.44, -9.96, -7.55, 8.34, 7.08, -5.45], [-7.84, -0.28, 3.24, 8.09, 2.52, -5.70],
         [-4.39, -3.24, 6.27, 5.28, 0.74, -1.19], [4.53, 3.83, -6.64, 2.06, -2.47, 4.70]]
    ).t()  # fmt: skip
    b = torch.DoubleTensor([[8.58, 8.26, 8.48, -5.28, 5.72, 8.93], [9.35, -4.43, -0.70, -0.26, -7.36, -2.52]]).t()
    expected = [
        [-0.4506, 0.2497], [-0.8492, -0.9020], [0.7066, 0.6323], [0.1289, 0.1351], [13.1193, -7.4922],
        [-4.8214, -7.1361],
    ]  # fmt: skip
    same(torch.gels(b, a)[0], expected, atol=5e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.inverse(torch.zeros(2, 2)), "torch.inverse: the matrix is singular"),
        (lambda: torch.gesv(torch.ones(2, 1), torch.ones(2, 2)), "torch.gesv: the matrix is singular"),
        (lambda: torch.potrf(torch.eye(2) * -1), "torch.potrf: the matrix is not positive definite"),
        (lambda: torch.inverse(torch.ones(2, 3)), "torch.inverse: expected a square matrix, got size 2x3"),
        (lambda: torch.qr(torch.ones(2)), "torch.qr: expected a matrix, got size 2"),
    ],
)
def test_matrices_without_a_result(call, message):
    with pytest.raises(ValueError, match=message):
        call()
