"""Optional packages."""

import importlib
import importlib.util
from types import ModuleType

KNOWN_AS = {"PIL": "Pillow", "cv2": "OpenCV"}
"""Packages whose names differ from those by which they are imported."""


def package(name: str, install: str = "functorch7[interop]", who: str = "this") -> ModuleType:
    """Imports a package. Raises ImportError that says who needs it and what to install if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise _missing(name, install, who) from error


def check_installed(name: str, install: str) -> None:
    """Raises that ImportError at once for a package that is imported later: some imports take half a second."""
    try:
        found = importlib.util.find_spec(name)
    except ImportError as error:
        raise _missing(name, install) from error
    if found is None:
        raise _missing(name, install)


def _missing(name: str, install: str, who: str = "this") -> ImportError:
    top = name.partition(".")[0]
    return ImportError(f"{who} needs {KNOWN_AS.get(top, top)}: pip install '{install}'")
