"""Makes the notebooks: each script of source/ becomes a .ipynb beside this file, with the outputs of its cells.

    python notebooks/execute.py [3_torch7_files ...]

Needs the extra `notebooks` (jupytext, nbclient, ipykernel). `make notebooks` runs it for all.
"""

import argparse
import base64
import io
import time
from pathlib import Path

import jupytext
from nbclient import NotebookClient
from nbformat import NotebookNode, validate
from PIL import Image

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "source"
COLOURS = 64
"""Of a picture: enough for curves and their soft edges, and a third of the bytes."""


def notebook(source: Path) -> NotebookNode:
    """The notebook of a script, without outputs; nothing in it differs from one conversion to the next."""
    made = jupytext.read(source, fmt="py:percent")
    made.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(made.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
    validate(made)
    return made


def execute(source: Path) -> Path:
    """Runs the notebook of a script where the scripts it imports are, and writes it with what its cells gave.

    Raises: nbclient's CellExecutionError if a cell fails; nothing is written then.
    """
    made = notebook(source)
    client = NotebookClient(made, kernel_name="python3", resources={"metadata": {"path": FOLDER}}, record_timing=False)
    client.execute()
    for data in (output.data for cell in made.cells for output in cell.get("outputs", ()) if "data" in output):
        if "image/png" in data:
            data["image/png"] = smaller(data["image/png"])
    made.metadata.pop("language_info")  # the version of this machine's Python
    path = FOLDER / f"{source.stem}.ipynb"
    jupytext.write(made, path, fmt="ipynb")
    return path


def smaller(picture: str) -> str:
    """A PNG, in base 64, with a palette in place of a colour for each pixel; as it is, where that would be larger."""
    packed = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
    return min(base64.b64encode(packed.getvalue()).decode() + "\n", picture, key=len)


def main(names: list[str]) -> None:
    """Executes the named notebooks, or all."""
    for source in [SOURCES / f"{name}.py" for name in names] or sorted(SOURCES.glob("*.py")):
        start = time.perf_counter()
        path = execute(source)
        took, size = time.perf_counter() - start, path.stat().st_size / 1000
        print(f"wrote {path.name}: {size:.0f} kB in {took:.0f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*", help="such as 1_training_from_zero; all without")
    main(parser.parse_args().name)
