"""Tensors' methods and functions of `torch` refuse what they cannot take by an error that names the call."""

import contextlib
import math
import operator as operators
import re
from itertools import product
from types import FunctionType

import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import image, nn, optim, paths, torch
from functorch7.legacy.tensors.styles import pytorch_operators

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
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
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
        (lambda x: x.fill("a"), TypeError, "torch.fill: expected a number, got 'a'"),
        (lambda x: x.select(5, 1), IndexError, "torch.select: dimension 5 out of range of a 2D tensor"),
        (lambda x: x.maskedSelect(), TypeError, r"torch.maskedSelect: expected \(\[tensor,\] mask\), got \(\)"),
        (lambda x: x.viewAs(torch.Tensor(5)), ValueError, "expected sizes for the 6 elements of 2x3, got 5"),
        (lambda x: x.isSetTo(None), TypeError, r"torch.isSetTo: expected \(other\), got \(None\)"),
        (lambda x: torch.gesv(torch.Tensor(3, 1), torch.Tensor(2, 2)), ValueError, "torch.gesv: expected 2 rows"),
        (lambda x: torch.zeros("a"), TypeError, r"torch.zeros: expected sizes: .*got \('a',\)"),
        (lambda x: torch.linspace(1), TypeError, r"torch.linspace: expected \(\[result\], first, last, \[n\]\), got"),
        (lambda x: x.range("a"), TypeError, r"torch.range: expected \(first, last, \[step\]\), numbers, got \('a'\)"),
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


