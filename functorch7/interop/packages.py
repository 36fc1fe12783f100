"""Packages that only some users have."""

import importlib
import importlib.util
from types import ModuleType


def package(name: str, install: str = "functorch7[interop]") -> ModuleType:
    """An imported package. Raises ImportError that says what to install where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise _missing(name, install) from error


def check_installed(name: str, install: str) -> None:
    """Raises that ImportError at once, for a package that is imported later: some take half a second."""
    try:
        found = importlib.util.find_spec(name)
    except ImportError as error:
        raise _missing(name, install) from error
    if found is None:
        raise _missing(name, install)


def _missing(name: str, install: str) -> ImportError:
    return ImportError(f"this needs {name.partition('.')[0]}: pip install '{install}'")
