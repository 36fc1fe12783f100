"""Packages that only some users have."""

import importlib
from types import ModuleType


def package(name: str, install: str = "functorch7[interop]") -> ModuleType:
    """An imported package. Raises ImportError that says what to install where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name.partition('.')[0]}: pip install '{install}'") from error
