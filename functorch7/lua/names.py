"""The names of a package that Lua sees when it goes through all of them."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from types import ModuleType


def names_of(package: object) -> list[str]:
    """The public names of a package: without its own imports, tables and files."""
    own = _for_itself(package) if isinstance(package, ModuleType) and _is_ours(package) else frozenset()
    return [name for name in dir(package) if name[0] != "_" and name[-1] != "_" and name not in own]


def _is_ours(package: ModuleType) -> bool:
    return package.__name__.startswith("functorch7.")


@cache
def _for_itself(package: ModuleType) -> frozenset[str]:
    """A package's private names: its imports except `import X as X`, its tables, its files."""
    code = ast.parse(inspect.getsource(package)).body
    imports = [each for node in code if isinstance(node, (ast.Import, ast.ImportFrom)) for each in node.names]
    imported = {(each.asname or each.name).partition(".")[0] for each in imports if each.asname != each.name}
    tables = {name for name in vars(package) if name.isupper()}
    files = {name for name, each in vars(package).items() if _is_below(each, package)}
    return frozenset({"annotations"} | imported | tables | files)


def _is_below(value: object, package: ModuleType) -> bool:
    return isinstance(value, ModuleType) and value.__name__.startswith(f"{package.__name__}.")
