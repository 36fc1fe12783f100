"""The site that `make docs` builds: no warnings, links that lead somewhere, and all that is public."""

import base64
import functools
import html.parser
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

pytest.importorskip("mkdocs", reason="the site is built by mkdocs: pip install -e '.[docs]'")
pytest.importorskip("mkdocstrings_handlers.python", reason="the site is built by mkdocs: pip install -e '.[docs]'")
pytest.importorskip("nbconvert", reason="the notebooks' pages are made by nbconvert: pip install -e '.[docs]'")

import markdown
from nbformat import v4

import functorch7 as f7
from functorch7 import legacy
from functorch7.core import registry
from website import names, notebooks, public, reference

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


class Page(html.parser.HTMLParser):
    """The links of a page, and the places that links may name."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                self.places.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_internal_link_leads_to_a_file_and_a_place_in_it(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, place = urldefrag(link)
            if urlsplit(target).scheme or target.startswith("data:"):
                continue
            file = (path.parent / unquote(target)).resolve() if target else path
            if not file.is_file() or (place and file in pages and unquote(place) not in pages[file].places):
                broken.append(f"{path.name}: {link}")
    assert len(pages) > 30
    assert not broken


def test_every_public_name_is_described(site, pages):
    for package in reference.packages():
        for name in public.below(package):
            page = site / reference.places()[name].replace(".md", ".html")
            assert name in pages[page].places


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_has_a_page_with_its_pictures(site, pages, path):
    outputs = [output for cell in json.loads(path.read_text())["cells"] for output in cell.get("outputs", [])]
    drawn = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    links = pages[site / "notebooks" / f"{path.stem}.html"].links
    shown = [site / "notebooks" / link for link in links if link.startswith(f"{path.stem}/")]
    assert [picture.read_bytes() for picture in shown] == [base64.b64decode(picture) for picture in drawn]
    assert shown


def test_a_table_that_a_cell_shows_is_one_on_its_page():
    table = f7.summary(f7.Linear(3, 2), (4, 3))._repr_html_()
    shown = v4.new_output("execute_result", {"text/html": table, "text/plain": "in short"})
    cell = v4.new_code_cell("f7.summary(network, (4, 3))", outputs=[shown])
    page, _ = notebooks.converted(v4.new_notebook(cells=[cell]), "pictures")
    assert table in markdown.markdown(page)
    assert "in short" not in page


def test_the_search_index_finds_every_module_criterion_and_function_of_torch(site):
    entries = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    found = {(entry["title"], entry["location"].rpartition("#")[2]) for entry in entries}
    assert ("SpatialConvolution", "functorch7.layers.convolution.SpatialConvolution") in found
    assert {(registry[name].__name__, public.full_name(registry[name])) for name in NAMED} <= found
    assert {(name, f"functorch7.legacy.torch.{name}") for name in legacy.torch.FUNCTIONS} <= found


def test_docstrings_are_set_as_lists_of_their_parts(site):
    here = (site / "classes" / "BatchNormalization.html").read_text()
    assert "<dt>Shape</dt>\n<dd>(B, n_output), kept;" in here
    assert "<em>unbiased</em> variance" in here
    assert '<span class="n">n_output</span>' in here[: here.index("<dt>")]  # the constructor's arguments


NAMED = set(public.modules())


def rows():
    return [row for rows in names.tables().values() for row in rows]


def test_the_table_of_names_has_every_module_and_criterion():
    assert NAMED <= {row.name for row in rows()}


def test_every_place_in_the_table_of_names_is_there():
    roots = {"f7": f7, "legacy": legacy}
    for row in rows():
        for written in row.here:
            first, *rest = written.split(".")
            functools.reduce(getattr, rest, roots[first])


FIRST = {
    "SpatialConvolution": "classes/SpatialConvolution.html",
    "Embedding": "classes/Embedding.html",
    "early stopping": "training.html",
    "callback": ("training.html", "reference/training.html"),
    "policy gradient": "applications/policy-gradient.html",
}
"""What is searched for, and the page that comes first."""


@pytest.mark.skipif(
    importlib.util.find_spec("PySide6") is None or importlib.util.find_spec("PySide6.QtWebEngineCore") is None,
    reason="needs a headless Chromium: pip install -e '.[browser]'",
)
def test_chromium_follows_every_link_on_a_telephone_and_finds_a_layer(site, pages):
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        command = [sys.executable, Path(__file__).with_name("browse.py"), address, *FIRST]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        server.shutdown()
    if done.returncode and "ImportError" in done.stderr:
        pytest.skip(f"Chromium's system libraries are missing: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    read = {f"{address}{path.relative_to(site)}" for path in pages}
    assert set(seen["status"]) <= read
    assert {url for url in read if "/classes/" not in url} <= set(seen["status"])
    assert set(seen["status"].values()) == {200}
    assert not seen["missing"] and not seen["errors"] and not seen["wide"]
    for word, page in FIRST.items():
        assert seen["found"][word][0].removeprefix(address).startswith(page), word
    assert f"{address}classes/LookupTable.html" in {
        urldefrag(url.partition("?")[0]).url for url in seen["found"]["Embedding"]
    }


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that does not log."""

    def log_message(self, format, *args):
        pass
