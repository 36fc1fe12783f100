"""benchmarks/optimisers.py: optim's methods on test functions, and on a small softmax regression beside SciPy."""

import numpy as np

from benchmarks.optimisers import beside_scipy, on_rosenbrock, rosenbrock, softmax_regression, sparse_coding


def test_every_method_goes_down_from_the_origin():
    """Where the loss is 1; those that are called once have found the minimum, 0 at ones."""
    assert rosenbrock(np.zeros(2))[0] == 1 and rosenbrock(np.ones(2))[0] == 0
    found = on_rosenbrock(100)
    assert max(found.values()) < 1
    assert max(found[name] for name in ("lbfgs", "lbfgs, lswolfe", "cg")) < 1e-5


def test_sparse_codes_are_sparse_and_fista_is_ahead():
    fast, code = sparse_coding(True)
    slow, _ = sparse_coding(False)
    assert fast < slow and (code != 0).sum() < 30


def test_lbfgs_ends_where_scipys_does():
    random = np.random.default_rng(0)
    images, classes = random.normal(size=(40, 1, 3, 3)).astype(np.float32), random.integers(10, size=40) + 1
    found = beside_scipy(*softmax_regression(images, classes))
    np.testing.assert_allclose(found["optim.lbfgs"][0], found["SciPy"][0], rtol=1e-4)
