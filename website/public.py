"""Which names are public: what a file defines without an underscore, and what it hands on by `import X as X`."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from functorch7.core import registry
from functorch7.legacy.objects.layered import bring_all

bring_all()  # pages and stubs have what is in front of legacy's classes only when it is used, too

PACKAGES = tuple(f"functorch7.{name}." for name in ("core", "layers", "losses", "network", "recurrent", "reinforce"))
"""Those whose modules and criterions are everybody's; others, recipes among them, have some for their own use."""


def modules() -> dict[str, Any]:
    """The modules and criterions that `import functorch7` gives, by Torch's names."""
    return {name: kind for name, kind in registry.items() if kind.__module__.startswith(PACKAGES)}


def names_of(module: ModuleType) -> dict[str, Any]:
    """The public names of a file or package, with what they stand for; those imported late or made of tables, too."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    imports = [(node, alias) for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    names += [alias.asname for node, alias in imports if alias.asname and alias.asname in (alias.name, node.module)]
    names += [alias.asname for node, alias in imports if alias.asname and node.module is None]
    late = [*getattr(module, "_LAZY", ()), *getattr(module, "_OBJECTS", ())]  # imported when they are asked for
    names += [*late, *made_of_tables(module)]
    return {name: getattr(module, name) for name in names if not name.startswith("_")}


def made_of_tables(module: ModuleType) -> dict[str, Any]:
    """The functions that stand in no `def` of a file, which lists them by name in its FUNCTIONS."""
    found = getattr(module, "FUNCTIONS", None)
    return found if isinstance(found, dict) else {}


@cache
def below(package: str) -> dict[str, Any]:
    """The public classes and functions of a package and of the modules that it hands on, by their full names.

    Those are public, too, that functorch7 itself hands on from there.
    """
    handed_on = names_of(import_module("functorch7")).values()
    ours = [
        value for value in handed_on if not inspect.ismodule(value) and f"{home_of(value)}.".startswith(f"{package}.")
    ]
    found: dict[str, Any] = {full_name(value): value for value in ours}
    waiting, seen = [import_module(package)], set()
    while waiting:
        module = waiting.pop(0)
        seen.add(module)
        for value in names_of(module).values():
            if not f"{home_of(value)}.".startswith(f"{package}."):
                continue
            if inspect.ismodule(value):
                waiting += [] if value in seen else [value]
            else:
                found |= {full_name(each): each for each in _with_bases(value, package)}
    return found


def home_of(value: Any) -> str:
    """The name of the file in which something is defined; of a module, its own."""
    return value.__name__ if inspect.ismodule(value) else str(getattr(value, "__module__", ""))


def full_name(value: Any) -> str:
    """Where something is defined, such as functorch7.layers.linear.Linear."""
    return f"{home_of(value)}.{value.__name__}"


def _with_bases(value: Any, package: str) -> Iterator[Any]:
    """It, and if it is a class the public classes of the package from which it has methods."""
    if not inspect.isclass(value):
        yield value
        return
    for each in value.__mro__:
        if f"{home_of(each)}.".startswith(f"{package}.") and not each.__name__.startswith("_"):
            yield each
