"""The pages of the notebooks: their cells with what these gave, as it stands in the committed files."""

from functools import cache
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

FOLDER = Path(__file__).parents[1] / "notebooks"
PAGES = {path: f"notebooks/{path.stem}.md" for path in sorted(FOLDER.glob("*.ipynb"))}
"""The notebooks, and what their pages are called on the site."""


@cache
def files() -> dict[str, str | bytes]:
    """The page of each notebook, as Markdown, and its pictures, by their places on the site."""
    found: dict[str, str | bytes] = {}
    for path, page in PAGES.items():
        found[page], pictures = converted(nbformat.read(path, as_version=4), path.stem)
        found |= {f"notebooks/{name}": picture for name, picture in pictures.items()}
    return found


def converted(notebook: nbformat.NotebookNode, folder: str) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and its pictures, by their places in the folder beside the page."""
    notebook.metadata.language_info = {"name": "python"}  # by which code is coloured; execute.py leaves it out
    markdown, resources = MarkdownExporter().from_notebook_node(notebook, {"output_files_dir": folder})
    return markdown, resources["outputs"]