X = np.arange(12, dtype=np.float32).reshape(3, 4)
REFUSED_BY_TORCH = [
    (lambda x: x.fill(x[1]), TypeError, "torch.fill: expected a number, got a tensor of size 4"),
    (
        lambda x: x.linspace(0, x[1]),
        TypeError,
        r"torch.linspace: expected \(first, last, \[n\]\), numbers, got \(0, a ten",
    ),
    (lambda x: torch.logspace(1, [1, 2]), TypeError, "torch.logspace: expected .* got \\(1, a tensor of size 2\\)"),
    *[
        (lambda x, name=name: getattr(torch, name)(), TypeError, f"torch.{name}: expected sizes: .* got \\(\\)")
        for name in ("rand", "randn", "zeros", "ones")
    ],
    (lambda x: x.randn(), TypeError, "torch.randn: expected sizes: .* got \\(\\)"),
    (lambda x: x.equal(3), TypeError, r"torch.equal: expected \(\[tensor1\], tensor2\), got \(3\)"),
    (
        lambda x: x.equal(x.byte()),
        TypeError,
        "torch.equal: expected a torch.FloatTensor, as the first tensor, got a torch.B",
    ),
    (lambda x: x.size(x), TypeError, "torch.size: expected a number as a dimension, got a tensor of size 3x4"),
    (
        lambda x: torch.gels(x, torch.ones(2, 2)),
        ValueError,
        "torch.gels: expected 2 rows, as the matrix has, got size 3x4",
    ),
    # True is 1 in Python, and no number in Lua.
    (lambda x: x.add(True), TypeError, "torch.add: expected .* got .*True"),
    (lambda x: x.uniform(0, True), TypeError, "torch.uniform: expected .* got \\(0.0, True\\)"),
    (lambda x: torch.zeros(2, True), TypeError, "torch.zeros: expected sizes: .* got \\(2, True\\)"),
    (lambda x: x.sum(True), TypeError, "torch.sum: expected .* got .*True"),
    # Whole numbers have no square roots, and of LAPACK's routines no results at all.
    (
        lambda x: x.int().sqrt(),
        TypeError,
        "torch.sqrt: expected a tensor of a floating-point type, got a torch.IntTensor",
    ),
    (
        lambda x: torch.exp(x.long()),
        TypeError,
        "torch.exp: expected a tensor of a floating-point type, got a torch.Long",
    ),
    (lambda x: torch.inverse(torch.IntTensor([[2]])), TypeError, "torch.inverse: expected a tensor of a floating"),
    (lambda x: x.int().mean(1), TypeError, "torch.mean: expected a tensor of a floating-point type"),
    (lambda x: x.byte().std(1), TypeError, "torch.std: expected a tensor of a floating-point type"),
    (lambda x: x.int().norm(2, 1), TypeError, "torch.norm: expected a tensor of a floating-point type"),
    # Letters other than those that there are.
    (lambda x: torch.eig(x, "Q"), TypeError, r"torch.eig: expected \(tensor, \['N' or 'V'\]\), .*, 'Q'\)"),
    (lambda x: torch.conv2(x, x, "X"), TypeError, r"torch.conv2: expected \(tensor, tensor, \['V' or 'F'\]\)"),
    (lambda x: torch.ormqr(x, x[1], x), ValueError, "torch.ormqr: expected a vector of factors for up to 3 reflectors"),
    (
        lambda x: torch.ormqr(x, x[1].narrow(1, 1, 3), x.t()),
        ValueError,
        "torch.ormqr: expected 3 rows, .* got size 4x3",
    ),
    (lambda x: x.chunk(0), ValueError, "torch.chunk: expected a positive number of views, got 0"),
    (lambda x: torch.eye(0), ValueError, "torch.eye: expected a positive size, got 0"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED_BY_TORCH)
def test_what_torch7_refuses_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(torch.FloatTensor(X))


class OfPytorch:
    """What is asked about a tensor of PyTorch's, whose type of numbers NumPy does not know."""

    shape, ndim, dtype = (3, 4), 2, "torch.float32"

    def detach(self): ...


OfPytorch.__module__, OfPytorch.__name__ = "torch", "Tensor"


WITH_TENSORS = {
    "torch.copy": lambda x: torch.FloatTensor(X).copy(x), "torch.add": lambda x: torch.FloatTensor(X).add(x),
    "torch.cmul": lambda x: torch.FloatTensor(X).cmul(x), "torch.cat": lambda x: torch.cat(x, x),
    "nn.Parameter": nn.Parameter, "optim.sgd": lambda x: optim.sgd(lambda x: (0.0, x), x, {}),
    "to": lambda x: f7.to({"weight": x}, "float32"),
}  # fmt: skip


@pytest.mark.parametrize("call", WITH_TENSORS)
def test_tensors_of_pytorch_are_named_with_what_makes_arrays_of_them(call):
    message = rf"{call}: expected .*, got \(?a torch.Tensor; its detach\(\).cpu\(\).numpy\(\) is an array"
    with pytest.raises(TypeError, match=message):
        WITH_TENSORS[call](OfPytorch())


@pytest.mark.parametrize(
    "refused", [lambda x: x.rand(2), lambda x: x.randn(2), lambda x: x.zeros(), lambda x: x.ones()]
)
def test_what_is_refused_changes_nothing(refused):
    x = torch.IntTensor(X)
    with pytest.raises(TypeError):
        refused(x)
    assert x.totable() == X.tolist()


def test_letters_may_be_left_out_one_by_one():
    matrix, side = torch.Tensor([[2, 1], [0, 4]]), torch.Tensor([[2], [4]])
    assert torch.trtrs(side, matrix, "T")[0].totable() == [[1], [0.75]]
    assert torch.trtrs(side, matrix, "U", "U")[0].totable() == [[-2], [4]]
    reflectors, factors = torch.geqrf(torch.Tensor([[1, 2], [3, 4]]))
    transposed = np.asarray(torch.orgqr(reflectors, factors)).T
    np.testing.assert_allclose(np.asarray(torch.ormqr(reflectors, factors, torch.eye(2), "T")), transposed, atol=1e-6)


@pytest.mark.parametrize(
    "empty", [lambda: torch.zeros(0, 3), lambda: torch.zeros(3).nonzero(), lambda: torch.Tensor(2, 3).resize(0, 3)]
)
def test_tensors_without_elements_have_no_dimensions(empty):
    x = empty()
    assert x.dim() == 0 and x.size() == [] and x.nElement() == 0 and str(x).endswith("with no dimension]")


SIZES = [(), (1,), (2,), (3,), (2, 3), (3, 2), (1, 3), (2, 1, 3), (2, 3, 1), (4, 3, 2)]


@pytest.mark.parametrize(
    ("operator", "in_pytorch"), [*product(("add", "mul", "sub", "lt", "matmul"), (True,)), ("matmul", False)]
)
def test_operators_name_the_sizes_that_do_not_fit(operator, in_pytorch):
    """Of all pairs of sizes: what NumPy computes where it can, and an error of ours where it cannot."""
    function = getattr(operators, operator)
    refused = 0
    for left, right in product(SIZES[1:], SIZES[1:]):
        arrays = [np.arange(1.0, 1 + math.prod(size)).reshape(size).astype(np.float32) for size in (left, right)]
        tensors = [torch.Tensor.of(array) for array in arrays]
        with pytorch_operators(in_pytorch):
            try:
                expected = function(*arrays)
            except ValueError:
                refused += 1
                with pytest.raises(ValueError, match=rf"^torch.{operator}: expected tensors of .* got .* and "):
                    function(*tensors)
            else:
                np.testing.assert_allclose(np.asarray(function(*tensors)), expected)
    assert refused > 10


@pytest.mark.parametrize("call, said", [
    (lambda x: x.sum(dim=1), "torch.sum: expected (tensor) or (tensor, dimension), .*, dim=1)"),
    (lambda x: torch.max(x, dim=0), "torch.max: expected .*, got (a tensor of size 2x3, dim=0)"),
    (lambda x: x.clamp(min=0), "torch.clamp: expected (tensor, number, number), .*, got (min=0)"),
    (lambda x: torch.add(x, x, alpha=2), "torch.add: expected .*, got (a tensor of size 2x3, .*, alpha=2)"),
    (lambda x: x.normal(mean=0), "torch.normal: expected ([generator], [mean], [stdv]), numbers, .*, got (mean=0)"),
])  # fmt: skip
def test_arguments_by_name_as_PyTorchs_are_told(call, said):
    expected = re.escape(said).replace(re.escape(".*"), ".*")
    with pytest.raises(TypeError, match=f"^{expected}; arguments go by position, and dimensions count from 1$"):
        call(torch.ones(2, 3))
