"""functorch7/legacy/torch.pyi: what editors and type checkers know of the package torch.

Its functions are made of the tables of tensors' methods, and its constructors of the table of types when they are
asked for, so that nothing in a file says what they take. After a change of one: python -m website.torch_functions
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from functorch7.layers.tensor_types import TYPES
from functorch7.legacy import torch
from functorch7.legacy.tensors.convolutions import CONVOLUTIONS
from functorch7.legacy.tensors.distributions import DISTRIBUTIONS, Distribution
from functorch7.legacy.tensors.linear_algebra import LINEAR
from functorch7.legacy.tensors.makers import DRAWN, MAKERS, Making
from functorch7.legacy.tensors.operations import OF_NUMBERS, OPERATIONS, Operation
from functorch7.legacy.tensors.results import ROWS
from functorch7.legacy.tensors.rows import NUMBER, Row

from .methods import Signature, all_of, said_of, signatures_of, taken, takes, with_and_without, written

STUB = Path(torch.__file__).with_suffix(".pyi")
HEADER = """\
# Made by `python -m website.torch_functions`; a test compares it with the tables.
# fmt: off
# ruff: noqa: I001
import os
from typing import Any, overload

import numpy as np
from jax.typing import DTypeLike

from .tensors.generator import Generator as Generator
from .tensors.kinds import Numbers, Operand, Result, Sizes
from .tensors.storage import Storage as _Storage
from .tensors.tensor import TensorData
from .tensors.types import Constructor
"""
NAMES = """\
float16: np.dtype
float32: np.dtype
float64: np.dtype
bfloat16: np.dtype
_LAZY: dict[str, str]
METHODS: tuple[str, ...]
FUNCTIONS: dict[str, Any]

class _OfTensors(Constructor):
    def __call__(self, *given: Operand) -> Tensor: ...
    new = __call__

class _OfStorages(Constructor):
    def __call__(self, *given: Operand) -> _Storage: ...
    new = __call__
"""
GIVES = {
    "squeeze": "Result[Tensor]", "select": "Result[Tensor]", "equal": "bool", "numel": "int", "nElement": "int",
    "data": "np.ndarray | int", "cdata": "TensorData", "multinomialAliasSetup": "list",
}  # fmt: skip
"""What methods give that are functions, too, where it is no tensor, or none in some cases."""


def stub() -> str:
    """The file's text."""
    lines = [*_imports(), "", *NAMES.splitlines(), *_constructors(), *_own_functions()]
    for name, operation in OPERATIONS.items():
        lines += _function(name, _of_operation(operation))
    for name, distribution in DISTRIBUTIONS.items():
        lines += _function(name, _of_distribution(distribution))
    for name, making in (MAKERS | DRAWN).items():
        lines += _function(name, _of_maker(making))
    for name, row in (ROWS | LINEAR | CONVOLUTIONS).items():
        lines += _function(name, _of_row(row))
    for name in torch.METHODS:
        lines += _function(name, [("tensor: Tensor, /, *given: Operand", GIVES.get(name, "Tensor"))])
    for name in ("split", "chunk"):
        lines += _function(name, [("*given: Operand", "list[Tensor]")])
    return HEADER + "\n".join(lines) + "\n"


def _tree() -> ast.Module:
    return ast.parse(Path(torch.__file__).read_text())


def _imports() -> Iterator[str]:
    """What the file imports for others, and what it imports when it is asked for."""
    for node in _tree().body:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                if each.asname == each.name and each.name != "Generator":
                    yield f"from .{node.module} import {each.name} as {each.name}"
    for name in ("from_file", "load_t7", "save_t7", "to_file"):
        yield f"from .objects.files import {name} as {name}"
    for name, file in sorted(torch._LAZY.items()):
        yield f"from .program.{file} import {name} as {name}"
    for name in ("AliasMultinomial", "MultiCudaTensor"):
        yield f"from .torchx import {name} as {name}"


def _constructors() -> Iterator[str]:
    for name in (each.removeprefix("torch.") for each in TYPES):
        yield f"{name}: _OfTensors"
        yield f"{name.replace('Tensor', 'Storage')}: _OfStorages"


def _own_functions() -> Iterator[str]:
    """Those that the file itself defines, as it has them; of overloaded ones the overloads."""
    overloaded = set()
    for node in _tree().body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        node.body = [ast.Expr(ast.Constant(...))]
        node.decorator_list = [each for each in node.decorator_list if ast.unparse(each) == "overload"]
        head = ast.unparse(node)
        if node.decorator_list:
            overloaded.add(node.name)
        if node.decorator_list or node.name not in overloaded:
            yield f"{head.removesuffix('...').rstrip()}\n{said_of(getattr(torch, node.name))}"


def _of_operation(operation: Operation) -> Iterator[Signature]:
    """Of numbers alone a number; of tensors a new one, or in a first argument."""
    for form in (each.letters for each in operation.forms):
        if set(form) == {"x"} and operation.name in OF_NUMBERS:
            yield taken(form.replace("x", "n")), "float"
        for letters in (form, f"t{form}"):
            for chosen in with_and_without("N", letters):
                yield taken(chosen.lower()), "Tensor"


def _of_row(row: Row) -> Iterator[Signature]:
    for form in row.forms:
        gives = ["float" if kind == NUMBER else "Tensor" for kind in form.results]
        yield taken(form.letters), all_of(gives)
        if "float" not in gives:
            yield taken("t" * len(gives) + form.letters), all_of(gives)


def _of_distribution(distribution: Distribution) -> Iterator[Signature]:
    for inside, _ in signatures_of(distribution):
        yield inside, "float"
    for inside, _ in signatures_of(distribution):
        yield f"tensor: Tensor, {inside}", "Tensor"


def _of_maker(making: Making) -> Iterator[Signature]:
    """The numbers, and the name of a type or a dtype; or a result before them."""
    named = "dtype: DTypeLike | None = None"
    if "sizes..." in making.usage:
        yield f"*sizes: {'Operand' if 'generator' in making.usage else 'Sizes | Tensor | str'}, {named}", "Tensor"
        return
    for given in takes(making):
        yield f"{given}, *, {named}", "Tensor"
    yield "*given: Operand", "Tensor"


def _function(name: str, signatures: Iterator[Signature] | list[Signature]) -> Iterator[str]:
    found = list(dict.fromkeys(signatures))
    for number, (inside, gives) in enumerate(found):
        yield from ["@overload"] if len(found) > 1 else []
        yield written(name, inside, gives) + (" ..." if number else "")
        if not number:
            yield said_of(getattr(torch, name))


if __name__ == "__main__":
    STUB.write_text(stub())
