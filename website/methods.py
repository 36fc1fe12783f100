"""functorch7/legacy/tensors/methods.pyi: what editors and type checkers know of the methods that tables give tensors.

The methods are made of the tables of operations, so that nothing in a file says what they take. After a change of one:
python -m website.methods
"""

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

from functorch7.legacy.tensors import methods, places
from functorch7.legacy.tensors.convolutions import CONVOLUTIONS
from functorch7.legacy.tensors.distributions import DISTRIBUTIONS, Distribution
from functorch7.legacy.tensors.linear_algebra import LINEAR
from functorch7.legacy.tensors.makers import DRAWN, MAKERS, Making
from functorch7.legacy.tensors.operations import OPERATIONS, Operation
from functorch7.legacy.tensors.results import ROWS
from functorch7.legacy.tensors.rows import NUMBER, Row
from functorch7.legacy.tensors.tensor import Tensor

STUB = Path(methods.__file__).with_suffix(".pyi")
HEADER = '''\
# Made by `python -m website.methods`; a test compares it with the tables.
# fmt: off
from typing import Any, Self, overload

from .generator import Generator
from .kinds import Elements, Made, Maker, Numbers, Result, Sizes

IN_PLACE: tuple[str, ...]
OPERATORS: dict[str, bool]
BY_TABLES: dict[str, Any]

def operated(name: str, left: object, right: object, like: Maker[Made]) -> Result[Made]: ...
def as_result(found: Elements, like: Maker[Made]) -> Result[Made]: ...

class Casts:
    """The methods that cast, whose names are those of Python's types."""

'''
NAMES = {
    "x": "x: Numbers", "t": "tensor: Numbers", "k": "indices: Numbers", "n": "number: float",
    "d": "dimension: int", "i": "count: int", "b": "flag: bool", "c": "letter: str",
}  # fmt: skip
"""What the letters of forms are: a name and a type."""
WIDTH = 118

Signature = tuple[str, str]
"""What a method takes, and what it gives."""


def stub() -> str:
    """The file's text."""
    lines = [line for name in places.CASTS for line in _method(name, [("", "Self")])]
    text = HEADER + textwrap.indent("\n".join(lines), "    ")
    lines = ['"""The methods that compute."""', ""]
    for name, operation in OPERATIONS.items():
        lines += _method(name, _of_operation(operation))
    for name, distribution in DISTRIBUTIONS.items():
        lines += _method(name, signatures_of(distribution))
    for name, making in (MAKERS | DRAWN).items():
        lines += _method(name, [(inside, "Self") for inside in takes(making)])
    for name, row in (ROWS | LINEAR | CONVOLUTIONS).items():
        lines += _method(name, _of_row(row))
    lines += _operators()
    return f"{text}\n\nclass Methods(Casts):\n{textwrap.indent(chr(10).join(lines), '    ')}\n"


def _of_operation(operation: Operation) -> Iterator[Signature]:
    """In place, where the form has an x, and with one."""
    for form in (each.letters for each in operation.forms):
        for letters in ([form.replace("x", "", 1)] if "x" in form else []) + [form]:
            for chosen in with_and_without("N", letters):
                yield taken(chosen.lower()), "Self"


def with_and_without(letter: str, form: str) -> Iterator[str]:
    """A form with each of a letter, and without."""
    for choice in product(*([each, ""] if each == letter else [each] for each in form)):
        yield "".join(choice)


def _of_row(row: Row) -> Iterator[Signature]:
    """Of this tensor, and into it."""
    for form in row.forms:
        gives = ["float" if kind == NUMBER else "Self" for kind in form.results]
        yield taken(form.letters[1:]), all_of(gives)
        if "float" not in gives:
            yield taken("t" * (len(gives) - 1) + form.letters), all_of(gives)


def all_of(gives: list[str]) -> str:
    """The type of one result, or of several."""
    return gives[0] if len(gives) == 1 else f"tuple[{', '.join(gives)}]"


def taken(letters: str) -> str:
    """Arguments, numbered where several have one name; a capital letter's may be left out."""
    pairs, found = [NAMES[letter.lower()].split(": ") for letter in letters], []
    names = [name for name, _ in pairs]
    for place, (name, kind) in enumerate(pairs):
        number = names[: place + 1].count(name) if names.count(name) > 1 else ""
        found.append(f"{name}{number}: {kind}" + (" = ..." if letters[place].isupper() else ""))
    return ", ".join([*found, "/"] if found else [])


def signatures_of(distribution: Distribution) -> Iterator[Signature]:
    """A distribution's arguments, after a generator if any."""
    arguments = [parameter(each) for each in list(inspect.signature(distribution.draw).parameters.values())[2:]]
    for generator in ([], ["generator: Generator"]):
        yield ", ".join([*generator, *arguments, "/"]), "Self"


def takes(making: Making) -> Iterator[str]:
    """A maker's arguments, after a generator if it takes one."""
    words = [word.strip("[]") for word in making.usage.split(", ")]
    is_drawn = words[0] == "generator"
    given = ["*sizes: Sizes" if word == "sizes..." else f"{word}: float" for word in words[is_drawn:]]
    given = [each + " = ..." * (f"[{each.partition(':')[0]}]" in making.usage) for each in given]
    yield ", ".join(given)
    if is_drawn:
        yield ", ".join(["generator: Generator", *given])


def parameter(parameter: inspect.Parameter) -> str:
    """A parameter of a function of numbers."""
    kind = "float" if "float" in str(parameter.annotation) or "int" in str(parameter.annotation) else "float | Numbers"
    return f"{parameter.name}: {kind}" + ("" if parameter.default is parameter.empty else " = ...")


def _operators() -> Iterator[str]:
    """Python's; of those that multiply matrices, what they give depends on how many dimensions there are."""
    for name, reflected in methods.OPERATORS.items():
        for spelled in (f"__{name}__", f"__r{name}__")[: 1 + reflected]:
            gives = "Result[Self]" if name == "matmul" else "Self"
            yield f"def {spelled}(self, other: float | Numbers, /) -> {gives}: ..."
    for name in methods.IN_PLACE:
        yield f"def __i{name}__(self, other: float | Numbers, /) -> {'Result[Self]' if name == 'mul' else 'Self'}: ..."
    for spelled in ("__mul__", "__rmul__"):
        yield from _method(spelled, [("other: float, /", "Self"), ("other: Numbers, /", "Result[Self]")])


def _method(name: str, signatures: Iterable[Signature]) -> Iterator[str]:
    """A method's lines; the first signature has its words."""
    found = list(dict.fromkeys(signatures))
    for number, (inside, gives) in enumerate(found):
        yield from ["@overload"] if len(found) > 1 else []
        yield written(name, ", ".join(filter(None, ["self", inside])), gives) + (" ..." if number else "")
        if not number:
            yield said_of(getattr(Tensor, name))


def said_of(function: Callable) -> str:
    """The words of a function as a docstring."""
    text = textwrap.fill(f'"""{inspect.getdoc(function)}"""', WIDTH - 8, break_on_hyphens=False)
    return textwrap.indent(text, "    ")


def written(name: str, inside: str, gives: str) -> str:
    """A function's first line, or lines."""
    line = f"def {name}({inside}) -> {gives}:"
    if len(line) < WIDTH - 8:
        return line
    return f"def {name}(\n{textwrap.indent(textwrap.fill(inside, WIDTH - 8), '    ')}\n) -> {gives}:"


if __name__ == "__main__":
    STUB.write_text(stub())
