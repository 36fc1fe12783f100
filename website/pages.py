"""A hook of mkdocs: pages that are made when the site is built, and links that lead out of docs/."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from website import classes, home, names, notebooks, reference

ROOT = Path(__file__).parents[1]
TAKEN = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "notebooks/README.md": "notebooks/index.md",
}
"""Pages outside of docs/, and what they are called on the site."""

PLACES = TAKEN | {str(path.relative_to(ROOT)): page for path, page in notebooks.PAGES.items()}
"""These, and the notebooks."""

LINK = re.compile(r"(!?)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def made() -> dict[str, str | bytes]:
    """The Markdown of the pages that are not in docs/, and the pictures on them."""
    pages = {f"reference/{name}.md": text for name, text in reference.pages().items()}
    taken = {name: (ROOT / path).read_text() for path, name in TAKEN.items()}
    return (
        pages
        | taken
        | classes.pages()
        | notebooks.files()
        | {
            "index.md": home.page(),
            "torch7-names.md": names.page(),
            "pytorch-names.md": names.pytorch_page(),
        }
    )


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills the navigation: "*" stands for the pages that it does not name, "classes" and others for theirs."""
    folder = Path(config.docs_dir)
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    places: dict[str, list] = {"*": sorted(there - set(_named(config.nav)))}
    places["classes"] = classes.navigation()
    places["reference"] = [{name: f"reference/{name}.md"} for name in reference.pages()]
    places["notebooks"] = [{"Overview": "notebooks/index.md"}, *notebooks.PAGES.values()]
    config.nav = _filled(config.nav, places, there | set(made()))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made."""
    for path, content in made().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: MkDocsConfig, files: Files) -> str:
    """Turns links to files of the repository into links of the site; what is not there is named only.

    Searches for an application find its page first.
    """
    source = {name: path for path, name in PLACES.items()}.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    folder = posixpath.dirname(source)
    if folder == "docs/applications":
        page.meta.setdefault("search", {"boost": 16})  # before the classes in whose names some of the words are

    def rewritten(match: re.Match) -> str:
        image, text, path, anchor = match.groups()
        target = posixpath.normpath(posixpath.join(folder, path))
        if target in PLACES or target.startswith("docs/"):
            inside = PLACES.get(target, target.removeprefix("docs/"))
            here = posixpath.relpath(inside, posixpath.dirname(page.file.src_uri) or ".")
            return f"{image}[{text}]({here}{anchor or ''})"
        if (ROOT / target).exists():
            return f"`{target}`" if text.strip("`/") == target else f"{text} (`{target}`)"
        return match[0]  # which mkdocs reports

    return LINK.sub(rewritten, markdown)


def _named(nav: Any) -> Iterator[str]:
    """The pages in a navigation."""
    for inner in nav.values() if isinstance(nav, dict) else nav:
        yield from [inner] if isinstance(inner, str) else _named(inner)


def _filled(nav: Any, places: dict[str, list], there: set[str]) -> Any:
    """The navigation with lists in the places that stand for them, and without pages that are not there."""
    if isinstance(nav, dict):
        return {title: _filled(inner, places, there) for title, inner in nav.items()}
    if isinstance(nav, str):
        return places.get(nav, nav)
    filled = [
        _filled(inner, places, there)
        for inner in nav
        if not isinstance(inner, str) or inner in places or inner in there
    ]
    return [each for inner in filled for each in (inner if isinstance(inner, list) else [inner])]
