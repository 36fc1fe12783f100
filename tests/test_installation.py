"""What is installed is enough: each extra of pyproject.toml brings what its programs import as soon as they start."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import functorch7

pytestmark = pytest.mark.structure
ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
HOOK = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
LATER = {"functorch7/interop/flax.py": "interop"}
"""Files that nothing imports before it is asked for, and the extra that they need."""
WITH_PYTORCH = {"benchmarks/beside_pytorch.py"}
"""What is run by a Python that has PyTorch, which is in no extra but `reference`."""
PROGRAMS = {
    "": ["functorch7", "functorch7_cli"],
    "docs": ["functorch7", "website"],
    "demo": ["functorch7_cli", "examples"],
    "notebooks": ["notebooks"],
    "test": ["functorch7", "functorch7_cli", "tests", "benchmarks", "examples", "website"],
}
"""The folders of programs that run with an extra; without one, what a plain installation has."""


def required(lines, extras=()):
    """(name, extras) of the packages that lines of requirements name, here and with these extras."""
    for line in lines:
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield normal(wanted.name), frozenset(wanted.extras)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def brought(extra):
    """The packages that are there with an extra of ours, and with all that they need."""
    waiting = [*required(PROJECT["dependencies"]), *required(EXTRAS.get(extra, ()))]
    seen = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        if name == "functorch7":
            waiting += [more for each in extras for more in required(EXTRAS[each])]
            continue
        try:
            waiting += required(metadata.requires(name) or (), extras)
        except metadata.PackageNotFoundError:
            continue  # of what is not installed here, nothing is known
    return {name for name, _ in seen}


@cache
def imported_at_once(path):
    """The modules that a file imports by its top lines; what it tries to, or imports for types, does not count."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found


@cache
def installed():
    """Which packages bring a module."""
    return metadata.packages_distributions()


@pytest.mark.parametrize("extra", PROGRAMS)
def test_an_extra_brings_what_its_programs_import(extra):
    homes = installed()
    ours = {path.stem for folder in ("tests", "notebooks") for path in (ROOT / folder).glob("*.py")}
    ours |= {folder.name for folder in ROOT.iterdir() if folder.is_dir()}
    there = brought(extra)
    missing = []
    for path in [path for folder in PROGRAMS[extra] for path in sorted((ROOT / folder).rglob("*.py"))]:
        file = path.relative_to(ROOT).as_posix()
        if file in WITH_PYTORCH:
            continue
        enough = brought(LATER[file]) if extra == "" and file in LATER else there
        for name in imported_at_once(path) - ours - {*sys.stdlib_module_names}:
            if not {normal(home) for home in homes.get(name, ())} & enough:
                missing.append(f"{file}: {name}")
    assert not missing


def test_every_extra_is_explained_on_the_page_of_the_installation():
    page = (ROOT / "docs" / "installation.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == {*EXTRAS}


def test_the_version_is_written_alike_everywhere():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited and cited[1] == functorch7.__version__


def test_the_page_of_an_index_has_no_links_into_the_repository():
    """The README, as the build makes it the description."""
    text = (ROOT / "README.md").read_text()
    for change in HOOK["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"].replace("\\1", r"\1"), text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links and all(link.startswith("https://") for link in links)
    assert "docs/porting.md shows both" in text
