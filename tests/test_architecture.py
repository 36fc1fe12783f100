"""The structure that docs/architecture.md promises."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.structure
ROOT = Path(__file__).parent.parent
ORDER = (
    "programs", "checks", "core", "network", "layers", "losses", "reinforce", "recurrent", "optim", "interop", "zoo",
    "data", "training", "viz", "compression", "recipes", "legacy", "lua", "testing",
)  # fmt: skip
ROOMS = ("tensors", "engine", "objects", "modules", "bigdl", "pytorch")
"""The packages that legacy is made of; all others in it are what users import, and may import from any of these."""
SOURCES = sorted((ROOT / "functorch7").rglob("*.py"))
LEGACY = [path for path in SOURCES if "legacy" in path.relative_to(ROOT).parts]


def imported_names(path, for_types=True):
    """The full names that a file imports, at any depth of its code; those for types alone, too, unless told not to."""
    package = path.relative_to(ROOT).parent.parts
    code = ast.parse(path.read_text())
    if not for_types:
        code.body = [node for node in code.body if not ast.unparse(node).startswith("if TYPE_CHECKING:")]
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{source}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def imported_packages(path):
    return {name.split(".")[1] for name in imported_names(path) if name.startswith("functorch7.")}


def file_name(path):
    """The name of a file as Python imports it, without functorch7; a package's own file has the package's name."""
    return ".".join(path.relative_to(ROOT / "functorch7").with_suffix("").parts).removesuffix(".__init__")


@cache
def imported_files():
    """For each file those that it imports."""
    files = {file_name(path): path for path in SOURCES}
    found = {}
    for file, path in files.items():
        names = [name.removeprefix("functorch7.") for name in imported_names(path) if name.startswith("functorch7.")]
        found[file] = {name if name in files else name.rpartition(".")[0] for name in names} & {*files} - {file}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_only_from_packages_before_it(path):
    parts = path.relative_to(ROOT / "functorch7").parts
    allowed = ORDER if len(parts) == 1 else ORDER[: ORDER.index(parts[0]) + 1]
    wrong = {package for package in imported_packages(path) if package in ORDER and package not in allowed}
    assert not wrong
    if len(parts) == 1:
        assert not [name for name in imported_names(path, for_types=False) if name.startswith("functorch7.legacy")]


@pytest.mark.parametrize("path", LEGACY, ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_of_legacy_import_only_from_rooms_before_them(path):
    room = path.relative_to(ROOT / "functorch7" / "legacy").parts[0]
    names = [name.split(".") for name in imported_names(path) if name.startswith("functorch7.legacy.")]
    if room in ROOMS:
        assert {name[2] for name in names} <= {*ROOMS[: ROOMS.index(room) + 1]}


def test_the_rooms_of_legacy_are_those_of_the_table():
    text = (ROOT / "docs" / "stateful-architecture.md").read_text()
    table = text.split("| package of `legacy` | holds |")[1].split("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == ROOMS
    others = text.split("| imported as | holds |")[1].split("\n\n")[0]
    named = [name for row in others.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if row else "")]
    there = {path.relative_to(ROOT / "functorch7" / "legacy").with_suffix("").parts[0] for path in LEGACY}
    assert sorted(named) == sorted(there - {*ROOMS, "__init__"})


def test_every_file_is_in_a_package_of_the_table():
    places = [path.relative_to(ROOT / "functorch7").parts for path in SOURCES]
    assert {parts[0] for parts in places if len(parts) == 1} == {"__init__.py", "__main__.py", "version.py"}
    assert {parts[0] for parts in places if len(parts) > 1} == {*ORDER}
    table = (ROOT / "docs" / "architecture.md").read_text().split("| package | holds |")[1].split("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == ORDER


def test_files_do_not_import_each_other_in_circles():
    """At the top, in functions, or for types only."""
    TopologicalSorter(imported_files()).prepare()


def test_layers_can_be_differentiated_forwards():
    """JAX refuses that where a way back is a custom_vjp; `core/way_back.py` has another way."""
    users = {
        path.relative_to(ROOT / "functorch7").as_posix() for path in SOURCES if "jax.custom_vjp" in path.read_text()
    }
    assert {each for each in users if not each.startswith("legacy/")} == {
        "core/watching.py"
    }  # for legacy's calls alone


def test_layers_draw_in_one_place():
    """`core/draws.py`: JAX's own functions draw in the type of what they are given, and in float64 where that is on."""
    drawing = re.compile(r"jax\.random\.(?!key|fold_in|split|bits|PRNGKey|poisson)")
    users = {path.relative_to(ROOT / "functorch7").as_posix() for path in SOURCES if drawing.search(path.read_text())}
    users = {each for each in users if not each.startswith(("legacy/", "recipes/", "data/"))}
    assert users == {"core/draws.py", "layers/initializers.py"}


def test_files_stay_short():
    folders = ("functorch7", "functorch7_cli", "tests", "benchmarks", "examples", "notebooks", "website")
    lines = {p: len(p.read_text().splitlines()) for folder in folders for p in (ROOT / folder).rglob("*.py")}
    assert not {str(path): count for path, count in lines.items() if count > 400}
