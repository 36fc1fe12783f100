"""The names of a package that Lua sees."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from types import ModuleType
from typing import TypeGuard


def names_of(package: object) -> list[str]:
    """The public names of a package, when Lua goes through all: without its own imports, tables and files."""
    names = [name for name in dir(package) if name[0] != "_" and name[-1] != "_"]
    if not _is_ours(package):
        return names
    own = {name for name, each in vars(package).items() if name.isupper() or _is_below(each, package)}
    return [name for name in names if name not in own | _imports(package)]


def is_for_itself(package: object, name: str) -> bool:
    """Whether a package of ours imports something for itself alone, of which Lua finds nothing."""
    return _is_ours(package) and name in _imports(package) and name not in getattr(package, "__all__", ())


def _is_ours(package: object) -> TypeGuard[ModuleType]:
    return isinstance(package, ModuleType) and package.__name__.startswith("functorch7.")


@cache
def _imports(package: ModuleType) -> frozenset[str]:
    """What a package imports, except by `import X as X`."""
    code = ast.parse(inspect.getsource(package)).body
    imports = [each for node in code if isinstance(node, (ast.Import, ast.ImportFrom)) for each in node.names]
    return frozenset((each.asname or each.name).partition(".")[0] for each in imports if each.asname != each.name)


def _is_below(value: object, package: ModuleType) -> bool:
    return isinstance(value, ModuleType) and value.__name__.startswith(f"{package.__name__}.")
