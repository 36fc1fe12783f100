"""Every documented name of Torch is here, and tensors of different types do not mix."""

import importlib
import io

import numpy as np
import pytest

from functorch7.legacy import torch

from .helpers import same
from .torch_names import NAMES

OBJECTS = {
    "torch CmdLine method": torch.CmdLine, "torch File method": lambda: torch.MemoryFile(), "torch Tester method":
    torch.Tester, "torch TestSuite method": torch.TestSuite, "torch Timer method": torch.Timer,
    "torch Storage method": lambda: torch.CharStorage(2), "torch Tensor method": lambda: torch.Tensor(2),
}  # fmt: skip
"""What has the methods; those of a Generator are functions of torch, whose first argument it is."""


@pytest.mark.parametrize("kind", NAMES)
def test_every_documented_name_is_here(kind):
    package, _, what = kind.partition(" ")
    holder = OBJECTS[kind]() if kind in OBJECTS else importlib.import_module(f"functorch7.legacy.{package}")
    missing = [name for name in NAMES[kind].split() if not hasattr(holder, name)]
    assert not missing, what


X, Y = torch.DoubleTensor([[1, 2], [3, 4]]), torch.FloatTensor([[1, 2], [3, 4]])
MIXED = {
    "add": [lambda: X.clone().add(Y), lambda: torch.add(X, Y), lambda: X + Y, lambda: torch.FloatTensor().add(X, 1)],
    "cmul": [lambda: X.clone().cmul(Y), lambda: torch.cmul(X, Y), lambda: torch.Tensor().cmul(X, X)],
    "sub": [lambda: X - Y], "truediv": [lambda: Y / X], "lt": [lambda: X < Y], "eq": [lambda: torch.eq(X, Y)],
    "mm": [lambda: X * Y, lambda: torch.mm(X, Y), lambda: torch.mm(torch.FloatTensor(), X, X)],
    "addmm": [lambda: X.clone().addmm(2, 3, X, Y)], "mv": [lambda: X * Y[1]], "dot": [lambda: X.dot(Y)],
    "addcmul": [lambda: X.clone().addcmul(2, X, Y)], "cat": [lambda: torch.cat(X, Y), lambda: torch.cat(Y, X, X)],
    "dist": [lambda: X.dist(Y)], "gesv": [lambda: torch.gesv(X, Y)], "conv2": [lambda: torch.conv2(X, Y)],
    "sum": [lambda: torch.sum(torch.FloatTensor(), X, 1)], "cumsum": [lambda: torch.IntTensor().cumsum(X)],
    "max": [lambda: torch.max(torch.DoubleTensor(), torch.IntTensor(), X, 1)],
    "sort": [lambda: torch.sort(torch.FloatTensor(), torch.LongTensor(), X)],
    "nonzero": [lambda: torch.ByteTensor().nonzero(X)], "set": [lambda: torch.DoubleTensor().set(Y)],
    "ge": [lambda: torch.ge(torch.IntTensor(), X, 2)],
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_tensors_of_different_types_are_an_error_that_names_the_call(name):
    for call in MIXED[name]:
        with pytest.raises(TypeError, match=rf"^torch\.{name}: expected a torch.\w+Tensor.*, got a? ?torch.\w+Tensor"):
            call()


def test_what_takes_tensors_of_any_type():
    same(torch.FloatTensor(2, 2).copy(X), X)
    assert torch.eq(torch.DoubleTensor(), X, 2).type() == "torch.DoubleTensor"  # a comparison's result is also of x's
    same(X + np.float32([[1, 1], [1, 1]]), [[2, 3], [4, 5]])  # arrays
    same(X.index(1, torch.LongTensor([2])), [[3, 4]])
    same(X.maskedSelect(torch.ByteTensor([[1, 0], [0, 1]])), [1, 4])
    same(torch.DoubleTensor().resize(2, 2).typeAs(Y) + Y, Y)
    with io.StringIO() as text:
        print(X.float() + Y, file=text)
        assert "torch.FloatTensor of size 2x2" in text.getvalue()
