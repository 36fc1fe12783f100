"""The structure that docs/architecture.md promises."""

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.structure
ROOT = Path(__file__).parent.parent
ORDER = (
    "core", "layers", "losses", "reinforce", "recurrent", "optim", "interop", "data", "training", "compression",
    "recipes", "legacy", "testing",
)  # fmt: skip
SOURCES = sorted((ROOT / "functorch7").rglob("*.py"))


def imported_packages(path):
    """The packages of functorch7 that a file imports from, at any depth of its code."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            named = (node.module or "").split(".") if node.module else []
            parts = [*base, *named]
            if parts[:1] == ["functorch7"]:
                yield from [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("functorch7."))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_only_from_packages_before_it(path):
    parts = path.relative_to(ROOT / "functorch7").parts
    allowed = ORDER if len(parts) == 1 else ORDER[: ORDER.index(parts[0]) + 1]
    wrong = {package for package in imported_packages(path) if package in ORDER and package not in allowed}
    assert not wrong
    if len(parts) == 1:
        assert "legacy" not in set(imported_packages(path))


def test_files_stay_short():
    folders = ("functorch7", "functorch7_cli", "tests", "benchmarks", "examples", "notebooks", "website")
    lines = {p: len(p.read_text().splitlines()) for folder in folders for p in (ROOT / folder).rglob("*.py")}
    assert not {str(path): count for path, count in lines.items() if count > 400}
