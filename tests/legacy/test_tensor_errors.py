"""Tensors' methods and functions of `torch` refuse what they cannot take by an error that names the call."""

import contextlib
import math
from types import FunctionType

import numpy as np
import pytest

from functorch7.legacy import image, paths, torch

GIVEN = {
    "nothing": (), "nil": (None,), "a text": ("a",), "a table": ({},), "a list": ([],), "a fraction": (1.5,),
    "an object": (object(),), "a number below 0": (-7,), "a number and a text": (1, "a"), "texts": ("a", "b", "c"),
    "two numbers and a text": (1, 2, "a"), "a large dimension": (99, 1), "zeros": (0, 0), "a function": (math.prod,),
}  # fmt: skip
OURS = ("of", "typed", "viewing", "selected", "cuda")
"""What makes tensors here, and what needs a GPU."""
METHODS = [
    name for name in dir(torch.Tensor) if not name.startswith("_") and callable(getattr(torch.Tensor, name))
]  # fmt: skip
PATHS_OF_CALLERS = (
    "thisfile", "dofile", "file_of", "run_file", "name_errors_in", "mkdir", "rmdir", "rmall", "chdir",
)  # fmt: skip
"""What looks at its caller, and what changes the disk."""
OTHER_NAMES = {
    "numel": "Tensor.nElement()", "nDimension": "Tensor.dim()", "bhistc": "torch.histc", "eye": "torch.item",
    "split": "torch.item", "chunk": "torch.item", "concat": "torch.cat",
}  # fmt: skip
"""What else errors may name: another name of the method, or a tensor that is to be a number."""


def refused(function, args):
    try:
        function(*args)
    except (TypeError, ValueError, IndexError) as error:
        return str(error)
    return None


def matrix():
    return torch.Tensor([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("name", [name for name in METHODS if name not in OURS and not name.startswith("cuda")])
def test_methods_name_themselves(name):
    for what, args in {**GIVEN, "a tensor": (torch.Tensor(5, 5),)}.items():
        message = refused(getattr(matrix(), name), args)
        named = message is None or name in message or OTHER_NAMES.get(name, name) in message
        assert named, (what, message)


@pytest.mark.parametrize("name", sorted(torch.FUNCTIONS))
def test_functions_name_themselves(name):
    for what, args in GIVEN.items():
        message = refused(getattr(torch, name), args)
        assert message is None or name in message, (what, message)


COMPANIONS = {"image": (image, ("lcn", "display", "name_errors_in")), "paths": (paths, PATHS_OF_CALLERS)}


@pytest.mark.parametrize("package", COMPANIONS)
def test_companions_functions_name_themselves(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module, others = COMPANIONS[package]
    for name, function in vars(module).items():
        if isinstance(function, FunctionType) and not name.startswith("_") and name not in others:
            for what, args in GIVEN.items():
                with contextlib.suppress(OSError):
                    message = refused(function, args)
                    assert message is None or name in message, (name, what, message)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: x.fill("a"), TypeError, "torch.fill: expected a number, a tensor or a table of numbers .*, got 'a'"),
        (lambda x: x.select(5, 1), IndexError, "torch.select: dimension 5 out of range of a 2D tensor"),
        (lambda x: x.maskedSelect(), TypeError, r"torch.maskedSelect: expected \(\[tensor,\] mask\), got \(\)"),
        (lambda x: x.viewAs(torch.Tensor(5)), ValueError, "expected sizes for the 6 elements of 2x3, got 5"),
        (lambda x: x.isSetTo(None), TypeError, r"torch.isSetTo: expected \(other\), got \(None\)"),
        (lambda x: torch.gesv(torch.Tensor(3, 1), torch.Tensor(2, 2)), ValueError, "torch.gesv: expected 2 rows"),
        (lambda x: torch.zeros("a"), TypeError, r"torch.zeros: expected sizes: .*got \('a',\)"),
        (lambda x: torch.linspace(1), TypeError, r"torch.linspace: expected \(\[result\], first, last, \[n\]\), got"),
        (lambda x: x.range("a"), TypeError, r"torch.range: expected \(first, last, \[step\]\), got \('a'\)"),
        (lambda x: torch.reshape(1), TypeError, r"torch.reshape: expected \(tensor, sizes...\), got \(1\)"),
    ],
)
def test_errors_say_what_is_expected(call, kind, message):
    with pytest.raises(kind, match=message):
        call(matrix())


def test_errors_of_a_users_function_stay():
    def fail(x):
        return np.zeros(2)[int(x) + 5]

    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        matrix().apply(fail)
