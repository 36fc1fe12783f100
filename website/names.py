"""The table of Torch7's names and their places here, read off the code."""

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import functorch7
from functorch7 import data, legacy
from functorch7.core import registry
from functorch7.interop import pytorch_names
from functorch7.interop.torch7.names import KIN
from functorch7.legacy import dl, nn, optim

from . import reference
from .docstrings import escaped, parts
from .public import full_name, home_of, modules, names_of

OBJECTS = {
    "nn.Module": nn.Module,
    "nn.Container": nn.Container,
    "nn.Criterion": nn.Criterion,
    "nn.AbstractRecurrent": nn.AbstractRecurrent,
    "torch.Tensor": legacy.Tensor,
    "dl.DataLoader": dl.DataLoader,
}
"""Classes whose methods are listed; those that modules have anyway, once."""

OURS = frozenset(
    "Histogram IndexedFiles T allow_commands array calls cells children copied counts description draws dtype file_of "
    "functional item ndim numpy of outside overrides pending picture_of positions shape start streaming title typed "
    "viewing windows".split()
)
"""Public names that Torch does not have; methods with an underscore in their names are ours, too."""

PACKAGES = ("nn", "dpnn", "rnn", "nngraph", "nnx")
OTHERS = ("BigDL", "PyTorch")
"""Where names in the same namespaces come from that Torch7 does not have."""

NAMESPACES = (
    "nngraph", "torch", "torchx", "image", "paths", "sys", "xlua", "gnuplot", "tds", "hdf5", "graph", "cudnn",
    "cutorch", "itorch",
)  # fmt: skip
"""Those of `legacy` that have a table of their own, without nn, optim and dl."""

CAPITALS = {"Mnist": "MNIST", "Cifar10": "CIFAR10", "Ptb": "PTB", "Gbw": "GBW", "Imagenet": "ImageNet"}

INTRODUCTION = """\
# Names of Torch7

Made from the code when this site is built. Modules and criterions are there twice: `f7` is `functorch7`, which has them
as descriptions with pure functions, and `functorch7.legacy.nn` has them all under Torch's name with Torch's methods.
Torch's namespaces are those of `legacy`: `from functorch7.legacy import dl, image, nn, optim, torch, ...`. Where
only `legacy` stands in the second column, the name there is Torch's. Names that these namespaces have from elsewhere
come last; where something differs from Torch7, the row says how.
"""


PYTORCH = """\
# Names of PyTorch

PyTorch's name, and how the same is written here: as a description (`import functorch7 as f7`), or as a module of
`functorch7.legacy.nn`, which takes the same arguments (`nn.SpatialConvolution`; `cudnn.LSTM` for `f7.CudnnLSTM`). A
name of PyTorch's that is asked for, such as `f7.Conv2d`, is an error that says this. [PyTorch's way to write
modules](pytorch.md) works in `legacy`, weights come and go by [`interop.pytorch`](interop.md), and optimizers are
[optax's](training.md).
"""


class Row(NamedTuple):
    """A name, what has it here (as it is written, with its full name), what that is, and where the name is from."""

    name: str
    here: dict[str, str]
    says: str
    origin: str = "Torch7"


