"""Torch's convolutions of tensors, beside SciPy's."""

import numpy as np
import pytest
from scipy import signal

from functorch7.legacy import torch

from .helpers import same, values

IMAGE, KERNEL = (5, 6, 7), (2, 3, 2)


@pytest.mark.parametrize("mode", ["V", "F", None])
@pytest.mark.parametrize("planes", ["one", "each", "all"])
@pytest.mark.parametrize("name", ["conv2", "xcorr2", "conv3", "xcorr3"])
def test_beside_scipy(name, planes, mode):
    axes, q, p = int(name[-1]), 4, 3
    function = signal.convolve if name.startswith("conv") else signal.correlate
    leading = {"one": ((), ()), "each": ((p,), (p,)), "all": ((p,), (q, p))}[planes]
    x = values(*leading[0], *IMAGE[:axes], seed=1)
    k = values(*leading[1], *KERNEL[:axes], seed=2)

    def one(image, kernel):
        return function(image, kernel, "full" if mode == "F" else "valid", "direct")

    expected = {
        "one": lambda: one(x, k),
        "each": lambda: np.stack([one(*pair) for pair in zip(x, k, strict=True)]),
        "all": lambda: np.stack([sum(one(*pair) for pair in zip(x, each, strict=True)) for each in k]),
    }[planes]()
    args = [torch.DoubleTensor(x), torch.DoubleTensor(k), *([mode] if mode else [])]
    same(getattr(torch, name)(*args), expected)
    same(getattr(args[0], name)(*args[1:]), expected)
    result = torch.DoubleTensor(2)
    assert getattr(torch, name)(result, *args) is result
    same(result, expected)


@pytest.mark.parametrize(
    ("x", "k"), [((2, 2), (3, 3)), ((3, 5, 5), (2, 3, 3)), ((3, 5, 5), (4, 2, 3, 3)), ((5,), (3,))]
)
def test_sizes_that_do_not_fit(x, k):
    with pytest.raises(ValueError, match="torch.conv2: expected an image and a kernel"):
        torch.conv2(torch.ones(*x), torch.ones(*k))
