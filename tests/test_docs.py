"""The code in README.md and docs/ runs as it stands there."""

import ast
import contextlib
import doctest
import gzip
import importlib
import json
import linecache
import pkgutil
import re
import sys
from collections import Counter
from pathlib import Path

import jax
import pytest

import functorch7
from functorch7 import core, recipes
from functorch7.legacy import cudnn, torch

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = [m.name for m in pkgutil.walk_packages(functorch7.__path__, "functorch7.")]


def python_of(page: Path) -> str:
    """The page's Python blocks; all other lines become empty, so that line numbers stay the page's."""
    kept, inside = [], False
    for line in page.read_text().splitlines():
        fence = line.startswith("```")
        kept.append(line if inside and not fence else "")
        inside = line == "```python" if fence else inside
    return "\n".join(kept)


@pytest.fixture(autouse=True)
def as_a_user():
    """JAX's default settings, a registry that forgets the layers that a page defines, and the folder that it leaves."""
    known = dict(core.registry)
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"), contextlib.chdir(ROOT):
        yield
    core.registry.clear()
    core.registry.update(known)


def settings():
    """What programs may set: plain values in functorch7's modules (`cudnn.benchmark`), and the type of new tensors."""
    loaded = {name: vars(module) for name, module in sys.modules.items() if name.startswith("functorch7")}
    plain = {
        (name, key): value
        for name, names in loaded.items()
        for key, value in names.items()
        if isinstance(value, bool | int | float | str | None) and not key.startswith("__")
    }
    return plain, torch.getdefaulttensortype()


@contextlib.contextmanager
def staying():
    """A block after which the settings are as they were."""
    before, kind = settings()
    yield
    for (module, name), value in before.items():
        setattr(sys.modules[module], name, value)
    torch.setdefaulttensortype(kind)


def run_page(code, name):
    """Runs a page, whose imports come first: what they load has its own settings then."""
    tree, names = ast.parse(code), {"__name__": f"page_{name}"}
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module(imports, []), name, "exec"), dict(names))
    with staying():
        exec(compile(tree, name, "exec"), names)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_of_page_runs(page):
    run_page(python_of(page), str(page))


def test_what_a_page_sets_is_as_it_was_after_it():
    before = settings()
    run_page(
        "from functorch7.legacy import cudnn, torch\ncudnn.benchmark = True\n"
        "torch.setdefaulttensortype('torch.DoubleTensor')\nassert torch.Tensor(1).type() == 'torch.DoubleTensor'",
        "settings",
    )
    assert settings() == before and not cudnn.benchmark


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_give_what_they_say(name):
    module = importlib.import_module(name)
    linecache.clearcache()  # doctest looks at all files in it, for each docstring: this process has read thousands
    assert doctest.testmod(module, exclude_empty=True).failed == 0


def test_files_that_pages_name_are_there():
    named = re.compile(r"`((?:functorch7|functorch7_cli|benchmarks|docs|examples|notebooks|tests|website)/[\w./-]+)`")
    texts = [page.read_text() for page in [*PAGES, ROOT / "CONTRIBUTING.md"]]
    assert not {path for text in texts for path in named.findall(text) if not (ROOT / path).exists()}


APPLICATIONS = sorted(path for path in (ROOT / "docs" / "applications").glob("*.md") if path.stem != "index")


@pytest.mark.parametrize("page", APPLICATIONS, ids=lambda page: page.stem)
def test_an_application_has_its_picture_its_command_and_the_code_of_its_program(page):
    text = page.read_text()
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", text)
    assert pictures and all((page.parent / picture).is_file() for picture in pictures)
    commands = re.findall(r"^\$ (python -m examples\.|functorch7 train )([\w-]+)(.*)", text, re.MULTILINE)
    assert commands
    programs = [ROOT / "examples" / f"{name}.py" for kind, name, _ in commands if kind.startswith("python")]
    recipes_ = [name for kind, name, _ in commands if kind.startswith("functorch7")]
    assert set(recipes_) <= set(recipes.shipped())
    written = [ast.dump(node) for path in programs for node in ast.parse(path.read_text()).body]
    defined = (node for node in ast.parse(python_of(page)).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    assert not [node.name for node in defined if ast.dump(node) not in written]


def test_the_list_of_applications_has_all_of_them():
    linked = re.findall(r"\]\(([\w-]+)\.md\)", (ROOT / "docs" / "applications" / "index.md").read_text())
    assert sorted(linked) == [page.stem for page in APPLICATIONS]


def test_the_page_of_recorded_results_counts_the_cases():
    files = (ROOT / "tests" / "golden").glob("*.jsonl.gz")
    cases = [json.loads(line)["id"].split("/")[0] for path in files for line in gzip.open(path, "rt")]
    rows = re.findall(
        r"^\| (\w+)(?: \(.*\))? \| (\d+) \| [\d,]+ \| \de", (ROOT / "docs" / "recorded.md").read_text(), re.MULTILINE
    )
    counted = Counter()
    for family, count in rows:
        counted[family] += int(count)
    assert counted == Counter(cases)


def test_a_layer_takes_less_than_15_lines():
    page = ast.parse(python_of(ROOT / "docs" / "custom-layer.md"))
    lines = {node.name: node.end_lineno - node.lineno + 1 for node in page.body if isinstance(node, ast.ClassDef)}
    assert set(lines) == {
        "Swish", "Rescaled", "Residual", "Noisy", "Interaction", "Translator", "Jitter", "Decay", "Leaky", "Alternate",
        "LogCosh", "Perceptual",
    }  # fmt: skip
    assert max(lines.values()) < 15, lines
