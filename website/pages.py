"""A hook of mkdocs: pages that are made when the site is built, and links that lead out of docs/."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from website import names, reference

ROOT = Path(__file__).parents[1]
TAKEN = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages outside of docs/, and what they are called on the site."""

LINK = re.compile(r"(!?)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]*)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the pages of the reference, and those that mkdocs.yml does not name, into the navigation."""
    listed = set(_listed(config.nav))
    rest = sorted(path.name for path in Path(config.docs_dir).glob("*.md") if path.name not in listed)
    places = {"*": rest, "reference": [{name: f"reference/{name}.md"} for name in reference.pages()]}
    config.nav = _filled(config.nav, places)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made."""
    made = {f"reference/{name}.md": text for name, text in reference.pages().items()}
    made["torch7-names.md"] = names.page()
    made |= {name: (ROOT / path).read_text() for path, name in TAKEN.items()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: MkDocsConfig, files: Files) -> str:
    """Turns links to files of the repository into links of the site; what is not there is named only."""
    source = {name: path for path, name in TAKEN.items()}.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    folder = posixpath.dirname(source)

    def rewritten(match: re.Match) -> str:
        image, text, path, anchor = match.groups()
        target = posixpath.normpath(posixpath.join(folder, path))
        if target in TAKEN or target.startswith("docs/"):
            inside = TAKEN.get(target, target.removeprefix("docs/"))
            here = posixpath.relpath(inside, posixpath.dirname(page.file.src_uri) or ".")
            return f"{image}[{text}]({here}{anchor or ''})"
        if (ROOT / target).exists():
            return f"`{target}`" if text.strip("`/") == target else f"{text} (`{target}`)"
        return match[0]  # which mkdocs reports

    return LINK.sub(rewritten, markdown)


def _listed(nav: Any) -> list[str]:
    if isinstance(nav, dict):
        return [path for inner in nav.values() for path in _listed(inner)]
    return [path for inner in nav for path in _listed(inner)] if isinstance(nav, list) else [nav]


def _filled(nav: Any, places: dict[str, list]) -> Any:
    """The navigation with lists in the places that stand for them."""
    if isinstance(nav, dict):
        return {title: _filled(inner, places) for title, inner in nav.items()}
    if isinstance(nav, list):
        filled = [_filled(inner, places) for inner in nav]
        return [each for inner in filled for each in (inner if isinstance(inner, list) else [inner])]
    return places.get(nav, nav)