def page() -> str:
    """The page, as Markdown."""
    lines = [INTRODUCTION]
    for title, rows in tables().items():
        lines += [f"## {title}", "", "| Torch7 | here | |", "| --- | --- | --- |"]
        lines += [f"| `{row.name}` | {_links(row)} | {row.says} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def pytorch_page() -> str:
    """The page of PyTorch's names, as Markdown."""
    lines = [PYTORCH]
    for title, rows in pytorch_names.TABLES.items():
        lines += [f"## {title}", "", "| PyTorch | here | |", "| --- | --- | --- |"]
        lines += [f"| `{row.theirs}` | `{row.ours}` | {escaped(row.differs)} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


@cache
def tables() -> dict[str, list[Row]]:
    """The rows, by the heading under which they stand."""
    found: dict[str, list[Row]] = {}
    for name, kind in sorted(modules().items()):
        row = Row(name, {f"f7.{kind.__name__}": full_name(kind)}, _first_sentence(kind))
        found.setdefault(_heading(kind), []).append(row)
    found |= {f"Methods of {name}": list(_methods(name, kind)) for name, kind in OBJECTS.items()}
    found["Other names of nn"] = [*_functions("nn", nn), *_functions("nn.utils", nn.utils)]
    found["optim"] = list(_functions("optim", optim, functorch7.optim))
    found |= {name: list(_functions(name, getattr(legacy, name))) for name in NAMESPACES}
    found["dl (dataload)"] = list(_dataload())
    known = {theirs: registry[ours] for theirs, ours in sorted(KIN.items())}
    found["Classes of other packages, in files"] = [
        Row(theirs, {f"f7.{kind.__name__}": full_name(kind)}, _first_sentence(kind)) for theirs, kind in known.items()
    ]
    for other in OTHERS:
        found[f"Names of {other}"] = [row for rows in found.values() for row in rows if row.origin == other]
    torch7 = {title: rows for title, rows in found.items() if not title.startswith("Names of")}
    found |= {title: [row for row in rows if row.origin == "Torch7"] for title, rows in torch7.items()}
    return {title: rows for title, rows in found.items() if rows}


def _heading(kind: type) -> str:
    """Which of Torch's packages has a module, by the source that its docstring names."""
    package = re.split(r"[\s/,;]", parts(kind.__doc__ or "")[1].get("Source", "nn"))[0]
    return (
        f"Modules and criterions of {package}"
        if package in PACKAGES
        else "Modules and criterions that are not Torch7's"
    )


def _origin(value: Any, home: Any = None) -> str:
    """Where a name is from: Torch7, unless its docstrings, or its file's, begin with another or give it as source."""
    files = [sys.modules[name] for name in (home_of(home or value), home_of(home or value).rpartition(".")[0])]
    texts = [inspect.getdoc(each) or "" for each in (value, home, *files) if each]
    said = [text.split("\n")[0] + parts(text)[1].get("Source", "") for text in texts]
    return next((other for other in OTHERS if any(other in text for text in said)), "Torch7")


def _methods(name: str, kind: type) -> Iterator[Row]:
    for method in (name for name in dir(kind) if not name.startswith("_")):
        homes = [base for base in kind.__mro__ if method in vars(base)]
        said = inspect.getdoc(getattr(kind, method))
        is_listed = kind is not nn.Module and homes[0] in nn.Module.__mro__
        if not said or is_listed or method in OURS:
            continue
        origin = _origin(getattr(homes[-1], method), homes[-1])
        is_theirs = "_" not in method or method.startswith("dpnn_") or origin == "PyTorch"
        if is_theirs and isinstance(vars(homes[0])[method], (property, *ROUTINES)):
            here = {f"legacy.{name}.{method}": _described(homes[0], method)}
            yield Row(f"{name}.{method}", here, _first_sentence(said), origin)


ROUTINES = (type(_methods), staticmethod, classmethod)


def _described(home: type, method: str) -> str:
    """Where the reference describes a method: under its own name if a `def` in the class has it."""
    member = vars(home)[method]
    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    defined = getattr(function, "__qualname__", "") == f"{home.__qualname__}.{method}"
    return f"{full_name(home)}.{method}" if defined else full_name(home)


def _functions(name: str, module: Any, also: Any = None) -> Iterator[Row]:
    for given, value in sorted(names_of(module).items()):
        if inspect.ismodule(value) or f"nn.{given}" in registry or given in OURS:
            continue
        here = {f"legacy.{name}.{given}": full_name(value)}
        if hasattr(also, given):
            here[f"f7.{name}.{given}"] = full_name(getattr(also, given))
        yield Row(f"{name}.{given}", here, _first_sentence(value), _origin(value))


def _dataload() -> Iterator[Row]:
    for given, value in sorted(names_of(data).items()):
        name = _spelled(given)
        if not inspect.ismodule(value) and hasattr(dl, name):
            theirs = getattr(dl, name)
            here = {f"legacy.dl.{name}": full_name(theirs) if callable(theirs) else ""}
            here[f"f7.data.{given}"] = full_name(value)
            yield Row(f"dl.{name}", here, _first_sentence(value))


def _spelled(name: str) -> str:
    """Torch's spelling of a name of ours: loadMNIST for load_mnist."""
    if name.endswith("_path"):
        return name.upper()
    first, *others = name.split("_")
    spelled = first + "".join(word.capitalize() for word in others)
    for word, capitals in CAPITALS.items():
        spelled = spelled.replace(word, capitals)
    return spelled


def _first_sentence(value: Any) -> str:
    said = value if isinstance(value, str) else inspect.getdoc(value) or ""
    paragraph = parts(said)[0].split("\n\n")[0].replace("\n", " ")
    differs = parts(said)[1].get("Differs from Torch7", "").replace("\n", " ")
    sentence = re.split(r"(?<=\.)\s", paragraph)[0] + (f" Differs: {differs}" if differs else "")
    return escaped(sentence).replace("|", "\\|")


def _links(row: Row) -> str:
    pages = reference.places()
    linked = []
    for written, name in row.here.items():
        page = pages.get(name) or pages.get(name.rpartition(".")[0])
        shown = "`legacy`" if written == f"legacy.{row.name}" else f"`{written}`"
        linked.append(f"[{shown}]({page}#{name})" if page else shown)
    return ", ".join(linked)
